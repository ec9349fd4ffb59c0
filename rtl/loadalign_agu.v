// loadalign_agu: the strided address generator of LoadAlign, with mask gating and post-update.
//
//   address[i] = start + 32 * block_stride * i, full width (41 bits), i = 0..7
//   start      = base, or base + 32 * repeat_stride for LOADALIGN_POST_NORMAL
//   next_base  = base, or base + 32 * repeat_stride modulo 2^32 for LOADALIGN_POST_UPDATE
//   active[i]  = any element of DataBlock i is selected by its mask bits [32i+31:32i]
//
// Latency     1 cycle: the multiples of the stride and the moved base are registered, the sums
//             leave combinationally behind the registers.
// Throughput  1 command per cycle; it never stalls, so it has neither valid nor ready.
// Reset       none: the caller tracks which cycles carry a command.
//
// STRIDE_W  width of both strides, 1..32 bits. The strides are unsigned and count DataBlocks.
//           Area: about six adders of this width.

`default_nettype none

module loadalign_agu #(
    parameter STRIDE_W = 32
) (
    input  wire                clk,
    input  wire [         1:0] op,
    input  wire [         1:0] dtype,          // 0 b8, 1 b16, 2 b32; b64 is refused elsewhere
    input  wire [        31:0] base,           // byte address
    input  wire [STRIDE_W-1:0] block_stride,
    input  wire [STRIDE_W-1:0] repeat_stride,
    input  wire [       255:0] mask,
    output wire [  8*41-1:0]   address,
    output reg  [         7:0] active,
    output wire [        31:0] next_base
);
    localparam [1:0] OP_POST_NORMAL = 2'd2;
    localparam [1:0] OP_POST_UPDATE = 2'd3;
    localparam [1:0] DTYPE_B8       = 2'd0;
    localparam [1:0] DTYPE_B16      = 2'd1;

    // ---- Operands -----------------------------------------------------------------------------
    // Widened before anything is added, so that nothing wraps before the range check. A shift by
    // five bits is the size of a DataBlock.
    reg [        31:0] base_q;
    reg [        37:0] moved_q;        // base + 32 * repeat_stride
    reg [STRIDE_W-1:0] stride_q;       // the odd multiples; the even ones are shifts of them
    reg [STRIDE_W+1:0] stride_x3_q;
    reg [STRIDE_W+2:0] stride_x5_q;
    reg [STRIDE_W+2:0] stride_x7_q;
    reg                start_moved_q;
    reg                base_moves_q;

    always @(posedge clk) begin
        base_q        <= base;
        moved_q       <= {6'b000000, base} + {{(33-STRIDE_W){1'b0}}, repeat_stride, 5'b00000};
        stride_q      <= block_stride;
        stride_x3_q   <= {1'b0, block_stride, 1'b0} + {2'b00,  block_stride};
        stride_x5_q   <= {1'b0, block_stride, 2'b00} + {3'b000, block_stride};
        stride_x7_q   <= {block_stride, 3'b000} - {3'b000, block_stride};
        start_moved_q <= op == OP_POST_NORMAL;
        base_moves_q  <= op == OP_POST_UPDATE;
    end

    // ---- Mask gating --------------------------------------------------------------------------
    // An element owns as many mask bits as it has bytes, and only its lowest bit counts.
    wire odd_bits_count   = dtype == DTYPE_B8;
    wire every_2nd_counts = (dtype == DTYPE_B8) | (dtype == DTYPE_B16);

    integer i;

    always @(posedge clk)
        for (i = 0; i < 8; i = i + 1)
            active[i] <= |(mask[32*i +: 32] &
                           {8{odd_bits_count, every_2nd_counts, odd_bits_count, 1'b1}});

    // ---- Addresses ----------------------------------------------------------------------------
    wire [37:0] start = start_moved_q ? moved_q : {6'b000000, base_q};

    assign address = {{3'b000, start} + {{(33-STRIDE_W){1'b0}}, stride_x7_q, 5'b00000},
                      {3'b000, start} + {{(33-STRIDE_W){1'b0}}, stride_x3_q, 6'b000000},
                      {3'b000, start} + {{(33-STRIDE_W){1'b0}}, stride_x5_q, 5'b00000},
                      {3'b000, start} + {{(34-STRIDE_W){1'b0}}, stride_q,    7'b0000000},
                      {3'b000, start} + {{(34-STRIDE_W){1'b0}}, stride_x3_q, 5'b00000},
                      {3'b000, start} + {{(35-STRIDE_W){1'b0}}, stride_q,    6'b000000},
                      {3'b000, start} + {{(36-STRIDE_W){1'b0}}, stride_q,    5'b00000},
                      {3'b000, start}};

    assign next_base = base_moves_q ? moved_q[31:0] : base_q;
endmodule

`default_nettype wire
