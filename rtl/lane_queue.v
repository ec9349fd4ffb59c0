// lane_queue: one lane's queue of turns at one group of banks, in command order.
//
// The oldest turn stands in registers, decoded, where the arbitration reads it without a level of
// logic; the others wait in a small memory. A turn that touches the block of a pending fill is
// held: it may not be served until `release_held`. A head whose lane is active asks for its block,
// unless it is held; one whose lane is not active has nothing to wait for.
//
// head_behind is how many commands the head's command stands behind the oldest one that still
// waits for reads, as a thermometer (bit k set: more than k), so that comparing two heads needs no
// subtraction. It moves with the head and falls by one whenever the oldest command completes.
//
// Latency     1 cycle from `push` to the head of an empty queue.
// Throughput  1 push and 1 pop per cycle; the next turn is at the head in the cycle after a pop.
// Registered  all outputs.
// The caller pushes only while at most DEPTH turns are in here, and pops only valid heads.
//
// BLOCK_W  width of a block number
// BANKS    number of banks, a power of two; the head carries its bank as a one-hot
// DEPTH    turns that fit beside the head, at least 2, and how far behind one can be; costs
//          BLOCK_W + SLOT_W + 1 bits of memory and two flip-flops each
// SLOT_W   width of the number that a command's results are kept under; numbers count up

`default_nettype none

module lane_queue #(
    parameter BLOCK_W = 13,
    parameter BANKS   = 16,
    parameter DEPTH   = 5,
    parameter SLOT_W  = 4
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               push,
    input  wire               push_active,     // 0: nothing to read, the lane's block is zero
    input  wire [BLOCK_W-1:0] push_block,
    input  wire [ SLOT_W-1:0] push_slot,
    input  wire               push_held,
    input  wire               release_held,

    input  wire [ SLOT_W-1:0] oldest_slot,     // of the oldest command that waits for reads
    input  wire               complete,        // in this cycle it has its last turn

    input  wire               pop,
    output reg                head_valid,
    output reg                head_active,
    output reg                head_asks,
    output reg  [BLOCK_W-1:0] head_block,
    output reg  [  BANKS-1:0] head_bank,       // one-hot
    output reg  [ SLOT_W-1:0] head_slot,
    output reg  [  DEPTH-1:0] head_behind
);
    localparam POINTER_W = $clog2(DEPTH);
    localparam ENTRIES   = 1 << POINTER_W;
    localparam BANK_W    = $clog2(BANKS);

    // ---- Waiting turns ------------------------------------------------------------------------
    // Every push is written; one that goes straight to the head is skipped by moving `front` too.
    reg [SLOT_W+BLOCK_W:0] entry [0:ENTRIES-1];   // {slot, active, block}
    reg [     ENTRIES-1:0] held_q;
    reg [   POINTER_W-1:0] front_q;
    reg [   POINTER_W-1:0] back_q;
    reg                    waiting_q;             // turns stand between front and back

    wire                 take_next  = pop | ~head_valid;
    wire                 next_valid = waiting_q | push;
    wire                 move_front = take_next & next_valid;

    wire [POINTER_W-1:0] front_next = front_q + 1'b1;

    always @(posedge clk)
        if (push) entry[back_q] <= {push_slot, push_active, push_block};

    always @(posedge clk)
        if (rst) begin
            front_q   <= {POINTER_W{1'b0}};
            back_q    <= {POINTER_W{1'b0}};
            waiting_q <= 1'b0;
        end else begin
            if (move_front) front_q <= front_next;
            if (push)       back_q  <= back_q + 1'b1;
            if (push & ~move_front)      waiting_q <= 1'b1;
            else if (move_front & ~push) waiting_q <= front_next != back_q;
        end

    // Fewer turns enter while a fill waits than there are places: a mark is gone before its place is
    // taken again.
    always @(posedge clk)
        if (rst | release_held)    held_q         <= {ENTRIES{1'b0}};
        else if (push & push_held) held_q[back_q] <= 1'b1;

    // ---- Head ---------------------------------------------------------------------------------
    wire               next_active;
    wire [BLOCK_W-1:0] next_block;
    wire [ SLOT_W-1:0] next_slot;
    wire               next_held = waiting_q ? held_q[front_q] : push_held;

    assign {next_slot, next_active, next_block} =
        waiting_q ? entry[front_q] : {push_slot, push_active, push_block};

    wire next_waits = next_held & ~release_held;

    always @(posedge clk)
        if (rst) begin
            head_valid <= 1'b0;
            head_asks  <= 1'b0;
        end else if (take_next) begin
            head_valid <= next_valid;
            head_asks  <= next_valid & next_active & ~next_waits;
        end else if (release_held) begin
            head_asks  <= head_active;
        end

    always @(posedge clk)
        if (take_next) begin
            head_active <= next_active;
            head_block  <= next_block;
            head_slot   <= next_slot;
        end

    genvar bank;
    generate
        if (BANKS == 1) begin : g_one_bank
            always @(posedge clk) head_bank <= 1'b1;
        end else begin : g_banks
            for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
                always @(posedge clk)
                    if (take_next) head_bank[bank] <= next_block[BANK_W-1:0] == bank[BANK_W-1:0];
            end
        end
    endgenerate

    // ---- Distance -----------------------------------------------------------------------------
    // `complete` comes last in the cycle and therefore only moves what is already known.
    wire [SLOT_W-1:0] distance = next_slot - oldest_slot;
    reg  [ DEPTH-1:0] next_behind;
    integer           k;

    always @*
        for (k = 0; k < DEPTH; k = k + 1)
            next_behind[k] = distance > k[SLOT_W-1:0];

    always @(posedge clk)
        if (take_next)     head_behind <= complete ? next_behind >> 1 : next_behind;
        else if (complete) head_behind <= head_behind >> 1;
endmodule

`default_nettype wire
