// stream_driver: drives valid and a payload from a file, one transfer after another, with gaps, and
// records the cycle of each transfer.
//
// A record of the file is {gap 32, payload PAYLOAD_W} bits, its first byte the highest: valid is low for
// `gap` cycles before the transfer. While it is low the payload is X. The record of transfers is one
// 32-bit word each, in the byte order of the machine.
//
// Files are opened with `open`, the first record is read with `begins` some cycles later, and they are
// closed with `close`. The first valid can be high from the second cycle after `begins` on.
//
// PAYLOAD_W          width of the payload, a multiple of 8
// STIMULUS, RECORD   names of the two files

`default_nettype none

module stream_driver #(
    parameter PAYLOAD_W = 288,
    parameter STIMULUS  = "fills.play",
    parameter RECORD    = "fills.rec"
) (
    input  wire                 clk,
    input  wire                 open,
    input  wire                 close,
    input  wire                 begins,
    input  wire                 playing,
    input  wire                 rst,
    input  wire [         31:0] cycle,

    output reg                  valid,
    input  wire                 ready,
    output reg  [PAYLOAD_W-1:0] payload,
    output wire                 taken,       // a transfer at the coming edge
    output reg                  left,        // something is still to be sent, or being sent
    output wire                 pausing      // a gap holds it back
);
    integer               stimulus;
    integer               record;
    reg                   have;              // `next` is to be sent: private to the block below,
    reg  [PAYLOAD_W+31:0] next;              // as are `next` and `gap`
    reg  [          31:0] gap;

    assign taken   = valid & (ready === 1'b1) & ~rst;
    assign pausing = left & ~valid;

    task read;
        begin
            have = $fread(next, stimulus) == (PAYLOAD_W + 32) / 8;
            gap  = next[PAYLOAD_W +: 32];
        end
    endtask

    initial begin
        valid = 1'b0;
        left  = 1'b0;
        have  = 1'b0;
    end

    always @(posedge clk)
        if (begins) begin
            read;
        end else if (playing) begin
            if (taken) read;
            if (taken | ~valid) begin
                if (have & gap == 32'd0) begin
                    valid   <= 1'b1;
                    payload <= next[PAYLOAD_W-1:0];
                end else begin
                    valid   <= 1'b0;
                    payload <= {PAYLOAD_W{1'bx}};
                    gap = gap - 32'd1;
                end
            end
            left <= have;
        end else begin
            valid <= 1'b0;      // also where a play ended with a transfer that never came
        end

    always @(posedge clk)
        if (open) begin
            stimulus = $fopen(STIMULUS, "rb");
            record   = $fopen(RECORD, "wb");
        end else if (close) begin
            $fclose(stimulus);
            $fclose(record);
        end else if (playing & taken) begin
            $fwrite(record, "%u", cycle);
        end
endmodule

`default_nettype wire
