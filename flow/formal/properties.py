"""The properties of the design that are proven, and how."""

from flow.formal.proof import Proof

PROOFS = (
    Proof(
        name="gatherb_agu",
        says="Address i is base + index i at the full 33 bits; block i is active by mask bit 4i.",
        rules=("GB-1", "GB-2", "GB-5", "GB-6", "FA-9"),
        harness="prove_gatherb_agu",
        cover_depth=3,
        faults=("gather_carry", "gather_mask"),
        quick=True,
    ),
    *(
        Proof(
            name=f"loadalign_agu_{width}",
            says="Address i is start + 32 * block_stride * i at the full 41 bits; a block is active "
            "by the lowest bit of any of its elements; the base moves modulo 2^32 with op 3 alone.",
            rules=("LA-1", "LA-2", "LA-3", "LA-4", "LA-5", "LA-7", "LA-8", "LA-15", "FA-9"),
            harness="prove_loadalign_agu",
            parameters={"STRIDE_W": width},
            cover_depth=3,
            faults=("lane_six", "early_update", "element_mask", "last_element", "mask_word"),
            quick=width == 32,
        )
        for width in (1, 16, 32)
    ),
    *(
        Proof(
            name=f"address_check_{name}",
            says="A command faults exactly when a row of the table of faults applies; kind, lane "
            "and address are those of the first row and its lowest active lane.",
            rules=(*(f"FA-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17)), "LA-12"),
            harness="prove_address_check",
            parameters={"UB_BYTES": size},
            cover_depth=3,
            faults=(
                *("fault_order", "highest_lane", "masked_misalignment"),
                *("range_by_one", "wrapped_range"),
            ),
            quick=name == "default",
        )
        for name, size in (("smallest", 64), ("default", 262144), ("largest", 1 << 30))
    ),
    Proof(
        name="responses",
        says="One response per command, none without one, and none after a reset of what was before "
        "it; valid stays while not taken; readys, valid and fill_error are low in reset; idle is low "
        "while anything is in flight, and high two cycles after the last activity.",
        rules=("PT-3", "PT-6", "PT-10", "PT-11", "RS-1", "RS-2", "RS-3"),
        harness="prove_responses",
        parameters={"UB_BYTES": 262144, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32},
        small={"UB_BYTES": 64, "BANKS": 1, "WINDOW": 1, "STRIDE_W": 1, "CALM": 2},
        cover_depth=14,
        faults=(
            *("endless_response", "stalled_response", "full_queues", "idle", "reset"),
            "ready_in_reset",
        ),
        fault_depth=14,
        quick=True,
    ),
    Proof(
        name="order",
        says="Any one command, marked at its acceptance, gets its response behind as many as were "
        "outstanding then, and with its own base; every field beside the data stays while not taken.",
        rules=("PT-4", "PT-6"),
        harness="prove_order",
        parameters={"UB_BYTES": 262144, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32},
        small={"UB_BYTES": 64, "BANKS": 1, "WINDOW": 3, "STRIDE_W": 1, "CALM": 1},
        registers=("response_queue",),
        cover_depth=12,
        faults=("moving_response",),
        fault_depth=12,
    ),
    Proof(
        name="lane_queue",
        says="Turns leave in the order in which they came, each with its own block, bank and slot; "
        "an inactive one only skips, and a held one asks when it is released.",
        rules=("LA-11", "ST-5", "OR-2"),
        harness="prove_lane_queue",
        parameters={"BLOCK_W": 12, "BANKS": 8, "SLOT_W": 4},
        small={"BLOCK_W": 2, "BANKS": 2, "SLOT_W": 3},
        registers=("lane_queue",),
        cover_depth=10,
        faults=("inactive_turn_asks", "front_runs_ahead"),
        fault_depth=10,
        quick=True,
    ),
    Proof(
        name="lane_contract",
        says="The unit keeps to what lane_queue asks of its caller: no more turns than fit, in command "
        "order, and none further behind than can be told.",
        rules=("OR-1", "OR-2"),
        harness="prove_lane_contract",
        parameters={"UB_BYTES": 2048, "BANKS": 4, "WINDOW": 2, "STRIDE_W": 32},
        small={"UB_BYTES": 128, "BANKS": 2, "WINDOW": 2},
        registers=("lane_queue",),
        cover_depth=16,
        faults=("full_queues",),
        fault_depth=10,
    ),
    Proof(
        name="no_path",
        says="No output depends combinationally on any input, so no ready on a valid or a payload.",
        rules=("PT-3", "PT-5"),
        harness="ub_load_unit",
        parameters={"UB_BYTES": 262144, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32},
        structural=True,
        cover_depth=0,
        faults=("ready_follows_valid", "data_follow_ready"),
        quick=True,
    ),
    Proof(
        name="progress",
        says="The reads of the oldest command complete within nine cycles; a command that is offered "
        "while responses are taken, and a fill that is offered, are accepted within 16 * (WINDOW + 4) "
        "cycles.",
        rules=("OR-3", "OR-4"),
        harness="prove_progress",
        parameters={"UB_BYTES": 256, "BANKS": 1, "WINDOW": 4, "STRIDE_W": 1},
        small={"UB_BYTES": 64, "WINDOW": 2, "CALM": 2},
        registers=("lane_queue",),
        cover_depth=14,
        faults=("both_give_way",),
        fault_depth=14,
    ),
    *(
        Proof(
            name=f"data_integrity_{size}",
            says="A response's DataBlock is what the UB held when its command was accepted, after every "
            "fill accepted before it and none accepted with or after it; zero where the lane is not "
            "active or the command faults; it stays while the response is not taken. A reset leaves the "
            "UB as it is, and a fill that idle does not reflect yet whole or not at all.",
            rules=(
                *("GB-10", "LA-10", "FA-12", "PT-4", "PT-7"),
                *("OR-1", "OR-2", "OR-6", "RS-4", "RS-5"),
            ),
            harness="prove_data_integrity",
            parameters=parameters,
            small={"UB_BYTES": 256, "BANKS": 2, "WINDOW": 2, "LANE": 3},
            registers=("lane_queue", "pair_queue", "block_xbar"),
            abstract=("bank_memory", "lane_collector"),
            cover_depth=14,
            faults=faults,
            fault_depth=14,
        )
        for size, parameters, faults in (
            (
                "small",
                {"UB_BYTES": 128, "BANKS": 2, "WINDOW": 2, "STRIDE_W": 32},
                (
                    "late_slot",
                    "fill_overtaken",
                    "merge",
                    "other_group",
                    "joins_any_row",
                    "fill_too_early",
                ),
            ),
            (
                "full",
                {"UB_BYTES": 262144, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32},
                ("late_slot",),
            ),
        )
    ),
    Proof(
        name="bank_memory",
        says="The memory of a bank does nothing that the one does not do which stands in its place in "
        "the proofs of data integrity: a row that is read gives what was written to it last.",
        rules=("ST-6",),
        harness="prove_bank_memory",
        parameters={"ROWS": 512, "DATA_W": 256},
        cover_depth=5,
        faults=("write_enable",),
        fault_depth=5,
        quick=True,
    ),
    Proof(
        name="lane_collector",
        says="The slots of a lane do nothing that the one does not do which stands in their place in "
        "the proofs of data integrity: a slot that is read gives the DataBlock of the selected bank "
        "that it took last, zero where none was selected.",
        rules=("LA-10",),
        harness="prove_lane_collector",
        parameters={"BANKS": 8, "SLOT_W": 4, "DATA_W": 256},
        cover_depth=5,
        faults=("kept_block", "slot_overwritten"),
        fault_depth=5,
        quick=True,
    ),
    Proof(
        name="bank_reads",
        says="A bank reads only a DataBlock that a lane asks for; a lane is served exactly where its "
        "bank reads its DataBlock, and with it every lane that asks for the same one.",
        rules=("LA-11", "FA-11", "ST-6"),
        harness="prove_bank_reads",
        parameters={"BLOCK_W": 12, "BANKS": 8, "WINDOW": 4, "SLOT_W": 4},
        small={"BLOCK_W": 3, "BANKS": 2, "WINDOW": 2, "SLOT_W": 3},
        cover_depth=8,
        faults=("skip_reads", "joins_any_row", "fill_shares_bank", "merge"),
        fault_depth=6,
        quick=True,
    ),
)
