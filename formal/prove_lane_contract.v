// Proves that the unit keeps to the contract of lane_queue, as lane_contract says it.
//
// Any one queue is followed, of any lane at any group of banks. Its turns are those of commands in
// the crossbar, of which there are never more than fit. A mark of a held turn is younger than the
// fill that holds it, which waits for a command before it: so there are fewer pushes behind a mark
// than places, and where the held turn is of the oldest command the fill is written.

`default_nettype none

module prove_lane_contract #(
    parameter UB_BYTES = 2048,
    parameter BANKS    = 4,
    parameter WINDOW   = 2,
    parameter STRIDE_W = 32,
    parameter CALM     = 0
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
    input wire                rsp_ready
);
    `include "unit.vh"

    localparam GROUPS  = (WINDOW == 1 || BANKS == 1) ? 1 : 2;
    localparam BLOCK_W = $clog2(UB_BYTES / 32) - (GROUPS - 1);
    localparam DEPTH   = WINDOW + 1;
    localparam ENTRY_W = $clog2(DEPTH);
    localparam ENTRIES = 1 << ENTRY_W;
    localparam TURN_W  = SLOT_W + 1 + BLOCK_W;
    localparam QUEUES  = 8 * GROUPS;

    // ---- Inside -------------------------------------------------------------------------------
    (* inner = "unit.reads_complete" *)    wire               complete;
    (* inner = "unit.fill_port.waiting" *) wire               fill_waiting;
    (* inner = "unit.fill_port.new_q" *)   wire               fill_is_new;
    (* inner = "unit.fill_port.ahead_q" *) wire [COUNT_W-1:0] fill_ahead;
    (* inner = "unit.fill_port.block" *)   wire [$clog2(UB_BYTES/32)-1:0] fill_block;

    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.push" *)
    wire [QUEUES-1:0] all_push;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.release_held" *)
    wire [QUEUES-1:0] all_release_held;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.held_q" *)
    wire [QUEUES*ENTRIES-1:0] all_held;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.pop" *)
    wire [QUEUES-1:0] all_pop;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_valid" *)
    wire [QUEUES-1:0] all_head_valid;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_asks" *)
    wire [QUEUES-1:0] all_head_asks;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_active" *)
    wire [QUEUES-1:0] all_head_active;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_block" *)
    wire [QUEUES*BLOCK_W-1:0] all_head_block;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_slot" *)
    wire [QUEUES*SLOT_W-1:0] all_head_slot;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.head_behind" *)
    wire [QUEUES*DEPTH-1:0] all_head_behind;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.front_q" *)
    wire [QUEUES*ENTRY_W-1:0] all_front;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.back_q" *)
    wire [QUEUES*ENTRY_W-1:0] all_back;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.waiting_q" *)
    wire [QUEUES-1:0] all_waiting;
    (* inner = "unit.block_xbar.*.*.g_lane[*].lane_queue.entry[*]" *)
    wire [QUEUES*ENTRIES*TURN_W-1:0] all_entries;

    // ---- The queue that is followed -------------------------------------------------------------
    (* anyconst *) wire [2:0] its_lane;
    (* anyconst *) wire       any_group;
    wire       its_group = GROUPS == 2 && any_group;      // of the odd banks
    wire [3:0] queue     = {its_group, its_lane};
    wire [BLOCK_W-1:0] its_fill = fill_block >> (GROUPS - 1);
    wire       fill_here = fill_waiting && (GROUPS == 1 || fill_block[0] == its_group);

    reg                      push, release_held, pop, head_valid, head_active, head_asks,
                             waiting;
    reg [       BLOCK_W-1:0] head_block;
    reg [        SLOT_W-1:0] head_slot;
    reg [         DEPTH-1:0] head_behind;
    reg [       ENTRY_W-1:0] front, back;
    reg [       ENTRIES-1:0] held;
    reg [ENTRIES*TURN_W-1:0] entries;
    integer                  q, k;

    always @*
        for (q = 0; q < QUEUES; q = q + 1)
            if (q == 0 || queue == q) begin
                push         = all_push[q];
                pop          = all_pop[q];
                head_valid   = all_head_valid[q];
                head_asks    = all_head_asks[q];
                head_active  = all_head_active[q];
                release_held = all_release_held[q];
                held         = all_held[ENTRIES*q +: ENTRIES];
                head_block   = all_head_block[BLOCK_W*q +: BLOCK_W];
                head_slot    = all_head_slot[SLOT_W*q +: SLOT_W];
                head_behind  = all_head_behind[DEPTH*q +: DEPTH];
                front        = all_front[ENTRY_W*q +: ENTRY_W];
                back         = all_back[ENTRY_W*q +: ENTRY_W];
                waiting      = all_waiting[q];
                entries      = all_entries[ENTRIES*TURN_W*q +: ENTRIES*TURN_W];
            end

    wire kept;

    lane_contract #(
        .BLOCK_W (BLOCK_W),
        .DEPTH   (DEPTH),
        .SLOT_W  (SLOT_W)
    ) lane_contract (
        .push         (push),
        .push_slot    (newest_slot),
        .oldest_slot  (oldest_slot),
        .complete     (complete),
        .pop          (pop),
        .head_valid   (head_valid),
        .release_held (release_held),
        .held_q       (held),
        .head_active  (head_active),
        .head_asks    (head_asks),
        .head_slot    (head_slot),
        .head_behind  (head_behind),
        .front_q      (front),
        .back_q       (back),
        .waiting_q    (waiting),
        .entry        (entries),
        .kept         (kept)
    );

    // ---- Why ------------------------------------------------------------------------------------
    wire [SLOT_W-1:0] head_distance = head_slot - oldest_slot;
    reg  [SLOT_W-1:0] distance;
    reg               turns_in_xbar;      // each turn is of a command whose reads are not complete
    reg               marks_are_young;
    reg               held_by_the_fill;
    reg               thermometers;
    reg  [ENTRY_W-1:0] age;

    always @* begin
        marks_are_young = 1'b1;
        held_by_the_fill = ~(head_valid & head_active & ~head_asks) |
                           (fill_here & (head_distance >= fill_ahead) & (head_block == its_fill));
        turns_in_xbar   = ~head_valid | (head_distance < in_xbar);
        for (k = 0; k < ENTRIES; k = k + 1) begin
            age      = back - 1'b1 - k;         // pushes behind this one
            if (held[k] && !(fill_here && fill_ahead + age < in_xbar)) marks_are_young = 1'b0;
            distance = entries[TURN_W*k+BLOCK_W+1 +: SLOT_W] - oldest_slot;
            if (waiting && age <= back - 1'b1 - front) begin
                if (distance >= in_xbar) turns_in_xbar = 1'b0;
                if (held[k] && !(distance >= fill_ahead && entries[TURN_W*k +: BLOCK_W] == its_fill))
                    held_by_the_fill = 1'b0;
            end
        end
        thermometers = 1'b1;
        for (q = 0; q < QUEUES; q = q + 1)
            for (k = 0; k < DEPTH - 1; k = k + 1)
                if (all_head_valid[q] && all_head_behind[DEPTH*q+k+1] && !all_head_behind[DEPTH*q+k])
                    thermometers = 1'b0;
    end

    always @*
        if (started) begin
            the_contract_is_kept: assert (kept);
            turns_are_of_commands_in_the_crossbar: assert (turns_in_xbar);
            marks_are_younger_than_the_fill: assert (marks_are_young);
            held_turns_are_of_the_fill: assert (held_by_the_fill);
            distances_are_thermometers: assert (thermometers);
            a_new_fill_waits_for_all:
            assert (!fill_waiting || !fill_is_new || fill_ahead == reads_left);
            a_fill_waits_for_those_before_it:
            assert (!fill_waiting || fill_is_new || fill_ahead <= in_xbar);
            a_mark_behind_the_front: cover (held[front - 1'b1] && push);
            a_full_queue: cover (waiting && head_valid && push && back - front == DEPTH - 1);
        end
endmodule

`default_nettype wire
