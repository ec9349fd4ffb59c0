// Proves that commands and fills are done in bounded time, and that neither side starves.
//
// Of the oldest command in the crossbar some lane is served in every cycle but one in which a fill
// is written, and there is one of those at most. So its reads complete within nine cycles, and what
// waits for it goes on.

`default_nettype none

module prove_progress #(
    parameter UB_BYTES = 64,
    parameter BANKS    = 1,
    parameter WINDOW   = 2,
    parameter STRIDE_W = 1,
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
    `include "lanes.vh"

    // ---- The oldest command -------------------------------------------------------------------
    (* inner = "unit.reads_complete" *) wire reads_complete;
    (* inner = "unit.fill_write" *)     wire fill_write;

    reg [7:0] age;            // cycles since it became the oldest
    reg       lost;           // one of them to a fill
    reg [3:0] unserved;       // lanes
    integer   i;

    always @* begin
        unserved = 4'd0;
        for (i = 0; i < 8; i = i + 1) unserved = unserved + of_oldest[i];
    end

    wire in_crossbar = in_xbar != {SLOT_W{1'b0}};

    always @(posedge clk)
        if (rst || reads_complete || !in_crossbar) begin
            age  <= 8'd0;
            lost <= 1'b0;
        end else begin
            age  <= age + 8'd1;
            lost <= lost | fill_write;
        end

    // ---- Waiting at the ports -----------------------------------------------------------------
    localparam BOUND = 16 * (WINDOW + 4);

    reg [7:0] command_waits;  // cycles in a row, with responses taken
    reg [7:0] fill_waits;

    always @(posedge clk)
        if (rst || !cmd_valid || cmd_ready || !rsp_ready) command_waits <= 8'd0;
        else                                              command_waits <= command_waits + 8'd1;

    always @(posedge clk)
        if (rst || !fill_valid || fill_ready) fill_waits <= 8'd0;
        else                                  fill_waits <= fill_waits + 8'd1;

    always @*
        if (started) begin
            one_cycle_lost_at_most:
            assert (!in_crossbar || !lost || !fill_waiting || fill_ahead != 4'd0);
            no_wait_in_reset: assert (!in_reset || (command_waits == 8'd0 && fill_waits == 8'd0));
            no_age_without_a_command: assert (in_crossbar || age == 8'd0);
            a_lane_is_served_in_every_other_cycle:
            assert (!in_crossbar || age + unserved <= 8 + lost);
            reads_complete_within_nine_cycles: assert (!in_crossbar || age <= 9);
            a_command_waits_for_the_oldest: assert (command_waits <= (cmd_ready ? 8'd12 : age + 8'd2));
            a_fill_waits_for_those_ahead:
            assert (fill_waits <= (!fill_waiting ? 8'd1 :
                                   (READS_MAX - fill_ahead) * 11 + age + (in_crossbar ? 8'd2 : 8'd1)));
            commands_do_not_starve: assert (command_waits < BOUND);
            fills_do_not_starve: assert (fill_waits < BOUND);
            no_conflict_is_longer: cover (in_crossbar && age == 8'd1 && lost && !in_reset);
            a_command_waits: cover (command_waits == 8'd1);
            a_fill_waits: cover (fill_waits == 8'd3);
        end
endmodule

`default_nettype wire
