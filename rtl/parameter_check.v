// parameter_check: refuses a wrong parameter at elaboration, by name, in every tool alike.
//
// Verilog-2005 has no elaboration-time error message. An undefined module whose name is the message
// serves: no tool elaborates past it, and each prints the name. No ports and no logic.

`default_nettype none

module parameter_check #(
    parameter UB_BYTES = 262144,
    parameter BANKS    = 16,
    parameter WINDOW   = 4,
    parameter STRIDE_W = 32
) ();
    generate
        if (UB_BYTES < 64 || UB_BYTES > (1 << 30) || (UB_BYTES & (UB_BYTES - 1)) != 0) begin : g_size
            parameter_UB_BYTES_must_be_a_power_of_two_from_64_to_2_to_the_30 refused();
        end else if (BANKS > UB_BYTES / 64) begin : g_rows
            parameter_BANKS_must_leave_two_rows_of_32_bytes_in_each_bank refused();
        end
        if (BANKS < 1 || (BANKS & (BANKS - 1)) != 0) begin : g_banks
            parameter_BANKS_must_be_a_power_of_two refused();
        end
        if (WINDOW < 1 || WINDOW > 64) begin : g_window
            parameter_WINDOW_must_be_1_to_64 refused();
        end
        if (STRIDE_W < 1 || STRIDE_W > 32) begin : g_stride
            parameter_STRIDE_W_must_be_1_to_32 refused();
        end
    endgenerate
endmodule

`default_nettype wire
