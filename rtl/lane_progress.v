// lane_progress: how far each lane has run ahead of the oldest command that still waits for reads.
//
// ahead[l] counts the commands, from that oldest one on, whose turn lane l has already had; it is
// kept as a thermometer (bit k set: more than k), so that comparing two lanes needs no subtraction.
//
// Latency     `served` of one cycle shows in `in_window` and `beaten_by` in the next.
// Throughput  every lane may be served once per cycle; at most one command completes per cycle.
// Registered  nothing but the thermometers; `in_window` and `beaten_by` depend on them alone.
//
// WINDOW  how many commands may wait for reads at once: a lane stops WINDOW commands ahead.
//         WINDOW = 1 is lock step. Costs 8 * WINDOW flip-flops and 28 comparisons.

`default_nettype none

module lane_progress #(
    parameter WINDOW = 4
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [ 7:0] served,      // the lane has its turn in this cycle; only where in_window
    output wire        complete,    // in this cycle the oldest command has its last turn
    output reg  [ 7:0] in_window,   // the lane's next command lies in the window
    output reg  [63:0] beaten_by    // bits [8i+7:8i]: the lanes that go before lane i
);
    localparam [WINDOW-1:0] ONE = 1;

    reg  [8*WINDOW-1:0] ahead_q;
    reg  [         7:0] past_oldest;
    integer             lane, k, i, j;

    assign complete = &(past_oldest | served);

    always @(posedge clk)
        if (rst) ahead_q <= {(8*WINDOW){1'b0}};
        else
            for (lane = 0; lane < 8; lane = lane + 1)
                if (served[lane] & ~complete)
                    ahead_q[WINDOW*lane +: WINDOW] <= (ahead_q[WINDOW*lane +: WINDOW] << 1) | ONE;
                else if (~served[lane] & complete)
                    ahead_q[WINDOW*lane +: WINDOW] <= ahead_q[WINDOW*lane +: WINDOW] >> 1;

    always @*
        for (k = 0; k < 8; k = k + 1) begin
            past_oldest[k] = ahead_q[WINDOW*k];
            in_window[k]   = ~ahead_q[WINDOW*k+WINDOW-1];
        end

    // Lane j goes before a lane i that is further ahead, and of two equals the lower lane goes.
    always @*
        for (i = 0; i < 8; i = i + 1)
            for (j = 0; j < 8; j = j + 1)
                if (j < i)
                    beaten_by[8*i+j] = ~|(ahead_q[WINDOW*j +: WINDOW] & ~ahead_q[WINDOW*i +: WINDOW]);
                else
                    beaten_by[8*i+j] = |(ahead_q[WINDOW*i +: WINDOW] & ~ahead_q[WINDOW*j +: WINDOW]);
endmodule

`default_nettype wire
