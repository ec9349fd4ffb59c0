// response_queue: one response per command, in command order.
//
// A command claims a slot when it is accepted. What the response says beside its data (the report)
// is written into the slot later; the slots whose blocks are collected are offered one by one.
//
// Latency     `rsp_valid` in the cycle after `done`; the report is written at least a cycle before.
// Throughput  1 response per cycle. SLOTS commands may be between acceptance and response.
// Registered  `rsp_valid`, `rsp_slot`; `has_room` and `empty` depend on registers alone, the
//             report leaves a memory whose read is not clocked.
//
// SLOTS     number of slots, a power of two: distributed RAM
// REPORT_W  width of the report

`default_nettype none

module response_queue #(
    parameter SLOTS    = 16,
    parameter SLOT_W   = $clog2(SLOTS),
    parameter REPORT_W = 87
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                claim,          // only with has_room
    output wire                has_room,
    output wire                empty,          // every response has left

    input  wire                report_valid,
    input  wire [REPORT_W-1:0] report,
    input  wire                done,           // the oldest unfinished command's blocks are there

    output reg                 rsp_valid,
    input  wire                rsp_ready,
    output reg  [  SLOT_W-1:0] rsp_slot,
    output wire [REPORT_W-1:0] rsp_report
);
    wire transfer = rsp_valid & rsp_ready;

    // Both counts run to SLOTS itself. Of `finished_q` rsp_valid tells SLOTS from none.
    reg  [  SLOT_W:0] claimed_q;
    reg  [SLOT_W-1:0] finished_q;

    assign has_room = ~claimed_q[SLOT_W];
    assign empty    = ~|claimed_q;

    always @(posedge clk)
        if (rst)                    claimed_q <= {(SLOT_W+1){1'b0}};
        else if (claim & ~transfer) claimed_q <= claimed_q + 1'b1;
        else if (~claim & transfer) claimed_q <= claimed_q - 1'b1;

    always @(posedge clk)
        if (rst) begin
            finished_q <= {SLOT_W{1'b0}};
            rsp_valid  <= 1'b0;
        end else if (done & ~transfer) begin
            finished_q <= finished_q + 1'b1;
            rsp_valid  <= 1'b1;
        end else if (~done & transfer) begin
            finished_q <= finished_q - 1'b1;
            rsp_valid  <= finished_q != {{(SLOT_W-1){1'b0}}, 1'b1};
        end

    always @(posedge clk)
        if (rst)           rsp_slot <= {SLOT_W{1'b0}};
        else if (transfer) rsp_slot <= rsp_slot + 1'b1;

    // ---- Reports ------------------------------------------------------------------------------
    reg [REPORT_W-1:0] stored [0:SLOTS-1];
    reg [  SLOT_W-1:0] report_slot_q;

    always @(posedge clk)
        if (report_valid) stored[report_slot_q] <= report;

    always @(posedge clk)
        if (rst)               report_slot_q <= {SLOT_W{1'b0}};
        else if (report_valid) report_slot_q <= report_slot_q + 1'b1;

    assign rsp_report = stored[rsp_slot];
endmodule

`default_nettype wire
