// age_order: which of the eight lanes' heads go before which: those of older commands, and of one
// command those of lower lanes.
//
// Combinational, from the thermometers of lane_queue; a total order of the lanes in the window.
// Pairs of lanes i > j are numbered i * (i - 1) / 2 + j.
//
// WINDOW  how many commands may wait for bank reads at once: 28 comparisons of WINDOW - 1 bits

`default_nettype none

module age_order #(
    parameter WINDOW = 4
) (
    input  wire [8*(WINDOW+1)-1:0] behind,      // of lane i: bits [(WINDOW+1)*i +: WINDOW+1]
    output reg  [             7:0] in_window,   // the head's command is one of the WINDOW oldest
    output wire [            27:0] lower_first  // of a pair the lower lane goes before the other
);
    localparam BEHIND_W = WINDOW + 1;

    integer k;

    always @*
        for (k = 0; k < 8; k = k + 1) in_window[k] = ~behind[BEHIND_W*k+WINDOW-1];

    generate
        if (WINDOW == 1) begin : g_lock_step
            // Every head in the window is of the same command.
            assign lower_first = {28{1'b1}};
        end else begin : g_window
            reg [27:0] first;
            integer    i, j;

            // Two heads in the window differ in the lowest WINDOW - 1 bits if they differ at all.
            always @*
                for (i = 1; i < 8; i = i + 1)
                    for (j = 0; j < i; j = j + 1)
                        first[i*(i-1)/2+j] = ~|(~behind[BEHIND_W*i +: WINDOW-1] &
                                                behind[BEHIND_W*j +: WINDOW-1]);

            assign lower_first = first;
        end
    endgenerate
endmodule

`default_nettype wire
