// block_xbar: the index-to-DataBlock crossbar: eight lanes to BANKS banks and back.
//
// Each lane keeps a short queue of block requests. In every cycle each bank reads one row: for the
// oldest lane that waits for it, and with it for every lane that waits for the same block. The
// blocks are collected per lane, in command order, in slots that count up with the commands.
//
//              +------------+   +--------------+   +-------------+   +--------------+
//   command -->| lane_queue |-->| bank_arbiter |-->| bank_memory |-->| block_router |--> result_store
//              |    x 8     |   |    x BANKS   |   |   x BANKS   |   |      x 8     |        x 8
//              +------------+   +--------------+   +-------------+   +--------------+
//                    ^  lane_progress: the order of the lanes |
//                    +----------------------------------------+
//
// Latency     `done` 3 + max(1, D) cycles after `command_valid`, D = distinct rows in the fullest
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

    // ---- Lanes --------------------------------------------------------------------------------
    wire [          7:0] head_valid;
    wire [          7:0] head_active;
    wire [          7:0] head_held;
    wire [8*BLOCK_W-1:0] head_block;
    wire [  8*BANKS-1:0] head_bank;

    wire [          7:0] in_window;
    wire [         63:0] precedes;

    // A lane's turn: it reads a block, or it has nothing to read.
    wire [          7:0] asks  = head_valid & in_window & head_active & ~head_held;
    wire [          7:0] skips = head_valid & in_window & ~head_active;
    wire [          7:0] reads;
    wire [          7:0] served = reads | skips;

    lane_progress #(
        .WINDOW(WINDOW)
    ) lane_progress (
        .clk       (clk),
        .rst       (rst),
        .served    (served),
        .complete  (reads_complete),
        .in_window (in_window),
        .precedes    (precedes)
    );

    // ---- Banks --------------------------------------------------------------------------------
    wire [  8*BANKS-1:0] grant;        // bank b: bits [8b+7:8b], one bit per lane
    wire [256*BANKS-1:0] read_data;

    genvar bank, lane, other;
    generate
        for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
            wire [7:0] request;
            wire       filled;

            for (lane = 0; lane < 8; lane = lane + 1) begin : g_request
                assign request[lane] = asks[lane] & head_bank[BANKS*lane+bank];
            end

            if (BANKS == 1) begin : g_only
                assign filled = fill_write;
            end else begin : g_match
                assign filled = fill_write & (fill_block[BANK_W-1:0] == bank[BANK_W-1:0]);
            end

            bank_arbiter bank_arbiter (
                .request (request),
                .precedes  (precedes),
                .taken   (filled),
                .grant   (grant[8*bank +: 8])
            );

            reg [ROW_W-1:0] row;
            integer         k;

            always @* begin
                row = fill_block[BLOCK_W-1:BANK_W] & {ROW_W{filled}};
                for (k = 0; k < 8; k = k + 1)
                    row = row | (head_block[BLOCK_W*k+BANK_W +: ROW_W] & {ROW_W{grant[8*bank+k]}});
            end

            bank_memory #(
                .ROWS(1 << ROW_W)
            ) bank_memory (
                .clk        (clk),
                .enable     (filled | (|grant[8*bank +: 8])),
                .write      (filled),
                .row        (row),
                .write_data (fill_data),
                .read_data  (read_data[256*bank +: 256])
            );
        end
    endgenerate

    // ---- Merging ------------------------------------------------------------------------------
    // A lane reads if it won its bank or if the winner wants the same block.
    reg  [ 7:0] won;
    wire [63:0] same_block;
    integer     b;

    always @* begin
        won = 8'h00;
        for (b = 0; b < BANKS; b = b + 1) won = won | grant[8*b +: 8];
    end

    generate
        for (lane = 0; lane < 8; lane = lane + 1) begin : g_merge
            for (other = 0; other < 8; other = other + 1) begin : g_other
                if (other == lane) begin : g_self
                    assign same_block[8*lane+other] = 1'b1;
                end else if (other > lane) begin : g_compare
                    assign same_block[8*lane+other] =
                        head_block[BLOCK_W*lane +: BLOCK_W] == head_block[BLOCK_W*other +: BLOCK_W];
                end else begin : g_mirror
                    assign same_block[8*lane+other] = same_block[8*other+lane];
                end
            end
            assign reads[lane] = asks[lane] & |(won & same_block[8*lane +: 8]);
        end
    endgenerate

    // ---- Responses ----------------------------------------------------------------------------
    // What each lane was served travels beside the two cycles of the bank memory.
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
            wire [BLOCK_W-1:0] block = command_block[BLOCK_W*lane +: BLOCK_W];

            lane_queue #(
                .BLOCK_W (BLOCK_W),
                .BANKS   (BANKS),
                .DEPTH   (WINDOW + 1)
            ) lane_queue (
                .clk          (clk),
                .rst          (rst),
                .push         (command_valid),
                .push_active  (command_active[lane]),
                .push_block   (block),
                .push_held    (fill_pending & ~fill_write & (block == fill_block)),
                .release_held (fill_write),
                .pop          (served[lane]),
                .head_valid   (head_valid[lane]),
                .head_active  (head_active[lane]),
                .head_held    (head_held[lane]),
                .head_block   (head_block[BLOCK_W*lane +: BLOCK_W]),
                .head_bank    (head_bank[BANKS*lane +: BANKS])
            );

            reg              served_q;
            reg              served_qq;
            reg [ BANKS-1:0] select_q;
            reg [ BANKS-1:0] select_qq;
            reg [SLOT_W-1:0] slot_q;       // of the lane's next turn
            reg [SLOT_W-1:0] slot_qq;
            reg [SLOT_W-1:0] slot_qqq;
            wire [    255:0] routed;

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
                select_q  <= head_bank[BANKS*lane +: BANKS] & {BANKS{reads[lane]}};
                select_qq <= select_q;
                slot_qq   <= slot_q;
                slot_qqq  <= slot_qq;
            end

            block_router #(
                .BANKS(BANKS)
            ) block_router (
                .select    (select_qq),
                .bank_data (read_data),
                .block     (routed)
            );

            result_store #(
                .SLOTS(SLOTS)
            ) result_store (
                .clk         (clk),
                .write       (served_qq),
                .write_slot  (slot_qqq),
                .write_block (routed),
                .read_slot   (result_slot),
                .read_block  (result_data[256*lane +: 256])
            );
        end
    endgenerate
endmodule

`default_nettype wire
