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
    output reg  [  8*41-1:0]   address,
    output reg  [         7:0] active,
    output wire [        31:0] next_base
);
    localparam [1:0] OP_POST_NORMAL = 2'd2;
    localparam [1:0] OP_POST_UPDATE = 2'd3;
    localparam [1:0] DTYPE_B8       = 2'd0;
    localparam [1:0] DTYPE_B16      = 2'd1;

    // Eight times the stride fits: 7 * (2^STRIDE_W - 1) < 2^(STRIDE_W + 3).
    localparam MULTIPLE_W = STRIDE_W + 3;

    // ---- Operands -----------------------------------------------------------------------------
    // Widened before anything is shifted or added, so that nothing wraps before the range check.
    wire [MULTIPLE_W-1:0] stride = {3'b000, block_stride};
    wire [          37:0] step   = {{(33-STRIDE_W){1'b0}}, repeat_stride, 5'b00000};

    reg [          31:0] base_q;
    reg [          37:0] moved_q;      // base + 32 * repeat_stride
    reg [MULTIPLE_W-1:0] stride_q;     // the odd multiples; the even ones are shifts of them
    reg [MULTIPLE_W-1:0] stride_x3_q;
    reg [MULTIPLE_W-1:0] stride_x5_q;
    reg [MULTIPLE_W-1:0] stride_x7_q;
    reg                  start_moved_q;
    reg                  base_moves_q;

    always @(posedge clk) begin
        base_q        <= base;
        moved_q       <= {6'b000000, base} + step;
        stride_q      <= stride;
        stride_x3_q   <= (stride << 1) + stride;
        stride_x5_q   <= (stride << 2) + stride;
        stride_x7_q   <= (stride << 3) - stride;
        start_moved_q <= op == OP_POST_NORMAL;
        base_moves_q  <= op == OP_POST_UPDATE;
    end

    // ---- Mask gating --------------------------------------------------------------------------
    // An element owns as many mask bits as it has bytes, and only its lowest bit counts.
    wire [31:0] significant = (dtype == DTYPE_B8)  ? 32'hFFFF_FFFF :
                              (dtype == DTYPE_B16) ? 32'h5555_5555 :
                                                     32'h1111_1111;

    // ---- Addresses ----------------------------------------------------------------------------
    wire [             40:0] start = start_moved_q ? {3'b000, moved_q} : {9'b0, base_q};
    wire [8*MULTIPLE_W-1:0] multiple = {stride_x7_q,
                                        stride_x3_q << 1,
                                        stride_x5_q,
                                        stride_q << 2,
                                        stride_x3_q,
                                        stride_q << 1,
                                        stride_q,
                                        {MULTIPLE_W{1'b0}}};

    integer i, k;

    always @(posedge clk)
        for (i = 0; i < 8; i = i + 1) active[i] <= |(mask[32*i +: 32] & significant);

    always @*
        for (k = 0; k < 8; k = k + 1)
            address[41*k +: 41] =
                start + {{(33-STRIDE_W){1'b0}}, multiple[MULTIPLE_W*k +: MULTIPLE_W], 5'b00000};

    assign next_base = base_moves_q ? moved_q[31:0] : base_q;
endmodule

`default_nettype wire
