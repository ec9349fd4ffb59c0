// Proves that responses come in the order of the commands, and stay until they are taken.
//
// One command, any one, is marked when it is accepted, and its base kept: its response must come
// with that base, behind as many others as were outstanding then.

`default_nettype none

module prove_order #(
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
    input wire                rsp_ready,
    input wire                mark
);
    `include "unit.vh"

    // ---- One response per command, in order ---------------------------------------------------
    reg        marked;
    reg [ 7:0] ahead;         // responses before that of the marked command
    reg [ 1:0] age;           // cycles since its acceptance, 2 for more
    reg [31:0] marked_base;

    // Of the ops that keep the base, so that the response's is known: a fault keeps it too.
    wire marking = cmd_transfer & mark & ~marked & (CALM || cmd_op != 2'd3);

    always @(posedge clk)
        if (rst) marked <= 1'b0;
        else if (marking) begin
            marked      <= 1'b1;
            ahead       <= outstanding - rsp_transfer;
            age         <= 2'd0;
            marked_base <= cmd_base;
        end else begin
            if (rsp_transfer) begin
                ahead <= ahead - 8'd1;
                if (ahead == 8'd0) marked <= 1'b0;
            end
            if (age != 2'd2) age <= age + 2'd1;
        end

    // Its slot, and what the queue of responses keeps there: the report without the fault.
    localparam REPORT_W = 8 + 32 + 3 + 3 + 41;

    (* inner = "unit.base_q" *)                     wire [              31:0] entering_base;
    (* inner = "unit.gather_q" *)                   wire                      entering_gather;
    (* inner = "unit.loadalign_agu.base_q" *)       wire [              31:0] loadalign_base;
    (* inner = "unit.loadalign_agu.base_moves_q" *) wire                      base_moves;
    (* inner = "unit.report_base_q" *)              wire [              31:0] report_base;
    (* inner = "unit.response_queue.stored[*]" *)   wire [SLOTS*REPORT_W-1:0] stored;

    wire [SLOT_W-1:0] marked_slot = rsp_slot + ahead[SLOT_W-1:0];
    reg  [31:0] kept_base;
    integer     n;

    // Selected word by word: a solver copes with that far better than with a shift by a variable.
    always @*
        for (n = 0; n < SLOTS; n = n + 1)
            if (n == 0 || marked_slot == n) kept_base = stored[REPORT_W*n+47 +: 32];

    always @*
        if (started && marked) begin
            mark_is_outstanding: assert (ahead < outstanding);
            mark_is_entering: assert (age != 2'd0 || (entering && ahead + 1 == outstanding &&
                                                      entering_base == marked_base &&
                                                      loadalign_base == marked_base &&
                                                      !base_moves));
            mark_is_reported: assert (age != 2'd1 || (report_valid_q &&
                                                      marked_slot == report_slot &&
                                                      report_base == marked_base));
            mark_is_kept: assert (age != 2'd2 || kept_base == marked_base);
            mark_is_reported_once: assert (age != 2'd2 ||
                                           ahead + entering + report_valid_q < outstanding);
            mark_has_an_age: assert (age != 2'd3);
            mark_is_not_answered_at_once: assert (age == 2'd2 || ahead >= finished + on_the_way);
        end

    always @*
        if (started) begin
            base_of_its_own_command:
            assert (!(marked && rsp_valid && ahead == 8'd0) || rsp_base == marked_base);
        end

    // ---- Backpressure -------------------------------------------------------------------------
    reg         stalled;
    reg [ 7:0] its_block_we;
    reg [31:0] its_base;
    reg [ 5:0] its_fault;
    reg [47:0] its_fault_addr;

    always @(posedge clk) begin
        stalled        <= rsp_valid & ~rsp_ready & ~rst;
        its_block_we   <= rsp_block_we;
        its_base       <= rsp_base;
        its_fault      <= {rsp_fault, rsp_fault_lane};
        its_fault_addr <= rsp_fault_addr;
    end

    always @*
        if (started && stalled) begin
            valid_stays: assert (rsp_valid);
            block_we_stays: assert (rsp_block_we == its_block_we);
            base_stays: assert (rsp_base == its_base);
            fault_stays: assert ({rsp_fault, rsp_fault_lane} == its_fault);
            fault_addr_stays: assert (rsp_fault_addr == its_fault_addr);
        end

    // ---- What is reached ----------------------------------------------------------------------
    reg had_three_ahead;

    always @(posedge clk)
        if (marking) had_three_ahead <= outstanding - rsp_transfer == 8'd3;

    always @*
        if (started && marked) begin
            answered_behind_three: cover (rsp_transfer && ahead == 8'd0 && had_three_ahead);
            stalled_with_its_base: cover (stalled && ahead == 8'd0 && &rsp_base[31:5]);
            faults_while_stalled: cover (stalled && ahead == 8'd0 && rsp_fault == 3'd2);
        end
endmodule

`default_nettype wire
