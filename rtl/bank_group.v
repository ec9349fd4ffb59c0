// bank_group: a part of the banks, with a queue of its own for each of the eight lanes.
//
// In every cycle each bank reads one row: for the oldest head that waits for it, and with it for
// every head that waits for the same block. The blocks are collected per lane in the slots of
// their commands.
//
//              +------------+   +--------------+   +-------------+   +----------------+
//   turns ---->| lane_queue |-->| lane_arbiter |-->| bank_memory |-->| lane_collector |--> blocks
//              |    x 8     |   |              |   |   x BANKS   |   |      x 8       |
//              +------------+   +--------------+   +-------------+   +----------------+
//                    |                 ^
//                    +--- age_order ---+
//                    +- lane_compare --+
//
// Latency     a turn that enters an empty queue can be served in the next cycle; its block can be
//             read from its slot three cycles after it is served.
// Throughput  each lane is served once per cycle at most, each bank read or written once.
// Registered  nothing that leaves: `finished` is the end of the arbitration path, the blocks leave
//             a memory whose read is not clocked.
// A turn that is not active is served without a bank access, and its block is zero.
//
// BLOCK_W  width of a block number within the group: the banks together hold 2^BLOCK_W blocks
// BANKS    number of banks, a power of two, at least two rows in each: routing area
// WINDOW   how many commands may wait for reads at once: queue memory, comparisons of ages
// SLOT_W   2^SLOT_W commands' blocks are kept: distributed RAM
// DATA_W   width of a block in bits

`default_nettype none

module bank_group #(
    parameter BLOCK_W = 12,
    parameter BANKS   = 8,
    parameter WINDOW  = 4,
    parameter SLOT_W  = 4,
    parameter DATA_W  = 256
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire [          7:0] push,          // the lane has a turn in this group
    input  wire [          7:0] push_active,
    input  wire [8*BLOCK_W-1:0] push_block,
    input  wire [   SLOT_W-1:0] push_slot,

    input  wire [   SLOT_W-1:0] oldest_slot,   // of the oldest command that waits for reads
    output wire                 finished,      // none of its turns is left here after this cycle
    input  wire                 complete,      // nor anywhere

    // A fill has its bank in the cycle of `fill_write`. Until then `fill_pending` holds back every
    // turn that enters and reads the same block.
    input  wire                 fill_pending,
    input  wire                 fill_write,
    input  wire [  BLOCK_W-1:0] fill_block,
    input  wire [   DATA_W-1:0] fill_data,

    input  wire [   SLOT_W-1:0] read_slot,
    output wire [ 8*DATA_W-1:0] read_blocks
);
    localparam BANK_W   = $clog2(BANKS);
    localparam ROW_W    = BLOCK_W - BANK_W;
    localparam BEHIND_W = WINDOW + 1;

    // An event simulator resolves a wide bus bit by bit where several drivers own slices of it.
    // The buses here are therefore put together by one concatenation, or are registers.

    // ---- Lanes --------------------------------------------------------------------------------
    wire [7:0] head_valid;
    wire [7:0] head_active;
    wire [7:0] head_asks;
    wire [ 8*BLOCK_W-1:0] head_block  = {g_lane[7].wanted_block, g_lane[6].wanted_block,
                                         g_lane[5].wanted_block, g_lane[4].wanted_block,
                                         g_lane[3].wanted_block, g_lane[2].wanted_block,
                                         g_lane[1].wanted_block, g_lane[0].wanted_block};
    wire [   8*BANKS-1:0] head_bank   = {g_lane[7].wanted_bank, g_lane[6].wanted_bank,
                                         g_lane[5].wanted_bank, g_lane[4].wanted_bank,
                                         g_lane[3].wanted_bank, g_lane[2].wanted_bank,
                                         g_lane[1].wanted_bank, g_lane[0].wanted_bank};
    wire [8*BEHIND_W-1:0] head_behind = {g_lane[7].behind, g_lane[6].behind,
                                         g_lane[5].behind, g_lane[4].behind,
                                         g_lane[3].behind, g_lane[2].behind,
                                         g_lane[1].behind, g_lane[0].behind};

    wire [ 7:0] in_window;
    wire [27:0] lower_first;
    wire [27:0] same_bank;
    wire [27:0] same_block;

    age_order #(
        .WINDOW(WINDOW)
    ) age_order (
        .behind      (head_behind),
        .in_window   (in_window),
        .lower_first (lower_first)
    );

    generate
        if (WINDOW == 1) begin : g_lock_step
            pair_queue #(
                .BLOCK_W (BLOCK_W),
                .BANKS   (BANKS)
            ) pair_queue (
                .clk        (clk),
                .rst        (rst),
                .push       (|push),
                .push_block (push_block),
                .pop        (complete),
                .same_bank  (same_bank),
                .same_block (same_block)
            );
        end else begin : g_window
            lane_compare #(
                .BLOCK_W (BLOCK_W),
                .BANKS   (BANKS)
            ) lane_compare (
                .block      (head_block),
                .same_bank  (same_bank),
                .same_block (same_block)
            );
        end
    endgenerate

    // A lane's turn: it reads a block, or it has nothing to read.
    wire [7:0] asks  = head_asks & in_window;
    wire [7:0] skips = head_valid & ~head_active;
    wire [7:0] taken;
    wire [7:0] leads;
    wire [7:0] reads;
    wire [7:0] served = reads | skips;

    lane_arbiter lane_arbiter (
        .asks        (asks),
        .taken       (taken),
        .lower_first (lower_first),
        .same_bank   (same_bank),
        .same_block  (same_block),
        .leads       (leads),
        .reads       (reads)
    );

    // ---- Banks --------------------------------------------------------------------------------
    reg  [DATA_W*BANKS-1:0] read_data;

    genvar bank, lane;
    generate
        for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
            wire [       7:0] wanting = {head_bank[BANKS*7+bank], head_bank[BANKS*6+bank],
                                         head_bank[BANKS*5+bank], head_bank[BANKS*4+bank],
                                         head_bank[BANKS*3+bank], head_bank[BANKS*2+bank],
                                         head_bank[BANKS*1+bank], head_bank[BANKS*0+bank]};
            wire              filled;
            wire [       7:0] leader;
            reg  [ ROW_W-1:0] row;
            wire [DATA_W-1:0] array_data;
            integer           i;

            if (BANKS == 1) begin : g_only
                assign filled = fill_write;
            end else begin : g_match
                assign filled = fill_write & (fill_block[BANK_W-1:0] == bank[BANK_W-1:0]);
            end

            // `leads` comes last: what a fill decides is decided before it.
            assign leader = leads & (wanting & {8{~filled}});

            always @* begin
                row = fill_block[BLOCK_W-1:BANK_W] & {ROW_W{filled}};
                for (i = 0; i < 8; i = i + 1)
                    row = row | (head_block[BLOCK_W*i+BANK_W +: ROW_W] & {ROW_W{leader[i]}});
            end

            bank_memory #(
                .ROWS   (1 << ROW_W),
                .DATA_W (DATA_W)
            ) bank_memory (
                .clk        (clk),
                .enable     (filled | (|(asks & wanting))),
                .write      (filled),
                .row        (row),
                .write_data (fill_data),
                .read_data  (array_data)
            );

            // Hides the slow clock-to-output delay of a block RAM from the routing behind it.
            always @(posedge clk) read_data[DATA_W*bank +: DATA_W] <= array_data;
        end
    endgenerate

    // ---- The oldest command -------------------------------------------------------------------
    // Its turn, where a lane has one, is at the head: what is older has been served. Its lanes go
    // first at every bank, so that all of them are served unless one finds its bank taken by a fill,
    // or meets another one that wants another block of the bank. One that is held finds it taken:
    // a fill waits for older commands alone. Known before `served`.
    reg  [ 7:0] past_oldest;
    reg  [27:0] meets;
    integer     m, n;

    always @*
        for (m = 0; m < 8; m = m + 1) begin
            past_oldest[m] = ~head_valid[m] | head_behind[BEHIND_W*m];
            for (n = 0; n < m; n = n + 1)
                meets[m*(m-1)/2+n] = head_asks[m] & ~head_behind[BEHIND_W*m] &
                                     head_asks[n] & ~head_behind[BEHIND_W*n] &
                                     same_bank[m*(m-1)/2+n] & ~same_block[m*(m-1)/2+n];
        end

    assign finished = &(past_oldest | ~head_active | ~taken) & ~|meets;

    // ---- Blocks -------------------------------------------------------------------------------
    generate
        for (lane = 0; lane < 8; lane = lane + 1) begin : g_lane
            wire [ BLOCK_W-1:0] entering = push_block[BLOCK_W*lane +: BLOCK_W];
            wire [ BLOCK_W-1:0] wanted_block;
            wire [   BANKS-1:0] wanted_bank;
            wire [BEHIND_W-1:0] behind;
            wire [  SLOT_W-1:0] slot;

            lane_queue #(
                .BLOCK_W (BLOCK_W),
                .BANKS   (BANKS),
                .DEPTH   (BEHIND_W),
                .SLOT_W  (SLOT_W)
            ) lane_queue (
                .clk          (clk),
                .rst          (rst),
                .push         (push[lane]),
                .push_active  (push_active[lane]),
                .push_block   (entering),
                .push_slot    (push_slot),
                .push_held    (fill_pending & ~fill_write & (entering == fill_block)),
                .release_held (fill_write),
                .oldest_slot  (oldest_slot),
                .complete     (complete),
                .pop          (served[lane]),
                .head_valid   (head_valid[lane]),
                .head_active  (head_active[lane]),
                .head_asks    (head_asks[lane]),
                .head_block   (wanted_block),
                .head_bank    (wanted_bank),
                .head_slot    (slot),
                .head_behind  (behind)
            );

            if (BANKS == 1) begin : g_only
                assign taken[lane] = fill_write;
            end else begin : g_match
                assign taken[lane] = fill_write & (wanted_block[BANK_W-1:0] == fill_block[BANK_W-1:0]);
            end

            // What the lane was served travels beside the two cycles from row to read_data.
            reg              served_q;
            reg              served_qq;
            reg [ BANKS-1:0] select_q;
            reg [ BANKS-1:0] select_qq;
            reg [SLOT_W-1:0] slot_q;
            reg [SLOT_W-1:0] slot_qq;
            wire [DATA_W-1:0] result;

            // None of it is reset: the slots of the first commands behind a reset are written later.
            always @(posedge clk) begin
                served_q  <= served[lane];
                served_qq <= served_q;
                select_q  <= wanted_bank & {BANKS{reads[lane]}};
                select_qq <= select_q;
                slot_q    <= slot;
                slot_qq   <= slot_q;
            end

            lane_collector #(
                .BANKS  (BANKS),
                .SLOT_W (SLOT_W),
                .DATA_W (DATA_W)
            ) lane_collector (
                .clk          (clk),
                .collect      (served_qq),
                .select       (select_qq),
                .bank_data    (read_data),
                .collect_slot (slot_qq),
                .read_slot    (read_slot),
                .read_block   (result)
            );
        end
    endgenerate

    assign read_blocks = {g_lane[7].result, g_lane[6].result, g_lane[5].result, g_lane[4].result,
                          g_lane[3].result, g_lane[2].result, g_lane[1].result, g_lane[0].result};
endmodule

`default_nettype wire
