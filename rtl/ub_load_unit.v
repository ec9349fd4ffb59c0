// ub_load_unit: loads eight 32-byte DataBlocks from the Unified Buffer into a vector register.
//
//   GatherB            eight byte offsets pick eight DataBlocks
//   LoadAlign          eight DataBlocks a fixed stride apart, gated by an element mask
//
//                 +-------------+
//            +--->| gatherb_agu |--+   +---------------+      +------------+
//   cmd -----+    +-------------+  +-->| address_check |--+-->| block_xbar |---- data ----+--> rsp
//            |    +---------------+|   +---------------+  |   +------------+              |
//            +--->| loadalign_agu |+                      |         ^    | done           |
//                 +---------------+                       |         |    v                |
//                 +-----------+                           |   +----------------+          |
//   fill -------->| fill_port |---------------------------+-->| response_queue |- report -+
//                 +-----------+                               +----------------+
//
// Latency     L = 5 cycles from acceptance to rsp_valid in an idle unit, 5 + max(0, D - 1) with
//             D distinct rows in the fullest bank. A command that reads nothing takes 5 too.
// Throughput  1 command and 256 bytes per cycle for D <= 1. WINDOW = 1: one command per max(1, D)
//             cycles exactly. Larger windows are never slower, and faster where banks conflict.
//             1 fill per cycle while no command waits for reads.
// Acceptance  cmd_ready is high while fewer than WINDOW + 2 commands wait for reads and fewer than
//             SLOTS for their responses' transfers, SLOTS = WINDOW + 6 rounded up to a power of 2;
//             fill_ready while no fill waits for its write, and in the cycle of the write.
// Registered  rsp_valid and fill_error. cmd_ready, fill_ready and idle are a few gates behind
//             registers; rsp_* leaves a memory whose read is not clocked. No path from any input to
//             any output.
// Order       fills and commands take effect in the order of acceptance, in one cycle the command
//             first; responses come in command order.
// Reset       synchronous, active high. Drops what is in flight, keeps the contents of the UB. Both
//             readys are low until the first edge with rst low, idle is high.
//
// UB_BYTES  size of the Unified Buffer in bytes: a power of two up to 2^30. Block RAM.
// BANKS     number of banks: a power of two, at least two rows in each. The area of the crossbar
//           grows with it, conflicts become rarer.
// WINDOW    how many commands may wait for bank reads at once, 1 to 64. 1 is lock step; more lets
//           lanes run ahead, for 8 flip-flops and a little queue memory each.
// STRIDE_W  width of both strides, 1 to 32. The hardware's own control word has 16 bits.

`default_nettype none

module ub_load_unit #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter STRIDE_W = 32
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                fill_valid,
    output wire                fill_ready,
    input  wire [        31:0] fill_addr,          // byte address
    input  wire [       255:0] fill_data,
    output wire                fill_error,

    input  wire                cmd_valid,
    output wire                cmd_ready,
    input  wire [         1:0] cmd_op,
    input  wire [         1:0] cmd_dtype,
    input  wire [        31:0] cmd_base,           // byte address
    input  wire [STRIDE_W-1:0] cmd_block_stride,   // in DataBlocks
    input  wire [STRIDE_W-1:0] cmd_repeat_stride,  // in DataBlocks
    input  wire [       255:0] cmd_index,          // eight byte offsets
    input  wire [       255:0] cmd_mask,

    output wire                rsp_valid,
    input  wire                rsp_ready,
    output wire [      2047:0] rsp_data,
    output wire [         7:0] rsp_block_we,
    output wire [        31:0] rsp_base,
    output wire [         2:0] rsp_fault,
    output wire [         2:0] rsp_fault_lane,
    output wire [        47:0] rsp_fault_addr,     // byte address, full width

    output wire                idle                // no command or fill is in flight
);
    localparam [1:0] OP_GATHERB = 2'd0;
    localparam [1:0] DTYPE_B64  = 2'd3;

    localparam BLOCK_W = $clog2(UB_BYTES / 32);

    // Two commands beyond the window, one behind the address generators and one ready to step in,
    // keep the window full although cmd_ready looks at nothing but registers.
    localparam READS_MAX = WINDOW + 2;
    localparam COUNT_W   = $clog2(READS_MAX + 1);

    localparam [COUNT_W-1:0] ONE = {{(COUNT_W-1){1'b0}}, 1'b1};

    // Behind its last read a command needs its slot for four more cycles: two in the bank, one to
    // be collected, one to leave.
    localparam SLOT_W   = $clog2(READS_MAX + 4);
    localparam SLOTS    = 1 << SLOT_W;
    localparam REPORT_W = 8 + 32 + 3 + 3 + 41;

    parameter_check #(
        .UB_BYTES (UB_BYTES),
        .BANKS    (BANKS),
        .WINDOW   (WINDOW),
        .STRIDE_W (STRIDE_W)
    ) parameter_check ();

    // ---- Acceptance ---------------------------------------------------------------------------
    wire               reads_complete;
    wire               slot_free;
    wire               no_response_due;
    wire               fill_waiting;

    wire               accept = cmd_valid & cmd_ready;
    reg                awake_q;          // keeps both readys low from a reset edge to the next edge
    reg  [COUNT_W-1:0] reads_left_q;     // commands accepted whose reads are not complete
    wire [COUNT_W-1:0] reads_left = (accept & ~reads_complete) ? reads_left_q + ONE :
                                    (~accept & reads_complete) ? reads_left_q - ONE :
                                                                 reads_left_q;

    assign cmd_ready = awake_q & slot_free & (reads_left_q != READS_MAX[COUNT_W-1:0]);
    assign idle      = no_response_due & ~fill_waiting;

    always @(posedge clk) awake_q <= ~rst;

    always @(posedge clk)
        if (rst) reads_left_q <= {COUNT_W{1'b0}};
        else     reads_left_q <= reads_left;

    // ---- Addresses ----------------------------------------------------------------------------
    wire [8*33-1:0] gather_address;
    wire [     7:0] gather_active;
    wire [8*41-1:0] strided_address;
    wire [     7:0] strided_active;
    wire [    31:0] next_base;

    gatherb_agu gatherb_agu (
        .clk     (clk),
        .base    (cmd_base),
        .index   (cmd_index),
        .mask    (cmd_mask[31:0]),
        .address (gather_address),
        .active  (gather_active)
    );

    loadalign_agu #(
        .STRIDE_W(STRIDE_W)
    ) loadalign_agu (
        .clk           (clk),
        .op            (cmd_op),
        .dtype         (cmd_dtype),
        .base          (cmd_base),
        .block_stride  (cmd_block_stride),
        .repeat_stride (cmd_repeat_stride),
        .mask          (cmd_mask),
        .address       (strided_address),
        .active        (strided_active),
        .next_base     (next_base)
    );

    reg        accepted_q;
    reg        gather_q;
    reg        illegal_dtype_q;
    reg [31:0] base_q;

    always @(posedge clk)
        if (rst) accepted_q <= 1'b0;
        else     accepted_q <= accept;

    always @(posedge clk) begin
        gather_q        <= cmd_op == OP_GATHERB;
        illegal_dtype_q <= (cmd_op != OP_GATHERB) & (cmd_dtype == DTYPE_B64);
        base_q          <= cmd_base;
    end

    // ---- Check --------------------------------------------------------------------------------
    reg  [   8*41-1:0] address;
    wire [        7:0] active = gather_q ? gather_active : strided_active;
    reg  [8*BLOCK_W-1:0] block;
    wire               faulted;
    wire [        2:0] fault;
    wire [        2:0] fault_lane;
    wire [       40:0] fault_address;

    integer lane;

    always @*
        for (lane = 0; lane < 8; lane = lane + 1) begin
            address[41*lane +: 41] = gather_q ? {8'h00, gather_address[33*lane +: 33]}
                                              : strided_address[41*lane +: 41];
            block[BLOCK_W*lane +: BLOCK_W] = address[41*lane+5 +: BLOCK_W];
        end

    address_check #(
        .UB_BYTES(UB_BYTES)
    ) address_check (
        .clk           (clk),
        .illegal_dtype (illegal_dtype_q),
        .base          (base_q),
        .address       (address),
        .active        (active),
        .faulted       (faulted),
        .fault         (fault),
        .fault_lane    (fault_lane),
        .fault_address (fault_address)
    );

    // ---- Fills --------------------------------------------------------------------------------
    wire               fill_pending;
    wire               fill_write;
    wire [BLOCK_W-1:0] fill_block;
    wire [      255:0] fill_block_data;

    fill_port #(
        .UB_BYTES (UB_BYTES),
        .COUNT_W  (COUNT_W)
    ) fill_port (
        .clk            (clk),
        .rst            (rst),
        .awake          (awake_q),
        .fill_valid     (fill_valid),
        .fill_ready     (fill_ready),
        .fill_addr      (fill_addr),
        .fill_data      (fill_data),
        .fill_error     (fill_error),
        .commands_ahead (reads_left),
        .reads_complete (reads_complete),
        .waiting        (fill_waiting),
        .pending        (fill_pending),
        .write          (fill_write),
        .block          (fill_block),
        .data           (fill_block_data)
    );

    // ---- Crossbar -----------------------------------------------------------------------------
    wire              done;
    wire [SLOT_W-1:0] rsp_slot;

    block_xbar #(
        .UB_BYTES (UB_BYTES),
        .BANKS    (BANKS),
        .WINDOW   (WINDOW),
        .SLOTS    (SLOTS)
    ) block_xbar (
        .clk            (clk),
        .rst            (rst),
        .command_valid  (accepted_q),
        .command_active (active & {8{~faulted}}),
        .command_block  (block),
        .reads_complete (reads_complete),
        .fill_pending   (fill_pending),
        .fill_write     (fill_write),
        .fill_block     (fill_block),
        .fill_data      (fill_block_data),
        .done           (done),
        .result_slot    (rsp_slot),
        .result_data    (rsp_data)
    );

    // ---- Responses ----------------------------------------------------------------------------
    // GatherB enables the blocks it loads; LoadAlign writes all eight, zeros included.
    reg        report_valid_q;
    reg [ 7:0] report_block_we_q;
    reg [31:0] report_base_q;

    always @(posedge clk)
        if (rst) report_valid_q <= 1'b0;
        else     report_valid_q <= accepted_q;

    always @(posedge clk) begin
        report_block_we_q <= faulted ? 8'h00 : gather_q ? gather_active : 8'hFF;
        report_base_q     <= (faulted | gather_q) ? base_q : next_base;
    end

    wire [REPORT_W-1:0] rsp_report;

    response_queue #(
        .SLOTS    (SLOTS),
        .REPORT_W (REPORT_W)
    ) response_queue (
        .clk          (clk),
        .rst          (rst),
        .claim        (accept),
        .has_room     (slot_free),
        .empty        (no_response_due),
        .report_valid (report_valid_q),
        .report       ({report_block_we_q, report_base_q, fault, fault_lane, fault_address}),
        .done         (done),
        .rsp_valid    (rsp_valid),
        .rsp_ready    (rsp_ready),
        .rsp_slot     (rsp_slot),
        .rsp_report   (rsp_report)
    );

    assign rsp_fault_addr[47:41] = 7'h00;
    assign {rsp_block_we, rsp_base, rsp_fault, rsp_fault_lane, rsp_fault_addr[40:0]} = rsp_report;
endmodule

`default_nettype wire
