// Proves that bank_memory does nothing that its abstraction (abstract/bank_memory.v) does not do: a
// row that is read gives what was last written to it. The contents at power-up count as written.

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

    reg              known    = 1'b0;   // the row has been written
    reg              reads_it = 1'b0;   // the last read was of the row, after that
    reg              started  = 1'b0;
    reg              read_q   = 1'b0;   // a read in the cycle before
    reg [DATA_W-1:0] kept;
    reg [DATA_W-1:0] expected;
    reg [DATA_W-1:0] before;            // read_data of the cycle before

    wire hit = enable & (row == kept_row);

    always @(posedge clk) begin
        started <= 1'b1;
        read_q  <= enable & ~write;
        before  <= read_data;
        if (hit & write) begin
            known <= 1'b1;
            kept  <= write_data;
        end
        if (enable & ~write) begin
            reads_it <= hit & known;
            expected <= kept;
        end
    end

    (* memory = "unit.block", address = "kept_row" *) wire [DATA_W-1:0] held;

    always @* begin
        if (known) memory_holds_what_was_written: assert (held == kept);
        if (reads_it) read_gives_what_was_written: assert (read_data == expected);
        if (started & ~read_q) read_data_stays: assert (read_data == before);
        read_again: cover (reads_it && expected != 0);
    end
endmodule

`default_nettype wire
