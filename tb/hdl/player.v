// player: plays a stimulus from files through ub_load_unit, and records to files what comes of it.
//
// Everything runs in here, the clock too, so that nothing outside has to act in a cycle. While `go` is
// high it plays once: reset, then three streams side by side, until everything was sent and answered
// and 80 cycles more have passed, or nothing has moved for `PATIENCE` cycles. Then `done` is high,
// with `hung` in the second case, until `go` is low.
//
// Files are in the working directory, without headers; a record's first byte is its highest.
//   commands.play   gap 32, op 8, dtype 8, 0 16, base 32, block_stride 32, repeat_stride 32,
//                   index 256, mask 256 bits
//   fills.play      gap 32, addr 32, data 256 bits
//   ready.play      cycles high 32, cycles low 32 bits; high after the last of them
//
// Records are of 32-bit words, the lowest first, each in the byte order of the machine.
//   commands.rec    cycle of each acceptance
//   fills.rec       cycle of each acceptance
//   responses.rec   data 2048, cycle 32, fault_addr 64, base 32, fault 4, fault_lane 4, block_we 8,
//                   unknown 16 bits: an X in DataBlock 0 to 7, block_we, base, fault, fault_lane,
//                   fault_addr
//   outputs.rec     cycle 32, value 16, X 16 bits, whenever one of cmd_ready, fill_ready, rsp_valid,
//                   fill_error, idle (bits 0 to 4) has changed
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
    output reg  done,
    output reg  hung
);
    localparam RESET_CYCLES = 3;
    localparam TAIL_CYCLES  = 80;
    localparam PATIENCE     = 16 * (WINDOW + 4) + 4096;

    reg clk = 1'b0;

    always #5 clk = ~clk;

    // ---- The unit -----------------------------------------------------------------------------
    reg                 rst = 1'b1;
    wire                cmd_valid;
    wire [       639:0] cmd;            // as in a record of commands.play
    wire                cmd_ready;
    wire                fill_valid;
    wire [       287:0] fill;
    wire                fill_ready;
    wire                fill_error;
    reg                 rsp_ready;
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
    wire rsp_taken = rsp_ready & (rsp_valid === 1'b1);

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
    wire nothing_left = ~cmd_left & ~fill_left & (in_flight == 32'd0);
    wire ends   = playing & (quiet == (nothing_left ? TAIL_CYCLES : PATIENCE));

    initial begin
        done = 1'b0;
        hung = 1'b0;
    end

    always @(posedge clk)
        case (state)
            WAITING:   if (go)     state <= PREPARING;
            PREPARING: if (begins) state <= PLAYING;
            PLAYING:   if (ends)   state <= DONE;
            DONE:      if (~go)    state <= WAITING;
        endcase

    always @(posedge clk) begin
        if (start & ~keep) rst <= 1'b1;
        else if (begins)   rst <= 1'b0;

        if (start) prepare_left <= RESET_CYCLES - 1;
        else       prepare_left <= prepare_left - 2'd1;

        done <= (state == DONE) & go;
        if (start)     hung <= 1'b0;
        else if (ends) hung <= ~nothing_left;
    end

    always @(posedge clk)
        if (begins) begin
            cycle     <= 32'd0;
            in_flight <= 32'd0;
            quiet     <= 32'd0;
        end else begin
            cycle     <= cycle + 32'd1;
            in_flight <= in_flight + {31'd0, cmd_taken} - {31'd0, rsp_taken};
            if (cmd_taken | fill_taken | rsp_taken | ~rsp_ready | cmd_pausing | fill_pausing)
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
        .cycle   (cycle),
        .valid   (fill_valid),
        .ready   (fill_ready),
        .payload (fill),
        .taken   (fill_taken),
        .left    (fill_left),
        .pausing (fill_pausing)
    );

    // ---- Backpressure -------------------------------------------------------------------------
    integer     ready_file;
    reg  [63:0] ready_next;
    reg         ready_left;
    reg         ready_level;
    reg  [31:0] ready_cycles;          // of this level, still to come
    reg  [31:0] low_cycles;            // of the low level that follows a high one

    task next_level;
        begin
            while (ready_left & ready_cycles == 32'd0)
                if (low_cycles != 32'd0) begin
                    ready_level  = 1'b0;
                    ready_cycles = low_cycles;
                    low_cycles   = 32'd0;
                end else if ($fread(ready_next, ready_file) == 8) begin
                    ready_level  = 1'b1;
                    ready_cycles = ready_next[63:32];
                    low_cycles   = ready_next[31:0];
                end else begin
                    ready_left  = 1'b0;
                    ready_level = 1'b1;
                end
        end
    endtask

    initial rsp_ready = 1'b0;

    always @(posedge clk) begin
        if (begins) begin
            ready_left   = 1'b1;
            ready_cycles = 32'd0;
            low_cycles   = 32'd0;
        end
        if (begins | playing) begin
            next_level;
            rsp_ready <= ready_level;
            if (ready_left) ready_cycles = ready_cycles - 32'd1;
        end else begin
            rsp_ready <= 1'b0;
        end
    end

    // ---- Records ------------------------------------------------------------------------------
    integer     rsp_record, outputs_record;
    wire [ 4:0] outputs = {idle, fill_error, rsp_valid, fill_ready, cmd_ready};
    reg  [ 4:0] outputs_q;
    reg  [15:0] unknown;
    integer     i;

    always @(posedge clk)
        if (playing) begin
            if (rsp_taken) begin
                unknown = {3'd0, ^rsp_fault_addr === 1'bx, ^rsp_fault_lane === 1'bx,
                           ^rsp_fault === 1'bx, ^rsp_base === 1'bx, ^rsp_block_we === 1'bx, 8'd0};
                for (i = 0; i < 8; i = i + 1)
                    unknown[i] = ^rsp_data[256*i +: 256] === 1'bx;
                $fwrite(rsp_record, "%u", {unknown, rsp_block_we, 1'b0, rsp_fault_lane, 1'b0, rsp_fault,
                                           rsp_base, 16'd0, rsp_fault_addr, cycle, rsp_data});
            end
            if (outputs !== outputs_q | cycle == 32'd0) begin
                outputs_q <= outputs;
                for (i = 0; i < 5; i = i + 1)
                    unknown[i] = outputs[i] === 1'bx;
                $fwrite(outputs_record, "%u", {11'd0, unknown[4:0], 11'd0, outputs, cycle});
            end
        end

    // ---- Files: opened before a play, closed after it ------------------------------------------
    always @(posedge clk)
        if (start) begin
            ready_file     = $fopen("ready.play", "rb");
            rsp_record     = $fopen("responses.rec", "wb");
            outputs_record = $fopen("outputs.rec", "wb");
        end else if (close) begin
            $fclose(ready_file);
            $fclose(rsp_record);
            $fclose(outputs_record);
        end
endmodule

`default_nettype wire
