// What every lane of the crossbar has in its queue, for harnesses with one group of banks: the turns
// of the newest commands, in order, each with its slot.
//
// Included behind unit.vh; the words of the queues' memories need `lane_queue` among the registers.

    localparam BLOCK_W  = $clog2(UB_BYTES / 32);
    localparam TURN_W   = SLOT_W + 1 + BLOCK_W;
    localparam BEHIND_W = WINDOW + 1;
    localparam ENTRY_W  = $clog2(BEHIND_W);
    localparam ENTRIES  = 1 << ENTRY_W;

    (* inner = "unit.block_xbar.*.*.head_valid" *)
    wire [7:0] head_valid;
    (* inner = "unit.block_xbar.*.*.head_asks" *)
    wire [7:0] head_asks;
    (* inner = "unit.block_xbar.*.*.head_active" *)
    wire [7:0] head_active;
    (* inner = "unit.block_xbar.*.*.head_behind" *)
    wire [8*BEHIND_W-1:0] head_behind;
    (* inner = "unit.block_xbar.*.*.g_lane[*].slot" *)
    wire [8*SLOT_W-1:0] slots;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.front_q" *)
    wire [8*ENTRY_W-1:0] fronts;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.back_q" *)
    wire [8*ENTRY_W-1:0] backs;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.waiting_q" *)
    wire [7:0] waiting;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.held_q" *)
    wire [8*ENTRIES-1:0] held;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.entry[*]" *)
    wire [8*ENTRIES*TURN_W-1:0] entries;

    wire [7:0] held_head = head_valid & head_active & ~head_asks;

    // ---- The queues ---------------------------------------------------------------------------
    (* inner = "unit.fill_port.waiting" *) wire               fill_waiting;
    (* inner = "unit.fill_port.new_q" *)   wire               fill_is_new;
    (* inner = "unit.fill_port.ahead_q" *) wire [COUNT_W-1:0] fill_ahead;

    reg [7:0] wrong_pointers;
    reg [7:0] wrong_occupancy;
    reg [7:0] wrong_head;
    reg [7:0] wrong_order;       // of the slots
    reg [7:0] wrong_distance;
    reg [7:0] wrong_hold;        // a held turn is younger than the fill that holds it
    reg [7:0] of_oldest;         // the turn of the oldest command is at the head

    reg [ENTRY_W-1:0] front, back, between, entry;
    reg [        3:0] behind_head;     // turns behind the head
    reg [        3:0] occupancy;
    reg [ SLOT_W-1:0] slot;
    reg [ SLOT_W-1:0] its_slot;
    integer           l, k;

    always @*
        for (l = 0; l < 8; l = l + 1) begin
            front       = fronts[ENTRY_W*l +: ENTRY_W];
            back        = backs[ENTRY_W*l +: ENTRY_W];
            slot        = slots[SLOT_W*l +: SLOT_W];
            between     = back - front - 1'b1;
            behind_head = waiting[l] ? between + 4'd1 : 4'd0;
            occupancy   = head_valid[l] + behind_head;
            wrong_pointers[l]  = waiting[l] ? !head_valid[l] : back != front;
            wrong_occupancy[l] = occupancy > in_xbar;
            wrong_head[l]      = head_asks[l] && !(head_valid[l] && head_active[l]);
            wrong_distance[l]  = 1'b0;
            for (k = 0; k < BEHIND_W; k = k + 1)
                if (head_valid[l] && head_behind[BEHIND_W*l+k] != (in_xbar > occupancy + k))
                    wrong_distance[l] = 1'b1;
            wrong_order[l] = head_valid[l] && slot + occupancy[SLOT_W-1:0] != newest_slot;
            wrong_hold[l]  = held_head[l] && (!fill_waiting || in_xbar < occupancy + fill_ahead);
            for (k = 0; k < ENTRIES; k = k + 1) begin
                entry    = front + k;
                its_slot = entries[TURN_W*(ENTRIES*l+entry)+BLOCK_W+1 +: SLOT_W];
                if (behind_head > k && its_slot + behind_head[SLOT_W-1:0] != newest_slot + k[SLOT_W-1:0])
                    wrong_order[l] = 1'b1;
                // A mark has fewer turns behind it than there are commands younger than the fill.
                between = back - entry - 1'b1;
                if (held[ENTRIES*l+entry] && !(fill_waiting && fill_ahead + between < in_xbar))
                    wrong_hold[l] = 1'b1;
            end
            of_oldest[l] = head_valid[l] && !head_behind[BEHIND_W*l];
        end

    // Lane by lane, which is easier to prove than all of them.
    wire [7:0] wrong = wrong_order | wrong_distance | wrong_hold;

    always @*
        if (started) begin
            pointers_agree: assert (wrong_pointers == 8'h00);
            turns_of_commands_in_the_crossbar: assert (wrong_occupancy == 8'h00);
            only_an_active_head_asks: assert (wrong_head == 8'h00);
            lane_0_agrees: assert (!wrong[0]);
            lane_1_agrees: assert (!wrong[1]);
            lane_2_agrees: assert (!wrong[2]);
            lane_3_agrees: assert (!wrong[3]);
            lane_4_agrees: assert (!wrong[4]);
            lane_5_agrees: assert (!wrong[5]);
            lane_6_agrees: assert (!wrong[6]);
            lane_7_agrees: assert (!wrong[7]);
            a_new_fill_waits_for_all:
            assert (!fill_waiting || !fill_is_new || fill_ahead == reads_left);
            a_fill_waits_for_those_before_it:
            assert (!fill_waiting || fill_is_new || fill_ahead <= in_xbar);
        end
