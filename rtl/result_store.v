// result_store: the DataBlocks of one lane, collected until their command's response has left.
//
// Latency     a block written in one cycle is read in the next. The read is not clocked.
// Throughput  1 write and 1 read per cycle.
// Reset       none. Maps to distributed RAM; SLOTS up to 16 cost the same.
//
// SLOTS  number of blocks, a power of two

`default_nettype none

module result_store #(
    parameter SLOTS  = 16,
    parameter SLOT_W = $clog2(SLOTS)
) (
    input  wire              clk,
    input  wire              write,
    input  wire [SLOT_W-1:0] write_slot,
    input  wire [     255:0] write_block,
    input  wire [SLOT_W-1:0] read_slot,
    output wire [     255:0] read_block
);
    reg [255:0] block [0:SLOTS-1];

    always @(posedge clk)
        if (write) block[write_slot] <= write_block;

    assign read_block = block[read_slot];
endmodule

`default_nettype wire
