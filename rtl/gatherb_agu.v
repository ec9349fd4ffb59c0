// gatherb_agu: the address stage of GatherB.
//
//   address[i] = base + index[i], full width (33 bits), i = 0..7
//   active[i]  = mask bit 4*i: the mask is read in b32 format, whatever the data type
//
// Latency     1 cycle: operands are registered, the sums leave combinationally behind the registers.
// Throughput  1 command per cycle; it never stalls, so it has neither valid nor ready.
// Reset       none: the caller tracks which cycles carry a command.

`default_nettype none

module gatherb_agu (
    input  wire          clk,
    input  wire [  31:0] base,     // byte address
    input  wire [ 255:0] index,    // eight unsigned byte offsets, index[i] in bits [32i+31:32i]
    input  wire [  31:0] mask,     // the part of the mask register that GatherB reads
    output reg  [8*33-1:0] address,
    output reg  [   7:0] active
);
    reg [ 31:0] base_q;
    reg [255:0] index_q;

    always @(posedge clk) begin
        base_q  <= base;
        index_q <= index;
    end

    integer i, k;

    // Of the four mask bits of a b32 element only the lowest counts.
    always @(posedge clk)
        for (i = 0; i < 8; i = i + 1) active[i] <= (mask[4*i +: 4] & 4'b0001) != 4'b0000;

    always @*
        for (k = 0; k < 8; k = k + 1)
            address[33*k +: 33] = {1'b0, base_q} + {1'b0, index_q[32*k +: 32]};
endmodule

`default_nettype wire
