// Models of the ECP5 cells in a netlist of the design, as their function in Lattice's and Yosys'
// documents says, for simulation with four states: what nothing has set is X. No delays.

`default_nettype none

module LUT4 #(
    parameter [15:0] INIT = 16'h0000
) (
    input  wire A, B, C, D,
    output wire Z
);
    // From level to level an X input matters only where it selects between different values.
    wire [7:0] by_d = D ? INIT[15:8] : INIT[7:0];
    wire [3:0] by_c = C ? by_d[7:4]  : by_d[3:0];
    wire [1:0] by_b = B ? by_c[3:2]  : by_c[1:0];

    assign Z = A ? by_b[1] : by_b[0];
endmodule

module PFUMX (
    input  wire ALUT, BLUT, C0,
    output wire Z
);
    assign Z = C0 ? ALUT : BLUT;
endmodule

module L6MUX21 (
    input  wire D0, D1, SD,
    output wire Z
);
    assign Z = SD ? D1 : D0;
endmodule

// Two full adders whose operands come through look-up tables: the lowest four bits of INIT say
// when a stage generates a carry, the whole of it when it propagates one.
module CCU2C #(
    parameter [15:0] INIT0     = 16'h0000,
    parameter [15:0] INIT1     = 16'h0000,
    parameter [23:0] INJECT1_0 = "YES",
    parameter [23:0] INJECT1_1 = "YES"
) (
    input  wire CIN,
    input  wire A0, B0, C0, D0, A1, B1, C1, D1,
    output wire S0, S1, COUT
);
    wire propagate_0, propagate_1;

    LUT4 #(.INIT(INIT0)) lut_0 (.A(A0), .B(B0), .C(C0), .D(D0), .Z(propagate_0));
    LUT4 #(.INIT(INIT1)) lut_1 (.A(A1), .B(B1), .C(C1), .D(D1), .Z(propagate_1));

    wire generate_0 = (INJECT1_0 == "YES") ? 1'b0 : B0 ? (A0 ? INIT0[3] : INIT0[2])
                                                       : (A0 ? INIT0[1] : INIT0[0]);
    wire generate_1 = (INJECT1_1 == "YES") ? 1'b0 : B1 ? (A1 ? INIT1[3] : INIT1[2])
                                                       : (A1 ? INIT1[1] : INIT1[0]);
    wire carry_0    = propagate_0 ? CIN : generate_0;

    assign S0   = propagate_0 ^ ((INJECT1_0 == "YES") ? 1'b0 : CIN);
    assign S1   = propagate_1 ^ ((INJECT1_1 == "YES") ? 1'b0 : carry_0);
    assign COUT = propagate_1 ? carry_0 : generate_1;
endmodule

module TRELLIS_FF #(
    parameter        GSR    = "DISABLED",
    parameter [23:0] CEMUX  = "CE",
    parameter        CLKMUX = "CLK",
    parameter        LSRMUX = "LSR",
    parameter        REGSET = "RESET",
    parameter        SRMODE = "LSR_OVER_CE"
) (
    input  wire CLK, LSR, CE, DI,
    output reg  Q
);
    wire enable = (CEMUX == {16'd0, "1"}) ? 1'b1 : (CEMUX == "INV") ? ~CE : CE;
    wire set    = (LSRMUX == "INV") ? ~LSR : LSR;

    always @(posedge CLK)
        if (set)         Q <= (REGSET == "SET");
        else if (enable) Q <= DI;

    // Everything else the design has no use for, and this model no answer.
    initial
        if (CLKMUX != "CLK" || SRMODE != "LSR_OVER_CE") begin
            $display("TRELLIS_FF: only CLK and LSR_OVER_CE are modelled");
            $finish;
        end
endmodule

module TRELLIS_DPR16X4 #(
    parameter        WCKMUX  = "WCK",
    parameter        WREMUX  = "WRE",
    parameter [63:0] INITVAL = 64'h0
) (
    input  wire [3:0] DI, WAD,
    input  wire       WRE, WCK,
    input  wire [3:0] RAD,
    output wire [3:0] DO
);
    reg [3:0] word [0:15];

    always @(posedge WCK)
        if (WRE) word[WAD] <= DI;

    assign DO = word[RAD];

    initial
        if (WCKMUX != "WCK" || WREMUX != "WRE") begin
            $display("TRELLIS_DPR16X4: only WCK and WRE are modelled");
            $finish;
        end
endmodule

`default_nettype wire
