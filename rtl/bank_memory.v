// bank_memory: one bank of the Unified Buffer: one 32-byte read or one 32-byte write in a cycle.
//
// Latency     read data 1 cycle after `enable`; it stays until the next read.
// Throughput  1 access per cycle.
// Reset       none: contents survive, as section 5 of the specification asks. One process that
//             writes or else reads maps to block RAM with no logic around it.
//
// ROWS    number of rows, at least 2
// DATA_W  width of a row in bits; anything but 256 is for experiments with the area

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
    reg [DATA_W-1:0] block [0:ROWS-1];

    always @(posedge clk)
        if (enable) begin
            if (write) block[row] <= write_data;
            else       read_data  <= block[row];
        end
endmodule

`default_nettype wire
