// xbar_slice: block_xbar with narrow blocks between shift registers, for place and route.
//
// The paths that limit the crossbar's clock are those of arbitration and routing; they do not depend
// on how wide a block is, and the whole does not fit through the pins of a chip. So every input
// comes from a shift register and every output is folded into another one: nothing is optimized
// away, and only paths inside block_xbar, and from and to these registers, are timed.

`default_nettype none

module xbar_slice #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter DATA_W   = 32
) (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);
    localparam BLOCK_W = $clog2(UB_BYTES / 32);
    localparam SLOT_W  = $clog2(WINDOW + 6);   // as in ub_load_unit
    localparam IN_W    = 4 + 8 + 8*BLOCK_W + BLOCK_W + DATA_W + SLOT_W;
    localparam OUT_W   = 2 + 8*DATA_W;

    reg  [ IN_W-1:0] in_q;
    reg  [OUT_W-1:0] signature_q;
    wire [OUT_W-1:0] out;

    wire                 rst;
    wire                 command_valid;
    wire                 fill_pending;
    wire                 fill_write;
    wire [          7:0] command_active;
    wire [8*BLOCK_W-1:0] command_block;
    wire [  BLOCK_W-1:0] fill_block;
    wire [   DATA_W-1:0] fill_data;
    wire [   SLOT_W-1:0] result_slot;

    always @(posedge clk) begin
        in_q        <= {in_q[IN_W-2:0], serial_in};
        signature_q <= {signature_q[OUT_W-2:0], 1'b0} ^ out;
    end

    assign {rst, command_valid, fill_pending, fill_write, command_active, command_block, fill_block,
            fill_data, result_slot} = in_q;
    assign serial_out = signature_q[OUT_W-1];

    block_xbar #(
        .UB_BYTES (UB_BYTES),
        .BANKS    (BANKS),
        .WINDOW   (WINDOW),
        .SLOTS    (1 << SLOT_W),
        .DATA_W   (DATA_W)
    ) block_xbar (
        .clk            (clk),
        .rst            (rst),
        .command_valid  (command_valid),
        .command_active (command_active),
        .command_block  (command_block),
        .reads_complete (out[0]),
        .fill_pending   (fill_pending),
        .fill_write     (fill_write),
        .fill_block     (fill_block),
        .fill_data      (fill_data),
        .done           (out[1]),
        .result_slot    (result_slot),
        .result_data    (out[OUT_W-1:2])
    );
endmodule

`default_nettype wire
