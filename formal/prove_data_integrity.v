// Proves that a response holds what the UB held when its command was accepted, and keeps it.
//
// One DataBlock of the UB, one lane and one command are followed; which ones is free. A shadow of
// the DataBlock takes every fill of it in the order of acceptance. What it holds when the command is
// accepted is what the lane must answer if it reads that DataBlock; zero if it reads none. Faults,
// masks and addresses are worked out here, from sections 2 to 4 of the specification.
//
// The first part says this from the ports alone. The second part says how the state of the unit
// hangs together, which the induction needs, and is proven with it: where the turn of the command
// is, and that counts, queues and memories agree.
//
// Of each bank one row is kept, and of each lane one slot, those that are followed: abstract/ stands
// in place of bank_memory and lane_collector. What the memory holds at power-up counts as what it
// was filled with. A fill that a reset may have cut off, because `idle` has not been high since, is
// written or not; the shadow then takes what the memory says.
//
// Not for WINDOW = 1: what its pair_queue holds is not said here.

`default_nettype none

module prove_data_integrity #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter STRIDE_W = 32,
    parameter LANE     = 8,        // the lane that is followed; 8 is any
    parameter ODD      = 2,        // at odd banks; 2 is both
    parameter BIT      = 0         // the bit of the DataBlock that is followed
) (
    input wire                clk,
    input wire                rst,
    input wire                fill_valid,
    input wire [        31:0] fill_addr,
    input wire [       255:0] fill_data,
    input wire                cmd_valid,
    input wire [         1:0] cmd_op,
    input wire [         1:0] cmd_dtype,
    input wire [        31:0] cmd_base,
    input wire [STRIDE_W-1:0] cmd_block_stride,
    input wire [STRIDE_W-1:0] cmd_repeat_stride,
    input wire [       255:0] cmd_index,
    input wire [       255:0] cmd_mask,
    input wire                rsp_ready,
    input wire                choose              // follow the command that is accepted now
);
    localparam BLOCK_W   = $clog2(UB_BYTES / 32);
    localparam GROUPS    = (WINDOW == 1 || BANKS == 1) ? 1 : 2;
    localparam G_BLOCK_W = BLOCK_W - (GROUPS - 1);       // width of a block's number in its group
    localparam G_BANKS   = BANKS / GROUPS;
    localparam BANK_W    = $clog2(G_BANKS);
    localparam ROW_W     = G_BLOCK_W - BANK_W;
    localparam READS_MAX = WINDOW + 2;
    localparam COUNT_W   = $clog2(READS_MAX + 1);
    localparam SLOT_W    = $clog2(READS_MAX + 4);
    localparam SLOTS     = 1 << SLOT_W;
    localparam DEPTH     = WINDOW + 1;
    localparam ENTRY_W   = $clog2(DEPTH);                // width of a pointer of a queue
    localparam ENTRIES   = 1 << ENTRY_W;
    localparam TURN_W    = SLOT_W + 1 + G_BLOCK_W;       // {slot, active, block}
    localparam QUEUES    = 8 * GROUPS;

    // ---- The unit -----------------------------------------------------------------------------
    wire          fill_ready, fill_error, cmd_ready, rsp_valid, idle;
    wire [2047:0] rsp_data;
    wire [   7:0] rsp_block_we;
    wire [  31:0] rsp_base;
    wire [   2:0] rsp_fault, rsp_fault_lane;
    wire [  47:0] rsp_fault_addr;

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
        .fill_addr         (fill_addr),
        .fill_data         (fill_data),
        .fill_error        (fill_error),
        .cmd_valid         (cmd_valid),
        .cmd_ready         (cmd_ready),
        .cmd_op            (cmd_op),
        .cmd_dtype         (cmd_dtype),
        .cmd_base          (cmd_base),
        .cmd_block_stride  (cmd_block_stride),
        .cmd_repeat_stride (cmd_repeat_stride),
        .cmd_index         (cmd_index),
        .cmd_mask          (cmd_mask),
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

    // ==== The property, at the ports ===========================================================
    (* anyconst *) wire [BLOCK_W-1:0] its_block;   // the DataBlock that is followed
    (* anyconst *) wire [ SLOT_W-1:0] its_slot;    // how many commands came before it, modulo SLOTS
    (* anyconst *) wire [        2:0] any_lane;
    (* anyconst *) wire               any_group;
    wire [2:0] its_lane  = LANE < 8 ? LANE : any_lane;    // the lane that is followed
    wire       its_group = ODD < 2 ? ODD : any_group;     // in the group of the odd banks

    reg reset_seen = 1'b0;
    reg after_reset;           // the last edge was a reset

    always @(posedge clk) begin
        reset_seen  <= 1'b1;
        after_reset <= rst;
    end

    always @* if (!reset_seen) assume (rst);

    wire cmd_accepted  = cmd_valid & cmd_ready & ~rst;
    wire fill_accepted = fill_valid & fill_ready & ~rst;
    wire rsp_leaves    = rsp_valid & rsp_ready & ~rst;

    // ---- The shadow ---------------------------------------------------------------------------
    wire         fills_it = fill_accepted & (fill_addr == {its_block, 5'b00000});
    wire         held;         // what the memory holds of the DataBlock
    reg          shadow_q;
    reg          before_q;     // the shadow before the last fill of the DataBlock
    reg          fresh_q;      // `idle` has not been high since that fill
    wire         shadow = after_reset ? held : shadow_q;

    always @(posedge clk) begin
        shadow_q <= fills_it ? fill_data[BIT] : shadow;
        if (fills_it) before_q <= shadow;
        if (fills_it)                 fresh_q <= 1'b1;
        else if (after_reset | !reset_seen) fresh_q <= 1'b0;
        else if (idle)                fresh_q <= 1'b0;
    end

    // A reset may be the power-up, before which nothing is known.
    reg lost_q;                // the reset may have cut off a fill
    reg first_q = 1'b1;        // no edge without reset yet

    always @(posedge clk) begin
        if (~rst) first_q <= 1'b0;
        if (~after_reset) lost_q <= fresh_q & ~idle;
        else              lost_q <= 1'b0;
    end

    always @*
        if (reset_seen & after_reset & ~first_q) begin
            reset_leaves_a_fill_whole_or_not_at_all:
                assert (held == shadow_q || (lost_q && held == before_q));
        end

    // ---- The command, as section 2 to 4 of the specification read it ---------------------------
    // Of the cycle before: all that is worked out of it is then known in the cycle after acceptance.
    reg         entered = 1'b0;
    reg [  1:0] op;
    reg [  1:0] dtype;
    reg [ 63:0] base;
    reg [ 63:0] block_stride;
    reg [ 63:0] repeat_stride;
    reg [255:0] index;
    reg [255:0] mask;

    always @(posedge clk) begin
        entered       <= cmd_accepted;
        op            <= cmd_op;
        dtype         <= cmd_dtype;
        base          <= cmd_base;
        block_stride  <= cmd_block_stride;
        repeat_stride <= cmd_repeat_stride;
        index         <= cmd_index;
        mask          <= cmd_mask;
    end

    wire         gather = op == 2'd0;
    wire [ 63:0] start  = op == 2'd2 ? base + 64'd32 * repeat_stride : base;
    reg  [511:0] address;
    reg  [  7:0] active;
    reg  [  7:0] at_fault;
    integer      i;

    wire [31:0] counts = dtype == 2'd0 ? 32'hFFFFFFFF : dtype == 2'd1 ? 32'h55555555 : 32'h11111111;

    always @*
        for (i = 0; i < 8; i = i + 1) begin
            address[64*i +: 64] = gather ? base + {32'b0, index[32*i +: 32]}
                                         : start + 64'd32 * block_stride * i;
            active[i]   = gather ? mask[4*i] : |(mask[32*i +: 32] & counts);
            at_fault[i] = active[i] & ((gather & |index[32*i +: 5]) |
                                       (address[64*i +: 64] + 64'd32 > UB_BYTES));
        end

    wire faults    = (~gather & dtype == 2'd3) | (|base[4:0]) | (|at_fault);
    reg  [ 63:0] its_address;
    reg          its_data;     // of the response

    always @*
        for (i = 0; i < 8; i = i + 1)
            if (i == 0 || its_lane == i) begin
                its_address = address[64*i +: 64];
                its_data    = rsp_data[256*i+BIT];
            end

    wire reads    = active[its_lane] & ~faults;
    wire reads_it = reads & (its_address == {its_block, 5'b00000});

    // ---- Following ----------------------------------------------------------------------------
    localparam [SLOT_W:0] ONE = 1;
    reg                following = 1'b0;
    reg                young;       // accepted at the last edge
    reg  [ SLOT_W  :0] ahead;       // responses that come before its own
    reg  [ SLOT_W  :0] due;         // responses due
    reg                expected;
    reg                its_read;    // it reads the DataBlock, else nothing

    wire [SLOT_W:0] due_left = due - (rsp_leaves ? ONE : 0);

    // One that reads another DataBlock, or its turn in the other group of banks, is let go.
    wire group_fits = GROUPS == 1 ? ~its_group : its_group == (reads & its_block[0]);
    wire let_go     = young & ((reads & ~reads_it) | ~group_fits);

    reg [SLOT_W-1:0] commands;      // accepted, modulo SLOTS

    always @(posedge clk)
        if (rst) commands <= 0;
        else     commands <= commands + cmd_accepted;

    always @(posedge clk)
        if (rst) due <= 0;
        else     due <= due_left + (cmd_accepted ? ONE : 0);

    always @(posedge clk)
        if (rst) following <= 1'b0;
        else if (~following) begin
            following <= cmd_accepted & choose & (commands == its_slot);
            young     <= 1'b1;
            ahead     <= due_left;
            expected  <= shadow;
        end else begin
            if (let_go | (rsp_leaves & ahead == 0)) following <= 1'b0;
            young <= 1'b0;
            if (rsp_leaves) ahead <= ahead - ONE;
            if (young) begin
                its_read <= reads;
                if (~reads) expected <= 1'b0;
            end
        end

    wire answered = following & rsp_valid & (ahead == 0);

    always @*
        if (answered & reset_seen) begin
            response_is_the_block_at_acceptance:
                assert (!young && its_data == expected);
        end

    // ---- Backpressure -------------------------------------------------------------------------
    reg stalled;               // the response was there in the cycle before, and not taken
    reg stalled_data;

    always @(posedge clk) begin
        stalled      <= answered & ~rsp_ready & ~rst;
        stalled_data <= its_data;
    end

    always @* if (stalled & reset_seen) data_stays: assert (rsp_valid && its_data == stalled_data);

    // ==== What the induction needs =============================================================
    wire known = reset_seen;

    // ---- The command behind the address generators --------------------------------------------
    (* inner = "unit.accepted_q" *)                wire                 u_entered;
    (* inner = "unit.block_xbar.command_active" *) wire [          7:0] u_active;
    (* inner = "unit.block_xbar.command_block" *)  wire [8*BLOCK_W-1:0] u_block;
    (* inner = "unit.gather_q" *)                  wire                 u_gather;
    (* inner = "unit.illegal_dtype_q" *)           wire                 u_illegal_dtype;
    (* inner = "unit.base_q" *)                    wire [         31:0] u_base;
    (* inner = "unit.gatherb_agu.base_q" *)        wire [         31:0] g_base;
    (* inner = "unit.gatherb_agu.index_q" *)       wire [        255:0] g_index;
    (* inner = "unit.gatherb_agu.active" *)        wire [          7:0] g_active;
    (* inner = "unit.loadalign_agu.base_q" *)        wire [         31:0] l_base;
    (* inner = "unit.loadalign_agu.moved_q" *)       wire [         37:0] l_moved;
    (* inner = "unit.loadalign_agu.stride_q" *)      wire [ STRIDE_W-1:0] l_stride;
    (* inner = "unit.loadalign_agu.stride_x3_q" *)   wire [ STRIDE_W+1:0] l_stride_x3;
    (* inner = "unit.loadalign_agu.stride_x5_q" *)   wire [ STRIDE_W+2:0] l_stride_x5;
    (* inner = "unit.loadalign_agu.stride_x7_q" *)   wire [ STRIDE_W+2:0] l_stride_x7;
    (* inner = "unit.loadalign_agu.start_moved_q" *) wire                 l_start_moved;
    (* inner = "unit.loadalign_agu.active" *)        wire [          7:0] l_active;

    wire [63:0] moved     = base + 64'd32 * repeat_stride;
    wire [63:0] stride_x3 = block_stride * 3;
    wire [63:0] stride_x5 = block_stride * 5;
    wire [63:0] stride_x7 = block_stride * 7;
    reg  [ 7:0] g_wanted;
    reg  [ 7:0] l_wanted;
    reg  [BLOCK_W-1:0] u_its_block;

    always @*
        for (i = 0; i < 8; i = i + 1)
            if (i == 0 || its_lane == i) u_its_block = u_block[BLOCK_W*i +: BLOCK_W];

    always @*
        for (i = 0; i < 8; i = i + 1) begin
            g_wanted[i] = mask[4*i];
            l_wanted[i] = |(mask[32*i +: 32] & counts);
        end

    always @*
        if (known) begin
            n_entered: assert (u_entered == entered);
            n_gather:  assert (u_gather == gather && g_base == base && g_index == index &&
                               g_active == g_wanted && u_base == base && l_base == base);
            n_strided: assert (l_moved == moved && l_start_moved == (op == 2'd2) &&
                               l_stride == block_stride && l_stride_x3 == stride_x3 &&
                               l_stride_x5 == stride_x5 && l_stride_x7 == stride_x7 &&
                               l_active == l_wanted);
            n_dtype:   assert (u_illegal_dtype == (~gather & dtype == 2'd3));
            n_high:    assert (base[63:32] == 0 && block_stride[63:32] == 0 &&
                               repeat_stride[63:32] == 0);
            n_active:  assert (u_active == (active & ~{8{faults}}));
            if (reads_it) n_block: assert (u_its_block == its_block);
        end

    // ---- Counts -------------------------------------------------------------------------------
    (* inner = "unit.reads_left_q" *)                   wire [COUNT_W-1:0] u_reads_left;
    (* inner = "unit.block_xbar.newest_slot_q" *)       wire [ SLOT_W-1:0] newest;
    (* inner = "unit.block_xbar.oldest_slot_q" *)       wire [ SLOT_W-1:0] oldest;
    (* inner = "unit.block_xbar.reads_complete_q" *)    wire               complete_q;
    (* inner = "unit.block_xbar.reads_complete_qq" *)   wire               complete_qq;
    (* inner = "unit.response_queue.claimed_q" *)       wire [   SLOT_W:0] claimed;
    (* inner = "unit.response_queue.finished_q" *)      wire [ SLOT_W-1:0] u_finished;
    (* inner = "unit.response_queue.rsp_slot" *)        wire [ SLOT_W-1:0] first;

    // Commands are numbered from the one whose response comes next.
    wire [SLOT_W:0] finished = {rsp_valid && u_finished == 0, u_finished};
    wire [SLOT_W:0] inside   = claimed - u_entered;                      // have entered the crossbar
    wire [SLOT_W:0] complete = finished + complete_q + complete_qq;      // have had their reads
    wire [SLOT_W-1:0] newest_number = newest - first;
    wire [SLOT_W-1:0] oldest_number = oldest - first;

    always @*
        if (known) begin
            n_due:      assert (due == claimed && claimed <= SLOTS && claimed >= u_entered);
            n_newest:   assert (newest_number == inside[SLOT_W-1:0]);
            n_commands: assert (newest == commands - u_entered);
            n_oldest:   assert (oldest_number == complete[SLOT_W-1:0]);
            n_left:     assert (u_reads_left <= READS_MAX && u_reads_left >= u_entered &&
                                complete <= inside && u_reads_left == claimed - complete);
            n_finished: assert (finished <= SLOTS && rsp_valid == (finished != 0));
        end

    // ---- Turns of the lane that is followed, in its group of banks ------------------------------
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_valid" *)
    wire [QUEUES-1:0] all_head_valid;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_asks" *)
    wire [QUEUES-1:0] all_head_asks;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_active" *)
    wire [QUEUES-1:0] all_head_active;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_block" *)
    wire [QUEUES*G_BLOCK_W-1:0] all_head_block;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_bank" *)
    wire [QUEUES*G_BANKS-1:0] all_head_bank;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_slot" *)
    wire [QUEUES*SLOT_W-1:0] all_head_slot;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_behind" *)
    wire [QUEUES*DEPTH-1:0] all_head_behind;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.pop" *)
    wire [QUEUES-1:0] all_pop;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.front_q" *)
    wire [QUEUES*ENTRY_W-1:0] all_front;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.back_q" *)
    wire [QUEUES*ENTRY_W-1:0] all_back;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.waiting_q" *)
    wire [QUEUES-1:0] all_waiting;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.held_q" *)
    wire [QUEUES*ENTRIES-1:0] all_held;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.entry[*]" *)
    wire [QUEUES*ENTRIES*TURN_W-1:0] all_entries;
    (* inner = "unit.block_xbar.*.*.g_lane[*].served_q" *)
    wire [QUEUES-1:0] all_served_q;
    (* inner = "unit.block_xbar.*.*.g_lane[*].served_qq" *)
    wire [QUEUES-1:0] all_served_qq;
    (* inner = "unit.block_xbar.*.*.g_lane[*].select_q" *)
    wire [QUEUES*G_BANKS-1:0] all_select_q;
    (* inner = "unit.block_xbar.*.*.g_lane[*].select_qq" *)
    wire [QUEUES*G_BANKS-1:0] all_select_qq;
    (* inner = "unit.block_xbar.*.*.g_lane[*].slot_q" *)
    wire [QUEUES*SLOT_W-1:0] all_slot_q;
    (* inner = "unit.block_xbar.*.*.g_lane[*].slot_qq" *)
    wire [QUEUES*SLOT_W-1:0] all_slot_qq;

    wire       group = GROUPS == 1 ? 1'b0 : its_group;
    wire [3:0] q     = {group, its_lane};

    // Cycles since a reset, up to two: what the registers behind the banks have of before it goes first.
    reg [1:0] since_reset;
    always @(posedge clk)
        if (rst)                   since_reset <= 2'd0;
        else if (since_reset != 2) since_reset <= since_reset + 2'd1;

    (* inner = "unit.awake_q" *) wire awake;
    always @* if (known) n_since: assert (since_reset <= 2 && after_reset == (since_reset == 0) &&
                                          awake == !after_reset && (!following || since_reset == 2));

    // Selected word by word: a solver copes with that far better than with a shift by a variable.
    reg                      head_valid, head_active, head_asks, pop, waiting;
    reg                      served_q, served_qq;
    reg [     G_BLOCK_W-1:0] head_block;
    reg [        SLOT_W-1:0] head_slot, slot_q, slot_qq;
    reg [         DEPTH-1:0] head_behind;
    reg [       ENTRY_W-1:0] front, back;
    reg [       ENTRIES-1:0] entry_held;
    reg [ENTRIES*TURN_W-1:0] entries;
    reg [       G_BANKS-1:0] select_q, select_qq;
    integer                  k;

    always @*
        for (k = 0; k < QUEUES; k = k + 1)
            if (k == 0 || q == k) begin
                head_valid  = all_head_valid[k];
                head_asks   = all_head_asks[k];
                head_active = all_head_active[k];
                head_block  = all_head_block[G_BLOCK_W*k +: G_BLOCK_W];
                head_slot   = all_head_slot[SLOT_W*k +: SLOT_W];
                head_behind = all_head_behind[DEPTH*k +: DEPTH];
                pop         = all_pop[k];
                front       = all_front[ENTRY_W*k +: ENTRY_W];
                back        = all_back[ENTRY_W*k +: ENTRY_W];
                waiting     = all_waiting[k];
                entry_held  = all_held[ENTRIES*k +: ENTRIES];
                entries     = all_entries[ENTRIES*TURN_W*k +: ENTRIES*TURN_W];
                served_q    = all_served_q[k] & since_reset != 0;
                served_qq   = all_served_qq[k] & since_reset == 2;
                select_q    = all_select_q[G_BANKS*k +: G_BANKS];
                select_qq   = all_select_qq[G_BANKS*k +: G_BANKS];
                slot_q      = all_slot_q[SLOT_W*k +: SLOT_W];
                slot_qq     = all_slot_qq[SLOT_W*k +: SLOT_W];
            end

    wire held_head = head_valid & head_active & ~head_asks;

    // Numbers of the turns' commands.
    wire [SLOT_W-1:0] number_qq   = slot_qq - first;
    wire [SLOT_W-1:0] number_q    = slot_q - first;
    wire [SLOT_W-1:0] number_head = head_slot - first;
    wire [SLOT_W-1:0] head_distance = head_slot - oldest;
    wire [ENTRY_W-1:0] back_less   = back - front - 1'b1;
    wire [ENTRY_W  :0] count       = waiting ? {1'b0, back_less} + 1 : 0;

    // In order of service: two cycles from the bank, the head, what waits behind it.
    reg                order_holds;
    reg  [ SLOT_W  :0] least;           // the least number that the next one may have
    reg  [SLOT_W-1:0]  number [0:ENTRIES-1];

    always @* begin
        least       = finished;
        order_holds = 1'b1;
        if (served_qq) begin
            order_holds = order_holds & (number_qq >= least);
            least       = {1'b0, number_qq} + 1;
        end
        if (least < finished + complete_qq) least = finished + complete_qq;
        if (served_q) begin
            order_holds = order_holds & (number_q >= least);
            least       = {1'b0, number_q} + 1;
        end
        if (least < complete) least = complete;
        if (head_valid) begin
            order_holds = order_holds & (number_head >= least);
            least       = {1'b0, number_head} + 1;
        end
        order_holds = order_holds & (least <= inside);
    end

    always @*
        for (k = 0; k < ENTRIES; k = k + 1)
            number[k] = entries[TURN_W*k+G_BLOCK_W+1 +: SLOT_W] - first;

    wire [ENTRIES-1:0] sorted;
    genvar n;
    generate
        for (n = 0; n < ENTRIES; n = n + 1) begin : g_entry
            wire [ENTRY_W-1:0] position = n - front;
            wire [ SLOT_W-1:0] previous =
                position == 0 ? number_head : number[(n+ENTRIES-1)%ENTRIES];
            assign sorted[n] = position >= count || (number[n] > previous && number[n] < inside);
        end
    endgenerate


    reg [DEPTH-1:0] thermometer;
    always @*
        for (k = 0; k < DEPTH; k = k + 1) thermometer[k] = head_distance > k;

    always @*
        if (known) begin
            n_waiting: assert (waiting ? head_valid : front == back);
            n_order:   assert (order_holds);
            n_room:    assert (!waiting || number_head + count < inside);
            if (head_valid) n_behind: assert (head_behind == thermometer);
            n_head:    assert (!head_asks || (head_valid && head_active));
        end

    // One by one, which is easier to prove than all of them.
    always @*
        if (known) begin
            n_sorted_0: assert (sorted[0]);
            n_sorted_1: assert (sorted[1]);
            n_sorted_2: assert (sorted[2%ENTRIES]);
            n_sorted_3: assert (sorted[3%ENTRIES]);
            n_sorted_4: assert (sorted[4%ENTRIES]);
            n_sorted_5: assert (sorted[5%ENTRIES]);
            n_sorted_6: assert (sorted[6%ENTRIES]);
            n_sorted_7: assert (sorted[7%ENTRIES]);
        end

    // A lane asks for the bank in which its block lies.
    reg                 matches;
    reg [G_BLOCK_W-1:0] a_block;

    always @* begin
        matches = 1'b1;
        for (k = 0; k < QUEUES; k = k + 1) begin
            a_block = all_head_block[G_BLOCK_W*k +: G_BLOCK_W];
            if (all_head_valid[k])
                matches = matches & (all_head_bank[G_BANKS*k +: G_BANKS] ==
                                     (1 << (a_block & (G_BANKS - 1))));
            else
                matches = matches & ~all_head_asks[k];
        end
    end

    always @* if (known) n_bank: assert (matches);
    always @* n_first: assert (reset_seen || first_q);

    // ---- Where the command's turn is -----------------------------------------------------------
    localparam [2:0] ENTERING = 0, WAITING = 1, AT_HEAD = 2, IN_BANK = 3, AT_BANK = 4, KEPT = 5;
    reg  [        2:0] place_q;
    reg  [ENTRY_W-1:0] its_entry;
    wire [        2:0] place = young ? ENTERING : place_q;
    wire               take  = pop | ~head_valid;

    always @(posedge clk)
        case (place)
            ENTERING: begin
                place_q   <= take & ~waiting ? AT_HEAD : WAITING;
                its_entry <= back;
            end
            WAITING: if (take & front == its_entry) place_q <= AT_HEAD;
            AT_HEAD: if (pop) place_q <= IN_BANK;
            IN_BANK: place_q <= AT_BANK;
            default: place_q <= KEPT;
        endcase

    (* inner = "unit.block_xbar.*.*.g_bank[*].bank_memory.read_data" *)
    wire [GROUPS*G_BANKS*256-1:0] all_array_data;
    (* inner = "unit.block_xbar.*.*.read_data" *)
    wire [GROUPS*G_BANKS*256-1:0] all_read_data;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_collector.kept" *)
    wire [QUEUES*256-1:0] all_kept;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_collector.kept_slot" *)
    wire [QUEUES*SLOT_W-1:0] all_kept_slot;
    (* inner = "unit.block_xbar.*.*.g_bank[*].bank_memory.kept" *)
    wire [GROUPS*G_BANKS*256-1:0] all_held_blocks;
    (* inner = "unit.block_xbar.*.*.g_bank[*].bank_memory.kept_row" *)
    wire [GROUPS*G_BANKS*ROW_W-1:0] all_kept_row;

    (* inner = "unit.block_xbar.*.*.g_bank[*].bank_memory.enable" *)
    wire [GROUPS*G_BANKS-1:0] all_enable;
    (* inner = "unit.block_xbar.*.*.g_bank[*].bank_memory.write" *)
    wire [GROUPS*G_BANKS-1:0] all_write;
    (* inner = "unit.block_xbar.*.*.g_bank[*].bank_memory.row" *)
    wire [GROUPS*G_BANKS*ROW_W-1:0] all_row;
    (* inner = "unit.block_xbar.*.*.leads" *)
    wire [QUEUES-1:0] all_leads;
    (* inner = "unit.block_xbar.*.*.reads" *)
    wire [QUEUES-1:0] all_reads;

    // The one row that each abstract memory keeps, and the one slot.
    always @*
        for (k = 0; k < QUEUES; k = k + 1)
            assume (all_kept_slot[SLOT_W*k +: SLOT_W] == its_slot);
    always @*
        for (k = 0; k < GROUPS * G_BANKS; k = k + 1)
            assume (all_kept_row[ROW_W*k +: ROW_W] == its_row);

    wire [   SLOT_W-1:0] its_slot_now = first + ahead[SLOT_W-1:0];
    wire [G_BLOCK_W-1:0] g_block  = its_block >> (GROUPS - 1);
    wire [    ROW_W-1:0] its_row  = g_block >> BANK_W;
    wire [          7:0] its_bank = g_block & (G_BANKS - 1);       // within its group
    wire [          7:0] bank_number = (GROUPS == 1 ? 0 : its_block[0] * G_BANKS) + its_bank;
    wire [  G_BANKS-1:0] bank_hot = its_read ? 1 << its_bank : 0;

    reg              kept, array_data, read_data, held_block, bank_reads;
    reg [ ROW_W-1:0] bank_row;
    reg [TURN_W-1:0] its_turn;
    wire [ENTRY_W-1:0] its_place = its_entry - front;

    always @* begin
        for (k = 0; k < QUEUES; k = k + 1)
            if (k == 0 || q == k) kept = all_kept[256*k+BIT];
        for (k = 0; k < GROUPS * G_BANKS; k = k + 1)
            if (k == 0 || bank_number == k) begin
                array_data = all_array_data[256*k+BIT];
                read_data  = all_read_data[256*k+BIT];
                held_block = all_held_blocks[256*k+BIT];
                bank_reads = all_enable[k] & ~all_write[k];
                bank_row   = all_row[ROW_W*k +: ROW_W];
            end
        for (k = 0; k < ENTRIES; k = k + 1)
            if (k == 0 || its_entry == k) its_turn = entries[TURN_W*k +: TURN_W];
    end

    assign held = held_block;

    // Who decides what its bank reads: of the lanes there one at most.
    wire                   odd_bank = GROUPS == 2 && its_block[0];
    wire [            7:0] g_leads  = odd_bank ? all_leads >> 8 : all_leads;
    wire [8*G_BLOCK_W-1:0] g_blocks = odd_bank ? all_head_block >> 8 * G_BLOCK_W : all_head_block;
    wire [            7:0] g_reads  = odd_bank ? all_reads >> 8 : all_reads;
    reg  [            7:0] wants_here;       // has its block there
    reg  [            7:0] wants_row;        // and it is what the bank reads
    wire [            7:0] leads_here = g_leads & wants_here;

    always @*
        for (k = 0; k < 8; k = k + 1) begin
            wants_here[k] = (g_blocks[G_BLOCK_W*k +: G_BLOCK_W] & (G_BANKS - 1)) == its_bank;
            wants_row[k]  = bank_reads && g_blocks[G_BLOCK_W*k+BANK_W +: ROW_W] == bank_row;
        end

    always @*
        if (known) begin
            n_one_leads:   assert ((leads_here & (leads_here - 1)) == 0);
            n_leaders_row: assert (!bank_reads || (leads_here & ~wants_row) == 0);
            n_served_row:  assert (!(g_reads[its_lane] && wants_here[its_lane]) || wants_row[its_lane]);
        end

    always @*
        if (known & following) begin
            n_slot: assert (its_slot_now == its_slot);
            n_place: assert (ahead < claimed &&
                             (young || (place_q != ENTERING && place_q <= KEPT)));
            case (place)
                ENTERING: n_entering: assert (u_entered && ahead == inside);
                WAITING:  n_in_queue: assert (its_place < count && (its_read ?
                              its_turn == {its_slot, 1'b1, g_block} :
                              its_turn[G_BLOCK_W +: SLOT_W+1] == {its_slot, 1'b0}));
                AT_HEAD: begin
                    n_at_head:   assert (head_valid && head_slot == its_slot && ahead >= complete &&
                              head_active == its_read && (!its_read || head_block == g_block));
                    n_its_row:   assert (!(its_read && pop) || (bank_reads && bank_row == its_row));
                end
                IN_BANK:  begin
                    n_bank_of_it: assert (served_q && slot_q == its_slot && select_q == bank_hot);
                    n_in_bank:    assert (!its_read || array_data == expected);
                end
                AT_BANK:  n_at_bank:  assert (served_qq && slot_qq == its_slot && select_qq == bank_hot &&
                              (!its_read || read_data == expected));
                default:  n_kept:     assert (kept == expected);
            endcase
            if (place == KEPT && served_qq)    n_younger_qq:   assert (number_qq > ahead);
            if (place >= AT_BANK && served_q)  n_younger_q:    assert (number_q > ahead);
            if (place >= IN_BANK && head_valid) n_younger_head: assert (number_head > ahead);
            if (place != ENTERING && u_entered) n_enter: assert (ahead < inside);
            if (place != ENTERING) n_inside: assert (ahead < inside);
            n_group: assert (young || GROUPS == 1 || its_group == (its_read & its_block[0]));
            n_zero:  assert (young || its_read || expected == 0);
        end

    generate
        if (GROUPS == 2) begin : g_odd
            (* inner = "unit.block_xbar.g_pair.stored_odd[*]" *) wire [8*SLOTS-1:0] all_odd;
            reg [7:0] odd;
            always @*
                for (k = 0; k < SLOTS; k = k + 1)
                    if (k == 0 || its_slot == k) odd = all_odd[8*k +: 8];
            always @* if (known && following && !young) n_odd: assert (odd[its_lane] == its_group);
        end
    endgenerate

    // ---- Fills --------------------------------------------------------------------------------
    (* inner = "unit.fill_port.waiting" *) wire               fill_waits;
    (* inner = "unit.fill_port.block" *)   wire [BLOCK_W-1:0] fill_block;
    (* inner = "unit.fill_port.data" *)    wire [      255:0] fill_its_data;
    (* inner = "unit.fill_port.ahead_q" *) wire [COUNT_W-1:0] fill_ahead;
    (* inner = "unit.fill_port.new_q" *)   wire               fill_new;

    wire            it_waits = fill_waits & (fill_block == its_block);
    wire [SLOT_W:0] unread   = ahead - complete;       // commands before it that have reads left
    wire            to_read  = following & place < IN_BANK & (young ? reads_it : its_read);
    // A held turn waits for the fill, which waits for older commands alone. A mark may stand in a place
    // that is free: then fewer turns have come behind it than there are places.
    wire [   SLOT_W-1:0] in_xbar   = newest - oldest;
    wire [G_BLOCK_W-1:0] its_fill  = fill_block >> (GROUPS - 1);
    wire                 fill_here = fill_waits && (GROUPS == 1 || fill_block[0] == its_group);
    reg                  held_by_it;
    reg  [ENTRY_W-1:0]   behind_mark, place_of_mark;
    reg  [SLOT_W-1:0]    distance_of_mark;

    always @* begin
        held_by_it = !held_head ||
                     (fill_here && head_distance >= fill_ahead && head_block == its_fill);
        for (k = 0; k < ENTRIES; k = k + 1) begin
            behind_mark      = back - 1'b1 - k;
            place_of_mark    = k - front;
            distance_of_mark = entries[TURN_W*k+G_BLOCK_W+1 +: SLOT_W] - oldest;
            if (entry_held[k] && !(fill_here && fill_ahead + behind_mark < in_xbar))
                held_by_it = 1'b0;
            if (entry_held[k] && place_of_mark < count &&
                !(distance_of_mark >= fill_ahead && entries[TURN_W*k +: G_BLOCK_W] == its_fill))
                held_by_it = 1'b0;
        end
    end

    always @* if (known) n_held_by_it: assert (held_by_it);

    wire            older    = fill_ahead <= unread;   // the fill came before the command

    always @*
        if (known) begin
            n_fill_ahead: assert (!fill_waits || fill_ahead <= u_reads_left);
            n_fill_new:   assert (!(fill_waits && u_entered) ||
                                  (fill_new ? fill_ahead == u_reads_left : fill_ahead < u_reads_left));
            n_reset:      assert (!after_reset || (!fill_waits && !following && claimed == 0));
            n_held: assert (it_waits ? fill_its_data[BIT] == shadow && held == before_q && fresh_q
                                     : held == shadow);
            if (to_read) begin
                n_expected: assert (expected == (it_waits && older ? shadow : held));
                if (it_waits && older) begin
                    n_held_back: assert (place == ENTERING ? !fill_new :
                                         place == WAITING  ? entry_held[its_entry] : !head_asks);
                end
            end
        end

    // ==== Reached, so that none of this is said of nothing =====================================
    reg was_held;       // its turn waited at the head for a fill accepted before it
    reg shared;         // another lane took the block from the same read
    reg ran_ahead;      // it was served while older commands had reads left

    reg joined;

    always @* begin
        joined = 1'b0;
        for (k = 0; k < QUEUES; k = k + 1)
            joined = joined | (k != q && k / 8 == group && all_pop[k] && all_head_asks[k] &&
                               all_head_block[G_BLOCK_W*k +: G_BLOCK_W] == head_block);
    end

    always @(posedge clk)
        if (!following | young) begin
            was_held  <= 1'b0;
            shared    <= 1'b0;
            ran_ahead <= 1'b0;
        end else if (place == AT_HEAD) begin
            if (held_head) was_held <= 1'b1;
            if (pop) begin
                shared    <= joined;
                ran_ahead <= unread != 0;
            end
        end

    always @* begin
        answered_after_a_fill:  cover (answered && its_read && was_held && expected);
        answered_after_sharing: cover (answered && its_read && shared && expected);
        answered_running_ahead: cover (answered && its_read && ran_ahead && expected);
        answered_with_nothing:  cover (answered && !young && !its_read);
        stalled_with_a_block:   cover (stalled && its_read && stalled_data);
        a_reset_cuts_off_a_fill: cover (after_reset && lost_q && held != shadow_q);
    end
endmodule

`default_nettype wire
