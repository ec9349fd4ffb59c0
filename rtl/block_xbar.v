// block_xbar: the index-to-DataBlock crossbar: eight lanes to BANKS banks and back.
//
// With a window the banks form two groups, the even and the odd ones, and each lane has a queue at
// each: a lane whose next block waits for a busy even bank goes on reading from odd ones, and may
// be served by both in one cycle. At 16 banks random gathers rise from 0.79 to 0.96 commands per
// cycle, and the two half-size routings cost a tenth more than a single one (docs/throughput.md).
// In lock step a second queue would bring nothing: there is one group.
//
//                   +-----------------------+
//              +--->| bank_group (even)     |--+
//   command ---+    +-----------------------+  +--> results, by slot
//              +--->| bank_group (odd)      |--+
//                   +-----------------------+
//
// Latency     `done` 2 + max(1, D) cycles after `command_valid`, D = distinct rows in the fullest
//             bank; in the cycle after it the command's blocks can be read from their slot.
// Throughput  1 command per cycle for D <= 1; with WINDOW = 1 one per max(1, D) cycles exactly.
//             Never less with a larger window: the oldest command's lanes win every bank.
// Window      turns of the WINDOW oldest commands whose reads are not complete are served. Reads
//             complete in command order, one command per cycle, in the cycle of the last turn or
//             later; the window moves on in the cycle after.
// Registered  `done`. `reads_complete` is the end of the arbitration path; the results leave a
//             memory whose read is not clocked.
// A lane that is not active takes its turn without a bank access, and its block is zero.
// The caller never has more than WINDOW + 2 commands in here whose reads are not complete, nor
// more than SLOTS whose results it still needs. Slots count up with the commands.
//
// UB_BYTES  size of the Unified Buffer in bytes, a power of two: block RAM
// BANKS     number of banks, a power of two, at least two rows in each: routing area
// WINDOW    how many commands may wait for reads at once: queue memory, comparisons of ages
// SLOTS     number of results kept, a power of two, more than WINDOW + 2: distributed RAM
// DATA_W    width of a block in bits; anything but 256 is for experiments with the area

`default_nettype none

module block_xbar #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter SLOTS    = 16,
    parameter DATA_W   = 256,
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
    input  wire [   DATA_W-1:0] fill_data,

    output wire                 done,             // the oldest command's blocks are collected
    input  wire [   SLOT_W-1:0] result_slot,
    output wire [ 8*DATA_W-1:0] result_data
);
    // ---- The window ---------------------------------------------------------------------------
    reg  [SLOT_W-1:0] newest_slot_q;   // of the next command to enter
    reg  [SLOT_W-1:0] oldest_slot_q;   // of the oldest command that waits for reads
    wire              finished;

    assign reads_complete = (oldest_slot_q != newest_slot_q) & finished;

    always @(posedge clk)
        if (rst) begin
            newest_slot_q <= {SLOT_W{1'b0}};
            oldest_slot_q <= {SLOT_W{1'b0}};
        end else begin
            if (command_valid)  newest_slot_q <= newest_slot_q + 1'b1;
            if (reads_complete) oldest_slot_q <= oldest_slot_q + 1'b1;
        end

    // Two cycles from the banks to the slots.
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

    // ---- Groups of banks ----------------------------------------------------------------------
    generate
        if (WINDOW == 1 || BANKS == 1) begin : g_single
            bank_group #(
                .BLOCK_W (BLOCK_W),
                .BANKS   (BANKS),
                .WINDOW  (WINDOW),
                .SLOT_W  (SLOT_W),
                .DATA_W  (DATA_W)
            ) all_banks (
                .clk          (clk),
                .rst          (rst),
                .push         ({8{command_valid}}),
                .push_active  (command_active),
                .push_block   (command_block),
                .push_slot    (newest_slot_q),
                .oldest_slot  (oldest_slot_q),
                .finished     (finished),
                .complete     (reads_complete),
                .fill_pending (fill_pending),
                .fill_write   (fill_write),
                .fill_block   (fill_block),
                .fill_data    (fill_data),
                .read_slot    (result_slot),
                .read_blocks  (result_data)
            );
        end else begin : g_pair
            // The lowest bit of a block number is that of its bank. A lane that is not active has
            // its turn at the even banks.
            reg  [              7:0] odd;
            reg  [8*(BLOCK_W-1)-1:0] push_block;
            integer                  l;

            always @*
                for (l = 0; l < 8; l = l + 1) begin
                    odd[l] = command_active[l] & command_block[BLOCK_W*l];
                    push_block[(BLOCK_W-1)*l +: BLOCK_W-1] =
                        command_block[BLOCK_W*l+1 +: BLOCK_W-1];
                end

            wire                even_finished;
            wire                odd_finished;
            wire [8*DATA_W-1:0] even_blocks;
            wire [8*DATA_W-1:0] odd_blocks;

            assign finished = even_finished & odd_finished;

            bank_group #(
                .BLOCK_W (BLOCK_W - 1),
                .BANKS   (BANKS / 2),
                .WINDOW  (WINDOW),
                .SLOT_W  (SLOT_W),
                .DATA_W  (DATA_W)
            ) even_banks (
                .clk          (clk),
                .rst          (rst),
                .push         ({8{command_valid}} & ~odd),
                .push_active  (command_active),
                .push_block   (push_block),
                .push_slot    (newest_slot_q),
                .oldest_slot  (oldest_slot_q),
                .finished     (even_finished),
                .complete     (reads_complete),
                .fill_pending (fill_pending & ~fill_block[0]),
                .fill_write   (fill_write & ~fill_block[0]),
                .fill_block   (fill_block[BLOCK_W-1:1]),
                .fill_data    (fill_data),
                .read_slot    (result_slot),
                .read_blocks  (even_blocks)
            );

            bank_group #(
                .BLOCK_W (BLOCK_W - 1),
                .BANKS   (BANKS / 2),
                .WINDOW  (WINDOW),
                .SLOT_W  (SLOT_W),
                .DATA_W  (DATA_W)
            ) odd_banks (
                .clk          (clk),
                .rst          (rst),
                .push         ({8{command_valid}} & odd),
                .push_active  (8'hFF),
                .push_block   (push_block),
                .push_slot    (newest_slot_q),
                .oldest_slot  (oldest_slot_q),
                .finished     (odd_finished),
                .complete     (reads_complete),
                .fill_pending (fill_pending & fill_block[0]),
                .fill_write   (fill_write & fill_block[0]),
                .fill_block   (fill_block[BLOCK_W-1:1]),
                .fill_data    (fill_data),
                .read_slot    (result_slot),
                .read_blocks  (odd_blocks)
            );

            // Which of a lane's two blocks is the result.
            reg  [   7:0] stored_odd [0:SLOTS-1];
            wire [   7:0] from_odd = stored_odd[result_slot];

            always @(posedge clk)
                if (command_valid) stored_odd[newest_slot_q] <= odd;

            assign result_data = {
                from_odd[7] ? odd_blocks[DATA_W*7 +: DATA_W] : even_blocks[DATA_W*7 +: DATA_W],
                from_odd[6] ? odd_blocks[DATA_W*6 +: DATA_W] : even_blocks[DATA_W*6 +: DATA_W],
                from_odd[5] ? odd_blocks[DATA_W*5 +: DATA_W] : even_blocks[DATA_W*5 +: DATA_W],
                from_odd[4] ? odd_blocks[DATA_W*4 +: DATA_W] : even_blocks[DATA_W*4 +: DATA_W],
                from_odd[3] ? odd_blocks[DATA_W*3 +: DATA_W] : even_blocks[DATA_W*3 +: DATA_W],
                from_odd[2] ? odd_blocks[DATA_W*2 +: DATA_W] : even_blocks[DATA_W*2 +: DATA_W],
                from_odd[1] ? odd_blocks[DATA_W*1 +: DATA_W] : even_blocks[DATA_W*1 +: DATA_W],
                from_odd[0] ? odd_blocks[DATA_W*0 +: DATA_W] : even_blocks[DATA_W*0 +: DATA_W]
            };
        end
    endgenerate
endmodule

`default_nettype wire
