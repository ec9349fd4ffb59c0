// bank_arbiter: which lane one bank reads for: the oldest that waits, unless a fill takes the bank.
//
// Combinational: `grant` is one-hot or zero. `beaten_by` is a total order of the lanes, so exactly
// one lane wins where any asks; no chain from lane to lane, whatever the number of banks.

`default_nettype none

module bank_arbiter (
    input  wire [ 7:0] request,
    input  wire [63:0] beaten_by,  // bits [8i+7:8i]: the lanes that go before lane i
    input  wire        taken,      // a fill writes this bank in this cycle
    output reg  [ 7:0] grant
);
    integer i;

    always @*
        for (i = 0; i < 8; i = i + 1)
            grant[i] = request[i] & ~taken & ~|(request & beaten_by[8*i +: 8]);
endmodule

`default_nettype wire
