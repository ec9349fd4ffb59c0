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
)
