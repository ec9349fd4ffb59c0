"""What a test has driven, as a case that the player can repeat in the same cycles."""

import numpy as np
from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge
from numpy.typing import NDArray

from model import BLOCK_BYTES, Case, Fill, Pairs, level_pairs
from tb.ports import StreamDriver, command_from_values, cycle_now


class LevelRecorder:
    """Records rst and rsp_ready by cycle, from the first cycle without reset on."""

    def __init__(self, dut: HierarchyObject) -> None:
        self.first_cycle = 0
        self._edge = RisingEdge(dut.clk)
        self._rst = dut.rst
        self._rsp_ready = dut.rsp_ready
        self._resets = bytearray()
        self._ready = bytearray()

    async def watch(self) -> None:
        """Run for as long as the bench does."""
        while True:
            await self._edge
            rst = self._rst.value == 1
            if not self._resets:
                if rst:
                    continue
                self.first_cycle = cycle_now()
            self._resets.append(rst)
            self._ready.append(self._rsp_ready.value == 1)

    @property
    def cycles(self) -> int:
        """How many cycles have been recorded."""
        return len(self._resets)

    @property
    def resets_by_cycle(self) -> NDArray[np.bool_]:
        """The level of rst in each of them."""
        return np.frombuffer(bytes(self._resets), np.bool_)

    @property
    def ready_by_cycle(self) -> NDArray[np.bool_]:
        """The level of rsp_ready in each of them."""
        return np.frombuffer(bytes(self._ready), np.bool_)

    @property
    def resets(self) -> Pairs:
        """Pairs (cycles low, cycles high) of rst."""
        return level_pairs(self._resets, first=False)

    @property
    def ready(self) -> Pairs:
        """Pairs (cycles high, cycles low) of rsp_ready."""
        return level_pairs(self._ready, first=True)


def recorded_case(
    about: str, levels: LevelRecorder, commands: StreamDriver, fills: StreamDriver
) -> Case:
    """The case of everything so far; what it must give is still to be said."""
    address_and_data = [values for _, values in fills.offers]
    return Case(
        about,
        bytes(BLOCK_BYTES),
        tuple(command_from_values(values) for _, values in commands.offers),
        expected=b"",
        gaps=_gaps(commands, levels.first_cycle),
        fills=tuple(
            Fill(address, data.to_bytes(BLOCK_BYTES, "little"), gap)
            for (address, data), gap in zip(
                address_and_data, _gaps(fills, levels.first_cycle), strict=True
            )
        ),
        ready=levels.ready,
        resets=levels.resets,
    )


def _gaps(driver: StreamDriver, first_cycle: int) -> tuple[int, ...]:
    """The cycles with valid low before each transfer, counted from the one before it."""
    offered = [cycle for cycle, _ in driver.offers]
    before = [first_cycle, *driver.transfers][: len(offered)]
    return tuple(own - last - 1 for own, last in zip(offered, before, strict=True))
