// Proves that a bank reads what some lane asks for and nothing else, and that a lane is served
// exactly where its bank reads its block.
//
// From any contents of the queues: what enters them, and when, does not matter. That a lane asks
// for nothing but the block of an active turn is the proof of lane_queue. So a lane that is not
// active, or whose command faults, costs no access.

`default_nettype none

module prove_bank_reads #(
    parameter BLOCK_W = 12,
    parameter BANKS   = 8,
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
    localparam BANK_W   = $clog2(BANKS);
    localparam ROW_W    = BLOCK_W - BANK_W;
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
    (* inner = "unit.head_valid" *)                      wire [           7:0] head_valid;
    (* inner = "unit.head_asks" *)                       wire [           7:0] head_asks;
    (* inner = "unit.head_active" *)                     wire [           7:0] head_active;
    (* inner = "unit.head_block" *)                      wire [ 8*BLOCK_W-1:0] head_block;
    (* inner = "unit.head_bank" *)                       wire [   8*BANKS-1:0] head_bank;
    (* inner = "unit.head_behind" *)                     wire [8*BEHIND_W-1:0] head_behind;
    (* inner = "unit.asks" *)                            wire [           7:0] asks;
    (* inner = "unit.leads" *)                           wire [           7:0] leads;
    (* inner = "unit.reads" *)                           wire [           7:0] reads;
    (* inner = "unit.g_bank[*].bank_memory.enable" *)    wire [     BANKS-1:0] enable;
    (* inner = "unit.g_bank[*].bank_memory.write" *)     wire [     BANKS-1:0] write;
    (* inner = "unit.g_bank[*].bank_memory.row" *)       wire [BANKS*ROW_W-1:0] row;

    // ---- One bank, any one --------------------------------------------------------------------
    (* anyconst *) wire [BANKS-1:0] its_bank;     // one-hot
    reg             bank_reads;
    reg [ROW_W-1:0] its_row;
    integer         bank, lane, k;

    always @* begin
        assume (its_bank != 0 && (its_bank & (its_bank - 1)) == 0);
        bank_reads = |(its_bank & enable & ~write);
        its_row    = {ROW_W{1'b0}};
        for (bank = 0; bank < BANKS; bank = bank + 1)
            its_row = its_row | (row[ROW_W*bank +: ROW_W] & {ROW_W{its_bank[bank]}});
    end

    (* anyconst *) wire [2:0] its_lane;
    reg [        7:0] at_bank;         // has its block there
    reg [        7:0] at_row;          // and it is the one that the bank reads
    reg [        7:0] wrong_bank;      // the one-hot is not of the block
    reg [        7:0] wrong_distance;  // no thermometer
    reg [BLOCK_W-1:0] block;

    always @*
        for (lane = 0; lane < 8; lane = lane + 1) begin
            block            = head_block[BLOCK_W*lane +: BLOCK_W];
            at_bank[lane]    = its_bank == 1 << (block & (BANKS - 1));
            at_row[lane]     = at_bank[lane] && bank_reads && its_row == block >> BANK_W;
            wrong_bank[lane] = head_valid[lane] &&
                               head_bank[BANKS*lane +: BANKS] != 1 << (block & (BANKS - 1));
            wrong_distance[lane] = 1'b0;
            for (k = 0; k < BEHIND_W - 1; k = k + 1)
                if (head_valid[lane] && head_behind[BEHIND_W*lane+k+1] &&
                    !head_behind[BEHIND_W*lane+k])
                    wrong_distance[lane] = 1'b1;
        end

    // Of those who ask for the bank the one with the oldest command, of one command the lowest.
    reg [         7:0] first;
    reg [   ROW_W-1:0] first_row;
    reg [BEHIND_W-1:0] behind, least;
    integer            l;

    always @* begin
        first = 8'h00;
        first_row = {ROW_W{1'b0}};
        least = {BEHIND_W{1'b0}};
        for (l = 0; l < 8; l = l + 1) begin
            behind = head_behind[BEHIND_W*l +: BEHIND_W];
            if (asks[l] && at_bank[l] && (first == 8'h00 || |(least & ~behind))) begin
                first = 8'h01 << l;
                first_row = head_block[BLOCK_W*l+BANK_W +: ROW_W];
                least = behind;
            end
        end
    end

    always @*
        if (started) begin
            who_asks_is_valid_and_active:
            assert ((head_asks & ~(head_valid & head_active)) == 8'h00);
            banks_are_those_of_the_blocks: assert (wrong_bank == 8'h00);
            distances_are_thermometers: assert (wrong_distance == 8'h00);
            the_first_leads: assert ((leads & at_bank) == first);
            its_row_is_read: assert (!bank_reads || its_row == first_row);
            no_read_without_a_lane_that_asks: assert (!bank_reads || |(asks & at_row));
            served_where_its_block_is_read:
            assert (!(reads[its_lane] && at_bank[its_lane]) || at_row[its_lane]);
            served_with_everyone_who_asks_for_it:
            assert (!(asks[its_lane] && at_row[its_lane]) || reads[its_lane]);
            served_only_where_it_asks: assert ((reads & ~asks) == 8'h00);
            all_banks_read: cover (&(enable & ~write) && reads == 8'hFF);
            skips_beside_a_read: cover ((head_valid & ~head_active) == 8'hFE && reads == 8'h01);
            a_fill_takes_a_bank: cover (|(enable & write) && asks == 8'hFF && reads == 8'h0F);
        end
endmodule

`default_nettype wire
