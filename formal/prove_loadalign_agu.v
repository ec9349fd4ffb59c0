// Proves that loadalign_agu computes what section 3 of the specification says.
//
// The command of the cycle before is kept; products and sums are worked out at 64 bits, so that a
// carry lost anywhere shows.

`default_nettype none

module prove_loadalign_agu #(
    parameter STRIDE_W = 32
) (
    input wire                clk,
    input wire [         1:0] op,
    input wire [         1:0] dtype,
    input wire [        31:0] base,
    input wire [STRIDE_W-1:0] block_stride,
    input wire [STRIDE_W-1:0] repeat_stride,
    input wire [       255:0] mask
);
    wire [8*41-1:0] address;
    wire [     7:0] active;
    wire [    31:0] next_base;

    loadalign_agu #(
        .STRIDE_W(STRIDE_W)
    ) unit (
        .clk           (clk),
        .op            (op),
        .dtype         (dtype),
        .base          (base),
        .block_stride  (block_stride),
        .repeat_stride (repeat_stride),
        .mask          (mask),
        .address       (address),
        .active        (active),
        .next_base     (next_base)
    );

    reg         known = 1'b0;    // a command was there in the cycle before
    reg [  1:0] its_op;
    reg [  1:0] its_dtype;
    reg [ 63:0] its_base;
    reg [ 63:0] its_block_stride;
    reg [ 63:0] its_repeat_stride;
    reg [255:0] its_mask;

    always @(posedge clk) begin
        known             <= 1'b1;
        its_op            <= op;
        its_dtype         <= dtype;
        its_base          <= base;
        its_block_stride  <= block_stride;
        its_repeat_stride <= repeat_stride;
        its_mask          <= mask;
    end

    wire [63:0] moved = its_base + 64'd32 * its_repeat_stride;
    wire [63:0] start = its_op == 2'd2 ? moved : its_base;

    // An element of 1, 2 or 4 bytes owns as many bits, of which the lowest counts.
    reg [7:0] wrong_address;
    reg [7:0] wanted;
    reg [7:0] masked;      // only bits that do not count are set
    integer   i, element;

    always @*
        for (i = 0; i < 8; i = i + 1) begin
            wrong_address[i] = {23'b0, address[41*i +: 41]} !=
                               start + 64'd32 * its_block_stride * i;
            wanted[i] = 1'b0;
            for (element = 0; element < 32; element = element + 1)
                if (its_dtype == 2'd0 || (its_dtype == 2'd1 && element % 2 == 0) ||
                    (its_dtype == 2'd2 && element % 4 == 0))
                    wanted[i] = wanted[i] | its_mask[32*i+element];
            masked[i] = !active[i] && |its_mask[32*i +: 32];
        end

    always @*
        if (known) begin
            address_is_start_plus_strides: assert (wrong_address == 8'h00);
            base_moves_with_op_3_alone:
            assert (next_base == (its_op == 2'd3 ? moved[31:0] : its_base[31:0]));
            // With 64-bit elements the command is refused, whatever is active.
            active_by_the_lowest_bit_of_an_element:
            assert (its_dtype == 2'd3 || active == wanted);

            largest_strides: cover (&its_block_stride[STRIDE_W-1:0] & its_op == 2'd2 & &active);
            base_wraps: cover (its_op == 2'd3 && next_base < its_base && active == 8'h00);
            other_mask_bits_are_set: cover (its_dtype == 2'd1 && masked == 8'hFF);
        end
endmodule

`default_nettype wire
