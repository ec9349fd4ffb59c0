// pair_queue: in lock step, how the lanes of the oldest command compare, worked out as commands
// enter rather than while they are served: all lanes that are served belong to that one command.
//
// Latency     1 cycle from `push` into an empty queue.
// Throughput  1 command per cycle in and out.
// Registered  both outputs.
// The caller never has more than three commands in here.
//
// BLOCK_W  width of a block number
// BANKS    number of banks, a power of two

`default_nettype none

module pair_queue #(
    parameter BLOCK_W = 13,
    parameter BANKS   = 8
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 push,
    input  wire [8*BLOCK_W-1:0] push_block,
    input  wire                 pop,         // the oldest command is complete
    output reg  [         27:0] same_bank,   // pairs are numbered as in lane_compare
    output reg  [         27:0] same_block
);
    wire [27:0] push_same_bank;
    wire [27:0] push_same_block;

    lane_compare #(
        .BLOCK_W (BLOCK_W),
        .BANKS   (BANKS)
    ) lane_compare (
        .block      (push_block),
        .same_bank  (push_same_bank),
        .same_block (push_same_block)
    );

    // As in lane_queue: every push is written, one that goes straight to the head is skipped.
    reg [55:0] entry [0:1];
    reg        front_q;
    reg        back_q;
    reg        waiting_q;
    reg        valid_q;

    wire take_next  = pop | ~valid_q;
    wire next_valid = waiting_q | push;
    wire move_front = take_next & next_valid;

    always @(posedge clk)
        if (push) entry[back_q] <= {push_same_bank, push_same_block};

    always @(posedge clk)
        if (rst) begin
            front_q   <= 1'b0;
            back_q    <= 1'b0;
            waiting_q <= 1'b0;
            valid_q   <= 1'b0;
        end else begin
            if (move_front) front_q <= ~front_q;
            if (push)       back_q  <= ~back_q;
            if (push & ~move_front)      waiting_q <= 1'b1;
            else if (move_front & ~push) waiting_q <= front_q == back_q;
            if (take_next)  valid_q <= next_valid;
        end

    always @(posedge clk)
        if (take_next)
            {same_bank, same_block} <= waiting_q ? entry[front_q]
                                                 : {push_same_bank, push_same_block};
endmodule

`default_nettype wire
