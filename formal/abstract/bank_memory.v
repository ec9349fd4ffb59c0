// bank_memory as an abstraction for proofs: it keeps one row, which one is free, and reads anything
// from the others. So it does all that the memory can do and more: what is proven with it holds with
// the memory. prove_bank_memory shows that.

`default_nettype none

module bank_memory #(
    parameter ROWS   = 512,
    parameter DATA_W = 256,
    parameter ROW_W  = $clog2(ROWS)
) (
    input  wire              clk,
    input  wire              enable,
    input  wire              write,
    input  wire [ ROW_W-1:0] row,
    input  wire [DATA_W-1:0] write_data,
    output reg  [DATA_W-1:0] read_data
);
    (* anyconst *) wire [ ROW_W-1:0] kept_row;
    (* anyseq *)   wire [DATA_W-1:0] anything;
    reg [DATA_W-1:0] kept;

    wire hit = row == kept_row;

    always @(posedge clk)
        if (enable & write & hit) kept <= write_data;

    always @(posedge clk)
        if (enable & ~write) read_data <= hit ? kept : anything;
endmodule

`default_nettype wire
