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
    output wire [         27:0] same_bank,
    output wire [         27:0] same_block
);
    localparam BANK_W = $clog2(BANKS);
    localparam ROW_W  = BLOCK_W - BANK_W;

    reg [27:0] same_row;
    integer    i, j;

    always @*
        for (i = 1; i < 8; i = i + 1)
            for (j = 0; j < i; j = j + 1)
                same_row[i*(i-1)/2+j] =
                    block[BLOCK_W*i+BANK_W +: ROW_W] == block[BLOCK_W*j+BANK_W +: ROW_W];

    generate
        if (BANKS == 1) begin : g_only
            assign same_bank = {28{1'b1}};
        end else begin : g_compare
            reg [27:0] same;
            integer    m, n;

            always @*
                for (m = 1; m < 8; m = m + 1)
                    for (n = 0; n < m; n = n + 1)
                        same[m*(m-1)/2+n] =
                            block[BLOCK_W*m +: BANK_W] == block[BLOCK_W*n +: BANK_W];

            assign same_bank = same;
        end
    endgenerate

    assign same_block = same_bank & same_row;
endmodule

`default_nettype wire
