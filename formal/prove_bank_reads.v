// Proves that a bank reads what an active lane asks for and nothing else, and that a lane is served
// exactly where its bank reads its block.
//
// From any contents of the queues: what enters them, and when, does not matter. So a lane that is
// not active, or whose command faults, costs no access.

`default_nettype none

module prove_bank_reads #(
    parameter BLOCK_W = 6,
    parameter WINDOW  = 4,
    parameter SLOT_W  = 4
) (
    input wire                 clk,
    input wire                 rst,
    input wire [          7:0] push,
    input wire [          7:0] push_active,
    input wire [8*BLOCK_W-1:0] push_block,
    input wire [   SLOT_W-1:0] push_slot,
    input wire [   SLOT_W-1:0] oldest_slot,
    input wire                 complete,
    input wire                 fill_pending,
    input wire                 fill_write,
    input wire [  BLOCK_W-1:0] fill_block
);
    localparam BANKS    = 4;      // named one by one below
    localparam ROW_W    = BLOCK_W - 2;
    localparam BEHIND_W = WINDOW + 1;

    wire       finished;
    wire [7:0] read_blocks;

    bank_group #(
        .BLOCK_W (BLOCK_W),
        .BANKS   (BANKS),
        .WINDOW  (WINDOW),
        .SLOT_W  (SLOT_W),
        .DATA_W  (1)
    ) unit (
        .clk          (clk),
        .rst          (rst),
        .push         (push),
        .push_active  (push_active),
        .push_block   (push_block),
        .push_slot    (push_slot),
        .oldest_slot  (oldest_slot),
        .finished     (finished),
        .complete     (complete),
        .fill_pending (fill_pending),
        .fill_write   (fill_write),
        .fill_block   (fill_block),
        .fill_data    (1'b0),
        .read_slot    ({SLOT_W{1'b0}}),
        .read_blocks  (read_blocks)
    );

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @* if (!started) assume (rst);

    // ---- Inside -------------------------------------------------------------------------------
    (* hierconn *) wire [           7:0] \unit.head_valid ;
    (* hierconn *) wire [           7:0] \unit.head_asks ;
    (* hierconn *) wire [           7:0] \unit.head_skips ;
    (* hierconn *) wire [           7:0] \unit.asks ;
    (* hierconn *) wire [           7:0] \unit.reads ;
    (* hierconn *) wire [ 8*BLOCK_W-1:0] \unit.head_block ;
    (* hierconn *) wire [   8*BANKS-1:0] \unit.head_bank ;
    (* hierconn *) wire [8*BEHIND_W-1:0] \unit.head_behind ;
    (* hierconn *) wire  \unit.g_bank[0].bank_memory.enable ;
    (* hierconn *) wire  \unit.g_bank[1].bank_memory.enable ;
    (* hierconn *) wire  \unit.g_bank[2].bank_memory.enable ;
    (* hierconn *) wire  \unit.g_bank[3].bank_memory.enable ;
    (* hierconn *) wire  \unit.g_bank[0].bank_memory.write ;
    (* hierconn *) wire  \unit.g_bank[1].bank_memory.write ;
    (* hierconn *) wire  \unit.g_bank[2].bank_memory.write ;
    (* hierconn *) wire  \unit.g_bank[3].bank_memory.write ;
    (* hierconn *) wire [ROW_W-1:0] \unit.g_bank[0].bank_memory.row ;
    (* hierconn *) wire [ROW_W-1:0] \unit.g_bank[1].bank_memory.row ;
    (* hierconn *) wire [ROW_W-1:0] \unit.g_bank[2].bank_memory.row ;
    (* hierconn *) wire [ROW_W-1:0] \unit.g_bank[3].bank_memory.row ;
    (* hierconn *) wire \unit.g_lane[0].lane_queue.held_head_q ;
    (* hierconn *) wire \unit.g_lane[1].lane_queue.held_head_q ;
    (* hierconn *) wire \unit.g_lane[2].lane_queue.held_head_q ;
    (* hierconn *) wire \unit.g_lane[3].lane_queue.held_head_q ;
    (* hierconn *) wire \unit.g_lane[4].lane_queue.held_head_q ;
    (* hierconn *) wire \unit.g_lane[5].lane_queue.held_head_q ;
    (* hierconn *) wire \unit.g_lane[6].lane_queue.held_head_q ;
    (* hierconn *) wire \unit.g_lane[7].lane_queue.held_head_q ;

    wire [7:0] held = {
        \unit.g_lane[7].lane_queue.held_head_q , \unit.g_lane[6].lane_queue.held_head_q ,
        \unit.g_lane[5].lane_queue.held_head_q , \unit.g_lane[4].lane_queue.held_head_q ,
        \unit.g_lane[3].lane_queue.held_head_q , \unit.g_lane[2].lane_queue.held_head_q ,
        \unit.g_lane[1].lane_queue.held_head_q , \unit.g_lane[0].lane_queue.held_head_q 
    };
    wire [           7:0] asks        = \unit.asks ;
    wire [           7:0] reads       = \unit.reads ;
    wire [ 8*BLOCK_W-1:0] head_block  = \unit.head_block ;
    wire [   8*BANKS-1:0] head_bank   = \unit.head_bank ;
    wire [8*BEHIND_W-1:0] head_behind = \unit.head_behind ;
    wire [     BANKS-1:0] enable      = { \unit.g_bank[3].bank_memory.enable , \unit.g_bank[2].bank_memory.enable , \unit.g_bank[1].bank_memory.enable , \unit.g_bank[0].bank_memory.enable };
    wire [     BANKS-1:0] write       = { \unit.g_bank[3].bank_memory.write , \unit.g_bank[2].bank_memory.write , \unit.g_bank[1].bank_memory.write , \unit.g_bank[0].bank_memory.write };
    wire [BANKS*ROW_W-1:0] row        = { \unit.g_bank[3].bank_memory.row , \unit.g_bank[2].bank_memory.row , \unit.g_bank[1].bank_memory.row , \unit.g_bank[0].bank_memory.row };

    reg [      7:0] wrong_bank;        // the one-hot is not of the block
    reg [      7:0] wrong_distance;    // no thermometer
    reg [      7:0] unread;            // served without a read of its block
    reg [BANKS-1:0] unasked;           // read without a lane that asks for the row
    reg [BLOCK_W-1:0] block;
    integer         lane, bank, k;

    always @* begin
        unasked = enable & ~write;
        for (lane = 0; lane < 8; lane = lane + 1) begin
            block = head_block[BLOCK_W*lane +: BLOCK_W];
            unread[lane] = reads[lane];
            wrong_bank[lane] = \unit.head_valid [lane] &&
                               head_bank[BANKS*lane +: BANKS] != 4'b0001 << block[1:0];
            for (bank = 0; bank < BANKS; bank = bank + 1)
                if (block == {row[ROW_W*bank +: ROW_W], bank[1:0]} && enable[bank] && !write[bank]) begin
                    unread[lane] = 1'b0;
                    if (asks[lane]) unasked[bank] = 1'b0;
                end
            wrong_distance[lane] = 1'b0;
            for (k = 0; k < BEHIND_W - 1; k = k + 1)
                if (\unit.head_valid [lane] && head_behind[BEHIND_W*lane+k+1] &&
                    !head_behind[BEHIND_W*lane+k])
                    wrong_distance[lane] = 1'b1;
        end
    end

    always @*
        if (started) begin
            asking_heads_are_valid:
            assert (((\unit.head_asks | \unit.head_skips ) & ~\unit.head_valid ) == 8'h00);
            a_held_turn_is_active: assert ((held & (\unit.head_skips | ~\unit.head_valid )) == 8'h00);
            banks_are_those_of_the_blocks: assert (wrong_bank == 8'h00);
            distances_are_thermometers: assert (wrong_distance == 8'h00);
            no_read_without_a_lane_that_asks: assert (unasked == {BANKS{1'b0}});
            served_where_its_block_is_read: assert (unread == 8'h00);
            who_skips_does_not_ask: assert ((\unit.head_asks & \unit.head_skips ) == 8'h00);
            four_banks_read: cover (&(enable & ~write) && reads == 8'hFF);
            skips_beside_a_read: cover (\unit.head_skips == 8'hFE && reads == 8'h01);
            a_fill_takes_a_bank: cover (|(enable & write) && asks == 8'hFF && reads == 8'h0F);
        end
endmodule

`default_nettype wire
