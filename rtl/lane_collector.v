// lane_collector: the data side of the crossbar for one lane: takes the DataBlock of the selected
// bank and keeps it in a slot until its command's response has left.
//
// `select` is one-hot, or zero for a lane that reads nothing: its block is then all zero, with no
// further gate. One-hot AND-OR, which maps to fewer LUTs than a binary select.
//
// Latency     a block collected in one cycle is read in the next. The read is not clocked.
// Throughput  1 block collected and 1 read per cycle.
// Reset       none. The slots map to distributed RAM; up to 16 of them cost the same.
//
// BANKS   number of banks
// SLOT_W  2^SLOT_W blocks are kept
// DATA_W  width of a block in bits

`default_nettype none

module lane_collector #(
    parameter BANKS  = 16,
    parameter SLOT_W = 4,
    parameter DATA_W = 256
) (
    input  wire                    clk,
    input  wire                    collect,
    input  wire [       BANKS-1:0] select,
    input  wire [DATA_W*BANKS-1:0] bank_data,
    input  wire [      SLOT_W-1:0] collect_slot,
    input  wire [      SLOT_W-1:0] read_slot,
    output wire [      DATA_W-1:0] read_block
);
    // A function of the clocked process rather than a wire: an event simulator then evaluates it
    // once per block, not once per bank that changes.
    function [DATA_W-1:0] route(input [BANKS-1:0] from, input [DATA_W*BANKS-1:0] data);
        integer bank;
        begin
            route = {DATA_W{1'b0}};
            for (bank = 0; bank < BANKS; bank = bank + 1)
                route = route | (data[DATA_W*bank +: DATA_W] & {DATA_W{from[bank]}});
        end
    endfunction

    reg [DATA_W-1:0] block [0:(1<<SLOT_W)-1];

    always @(posedge clk)
        if (collect) block[collect_slot] <= route(select, bank_data);

    assign read_block = block[read_slot];
endmodule

`default_nettype wire
