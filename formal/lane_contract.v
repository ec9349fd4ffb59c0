// lane_contract: what the unit keeps to at each lane_queue, and what the queue's state is while it does.
//
// A combinational check of one queue's ports and registers, by their names there. `kept` is 1 in
// every cycle behind a reset: prove_lane_contract proves that, and make mutate takes it as known.
//
// BLOCK_W, DEPTH, SLOT_W  those of the lane_queue

`default_nettype none

module lane_contract #(
    parameter BLOCK_W   = 13,
    parameter DEPTH     = 5,
    parameter SLOT_W    = 4,
    parameter POINTER_W = $clog2(DEPTH),
    parameter ENTRIES   = 1 << POINTER_W,
    parameter TURN_W    = SLOT_W + 1 + BLOCK_W
) (
    input  wire                      push,
    input  wire [        SLOT_W-1:0] push_slot,
    input  wire [        SLOT_W-1:0] oldest_slot,
    input  wire                      complete,
    input  wire                      pop,
    input  wire                      head_valid,
    input  wire                      release_held,
    input  wire                      head_active,
    input  wire                      head_asks,
    input  wire [        SLOT_W-1:0] head_slot,
    input  wire [         DEPTH-1:0] head_behind,
    input  wire [     POINTER_W-1:0] front_q,
    input  wire [     POINTER_W-1:0] back_q,
    input  wire                      waiting_q,
    input  wire [       ENTRIES-1:0] held_q,
    input  wire [ENTRIES*TURN_W-1:0] entry,
    output wire                      kept
);
    // How far each turn is behind the oldest command; the last one is the youngest in here.
    wire [POINTER_W-1:0] between = back_q - front_q - 1'b1;
    wire [  POINTER_W:0] waiting = waiting_q ? between + 1'b1 : {(POINTER_W+1){1'b0}};

    reg                  in_order;       // each turn is younger than the one before it
    reg [      SLOT_W:0] least;          // the least distance that the next one may have
    reg [    SLOT_W-1:0] distance;
    reg [ POINTER_W-1:0] place;
    reg [     DEPTH-1:0] thermometer;
    integer              k;

    always @* begin
        distance = head_slot - oldest_slot;
        for (k = 0; k < DEPTH; k = k + 1) thermometer[k] = distance > k;
        in_order = 1'b1;
        least    = head_valid ? distance + 1'b1 : {(SLOT_W+1){1'b0}};
        for (k = 0; k < ENTRIES; k = k + 1) begin
            place    = front_q + k;
            distance = entry[TURN_W*place+BLOCK_W+1 +: SLOT_W] - oldest_slot;
            if (k < waiting) begin
                in_order = in_order & (distance >= least);
                least    = distance + 1'b1;
            end
        end
        distance = push_slot - oldest_slot;
        if (push) begin
            in_order = in_order & (distance >= least);
            least    = distance + 1'b1;
        end
    end

    wire of_oldest = head_valid & ~head_behind[0];

    assign kept =
        // The state.
        (waiting_q ? head_valid : front_q == back_q) &
        (~head_asks | (head_valid & head_active)) &
        (~head_valid | (head_behind == thermometer)) &
        // No more turns than fit, in command order, none of them further behind than can be told.
        in_order & (least <= DEPTH + 1) &
        // Only a head that is not held is popped, and the last turn of the oldest command with the others.
        (~pop | (head_valid & (head_asks | ~head_active))) & (~(complete & of_oldest) | pop) &
        // A head that is not active is popped at once.
        (~head_valid | head_active | pop) &
        // A mark is gone before its place is taken again.
        ~(push & held_q[back_q] & ~release_held);
endmodule

`default_nettype wire
