// Proves that bank_memory does nothing that its abstraction (abstract/bank_memory.v) does not do.
//
// The abstraction keeps one row, which one is free, and reads anything from the others. So this is
// enough: whichever row that is, a read of it gives what was written to it last, or what it had at
// power-up, and what was read stays until the next read. Then each run of the memory is one of the
// abstraction, with what the memory has in its other rows for anything.

`default_nettype none

module prove_bank_memory #(
    parameter ROWS   = 512,
    parameter DATA_W = 256,
    parameter ROW_W  = $clog2(ROWS)
) (
    input wire              clk,
    input wire              enable,
    input wire              write,
    input wire [ ROW_W-1:0] row,
    input wire [DATA_W-1:0] write_data
);
    (* anyconst *) wire [ROW_W-1:0] kept_row;
    wire [DATA_W-1:0] read_data;

    bank_memory #(
        .ROWS   (ROWS),
        .DATA_W (DATA_W)
    ) unit (
        .clk        (clk),
        .enable     (enable),
        .write      (write),
        .row        (row),
        .write_data (write_data),
        .read_data  (read_data)
    );

    (* memory = "unit.block", address = "kept_row" *) wire [DATA_W-1:0] held;

    // As in the abstraction.
    wire             hit = row == kept_row;
    reg [DATA_W-1:0] kept;

    always @(posedge clk)
        if (enable & write & hit) kept <= write_data;

    reg              started = 1'b0;
    reg              reads_it = 1'b0;   // the last read was of the row
    reg              read_q   = 1'b0;   // a read in the cycle before
    reg              written  = 1'b0;   // the row
    reg [DATA_W-1:0] expected;
    reg [DATA_W-1:0] before;            // read_data of the cycle before

    always @(posedge clk) begin
        started <= 1'b1;
        read_q  <= enable & ~write;
        before  <= read_data;
        if (enable & write & hit) written <= 1'b1;
        if (enable & ~write) begin
            reads_it <= hit;
            expected <= kept;
        end
    end

    always @* if (!started) assume (kept == held);

    always @* begin
        row_holds_what_was_written: assert (held == kept);
        if (reads_it) read_gives_what_was_written: assert (read_data == expected);
        if (started & ~read_q) read_data_stays: assert (read_data == before);
        read_again: cover (written && reads_it && read_q && expected != before);
    end
endmodule

`default_nettype wire
