"""The cycle model: which outputs the unit has in each cycle, and which banks it uses.

Written from the specification, sections 5 and 6, and from the headers of the modules in rtl/.
"""

from collections.abc import Sequence
from typing import NamedTuple

from model.encodings import BLOCK_BYTES
from model.window import WaitingFill, Window

READS_AHEAD = 2
"""Commands beyond the window that may wait for reads."""

SLOTS_AHEAD = 6
"""Commands beyond the window that may wait for the transfer of their responses, at least."""


class Cycle(NamedTuple):
    """One clock cycle: the outputs, the blocks that are read by bank, the block that is written."""

    cmd_ready: bool
    fill_ready: bool
    rsp_valid: bool
    fill_error: bool
    idle: bool
    reads: dict[int, int]
    written: int | None


class CycleModel:
    """A unit that is stepped once per clock cycle; at first it is as behind an edge with `rst`.

    Numbers of commands count from 0 after each reset.
    """

    def __init__(self, ub_bytes: int, banks: int, window: int) -> None:
        self._ub_bytes = ub_bytes
        self._banks = banks
        self._window_size = window
        self._reads_limit = window + READS_AHEAD
        self._slots = 1 << (window + SLOTS_AHEAD - 1).bit_length()
        self._reset()

    def _reset(self) -> None:
        self.accepted = 0
        self.answered = 0
        self.window = Window(self._banks, self._window_size)
        self._awake = False
        self._entering: Sequence[int] | None = None
        self._read = self._collected = self._finished = 0
        self._fill: WaitingFill | None = None
        self._fill_error = False

    def step(
        self,
        wanted: Sequence[int] | None = None,
        fill: int | None = None,
        rsp_ready: bool = True,
        rst: bool = False,
    ) -> Cycle:
        """Carry out the present cycle and the edge at its end, from the inputs at that edge.

        `wanted` is the command on the port, as `wanted_blocks` gives it, `fill` the byte address
        of a fill; None where its valid is low.
        """
        window, waiting = self.window, self._fill
        in_reads = self.accepted - window.completed
        write = waiting is not None and window.completed >= waiting.ahead
        cmd_ready = (
            self._awake
            and in_reads < self._reads_limit
            and self.accepted - self.answered < self._slots
        )
        fill_ready = self._awake and (waiting is None or write)
        rsp_valid = self._finished > self.answered
        cycle = Cycle(
            cmd_ready,
            fill_ready,
            rsp_valid,
            self._fill_error,
            self.accepted == self.answered and waiting is None,
            window.serve(waiting, write) if in_reads or write else {},
            waiting.block if write else None,
        )
        if rst:
            self._reset()
            return cycle
        self._awake = True
        if rsp_valid and rsp_ready:
            self.answered += 1
        # From its last turn a command takes two cycles to be collected and one to be offered.
        self._finished, self._collected, self._read = self._collected, self._read, window.completed
        if self._entering is not None:
            window.enter(self._entering)
        self._entering = wanted if cmd_ready else None
        if self._entering is not None:
            self.accepted += 1
        self._fill_error = False
        if write:
            self._fill = None
        if fill is not None and fill_ready:
            self._accept_fill(fill)
        return cycle

    def describe(self) -> list[str]:
        """What the unit is at in the present cycle, in a few lines."""
        in_flight = (
            f"{self.accepted} commands accepted since the reset, the reads of "
            f"{self.window.completed} complete, {self.answered} answered"
        )
        if self._fill is not None:
            in_flight += f"; a fill of block {self._fill.block} follows {self._fill.ahead} commands"
        return [in_flight, *self.window.describe()]

    def _accept_fill(self, address: int) -> None:
        self._fill_error = bool(address % BLOCK_BYTES) or address >= self._ub_bytes
        if not self._fill_error:
            self._fill = WaitingFill(address // BLOCK_BYTES, self.accepted)
