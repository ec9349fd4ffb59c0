// player: plays a stimulus from files through ub_load_unit, and records to files what comes of it.
//
// Everything runs in here, the clock too, so that nothing outside has to act in a cycle. While `go` is
// high it plays once: reset, then commands, fills, backpressure and resets side by side, until everything
// was sent and answered and 80 cycles more have passed, or nothing has moved for `PATIENCE` cycles. Then
// `done` is high until `go` is low. A play with `watch` records what the banks do, too; one with `waves`
// is dumped to waves.vcd, if the build can.
//
// Files are in the working directory, without headers; a record's first byte is its highest.
//   commands.play   gap 32, op 8, dtype 8, 0 16, base 32, block_stride 32, repeat_stride 32,
//                   index 256, mask 256 bits
//   fills.play      gap 32, addr 32, data 256 bits
//   ready.play      cycles high 32, cycles low 32 bits; high after the last of them
//   resets.play     cycles low 32, cycles high 32 bits of rst; low after the last of them
//
// Records are of 32-bit words, the lowest first, each in the byte order of the machine.
//   commands.rec    cycle of each acceptance
//   fills.rec       cycle of each acceptance
//   responses.rec   data 2048, cycle 32, fault_addr 64, base 32, fault 4, fault_lane 4, block_we 8,
//                   unknown 16 bits: an X in DataBlock 0 to 7, block_we, base, fault, fault_lane,
//                   fault_addr
//   outputs.rec     cycle 32, value 16, X 16 bits, whenever one of cmd_ready, fill_ready, rsp_valid,
//                   fill_error, idle (bits 0 to 4) has changed, or whether the payload of a response
//                   has moved while it waited (bit 5); and in the last cycle
//   banks.rec       cycle 32, block 32, bank 16, kind 16 bits of each access: 0 a read, 1 a write, 2 an X
//   start.rec       the time at which cycle 0 begins 64, the time that a cycle takes 64 bits
// Cycles count from the first one without reset.
//
// UB_BYTES, BANKS, WINDOW, STRIDE_W  those of ub_load_unit

`default_nettype none

module player #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter STRIDE_W = 32
) (
    input  wire go,
    input  wire keep,        // go on with the unit as it is, without a reset
    input  wire watch,
    input  wire waves,
    output reg  done
);
    localparam RESET_CYCLES = 3;
    localparam TAIL_CYCLES  = 80;
    localparam HALF_CLOCK   = 5;

    // No rule lets a unit wait longer for a transfer, or stay busy longer after the last one.
    localparam PATIENCE     = 16 * (WINDOW + 4) + 64;

    reg clk = 1'b0;

    always #HALF_CLOCK clk = ~clk;

    // ---- The unit -----------------------------------------------------------------------------
    reg                 rst_before = 1'b1;     // a play
    wire                rst_within;            // it
    wire                rst = rst_before | rst_within;
    wire                cmd_valid;
    wire [       639:0] cmd;            // as in a record of commands.play
    wire                cmd_ready;
    wire                fill_valid;
    wire [       287:0] fill;
    wire                fill_ready;
    wire                fill_error;
    wire                rsp_ready;
    wire                rsp_valid;
    wire [      2047:0] rsp_data;
    wire [         7:0] rsp_block_we;
    wire [        31:0] rsp_base;
    wire [         2:0] rsp_fault;
    wire [         2:0] rsp_fault_lane;
    wire [        47:0] rsp_fault_addr;
    wire                idle;

    ub_load_unit #(
        .UB_BYTES (UB_BYTES),
        .BANKS    (BANKS),
        .WINDOW   (WINDOW),
        .STRIDE_W (STRIDE_W)
    ) ub_load_unit (
        .clk               (clk),
        .rst               (rst),
        .fill_valid        (fill_valid),
        .fill_ready        (fill_ready),
        .fill_addr         (fill[287:256]),
        .fill_data         (fill[255:0]),
        .fill_error        (fill_error),
        .cmd_valid         (cmd_valid),
        .cmd_ready         (cmd_ready),
        .cmd_op            (cmd[633:632]),
        .cmd_dtype         (cmd[625:624]),
        .cmd_base          (cmd[607:576]),
        .cmd_block_stride  (cmd[544 +: STRIDE_W]),
        .cmd_repeat_stride (cmd[512 +: STRIDE_W]),
        .cmd_index         (cmd[511:256]),
        .cmd_mask          (cmd[255:0]),
        .rsp_valid         (rsp_valid),
        .rsp_ready         (rsp_ready),
        .rsp_data          (rsp_data),
        .rsp_block_we      (rsp_block_we),
        .rsp_base          (rsp_base),
        .rsp_fault         (rsp_fault),
        .rsp_fault_lane    (rsp_fault_lane),
        .rsp_fault_addr    (rsp_fault_addr),
        .idle              (idle)
    );

    wire cmd_taken;
    wire fill_taken;
    wire rsp_taken = rsp_ready & (rsp_valid === 1'b1) & ~rst;

    // ---- One play -----------------------------------------------------------------------------
    localparam WAITING = 2'd0, PREPARING = 2'd1, PLAYING = 2'd2, DONE = 2'd3;

    reg [ 1:0] state = WAITING;
    reg [ 1:0] prepare_left;
    reg [31:0] cycle;
    reg [31:0] in_flight;
    reg [31:0] quiet;           // cycles without a transfer in which one could have been

    wire start  = go & (state == WAITING);
    wire begins = (state == PREPARING) & (prepare_left == 2'd0);
    wire playing = (state == PLAYING);
    wire close  = (state == DONE) & ~done & go;
    wire cmd_left, cmd_pausing, fill_left, fill_pausing;
    wire resets_left;
    // A response that no command waits for is recorded, but a play must not go on for it.
    wire rsp_due = rsp_taken & (in_flight != 32'd0);
    wire nothing_left = ~cmd_left & ~fill_left & (in_flight == 32'd0);
    wire ends   = playing & (quiet == (nothing_left ? TAIL_CYCLES : PATIENCE));

    initial done = 1'b0;

    always @(posedge clk)
        case (state)
            WAITING:   if (go)     state <= PREPARING;
            PREPARING: if (begins) state <= PLAYING;
            PLAYING:   if (ends)   state <= DONE;
            DONE:      if (~go)    state <= WAITING;
        endcase

    always @(posedge clk) begin
        if (start & ~keep) rst_before <= 1'b1;
        else if (begins)   rst_before <= 1'b0;

        if (start) prepare_left <= RESET_CYCLES - 1;
        else       prepare_left <= prepare_left - 2'd1;

        done <= (state == DONE) & go;
    end

    always @(posedge clk)
        if (begins) begin
            cycle     <= 32'd0;
            in_flight <= 32'd0;
            quiet     <= 32'd0;
        end else begin
            cycle     <= cycle + 32'd1;
            if (rst) in_flight <= 32'd0;
            else     in_flight <= in_flight + {31'd0, cmd_taken} - {31'd0, rsp_due};
            if (cmd_taken | fill_taken | rsp_due | ~rsp_ready | resets_left | cmd_pausing | fill_pausing)
                quiet <= 32'd0;
            else
                quiet <= quiet + 32'd1;
        end

    // ---- Commands and fills -------------------------------------------------------------------
    stream_driver #(
        .PAYLOAD_W (640),
        .STIMULUS  ("commands.play"),
        .RECORD    ("commands.rec")
    ) commands (
        .clk     (clk),
        .open    (start),
        .close   (close),
        .begins  (begins),
        .playing (playing),
        .rst     (rst),
        .cycle   (cycle),
        .valid   (cmd_valid),
        .ready   (cmd_ready),
        .payload (cmd),
        .taken   (cmd_taken),
        .left    (cmd_left),
        .pausing (cmd_pausing)
    );

    stream_driver #(
        .PAYLOAD_W (288),
        .STIMULUS  ("fills.play"),
        .RECORD    ("fills.rec")
    ) fills (
        .clk     (clk),
        .open    (start),
        .close   (close),
        .begins  (begins),
        .playing (playing),
        .rst     (rst),
        .cycle   (cycle),
        .valid   (fill_valid),
        .ready   (fill_ready),
        .payload (fill),
        .taken   (fill_taken),
        .left    (fill_left),
        .pausing (fill_pausing)
    );

    // ---- Backpressure and resets ----------------------------------------------------------------
    level_driver #(
        .FIRST    (1'b1),
        .IDLE     (1'b0),
        .STIMULUS ("ready.play")
    ) backpressure (
        .clk     (clk),
        .open    (start),
        .close   (close),
        .begins  (begins),
        .playing (playing),
        .level   (rsp_ready),
        .left    ()
    );

    level_driver #(
        .FIRST    (1'b0),
        .IDLE     (1'b0),
        .STIMULUS ("resets.play")
    ) resets (
        .clk     (clk),
        .open    (start),
        .close   (close),
        .begins  (begins),
        .playing (playing),
        .level   (rst_within),
        .left    (resets_left)
    );

    // ---- Records ------------------------------------------------------------------------------
    integer       rsp_record, outputs_record, start_record;
    wire [2127:0] payload = {rsp_fault_addr, rsp_fault_lane, rsp_fault, rsp_base, rsp_block_we, rsp_data};
    reg  [2127:0] waiting;            // the payload in the cycle before, of a response that waited
    reg           waited;
    reg           moved;
    reg  [   5:0] outputs;
    reg  [   5:0] outputs_q;
    reg  [  15:0] unknown;
    integer       i;

    always @(posedge clk)
        if (begins) begin
            waited <= 1'b0;
            $fwrite(start_record, "%u", {64'd2 * HALF_CLOCK, $time});
        end else if (playing) begin
            moved = 1'b0;
            if (waited) moved = payload !== waiting;
            waited <= rsp_valid & ~rsp_ready & ~rst;
            if (rsp_valid & ~rsp_ready) waiting <= payload;

            if (rsp_taken) begin
                unknown = {3'd0, ^rsp_fault_addr === 1'bx, ^rsp_fault_lane === 1'bx,
                           ^rsp_fault === 1'bx, ^rsp_base === 1'bx, ^rsp_block_we === 1'bx, 8'd0};
                for (i = 0; i < 8; i = i + 1)
                    unknown[i] = ^rsp_data[256*i +: 256] === 1'bx;
                $fwrite(rsp_record, "%u", {unknown, rsp_block_we, 1'b0, rsp_fault_lane, 1'b0, rsp_fault,
                                           rsp_base, 16'd0, rsp_fault_addr, cycle, rsp_data});
            end

            outputs = {moved, idle, fill_error, rsp_valid, fill_ready, cmd_ready};
            if (outputs !== outputs_q | cycle == 32'd0 | ends) begin
                outputs_q <= outputs;
                for (i = 0; i < 6; i = i + 1)
                    unknown[i] = outputs[i] === 1'bx;
                $fwrite(outputs_record, "%u", {10'd0, unknown[5:0], 10'd0, outputs, cycle});
            end
        end

    // ---- Banks --------------------------------------------------------------------------------
    // No port of the unit shows them, so they are looked at inside.
    localparam ROW_W = $clog2(UB_BYTES / 32 / BANKS);

    wire [      BANKS-1:0] bank_enable;
    wire [      BANKS-1:0] bank_write;
    wire [ROW_W*BANKS-1:0] bank_row;
    wire [           31:0] row [0:BANKS-1];
    wire [           31:0] block [0:BANKS-1];
    integer                banks_record;
    integer                b;

    genvar bank;
    generate
        for (bank = 0; bank < BANKS; bank = bank + 1) begin : g_bank
            if (WINDOW == 1 || BANKS == 1) begin : g_single
                assign bank_enable[bank] =
                    ub_load_unit.block_xbar.g_single.all_banks.g_bank[bank].bank_memory.enable;
                assign bank_write[bank] =
                    ub_load_unit.block_xbar.g_single.all_banks.g_bank[bank].bank_memory.write;
                assign bank_row[ROW_W*bank +: ROW_W] =
                    ub_load_unit.block_xbar.g_single.all_banks.g_bank[bank].bank_memory.row;
            end else if (bank % 2 == 0) begin : g_even
                assign bank_enable[bank] =
                    ub_load_unit.block_xbar.g_pair.even_banks.g_bank[bank/2].bank_memory.enable;
                assign bank_write[bank] =
                    ub_load_unit.block_xbar.g_pair.even_banks.g_bank[bank/2].bank_memory.write;
                assign bank_row[ROW_W*bank +: ROW_W] =
                    ub_load_unit.block_xbar.g_pair.even_banks.g_bank[bank/2].bank_memory.row;
            end else begin : g_odd
                assign bank_enable[bank] =
                    ub_load_unit.block_xbar.g_pair.odd_banks.g_bank[bank/2].bank_memory.enable;
                assign bank_write[bank] =
                    ub_load_unit.block_xbar.g_pair.odd_banks.g_bank[bank/2].bank_memory.write;
                assign bank_row[ROW_W*bank +: ROW_W] =
                    ub_load_unit.block_xbar.g_pair.odd_banks.g_bank[bank/2].bank_memory.row;
            end
            assign row[bank]   = {{(32-ROW_W){1'b0}}, bank_row[ROW_W*bank +: ROW_W]};
            assign block[bank] = row[bank] * BANKS + bank;
        end
    endgenerate

    always @(posedge clk)
        if (playing & watch)
            for (b = 0; b < BANKS; b = b + 1)
                if (bank_enable[b] !== 1'b0)
                    $fwrite(banks_record, "%u", {
                        (^{bank_enable[b], bank_write[b], row[b]} === 1'bx) ? 16'd2 : {15'd0, bank_write[b]},
                        b[15:0], block[b], cycle});

    // ---- Files: opened before a play, closed after it ------------------------------------------
    always @(posedge clk)
        if (start) begin
            rsp_record     = $fopen("responses.rec", "wb");
            outputs_record = $fopen("outputs.rec", "wb");
            start_record   = $fopen("start.rec", "wb");
            banks_record   = $fopen("banks.rec", "wb");
            if (waves) begin
                $dumpfile("waves.vcd");
                $dumpvars(0, player);
            end
        end else if (close) begin
            $fclose(rsp_record);
            $fclose(outputs_record);
            $fclose(start_record);
            $fclose(banks_record);
        end
endmodule

`default_nettype wire
