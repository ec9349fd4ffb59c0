// lane_arbiter: which lanes read in this cycle, and which of them leads at each bank.
//
// Of the lanes that ask for a bank the one that goes first leads: the bank reads its row. The
// others read with it if they want the same block. Lanes are compared in pairs, so nothing here
// grows with the number of banks, and there is no chain from lane to lane.
//
// Combinational. At most one lane leads at each bank. Where a fill has taken the bank, the lane
// that leads does not read.
// Pairs of lanes i > j are numbered i * (i - 1) / 2 + j.

`default_nettype none

module lane_arbiter (
    input  wire [ 7:0] asks,
    input  wire [ 7:0] taken,        // a fill has the lane's bank
    input  wire [27:0] lower_first,  // of a pair the lower lane goes before the other
    input  wire [27:0] same_bank,
    input  wire [27:0] same_block,
    output reg  [ 7:0] leads,
    output reg  [ 7:0] reads
);
    reg [7:0] beaten;
    reg [7:0] joins;    // a lane that leads wants the same block
    integer   i, j;

    always @* begin
        beaten = 8'h00;
        for (i = 1; i < 8; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                beaten[i] = beaten[i] |
                    (asks[j] & same_bank[i*(i-1)/2+j] & lower_first[i*(i-1)/2+j]);
                beaten[j] = beaten[j] |
                    (asks[i] & same_bank[i*(i-1)/2+j] & ~lower_first[i*(i-1)/2+j]);
            end
        leads = asks & ~beaten;
    end

    always @* begin
        joins = 8'h00;
        for (i = 1; i < 8; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                joins[i] = joins[i] | (leads[j] & same_block[i*(i-1)/2+j]);
                joins[j] = joins[j] | (leads[i] & same_block[i*(i-1)/2+j]);
            end
        reads = asks & ~taken & (leads | joins);
    end
endmodule

`default_nettype wire
