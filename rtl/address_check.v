// address_check: the alignment and range check that GatherB and LoadAlign share.
//
// The first of these that applies is reported, with the lowest lane for which it applies:
//   1 ILLEGAL_DTYPE      `illegal_dtype`: the command's own error, whatever the mask
//   2 MISALIGNED_BASE    base is not a multiple of 32, whatever the mask
//   3 MISALIGNED_INDEX   the address of an active lane is not a multiple of 32
//   4 OUT_OF_RANGE       address + 32 > UB_BYTES in an active lane
// With an aligned base an address is misaligned exactly where the index is, and an aligned address
// is out of range exactly where a bit at or above log2(UB_BYTES) is set: no carry is needed.
//
// Latency     `faulted` combinational, in time to keep a faulting command from its banks.
//             `fault`, `fault_lane`, `fault_address` one cycle later: they only travel with the
//             response, so the priority over lanes stays out of the path that decides on reads.
// Throughput  1 command per cycle; it never stalls.
// Reset       none: the caller tracks which cycles carry a command.

`default_nettype none

module address_check #(
    parameter UB_BYTES = 262144
) (
    input  wire            clk,
    input  wire            illegal_dtype,
    input  wire [    31:0] base,
    input  wire [8*41-1:0] address,        // full width: nothing has wrapped
    input  wire [     7:0] active,
    output wire            faulted,
    output wire [     2:0] fault,
    output wire [     2:0] fault_lane,
    output wire [    40:0] fault_address
);
    localparam UB_W = $clog2(UB_BYTES);

    localparam [2:0] FAULT_NONE             = 3'd0;
    localparam [2:0] FAULT_ILLEGAL_DTYPE    = 3'd1;
    localparam [2:0] FAULT_MISALIGNED_BASE  = 3'd2;
    localparam [2:0] FAULT_MISALIGNED_INDEX = 3'd3;
    localparam [2:0] FAULT_OUT_OF_RANGE     = 3'd4;

    // ---- Detection ----------------------------------------------------------------------------
    wire       misaligned_base = |base[4:0];
    reg  [7:0] misaligned;
    reg  [7:0] out_of_range;
    integer    lane;

    always @*
        for (lane = 0; lane < 8; lane = lane + 1) begin
            misaligned[lane]   = active[lane] & |address[41*lane +: 5];
            out_of_range[lane] = active[lane] & |address[41*lane+UB_W +: 41-UB_W];
        end

    assign faulted = illegal_dtype | misaligned_base | (|misaligned) | (|out_of_range);

    // ---- Report -------------------------------------------------------------------------------
    reg            illegal_dtype_q;
    reg            misaligned_base_q;
    reg [     7:0] misaligned_q;
    reg [     7:0] out_of_range_q;
    reg [    31:0] base_q;
    reg [8*41-1:0] address_q;

    always @(posedge clk) begin
        illegal_dtype_q   <= illegal_dtype;
        misaligned_base_q <= misaligned_base;
        misaligned_q      <= misaligned;
        out_of_range_q    <= out_of_range;
        base_q            <= base;
        address_q         <= address;
    end

    assign fault = illegal_dtype_q     ? FAULT_ILLEGAL_DTYPE :
                   misaligned_base_q   ? FAULT_MISALIGNED_BASE :
                   (|misaligned_q)     ? FAULT_MISALIGNED_INDEX :
                   (|out_of_range_q)   ? FAULT_OUT_OF_RANGE :
                                         FAULT_NONE;

    // A lane is to blame only where the command itself is in order.
    wire [7:0] blamed = (illegal_dtype_q | misaligned_base_q) ? 8'h00 :
                        (|misaligned_q)                       ? misaligned_q : out_of_range_q;

    reg  [ 2:0] lane_number;
    reg  [40:0] lane_address;
    reg         lane_found;

    always @* begin
        lane_number  = 3'd0;
        lane_address = 41'd0;
        lane_found   = 1'b0;
        for (lane = 0; lane < 8; lane = lane + 1) begin
            lane_number  = lane_number  | (lane[2:0] & {3{blamed[lane] & ~lane_found}});
            lane_address = lane_address | (address_q[41*lane +: 41] & {41{blamed[lane] & ~lane_found}});
            lane_found   = lane_found | blamed[lane];
        end
    end

    assign fault_lane    = lane_number;
    assign fault_address = (fault == FAULT_MISALIGNED_BASE) ? {9'b0, base_q} : lane_address;
endmodule

`default_nettype wire
