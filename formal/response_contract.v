// response_contract: what the unit keeps to at its response_queue.
//
// A combinational check of the queue's ports, by their names there. `kept` is 1 in every cycle behind
// a reset: prove_responses proves that, and make mutate takes it as known.

`default_nettype none

module response_contract (
    input  wire claim,
    input  wire has_room,
    output wire kept
);
    assign kept = ~claim | has_room;
endmodule

`default_nettype wire
