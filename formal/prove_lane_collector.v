// Proves that lane_collector does nothing that its abstraction (abstract/lane_collector.v) does not
// do.
//
// The abstraction keeps the block of one slot, which one is free, and gives anything for the others.
// So this is enough: whichever slot that is, it gives the block of the selected bank that it took
// last, zero where none was selected, or what it had at power-up. Then each run of the collector is
// one of the abstraction, with what the collector has in its other slots for anything.

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

    (* memory = "unit.block", address = "kept_slot" *) wire [DATA_W-1:0] held;

    // As in the abstraction.
    reg [DATA_W-1:0] kept;
    reg [DATA_W-1:0] routed;
    integer          bank;

    always @* begin
        routed = {DATA_W{1'b0}};
        for (bank = 0; bank < BANKS; bank = bank + 1)
            routed = routed | (bank_data[DATA_W*bank +: DATA_W] & {DATA_W{select[bank]}});
    end

    always @(posedge clk)
        if (collect & (collect_slot == kept_slot)) kept <= routed;

    reg started   = 1'b0;
    reg collected = 1'b0;       // the slot has taken a block

    always @(posedge clk) begin
        started <= 1'b1;
        if (collect & (collect_slot == kept_slot)) collected <= 1'b1;
    end

    always @* if (!started) assume (kept == held);

    always @* begin
        slot_holds_what_it_took: assert (held == kept);
        if (read_slot == kept_slot) read_gives_what_it_took: assert (read_block == kept);
        read_again: cover (collected && read_slot == kept_slot && read_block != 0);
    end
endmodule

`default_nettype wire
