// Proves what the ports of the unit promise about the number of responses, readys, reset and idle.

`default_nettype none

module prove_responses #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter STRIDE_W = 32,
    parameter CALM     = 0
) (
    input wire                clk,
    input wire                rst,
    input wire                fill_valid,
    input wire [        31:0] fill_addr,
    input wire [       255:0] fill_data,
    input wire                cmd_valid,
    input wire [         1:0] cmd_op,
    input wire [         1:0] cmd_dtype,
    input wire [        31:0] cmd_base,
    input wire [STRIDE_W-1:0] cmd_block_stride,
    input wire [STRIDE_W-1:0] cmd_repeat_stride,
    input wire [       255:0] cmd_index,
    input wire [       255:0] cmd_mask,
    input wire                rsp_ready
);
    `include "unit.vh"

    // ---- Responses ----------------------------------------------------------------------------
    reg stalled;

    always @(posedge clk) stalled <= rsp_valid & ~rsp_ready & ~rst;

    always @*
        if (started) begin
            no_response_without_a_command: assert (!rsp_valid || outstanding != 8'd0);
            valid_stays: assert (!stalled || rsp_valid);
        end

    (* inner = "unit.response_queue.claim" *)    wire claim;
    (* inner = "unit.response_queue.has_room" *) wire has_room;
    wire kept;

    response_contract response_contract (
        .claim    (claim),
        .has_room (has_room),
        .kept     (kept)
    );

    always @* if (started) the_contract_is_kept: assert (kept);

    // ---- Reset and idle -----------------------------------------------------------------------
    (* inner = "unit.fill_port.waiting" *) wire               fill_waiting;
    (* inner = "unit.fill_port.ahead_q" *) wire [COUNT_W-1:0] fill_ahead;

    reg [1:0] quiet;          // cycles since the last activity, 3 for more

    always @(posedge clk)
        if (rst)                                                          quiet <= 2'd0;
        else if (cmd_transfer || fill_transfer || outstanding != 8'd0)    quiet <= 2'd0;
        else if (quiet != 2'd3)                                           quiet <= quiet + 2'd1;

    always @*
        if (started) begin
            fill_waits_for_reads_that_are_left:
            assert (!fill_waiting || fill_ahead <= reads_left);
            low_in_reset:
            assert (!in_reset || !(cmd_ready || fill_ready || rsp_valid || fill_error));
            busy_with_a_command: assert (in_reset || outstanding == 8'd0 || !idle);
            busy_with_a_fill: assert (in_reset || !fill_waiting || !idle);
            idle_soon: assert (quiet < 2'd2 || idle);
        end

    // ---- What is reached ----------------------------------------------------------------------
    reg answered;         // since the last reset

    always @(posedge clk)
        if (rst)               answered <= 1'b0;
        else if (rsp_transfer) answered <= 1'b1;

    always @*
        if (started && !in_reset) begin
            every_slot_is_taken: cover (outstanding == SLOTS && stalled);
            most_reads_are_left: cover (reads_left == READS_MAX);
            idle_behind_an_answer: cover (idle && answered);
            a_fill_waits_for_three_commands:
            cover (fill_waiting && fill_ahead == 3);
        end

    reg in_flight_at_reset;

    always @(posedge clk) in_flight_at_reset <= started && outstanding > 8'd2 && rsp_valid;

    always @* if (started) reset_with_a_response_in_flight: cover (in_reset && in_flight_at_reset);
endmodule

`default_nettype wire
