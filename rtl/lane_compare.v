// lane_compare: which of the eight lanes' blocks lie in the same bank, and which are the same.
//
// Combinational. Pairs of lanes i > j are numbered i * (i - 1) / 2 + j.
//
// BLOCK_W  width of a block number
// BANKS    number of banks, a power of two: the low bits of a block number name its bank

`default_nettype none

module lane_compare #(
    parameter BLOCK_W = 13,
    parameter BANKS   = 16
) (
    input  wire [8*BLOCK_W-1:0] block,
    output reg  [         27:0] same_bank,
    output reg  [         27:0] same_block
);
    localparam [31:0] IN_BANK = BANKS - 1;

    reg [BLOCK_W-1:0] difference;
    integer           i, j;

    always @*
        for (i = 1; i < 8; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                difference = block[BLOCK_W*i +: BLOCK_W] ^ block[BLOCK_W*j +: BLOCK_W];
                same_bank [i*(i-1)/2+j] = (difference & IN_BANK[BLOCK_W-1:0]) == {BLOCK_W{1'b0}};
                same_block[i*(i-1)/2+j] = ~|difference;
            end
endmodule

`default_nettype wire
