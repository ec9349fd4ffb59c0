// bank_memory: one bank of the Unified Buffer: one 32-byte read or one 32-byte write in a cycle.
//
// Latency     read data 1 cycle after `enable`; it stays until the next read.
// Throughput  1 access per cycle.
// Reset       none: contents survive, as section 5 of the specification asks. One process that
//             writes or else reads maps to block RAM with no logic around it.
//
// ROWS  number of 32-byte rows, at least 2

`default_nettype none

module bank_memory #(
    parameter ROWS  = 512,
    parameter ROW_W = $clog2(ROWS)
) (
    input  wire             clk,
    input  wire             enable,
    input  wire             write,
    input  wire [ROW_W-1:0] row,
    input  wire [    255:0] write_data,
    output reg  [    255:0] read_data
);
    reg [255:0] block [0:ROWS-1];

    always @(posedge clk)
        if (enable) begin
            if (write) block[row] <= write_data;
            else       read_data  <= block[row];
        end
endmodule

`default_nettype wire
