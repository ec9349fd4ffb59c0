// Proves that address_check faults exactly when, and as, section 4 of the specification says.
//
// A lane's address is base + offset at full width, for GatherB and LoadAlign alike: GatherB's
// index is the offset, and the offsets of LoadAlign are multiples of 32. The specification speaks
// of the offset where the unit looks at the address, and of address + 32 > UB_BYTES where the
// unit looks at the high bits.

`default_nettype none

module prove_address_check #(
    parameter UB_BYTES = 262144
) (
    input wire            clk,
    input wire            illegal_dtype,
    input wire [    31:0] base,
    input wire [8*41-1:0] offset,
    input wire [     7:0] active
);
    reg  [8*41-1:0] address;
    wire            faulted;
    wire [     2:0] fault;
    wire [     2:0] fault_lane;
    wire [    40:0] fault_address;

    address_check #(
        .UB_BYTES(UB_BYTES)
    ) unit (
        .clk           (clk),
        .illegal_dtype (illegal_dtype),
        .base          (base),
        .address       (address),
        .active        (active),
        .faulted       (faulted),
        .fault         (fault),
        .fault_lane    (fault_lane),
        .fault_address (fault_address)
    );

    // ---- The specification --------------------------------------------------------------------
    reg [ 2:0] expected_fault;
    reg [ 2:0] expected_lane;
    reg [40:0] expected_address;
    reg        wraps;
    reg [41:0] sum;
    integer    i;

    always @* begin
        expected_fault   = 3'd0;
        expected_lane    = 3'd0;
        expected_address = 41'd0;
        wraps            = 1'b0;
        // From the last case of the table to the first, and from the highest lane to the lowest:
        // what is found later replaces what was found before.
        for (i = 7; i >= 0; i = i - 1) begin
            sum = {10'b0, base} + {1'b0, offset[41*i +: 41]};
            address[41*i +: 41] = sum[40:0];
            wraps = wraps | sum[41];
            if (active[i] && sum + 32 > UB_BYTES) begin
                expected_fault   = 3'd4;
                expected_lane    = i[2:0];
                expected_address = sum[40:0];
            end
        end
        for (i = 7; i >= 0; i = i - 1)
            if (active[i] && offset[41*i +: 5] != 5'd0) begin
                expected_fault   = 3'd3;
                expected_lane    = i[2:0];
                expected_address = address[41*i +: 41];
            end
        if (base[4:0] != 5'd0) begin
            expected_fault   = 3'd2;
            expected_lane    = 3'd0;
            expected_address = {9'b0, base};
        end
        if (illegal_dtype) begin
            expected_fault   = 3'd1;
            expected_lane    = 3'd0;
            expected_address = 41'd0;
        end
    end

    // No base and offset of a command come to more than 41 bits.
    always @* assume (!wraps);

    // ---- The report, one cycle later ----------------------------------------------------------
    reg        known = 1'b0;
    reg [ 2:0] expected_fault_q;
    reg [ 2:0] expected_lane_q;
    reg [40:0] expected_address_q;

    always @(posedge clk) begin
        known              <= 1'b1;
        expected_fault_q   <= expected_fault;
        expected_lane_q    <= expected_lane;
        expected_address_q <= expected_address;
    end

    always @* begin
        faulted_exactly_with_a_fault: assert (faulted == (expected_fault != 3'd0));
        if (known) begin
            the_first_fault_that_applies: assert (fault == expected_fault_q);
            the_lowest_lane: assert (fault_lane == expected_lane_q);
            its_full_address: assert (fault_address == expected_address_q);
            illegal_data_type: cover (fault == 3'd1);
            misaligned_base: cover (fault == 3'd2);
            misaligned_index_in_lane_7: cover (fault == 3'd3 && fault_lane == 3'd7);
            first_block_past_the_end: cover (fault == 3'd4 && fault_address == UB_BYTES);
            highest_address: cover (fault == 3'd4 && &fault_address[40:5]);
            no_fault: cover (fault == 3'd0);
        end
    end
endmodule

`default_nettype wire
