// block_xbar: the index-to-DataBlock crossbar: eight lanes to BANKS banks and back.
//
// Each lane keeps a short queue of block requests. In every cycle each bank reads one row: for the
// oldest lane that waits for it, and with it for every lane that waits for the same block. The
// blocks are collected per lane, in command order, in slots that count up with the commands.
//
//              +------------+   +--------------+   +-------------+   +----------------+
//   command -->| lane_queue |-->| bank_arbiter |-->| bank_memory |-->| lane_collector |--> results
//              |    x 8     |   |   x BANKS    |   |   x BANKS   |   |      x 8       |
//              +------------+   +--------------+   +-------------+   +----------------+
//                    ^                 |
//                    +- lane_progress -+
//
// Latency     `done` 2 + max(1, D) cycles after `command_valid`, D = distinct rows in the fullest
//             bank; in the cycle after it the command's blocks can be read from their slot.
// Throughput  1 command per cycle for D <= 1; with WINDOW = 1 one per max(1, D) cycles exactly.
//             Never less with a larger window: the oldest command's lanes win every bank.
// Registered  `done`. `reads_complete` is the end of the arbitration path; the results leave a
//             memory whose read is not clocked.
// A lane that is not active takes its turn without a bank access, and its block is zero.
// The caller never has more than WINDOW + 2 commands in here whose reads are not complete, nor
// more than SLOTS whose results it still needs.
//
// UB_BYTES  size of the Unified Buffer in bytes, a power of two: block RAM
// BANKS     number of banks, a power of two, at least two rows in each: routing area
// WINDOW    how many commands may wait for reads at once: queue memory, 8 flip-flops each
// SLOTS     number of results kept, a power of two: distributed RAM

`default_nettype none

module block_xbar #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter SLOTS    = 16,
    parameter SLOT_W   = $clog2(SLOTS),
    parameter BLOCK_W  = $clog2(UB_BYTES / 32)
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 command_valid,
    input  wire [          7:0] command_active,
    input  wire [8*BLOCK_W-1:0] command_block,
    output wire                 reads_complete,   // of the oldest command, in this cycle

    // A fill has its bank in the cycle of `fill_write`. Until then `fill_pending` holds back every
    // command that enters and reads the same block.
    input  wire                 fill_pending,
    input  wire                 fill_write,
    input  wire [  BLOCK_W-1:0] fill_block,
    input  wire [        255:0] fill_data,

    output wire                 done,             // the oldest command's blocks are collected
    input  wire [   SLOT_W-1:0] result_slot,
    output wire [     2047:0]   result_data
);
    localparam BANK_W = $clog2(BANKS);
    localparam ROW_W  = BLOCK_W - BANK_W;

    // An event simulator resolves a wide bus bit by bit where several drivers own slices of it.
    // The buses here are therefore put together by one concatenation, or are registers.

    // ---- Lanes --------------------------------------------------------------------------------
    wire [7:0] head_valid;
    wire [7:0] head_active;
    wire [7:0] head_held;
    wire [8*BLOCK_W-1:0] head_block = {g_lane[7].wanted_block, g_lane[6].wanted_block,
                                       g_lane[5].wanted_block, g_lane[4].wanted_block,
                                       g_lane[3].wanted_block, g_lane[2].wanted_block,
                                       g_lane[1].wanted_block, g_lane[0].wanted_block};
    wire [  8*BANKS-1:0] head_bank  = {g_lane[7].wanted_bank, g_lane[6].wanted_bank,
                                       g_lane[5].wanted_bank, g_lane[4].wanted_bank,
                                       g_lane[3].wanted_bank, g_lane[2].wanted_bank,
                                       g_lane[1].wanted_bank, g_lane[0].wanted_bank};

    wire [ 7:0] in_window;
    wire [63:0] beaten_by;

    // A lane's turn: it reads a block, or it has nothing to read.
    wire [7:0] asks  = head_valid & in_window & head_active & ~head_held;
    wire [7:0] skips = head_valid & in_window & ~head_active;
    reg  [7:0] reads;
    wire [7:0] served = reads | skips;

    lane_progress #(
        .WINDOW(WINDOW)
    ) lane_progress (
        .clk       (clk),
        .rst       (rst),
        .served    (served),
        .complete  (reads_complete),
        .in_window (in_window),
        .beaten_by (beaten_by)
    );

    // ---- Banks --------------------------------------------------------------------------------
    wire [  8*BANKS-1:0] grant;        // bank b: bits [8b+7:8b], one bit per lane
    reg  [256*BANKS-1:0] read_data;

    genvar bank, lane;
    generate
        for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
            wire [      7:0] request = asks & {head_bank[BANKS*7+bank], head_bank[BANKS*6+bank],
                                               head_bank[BANKS*5+bank], head_bank[BANKS*4+bank],
                                               head_bank[BANKS*3+bank], head_bank[BANKS*2+bank],
                                               head_bank[BANKS*1+bank], head_bank[BANKS*0+bank]};
            reg  [ROW_W-1:0] row;
            wire [      7:0] winner = grant[8*bank +: 8];
            wire             filled;
            wire [    255:0] array_data;
            integer          i;

            if (BANKS == 1) begin : g_only
                assign filled = fill_write;
            end else begin : g_match
                assign filled = fill_write & (fill_block[BANK_W-1:0] == bank[BANK_W-1:0]);
            end

            bank_arbiter bank_arbiter (
                .request   (request),
                .beaten_by (beaten_by),
                .taken     (filled),
                .grant     (grant[8*bank +: 8])
            );

            always @* begin
                row = fill_block[BLOCK_W-1:BANK_W] & {ROW_W{filled}};
                for (i = 0; i < 8; i = i + 1)
                    row = row | (head_block[BLOCK_W*i+BANK_W +: ROW_W] & {ROW_W{winner[i]}});
            end

            bank_memory #(
                .ROWS(1 << ROW_W)
            ) bank_memory (
                .clk        (clk),
                .enable     (filled | (|winner)),
                .write      (filled),
                .row        (row),
                .write_data (fill_data),
                .read_data  (array_data)
            );

            // Hides the slow clock-to-output delay of a block RAM from the routing behind it.
            always @(posedge clk) read_data[256*bank +: 256] <= array_data;
        end
    endgenerate

    // ---- Merging ------------------------------------------------------------------------------
    // A lane reads if it won its bank or if the winner wants the same block.
    reg  [7:0] won;
    reg  [7:0] same_block;
    integer    b, i, j;

    always @* begin
        won = 8'h00;
        for (b = 0; b < BANKS; b = b + 1) won = won | grant[8*b +: 8];
    end

    always @*
        for (i = 0; i < 8; i = i + 1) begin
            for (j = 0; j < 8; j = j + 1)
                same_block[j] = head_block[BLOCK_W*i +: BLOCK_W] == head_block[BLOCK_W*j +: BLOCK_W];
            reads[i] = asks[i] & |(won & same_block);
        end

    // ---- Responses ----------------------------------------------------------------------------
    reg reads_complete_q;
    reg reads_complete_qq;

    always @(posedge clk)
        if (rst) begin
            reads_complete_q  <= 1'b0;
            reads_complete_qq <= 1'b0;
        end else begin
            reads_complete_q  <= reads_complete;
            reads_complete_qq <= reads_complete_q;
        end

    assign done = reads_complete_qq;

    generate
        for (lane = 0; lane < 8; lane = lane + 1) begin : g_lane
            wire [BLOCK_W-1:0] entering = command_block[BLOCK_W*lane +: BLOCK_W];
            wire [BLOCK_W-1:0] wanted_block;
            wire [  BANKS-1:0] wanted_bank;

            lane_queue #(
                .BLOCK_W (BLOCK_W),
                .BANKS   (BANKS),
                .DEPTH   (WINDOW + 1)
            ) lane_queue (
                .clk          (clk),
                .rst          (rst),
                .push         (command_valid),
                .push_active  (command_active[lane]),
                .push_block   (entering),
                .push_held    (fill_pending & ~fill_write & (entering == fill_block)),
                .release_held (fill_write),
                .pop          (served[lane]),
                .head_valid   (head_valid[lane]),
                .head_active  (head_active[lane]),
                .head_held    (head_held[lane]),
                .head_block   (wanted_block),
                .head_bank    (wanted_bank)
            );

            // What the lane was served travels beside the two cycles from row to read_data.
            reg              served_q;
            reg              served_qq;
            reg [ BANKS-1:0] select_q;
            reg [ BANKS-1:0] select_qq;
            reg [SLOT_W-1:0] slot_q;       // of the lane's next turn
            reg [SLOT_W-1:0] slot_qq;
            reg [SLOT_W-1:0] slot_qqq;
            wire [    255:0] result;

            always @(posedge clk)
                if (rst) begin
                    served_q  <= 1'b0;
                    served_qq <= 1'b0;
                    slot_q    <= {SLOT_W{1'b0}};
                end else begin
                    served_q  <= served[lane];
                    served_qq <= served_q;
                    if (served[lane]) slot_q <= slot_q + 1'b1;
                end

            always @(posedge clk) begin
                select_q  <= wanted_bank & {BANKS{reads[lane]}};
                select_qq <= select_q;
                slot_qq   <= slot_q;
                slot_qqq  <= slot_qq;
            end

            lane_collector #(
                .BANKS (BANKS),
                .SLOTS (SLOTS)
            ) lane_collector (
                .clk          (clk),
                .collect      (served_qq),
                .select       (select_qq),
                .bank_data    (read_data),
                .collect_slot (slot_qqq),
                .read_slot    (result_slot),
                .read_block   (result)
            );
        end
    endgenerate

    assign result_data = {g_lane[7].result, g_lane[6].result, g_lane[5].result, g_lane[4].result,
                          g_lane[3].result, g_lane[2].result, g_lane[1].result, g_lane[0].result};
endmodule

`default_nettype wire
