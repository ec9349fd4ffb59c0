// lane_progress: how far each lane has run ahead of the oldest command that still waits for reads.
//
// ahead[l] counts the commands, from that oldest one on, whose turn lane l has already had; it is
// kept as a thermometer (bit k set: more than k), so that comparing two lanes needs no subtraction.
//
// Latency     `served` of one cycle shows in `in_window` and `precedes` in the next.
// Throughput  every lane may be served once per cycle; at most one command completes per cycle.
// Registered  nothing but the thermometers; `in_window` and `precedes` depend on them alone.
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
    output wire [ 7:0] in_window,   // the lane's next command lies in the window
    output wire [63:0] precedes       // bit 8i+j: lane i goes before lane j: older, else lower lane
);
    wire [8*WINDOW-1:0] ahead;
    wire [         7:0] past_oldest;

    assign complete = &(past_oldest | served);

    genvar i, j, k;
    generate
        for (i = 0; i < 8; i = i + 1) begin : g_lane
            reg  [WINDOW-1:0] ahead_q;
            wire [WINDOW-1:0] more;
            wire [WINDOW-1:0] fewer;

            for (k = 0; k < WINDOW; k = k + 1) begin : g_level
                if (k == 0) begin : g_bottom
                    assign more[k] = 1'b1;
                end else begin : g_shift
                    assign more[k] = ahead_q[k-1];
                end

                if (k == WINDOW - 1) begin : g_top
                    assign fewer[k] = 1'b0;
                end else begin : g_unshift
                    assign fewer[k] = ahead_q[k+1];
                end
            end

            always @(posedge clk)
                if (rst)                        ahead_q <= {WINDOW{1'b0}};
                else if (served[i] & ~complete) ahead_q <= more;
                else if (~served[i] & complete) ahead_q <= fewer;

            assign ahead[WINDOW*i +: WINDOW] = ahead_q;
            assign past_oldest[i]            = ahead_q[0];
            assign in_window[i]              = ~ahead_q[WINDOW-1];
        end

        for (i = 0; i < 8; i = i + 1) begin : g_first
            for (j = 0; j < 8; j = j + 1) begin : g_second
                if (i == j) begin : g_self
                    assign precedes[8*i+j] = 1'b0;
                end else if (i < j) begin : g_lower
                    assign precedes[8*i+j] = ~|(ahead[WINDOW*i +: WINDOW] & ~ahead[WINDOW*j +: WINDOW]);
                end else begin : g_higher
                    assign precedes[8*i+j] = ~precedes[8*j+i];
                end
            end
        end
    endgenerate
endmodule

`default_nettype wire
