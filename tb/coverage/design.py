"""The parameters of a unit, which decide what it can be made to do: specification, section 5."""

from dataclasses import dataclass

from model import BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class Design:
    """The parameters of one `ub_load_unit`, as section 5 of the specification names them."""

    ub_bytes: int
    banks: int
    window: int
    stride_w: int

    @property
    def blocks(self) -> int:
        """DataBlocks in the Unified Buffer."""
        return self.ub_bytes // BLOCK_BYTES

    @property
    def rows(self) -> int:
        """DataBlocks in each bank, two at least."""
        return self.blocks // self.banks

    @property
    def largest_stride(self) -> int:
        """The largest block or repeat stride that the ports carry, in DataBlocks."""
        return (1 << self.stride_w) - 1

    @property
    def shortest_period(self) -> int:
        """After how many lanes a LoadAlign is back at its bank, at the least: a power of two.

        That is the stride of the largest power of two that STRIDE_W holds; it has in common with
        BANKS what it can.
        """
        return self.banks // min(self.banks, 1 << self.stride_w - 1)
