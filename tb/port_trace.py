"""The trace of a run: a digest that is equal where every port had the same value in every cycle.

The handshakes, rst, fill_error and idle count in every cycle from the first reset on. A payload counts
in the cycle of its transfer: the monitors hold it still before that, and while valid is low it means
nothing. So does a DataBlock that nothing has written.
"""

import hashlib

from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge

from model import BLOCK_BYTES, LANES, Command
from tb.ports import ObservedResponse

LEVELS = (
    "rst",
    "fill_valid",
    "fill_ready",
    "fill_error",
    "cmd_valid",
    "cmd_ready",
    "rsp_valid",
    "rsp_ready",
    "idle",
)


class PortTrace:
    """One digest for the levels and one for each stream, so that their order in a cycle is no matter."""

    def __init__(self, dut: HierarchyObject) -> None:
        self._edge = RisingEdge(dut.clk)
        self._rst = dut.rst
        self._signals = [getattr(dut, name) for name in LEVELS]
        self._levels, self._fills, self._commands, self._responses = (
            hashlib.blake2b(digest_size=8) for _ in range(4)
        )

    async def watch(self) -> None:
        """Run for as long as the bench does, from the first edge with rst high."""
        await self._edge
        while self._rst.value != 1:
            await self._edge
        while True:
            await self._edge
            levels = "".join([str(signal.value) for signal in self._signals])
            self._levels.update(levels.encode())

    def on_fill(self, cycle: int, address: int, data: bytes) -> None:
        """A fill was transferred."""
        self._fills.update(b"%d %x %s\n" % (cycle, address, data))

    def on_command(self, cycle: int, command: Command) -> None:
        """A command was transferred."""
        self._commands.update(f"{cycle} {command}\n".encode())

    def on_response(self, cycle: int, response: ObservedResponse, unwritten: int) -> None:
        """A response was transferred; bit i of `unwritten` is set for a block that means nothing."""
        known = bytearray(response.data)
        for lane in range(LANES):
            if unwritten >> lane & 1:
                known[BLOCK_BYTES * lane : BLOCK_BYTES * (lane + 1)] = bytes(BLOCK_BYTES)
        others = (response.block_we, response.base, response.fault)
        self._responses.update(f"{cycle} {others} ".encode() + known)

    @property
    def digest(self) -> str:
        """Of everything so far, in hexadecimal digits."""
        parts = (self._levels, self._fills, self._commands, self._responses)
        return hashlib.blake2b(b"".join(part.digest() for part in parts), digest_size=8).hexdigest()
