// fill_port: accepts fills, and writes each after the reads of all commands accepted before it.
//
// A fill notes how many commands are ahead of it. When the last of them has had its reads the fill
// takes its bank, with priority: commands accepted later may read meanwhile, except that the
// crossbar holds their lanes that want the same block (`pending`).
//
// Latency     written in the cycle after acceptance when no command is ahead, else in the cycle
//             after the reads of the last one complete. The next fill is accepted with the write.
// Throughput  1 fill per cycle while no command is ahead; else one per wait.
// Registered  `fill_error`; `fill_ready` depends on registers alone.
// An address that is misaligned or out of range drops the fill: one cycle of `fill_error`.
//
// UB_BYTES  size of the Unified Buffer in bytes, a power of two
// COUNT_W   width of the count of commands ahead

`default_nettype none

module fill_port #(
    parameter UB_BYTES = 262144,
    parameter COUNT_W  = 3,
    parameter BLOCK_W  = $clog2(UB_BYTES / 32)
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               awake,             // the last edge was no reset

    input  wire               fill_valid,
    output wire               fill_ready,
    input  wire [       31:0] fill_addr,
    input  wire [      255:0] fill_data,
    output reg                fill_error,

    input  wire [COUNT_W-1:0] commands_ahead,    // of a fill accepted at the coming edge
    input  wire               reads_complete,    // of the oldest command, in this cycle

    output reg                waiting,           // an accepted fill is not yet written
    output wire               pending,           // and commands that enter now are younger
    output wire               write,             // it is written in this cycle
    output reg  [BLOCK_W-1:0] block,
    output reg  [      255:0] data
);
    localparam UB_W = $clog2(UB_BYTES);

    localparam [COUNT_W-1:0] ONE = {{(COUNT_W-1){1'b0}}, 1'b1};

    wire accept = fill_valid & fill_ready;
    wire bad    = (|fill_addr[4:0]) | (|fill_addr[31:UB_W]);

    reg [COUNT_W-1:0] ahead_q;
    reg               new_q;        // accepted at the last edge: so was the command entering now

    assign write      = waiting & ~|ahead_q;
    assign pending    = waiting & ~new_q;
    assign fill_ready = awake & (~waiting | write);

    always @(posedge clk)
        if (rst)         waiting <= 1'b0;
        else if (accept) waiting <= ~bad;
        else if (write)  waiting <= 1'b0;

    always @(posedge clk)
        if (accept) begin
            block <= fill_addr[UB_W-1:5];
            data  <= fill_data;
        end

    always @(posedge clk)
        if (accept)                         ahead_q <= commands_ahead;
        else if (reads_complete & |ahead_q) ahead_q <= ahead_q - ONE;

    always @(posedge clk)
        if (rst) new_q <= 1'b0;
        else     new_q <= accept;

    always @(posedge clk)
        if (rst) fill_error <= 1'b0;
        else     fill_error <= accept & bad;
endmodule

`default_nettype wire
