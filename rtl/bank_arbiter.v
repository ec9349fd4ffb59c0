// bank_arbiter: which lane one bank reads for: the oldest that waits, unless a fill takes the bank.
//
// Combinational: `grant` is one-hot or zero. `precedes` is a total order of the lanes, so exactly one
// lane wins where any asks; two levels of four-input logic, whatever the number of banks.

`default_nettype none

module bank_arbiter (
    input  wire [ 7:0] request,
    input  wire [63:0] precedes,     // bit 8i+j: lane i goes before lane j
    input  wire        taken,      // a fill writes this bank in this cycle
    output wire [ 7:0] grant
);
    genvar i, j;
    generate
        for (i = 0; i < 8; i = i + 1) begin : g_lane
            wire [7:0] beaten_by;
            for (j = 0; j < 8; j = j + 1) begin : g_rival
                assign beaten_by[j] = request[j] & precedes[8*j+i];
            end
            assign grant[i] = request[i] & ~taken & ~|beaten_by;
        end
    endgenerate
endmodule

`default_nettype wire
