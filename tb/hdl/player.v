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
// A gap is the number of cycles for which valid is low before the transfer.
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
    reg                 cmd_valid;
    reg  [         1:0] cmd_op;
    reg  [         1:0] cmd_dtype;
    reg  [        31:0] cmd_base;
    reg  [STRIDE_W-1:0] cmd_block_stride;
    reg  [STRIDE_W-1:0] cmd_repeat_stride;
    reg  [       255:0] cmd_index;
    reg  [       255:0] cmd_mask;
    wire                cmd_ready;
    reg                 fill_valid;
    reg  [        31:0] fill_addr;
    reg  [       255:0] fill_data;
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
        .fill_addr         (fill_addr),
        .fill_data         (fill_data),
        .fill_error        (fill_error),
        .cmd_valid         (cmd_valid),
        .cmd_ready         (cmd_ready),
        .cmd_op            (cmd_op),
        .cmd_dtype         (cmd_dtype),
        .cmd_base          (cmd_base),
        .cmd_block_stride  (cmd_block_stride),
        .cmd_repeat_stride (cmd_repeat_stride),
        .cmd_index         (cmd_index),
        .cmd_mask          (cmd_mask),
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

    wire cmd_taken  = cmd_valid  & (cmd_ready  === 1'b1) & ~rst;
    wire fill_taken = fill_valid & (fill_ready === 1'b1) & ~rst;
    wire rsp_taken  = rsp_ready  & (rsp_valid  === 1'b1) & ~rst;

    // ---- One play -----------------------------------------------------------------------------
    localparam WAITING = 2'd0, PREPARING = 2'd1, PLAYING = 2'd2, DONE = 2'd3;

    reg [ 1:0] state = WAITING;
    reg [ 1:0] prepare_left;
    reg [31:0] cycle;
    reg [31:0] in_flight;
    reg [31:0] quiet;           // cycles without a transfer in which one could have been

    wire start  = go & (state == WAITING);
    wire begins = (state == PREPARING) & (prepare_left == 2'd0);
    wire nothing_left = ~cmd_left & ~fill_left & (in_flight == 32'd0);
    wire ends   = (state == PLAYING) & (quiet == (nothing_left ? TAIL_CYCLES : PATIENCE));

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

    // ---- Commands -----------------------------------------------------------------------------
    integer      cmd_file;
    reg  [671:0] cmd_next;
    reg          cmd_have = 1'b0;      // private to the block below, as are cmd_next and cmd_wait
    reg          cmd_left = 1'b0;      // a command is still to be sent, or being sent
    reg  [ 31:0] cmd_wait;
    wire         cmd_pausing = cmd_left & ~cmd_valid;

    task read_command;
        begin
            cmd_have = $fread(cmd_next, cmd_file) == 84;
            cmd_wait = cmd_next[671:640];
        end
    endtask

    task rest_command;
        begin
            cmd_valid         <= 1'b0;
            cmd_op            <= 2'bx;
            cmd_dtype         <= 2'bx;
            cmd_base          <= 32'bx;
            cmd_block_stride  <= {STRIDE_W{1'bx}};
            cmd_repeat_stride <= {STRIDE_W{1'bx}};
            cmd_index         <= 256'bx;
            cmd_mask          <= 256'bx;
        end
    endtask

    initial rest_command;

    always @(posedge clk)
        if (begins) begin
            read_command;
        end else if (state == PLAYING) begin
            if (cmd_taken) read_command;
            if (cmd_taken | ~cmd_valid) begin
                if (cmd_have & cmd_wait == 32'd0) begin
                    cmd_valid         <= 1'b1;
                    cmd_op            <= cmd_next[633:632];
                    cmd_dtype         <= cmd_next[625:624];
                    cmd_base          <= cmd_next[607:576];
                    cmd_block_stride  <= cmd_next[544 +: STRIDE_W];
                    cmd_repeat_stride <= cmd_next[512 +: STRIDE_W];
                    cmd_index         <= cmd_next[511:256];
                    cmd_mask          <= cmd_next[255:0];
                end else begin
                    rest_command;
                    cmd_wait = cmd_wait - 32'd1;
                end
            end
            cmd_left <= cmd_have;
        end

    // ---- Fills --------------------------------------------------------------------------------
    integer      fill_file;
    reg  [319:0] fill_next;
    reg          fill_have = 1'b0;
    reg          fill_left = 1'b0;
    reg  [ 31:0] fill_wait;
    wire         fill_pausing = fill_left & ~fill_valid;

    task read_fill;
        begin
            fill_have = $fread(fill_next, fill_file) == 40;
            fill_wait = fill_next[319:288];
        end
    endtask

    task rest_fill;
        begin
            fill_valid <= 1'b0;
            fill_addr  <= 32'bx;
            fill_data  <= 256'bx;
        end
    endtask

    initial rest_fill;

    always @(posedge clk)
        if (begins) begin
            read_fill;
        end else if (state == PLAYING) begin
            if (fill_taken) read_fill;
            if (fill_taken | ~fill_valid) begin
                if (fill_have & fill_wait == 32'd0) begin
                    fill_valid <= 1'b1;
                    fill_addr  <= fill_next[287:256];
                    fill_data  <= fill_next[255:0];
                end else begin
                    rest_fill;
                    fill_wait = fill_wait - 32'd1;
                end
            end
            fill_left <= fill_have;
        end

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
        if (begins | state == PLAYING) begin
            next_level;
            rsp_ready <= ready_level;
            if (ready_left) ready_cycles = ready_cycles - 32'd1;
        end else begin
            rsp_ready <= 1'b0;
        end
    end

    // ---- Records ------------------------------------------------------------------------------
    integer     cmd_record, fill_record, rsp_record, outputs_record;
    wire [ 4:0] outputs = {idle, fill_error, rsp_valid, fill_ready, cmd_ready};
    reg  [ 4:0] outputs_q;
    reg  [15:0] unknown;
    integer     i;

    always @(posedge clk)
        if (state == PLAYING) begin
            if (cmd_taken)  $fwrite(cmd_record,  "%u", cycle);
            if (fill_taken) $fwrite(fill_record, "%u", cycle);
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
            cmd_file       = $fopen("commands.play", "rb");
            fill_file      = $fopen("fills.play", "rb");
            ready_file     = $fopen("ready.play", "rb");
            cmd_record     = $fopen("commands.rec", "wb");
            fill_record    = $fopen("fills.rec", "wb");
            rsp_record     = $fopen("responses.rec", "wb");
            outputs_record = $fopen("outputs.rec", "wb");
        end else if (state == DONE & ~done & go) begin
            $fclose(cmd_file);
            $fclose(fill_file);
            $fclose(ready_file);
            $fclose(cmd_record);
            $fclose(fill_record);
            $fclose(rsp_record);
            $fclose(outputs_record);
        end
endmodule

`default_nettype wire
