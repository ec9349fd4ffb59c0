// Proves that gatherb_agu computes what section 2 of the specification says.
//
// The command of the cycle before is kept; the sums are worked out at 64 bits, so that a carry
// lost anywhere shows.

`default_nettype none

module prove_gatherb_agu (
    input wire         clk,
    input wire [ 31:0] base,
    input wire [255:0] index,
    input wire [ 31:0] mask
);
    wire [8*33-1:0] address;
    wire [     7:0] active;

    gatherb_agu unit (
        .clk     (clk),
        .base    (base),
        .index   (index),
        .mask    (mask),
        .address (address),
        .active  (active)
    );

    reg         known = 1'b0;    // a command was there in the cycle before
    reg [ 31:0] its_base;
    reg [255:0] its_index;
    reg [ 31:0] its_mask;

    always @(posedge clk) begin
        known     <= 1'b1;
        its_base  <= base;
        its_index <= index;
        its_mask  <= mask;
    end

    reg [7:0] wrong_address;
    reg [7:0] wrong_active;
    reg [7:0] carries;
    reg [7:0] masked;      // only bits that do not count are set
    integer   i;

    always @*
        for (i = 0; i < 8; i = i + 1) begin
            wrong_address[i] = {31'b0, address[33*i +: 33]} !=
                               {32'b0, its_base} + {32'b0, its_index[32*i +: 32]};
            wrong_active[i]  = active[i] != its_mask[4*i];
            carries[i]       = address[33*i+32] & active[i];
            masked[i]        = !active[i] && |its_mask[4*i +: 4];
        end

    always @*
        if (known) begin
            address_is_base_plus_index: assert (wrong_address == 8'h00);
            active_by_mask_bit_4i: assert (wrong_active == 8'h00);
            every_lane_carries_out: cover (carries == 8'hFF);
            other_mask_bits_are_set: cover (masked == 8'hFF);
        end
endmodule

`default_nettype wire
