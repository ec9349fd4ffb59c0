"""What a unit does with a play, cycle by cycle, by the cycle model: specification, sections 5 and 6."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model.cycles import Cycle, CycleModel
from model.encodings import REGISTER_BYTES
from model.fills import execute_in_order
from model.play import Play, levels
from model.window import wanted_blocks_batch

_TAIL_CYCLES = 8  # behind the last response, in which idle is high again


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """A play by the cycle model; cycles count from the first one without reset.

    `accepted` int64 (n,) and `filled` int64 (m,) are the cycles of the transfers, `answered` int64 (n,)
    those of the responses, -1 for a command that a reset dropped. `lost_fills` are the numbers of
    fills that a reset dropped before they were written. `cycles` has every cycle.
    """

    accepted: NDArray[np.int64]
    filled: NDArray[np.int64]
    answered: NDArray[np.int64]
    lost_fills: tuple[int, ...]
    cycles: tuple[Cycle, ...]


class _Stream:
    """When valid is high: each transfer follows the one before it by its gap."""

    def __init__(self, gaps: NDArray[np.uint32]) -> None:
        self._gaps = gaps.tolist()
        self.transfers: list[int] = []
        self._due = 1 + self._gaps[0] if self._gaps else 0

    def offers(self, cycle: int) -> bool:
        """Whether valid is high."""
        return len(self.transfers) < len(self._gaps) and cycle >= self._due

    def transfer(self, cycle: int) -> None:
        """The transfer that is offered takes place."""
        self.transfers.append(cycle)
        if self.left:
            self._due = cycle + 1 + self._gaps[len(self.transfers)]

    @property
    def left(self) -> bool:
        """Whether something is still to be transferred."""
        return len(self.transfers) < len(self._gaps)


def predict(
    play: Play, ub_bytes: int, banks: int, window: int, cycles: int | None = None
) -> Prediction:
    """What the unit does with `play`, for so many `cycles`, or until all of it has been answered."""
    model = CycleModel(ub_bytes, banks, window)
    wanted = wanted_blocks_batch(play.commands, ub_bytes)
    addresses = play.fills.address.tolist()
    written = play.fills.written(ub_bytes).tolist()
    commands, fills = _Stream(play.command_gaps), _Stream(play.fill_gaps)
    inputs = zip(levels(play.ready, first=True), levels(play.resets, first=False), strict=False)
    resets_end = int(play.resets.sum())
    answered = np.full(len(play.commands), -1, np.int64)
    due: list[int] = []  # commands without a response, oldest first
    waiting: int | None = None  # the fill that has not been written
    lost: list[int] = []
    trace: list[Cycle] = []
    last = 0  # the cycle in which something was last to do
    for cycle, (rsp_ready, rst) in enumerate(inputs):
        if cycle == (last + _TAIL_CYCLES if cycles is None else cycles):
            break
        command = commands.offers(cycle)
        fill = fills.offers(cycle)
        now = model.step(
            wanted[len(commands.transfers)] if command else None,
            addresses[len(fills.transfers)] if fill else None,
            rsp_ready,
            rst,
        )
        trace.append(now)
        if now.written is not None:
            waiting = None
        if rst:
            lost += [waiting] if waiting is not None else []
            waiting, due = None, []
        else:
            if now.rsp_valid and rsp_ready:
                answered[due.pop(0)] = cycle
            if command and now.cmd_ready:
                due.append(len(commands.transfers))
                commands.transfer(cycle)
            if fill and now.fill_ready:
                number = len(fills.transfers)
                waiting = number if written[number] else waiting
                fills.transfer(cycle)
        if commands.left or fills.left or due or cycle < resets_end:
            last = cycle
    accepted = np.array(commands.transfers, np.int64)
    filled = np.array(fills.transfers, np.int64)
    return Prediction(accepted, filled, answered, tuple(lost), tuple(trace))


def predicted_data(contents: bytes, play: Play, prediction: Prediction, ub_bytes: int) -> bytes:
    """256 bytes for each command: the data of its response, zero where a reset dropped it.

    `contents` are those of the Unified Buffer from address 0 on, the rest of it is zero.
    """
    buffer = np.zeros(ub_bytes, np.uint8)
    buffer[: len(contents)] = np.frombuffer(contents, np.uint8)
    kept = np.delete(np.arange(len(play.fills)), prediction.lost_fills)
    responses = execute_in_order(
        buffer, play.commands, prediction.accepted, play.fills.take(kept), prediction.filled[kept]
    )
    data = responses.data.reshape(-1, REGISTER_BYTES)
    data[prediction.answered < 0] = 0
    return data.tobytes()
