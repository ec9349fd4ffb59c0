"""The properties of the design that are proven, and how."""

from flow.formal.proof import Proof

PROOFS = (
    Proof(
        name="gatherb_agu",
        says="Address i is base + index i at the full 33 bits; block i is active by mask bit 4i.",
        rules=("GB-1", "GB-2", "GB-5", "GB-6", "FA-9"),
        harness="prove_gatherb_agu",
        depth=2,
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
            depth=2,
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
            depth=2,
            cover_depth=3,
            faults=(
                *("fault_order", "highest_lane", "masked_misalignment"),
                *("range_by_one", "wrapped_range"),
            ),
            quick=name == "default",
        )
        for name, size in (("smallest", 64), ("default", 262144), ("largest", 1 << 30))
    ),
)
