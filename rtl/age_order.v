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
    output reg  [            27:0] lower_first  // of a pair the lower lane goes before the other
);
    localparam BEHIND_W = WINDOW + 1;

    // Two heads in the window differ in the lowest WINDOW - 1 bits if they differ at all.
    function older(input [BEHIND_W-1:0] one, input [BEHIND_W-1:0] other);
        integer k;
        begin
            older = 1'b0;
            for (k = 0; k < WINDOW - 1; k = k + 1) older = older | (~one[k] & other[k]);
        end
    endfunction

    integer i, j;

    always @*
        for (i = 0; i < 8; i = i + 1) begin
            in_window[i] = ~behind[BEHIND_W*i+WINDOW-1];
            for (j = 0; j < i; j = j + 1)
                lower_first[i*(i-1)/2+j] = ~older(behind[BEHIND_W*i +: BEHIND_W],
                                                  behind[BEHIND_W*j +: BEHIND_W]);
        end
endmodule

`default_nettype wire
