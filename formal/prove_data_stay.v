// Proves that the data of a response stay while it is not taken.
//
// The blocks of a command are collected before its response is offered, and those of no other one
// are collected under its slot until it has left.

`default_nettype none

module prove_data_stay #(
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

    reg  [7:0] wrong_first;    // the slot of what was served in the cycle before
    reg  [7:0] wrong_second;   // and in the one before that
    integer    i;

    (* hierconn *) wire \unit.fill_write ;

    reg [SLOT_W-1:0] from_oldest, from_way;

    always @*
        for (i = 0; i < 8; i = i + 1) begin
            from_oldest = slots_q[SLOT_W*i +: SLOT_W] - oldest_slot + \unit.block_xbar.reads_complete_q ;
            from_way    = slots_qq[SLOT_W*i +: SLOT_W] - oldest_slot + on_the_way;
            wrong_first[i]  = served_q[i] && from_oldest >= in_xbar + \unit.block_xbar.reads_complete_q ;
            wrong_second[i] = served_qq[i] && from_way >= in_xbar + on_the_way;
        end

    reg          stalled;
    reg [2047:0] its_data;

    always @(posedge clk) begin
        stalled  <= rsp_valid & ~rsp_ready & ~rst;
        its_data <= rsp_data;
    end

    always @*
        if (started) begin
            served_for_a_command_in_the_crossbar: assert (wrong_first == 8'h00);
            collected_for_a_command_without_response: assert (wrong_second == 8'h00);
            data_stay: assert (!stalled || rsp_data == its_data);
            collected_while_stalled: cover (stalled && |served_qq && |rsp_data);
        end
endmodule

`default_nettype wire
