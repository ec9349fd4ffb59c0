// The unit under proof with all its ports free, and what every harness around it needs: a reset at
// the start, and a count of the commands between acceptance and response, from the ports alone.
// Included in the body of a harness that has the unit's parameters; its ports are the inputs.
//
// With CALM = 1 commands are gathers of at most two lanes that want two rows of one bank, with 2 from
// base 0: enough to reach the states of the control, and much easier to solve than all of them.

    localparam READS_MAX = WINDOW + 2;
    localparam COUNT_W   = $clog2(READS_MAX + 1);
    localparam SLOT_W    = $clog2(READS_MAX + 4);
    localparam SLOTS     = 1 << SLOT_W;

    wire          fill_ready;
    wire          fill_error;
    wire          cmd_ready;
    wire          rsp_valid;
    wire [2047:0] rsp_data;
    wire [   7:0] rsp_block_we;
    wire [  31:0] rsp_base;
    wire [   2:0] rsp_fault;
    wire [   2:0] rsp_fault_lane;
    wire [  47:0] rsp_fault_addr;
    wire          idle;

    ub_load_unit #(
        .UB_BYTES (UB_BYTES),
        .BANKS    (BANKS),
        .WINDOW   (WINDOW),
        .STRIDE_W (STRIDE_W)
    ) unit (
        .clk               (clk),
        .rst               (rst),
        .fill_valid        (fill_valid),
        .fill_ready        (fill_ready),
        .fill_addr         (CALM ? fill_addr & 32'h21 : fill_addr),
        .fill_data         (fill_data),
        .fill_error        (fill_error),
        .cmd_valid         (cmd_valid),
        .cmd_ready         (cmd_ready),
        .cmd_op            (CALM ? 2'd0 : cmd_op),
        .cmd_dtype         (CALM ? 2'd0 : cmd_dtype),
        .cmd_base          (CALM == 2 ? 32'd0 : cmd_base),
        .cmd_block_stride  (CALM ? {STRIDE_W{1'b0}} : cmd_block_stride),
        .cmd_repeat_stride (CALM ? {STRIDE_W{1'b0}} : cmd_repeat_stride),
        .cmd_index         (CALM ? {192'd0, 32 * BANKS, 32'd0} : cmd_index),
        .cmd_mask          (CALM ? cmd_mask & 256'h11 : cmd_mask),
        .rsp_valid         (rsp_valid),
        .rsp_ready         (rsp_ready),
        .rsp_data          (rsp_data),
        .rsp_block_we      (rsp_block_we),
        .rsp_base          (rsp_base),
        .rsp_fault         (rsp_fault),
        .rsp_fault_lane    (rsp_fault_lane),
        .rsp_fault_addr    (rsp_fault_addr),
        .idle              (idle)
    );

    // ---- Reset --------------------------------------------------------------------------------
    reg started = 1'b0;
    reg in_reset;         // the last edge was one of reset

    always @(posedge clk) begin
        started  <= 1'b1;
        in_reset <= rst;
    end

    always @* if (!started) assume (rst);

    // ---- Transfers ----------------------------------------------------------------------------
    wire cmd_transfer  = cmd_valid & cmd_ready & ~rst;
    wire rsp_transfer  = rsp_valid & rsp_ready & ~rst;
    wire fill_transfer = fill_valid & fill_ready & ~rst;

    reg [7:0] outstanding;

    always @(posedge clk)
        if (rst)                                outstanding <= 8'd0;
        else if (cmd_transfer & ~rsp_transfer)  outstanding <= outstanding + 8'd1;
        else if (~cmd_transfer & rsp_transfer)  outstanding <= outstanding - 8'd1;

    // ---- The counts inside --------------------------------------------------------------------
    // What the unit counts agrees with that, and its counts with each other: commands whose reads
    // are not complete, two cycles of blocks on their way, results that wait for their transfer.
    (* inner = "unit.reads_left_q" *)                 wire [COUNT_W-1:0] reads_left_q;
    (* inner = "unit.accepted_q" *)                   wire               entering;
    (* inner = "unit.awake_q" *)                      wire               awake_q;
    (* inner = "unit.report_valid_q" *)               wire               report_valid_q;
    (* inner = "unit.block_xbar.newest_slot_q" *)     wire [ SLOT_W-1:0] newest_slot;
    (* inner = "unit.block_xbar.oldest_slot_q" *)     wire [ SLOT_W-1:0] oldest_slot;
    (* inner = "unit.block_xbar.reads_complete_q" *)  wire               reads_complete_q;
    (* inner = "unit.block_xbar.reads_complete_qq" *) wire               reads_complete_qq;
    (* inner = "unit.response_queue.claimed_q" *)     wire [   SLOT_W:0] claimed_q;
    (* inner = "unit.response_queue.finished_q" *)    wire [ SLOT_W-1:0] finished_q;
    (* inner = "unit.response_queue.rsp_slot" *)      wire [ SLOT_W-1:0] rsp_slot;
    (* inner = "unit.response_queue.report_slot_q" *) wire [ SLOT_W-1:0] report_slot;

    wire [SLOT_W-1:0] in_xbar     = newest_slot - oldest_slot;
    wire [       7:0] reads_left  = reads_left_q;
    wire [       7:0] finished    = {rsp_valid && finished_q == 0, finished_q};
    wire [       1:0] on_the_way  = reads_complete_q + reads_complete_qq;
    wire [SLOT_W-1:0] in_order    = rsp_slot + finished[SLOT_W-1:0] + on_the_way;

    always @*
        if (started) begin
            claims_are_outstanding: assert (claimed_q == outstanding);
            no_more_than_slots: assert (outstanding <= SLOTS);
            reads_left_are_in_the_crossbar: assert (reads_left == in_xbar + entering);
            reads_left_fit: assert (reads_left <= READS_MAX);
            every_command_is_somewhere: assert (outstanding == reads_left + on_the_way + finished);
            valid_with_a_result: assert (rsp_valid == (finished != 8'd0));
            slots_in_order: assert (in_order == oldest_slot);
            reports_in_order: assert (report_slot + report_valid_q == newest_slot);
            report_before_its_reads: assert (!report_valid_q || in_xbar != {SLOT_W{1'b0}});
            asleep_in_reset: assert (awake_q == !in_reset);
            nothing_left_by_reset: assert (!in_reset || (outstanding == 8'd0 && !entering));
        end
