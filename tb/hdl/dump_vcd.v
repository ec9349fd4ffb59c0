// Second top module of an Icarus build with WAVES=1: writes dump.vcd into the folder of the run,
// which is what Verilator's --trace does. A module of its own, because the design must not know.
`default_nettype none

module dump_vcd;
    initial begin
        $dumpfile("dump.vcd");
        $dumpvars(0, `DUMP_TOP);
    end
endmodule

`default_nettype wire
