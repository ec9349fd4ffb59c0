// lane_collector as an abstraction for proofs: it keeps the block of one slot, which one is free, and
// gives anything for the others. So it does all that the collector can do and more: what is proven
// with it holds with the collector. prove_lane_collector shows that.

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
    (* anyconst *) wire [SLOT_W-1:0] kept_slot;
    (* anyseq *)   wire [DATA_W-1:0] anything;
    reg [DATA_W-1:0] kept;
    reg [DATA_W-1:0] routed;
    integer          bank;

    // One-hot or zero, as the contract of the collector says.
    always @* begin
        routed = {DATA_W{1'b0}};
        for (bank = 0; bank < BANKS; bank = bank + 1)
            routed = routed | (bank_data[DATA_W*bank +: DATA_W] & {DATA_W{select[bank]}});
    end

    always @(posedge clk)
        if (collect & (collect_slot == kept_slot)) kept <= routed;

    assign read_block = read_slot == kept_slot ? kept : anything;
endmodule

`default_nettype wire
