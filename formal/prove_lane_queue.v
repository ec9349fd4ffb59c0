// Proves that lane_queue is a queue of turns, that a turn which is not active never asks, and that a
// held one does not ask before its release.
//
// A plain list of the turns stands beside it: what is at its front must be at the head, and what
// waits must stand in the memory in the same order.

`default_nettype none

module prove_lane_queue #(
    parameter BLOCK_W = 13,
    parameter BANKS   = 16,
    parameter SLOT_W  = 4
) (
    input wire               clk,
    input wire               rst,
    input wire               push,
    input wire               push_active,
    input wire [BLOCK_W-1:0] push_block,
    input wire [ SLOT_W-1:0] push_slot,
    input wire               push_held,
    input wire               release_held,
    input wire [ SLOT_W-1:0] oldest_slot,
    input wire               complete,
    input wire               pop
);
    // That of a window of four commands; the words of the memory below are named one by one.
    localparam DEPTH  = 5;
    localparam TURN_W = SLOT_W + 1 + BLOCK_W;

    wire               head_valid;
    wire               head_active;
    wire               head_asks;
    wire [BLOCK_W-1:0] head_block;
    wire [  BANKS-1:0] head_bank;
    wire [ SLOT_W-1:0] head_slot;
    wire [  DEPTH-1:0] head_behind;

    lane_queue #(
        .BLOCK_W (BLOCK_W),
        .BANKS   (BANKS),
        .DEPTH   (DEPTH),
        .SLOT_W  (SLOT_W)
    ) unit (
        .clk          (clk),
        .rst          (rst),
        .push         (push),
        .push_active  (push_active),
        .push_block   (push_block),
        .push_slot    (push_slot),
        .push_held    (push_held),
        .release_held (release_held),
        .oldest_slot  (oldest_slot),
        .complete     (complete),
        .pop          (pop),
        .head_valid   (head_valid),
        .head_active  (head_active),
        .head_asks    (head_asks),
        .head_block   (head_block),
        .head_bank    (head_bank),
        .head_slot    (head_slot),
        .head_behind  (head_behind)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst);

    // ---- Inside -------------------------------------------------------------------------------
    (* inner = "unit.front_q" *)     wire [         2:0] front;
    (* inner = "unit.back_q" *)      wire [         2:0] back;
    (* inner = "unit.waiting_q" *)   wire                waiting_q;
    (* inner = "unit.held_q" *)      wire [         7:0] held_q;
    (* inner = "unit.entry[*]" *)    wire [8*TURN_W-1:0] entries;

    // ---- The list -----------------------------------------------------------------------------
    reg [3:0]                    count;
    reg [TURN_W*(DEPTH+1)-1:0]   turns;   // the oldest in the lowest bits
    reg [             DEPTH:0]   held;

    wire [TURN_W*(DEPTH+1)-1:0] behind_pop = pop ? turns >> TURN_W : turns;
    wire [             DEPTH:0] held_left  = pop ? held >> 1 : held;
    wire [3:0]                  left       = count - pop;

    // What the caller keeps to: prove_lane_contract.
    always @* begin
        if (pop) assume (head_valid);
        if (push) assume (count < DEPTH + 1);
        if (push && !release_held) assume (!held_q[back]);
    end

    integer i;

    always @(posedge clk)
        if (rst) count <= 4'd0;
        else begin
            count <= left + push;
            turns <= behind_pop;
            held  <= release_held ? {(DEPTH+1){1'b0}} : held_left;
            for (i = 0; i <= DEPTH; i = i + 1)
                if (push && left == i) begin
                    turns[TURN_W*i +: TURN_W] <= {push_slot, push_active, push_block};
                    held[i]                   <= push_held & ~release_held;
                end
        end

    wire               its_active = turns[BLOCK_W];
    wire [BLOCK_W-1:0] its_block  = turns[BLOCK_W-1:0];
    wire [ SLOT_W-1:0] its_slot   = turns[TURN_W-1:BLOCK_W+1];

    always @*
        if (started) begin
            valid_with_a_turn: assert (head_valid == (count != 4'd0));
            an_active_turn_asks_unless_held:
            assert (head_asks == (head_valid && its_active && !held[0]));
            a_turn_is_as_active_as_it_was: assert (!head_valid || head_active == its_active);
            the_oldest_slot_is_at_the_head: assert (!head_valid || head_slot == its_slot);
            its_block_is_at_the_head: assert (!head_valid || head_block == its_block);
            its_bank_is_one_hot:
            assert (!head_valid || head_bank == {{(BANKS-1){1'b0}}, 1'b1} << (its_block % BANKS));
        end

    reg [DEPTH-1:0] misplaced;
    reg [      2:0] place;
    integer         k;

    always @*
        for (k = 0; k < DEPTH; k = k + 1) begin
            place        = front + k[2:0];
            misplaced[k] = (count > k + 1) &&
                           {held_q[place], entries[TURN_W*place +: TURN_W]} !=
                           {held[k+1], turns[TURN_W*(k+1) +: TURN_W]};
        end

    wire [3:0] waiting = head_valid ? count - 4'd1 : 4'd0;

    always @*
        if (started) begin
            no_more_than_fit: assert (count <= DEPTH + 1);
            waiting_turns_are_counted: assert (waiting_q == (waiting != 4'd0));
            front_and_back_agree: assert (back - front == waiting[2:0]);
            the_second_waits: assert (!misplaced[0]);
            the_third_waits: assert (!misplaced[1]);
            the_fourth_waits: assert (!misplaced[2]);
            the_fifth_waits: assert (!misplaced[3]);
            the_sixth_waits: assert (!misplaced[4]);
            full: cover (count == DEPTH + 1);
            a_held_turn_is_released: cover (held[0] && its_active && release_held && count == 4'd3);
            skipped_between_two_reads: cover (head_valid && !head_active && pop && push && push_active);
            a_turn_asks: cover (head_asks);
        end
endmodule

`default_nettype wire
