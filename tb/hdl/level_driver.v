// level_driver: drives one level from a file of pairs of cycles.
//
// A record of the file is {cycles at FIRST 32, cycles at the other level 32} bits, its first byte the
// highest; behind the last pair, and outside of a play, the level is FIRST and IDLE.
// The file is opened with `open`, its first pair begins with the cycle behind `begins`, and it is closed
// with `close`.
//
// FIRST     the level that each pair begins with
// IDLE      the level while nothing is played
// STIMULUS  name of the file

`default_nettype none

module level_driver #(
    parameter FIRST    = 1'b1,
    parameter IDLE     = 1'b0,
    parameter STIMULUS = "ready.play"
) (
    input  wire clk,
    input  wire open,
    input  wire close,
    input  wire begins,
    input  wire playing,
    output reg  level,
    output reg  left                 // a pair is not at its end
);
    integer    stimulus;
    reg [63:0] next;                 // private to the block below, as are the next three
    reg        have;
    reg        next_level;
    reg [31:0] cycles;               // of this level, still to come
    reg [31:0] other_cycles;         // of the level that follows

    task find_level;
        begin
            while (have & cycles == 32'd0)
                if (other_cycles != 32'd0) begin
                    next_level   = ~FIRST;
                    cycles       = other_cycles;
                    other_cycles = 32'd0;
                end else if ($fread(next, stimulus) == 8) begin
                    next_level   = FIRST;
                    cycles       = next[63:32];
                    other_cycles = next[31:0];
                end else begin
                    have       = 1'b0;
                    next_level = FIRST;
                end
        end
    endtask

    initial begin
        level = IDLE;
        left  = 1'b0;
    end

    always @(posedge clk) begin
        if (begins) begin
            have         = 1'b1;
            cycles       = 32'd0;
            other_cycles = 32'd0;
        end
        if (begins | playing) begin
            find_level;
            level <= next_level;
            left  <= have;
            if (have) cycles = cycles - 32'd1;
        end else begin
            level <= IDLE;
        end
    end

    always @(posedge clk)
        if (open)       stimulus = $fopen(STIMULUS, "rb");
        else if (close) $fclose(stimulus);
endmodule

`default_nettype wire
