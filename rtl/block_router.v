// block_router: the data side of the crossbar for one lane: the DataBlock of the selected bank.
//
// Combinational. `select` is one-hot, or zero for a lane that reads nothing: its block is then all
// zero, with no further gate. One-hot AND-OR, which maps to fewer LUTs than a binary select.

`default_nettype none

module block_router #(
    parameter BANKS = 16
) (
    input  wire [    BANKS-1:0] select,
    input  wire [256*BANKS-1:0] bank_data,
    output reg  [        255:0] block
);
    integer bank;

    always @* begin
        block = 256'd0;
        for (bank = 0; bank < BANKS; bank = bank + 1)
            block = block | (bank_data[256*bank +: 256] & {256{select[bank]}});
    end
endmodule

`default_nettype wire
