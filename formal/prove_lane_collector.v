// Proves that lane_collector does nothing that its abstraction (abstract/lane_collector.v) does not
// do: a slot that is read gives the block of the selected bank that it took last, zero for none.

`default_nettype none

module prove_lane_collector #(
    parameter BANKS  = 8,
    parameter SLOT_W = 4,
    parameter DATA_W = 256
) (
    input wire                    clk,
    input wire                    collect,
    input wire [       BANKS-1:0] select,
    input wire [DATA_W*BANKS-1:0] bank_data,
    input wire [      SLOT_W-1:0] collect_slot,
    input wire [      SLOT_W-1:0] read_slot
);
    (* anyconst *) wire [SLOT_W-1:0] kept_slot;
    wire [DATA_W-1:0] read_block;

    lane_collector #(
        .BANKS  (BANKS),
        .SLOT_W (SLOT_W),
        .DATA_W (DATA_W)
    ) unit (
        .clk          (clk),
        .collect      (collect),
        .select       (select),
        .bank_data    (bank_data),
        .collect_slot (collect_slot),
        .read_slot    (read_slot),
        .read_block   (read_block)
    );

    reg              known = 1'b0;      // the slot has taken a block
    reg [DATA_W-1:0] kept;
    reg [DATA_W-1:0] routed;
    integer          bank;

    always @* begin
        routed = {DATA_W{1'b0}};
        for (bank = 0; bank < BANKS; bank = bank + 1)
            routed = routed | (bank_data[DATA_W*bank +: DATA_W] & {DATA_W{select[bank]}});
    end

    always @(posedge clk)
        if (collect & (collect_slot == kept_slot)) begin
            known <= 1'b1;
            kept  <= routed;
        end

    (* memory = "unit.block", address = "kept_slot" *) wire [DATA_W-1:0] held;

    always @* begin
        if (known) slot_holds_what_it_took: assert (held == kept);
        if (known & read_slot == kept_slot) read_gives_what_it_took: assert (read_block == kept);
        read_again: cover (known && read_slot == kept_slot && read_block != 0);
    end
endmodule

`default_nettype wire
