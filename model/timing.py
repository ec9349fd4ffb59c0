"""The cycles of a whole sequence of commands, by the cycle model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model.batch import CommandBatch
from model.cycles import CycleModel
from model.encodings import REGISTER_BYTES
from model.window import wanted_blocks_batch


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """What happened when, in cycles from the first acceptance on.

    `accepted`, `completed`, `answered`: int64 (n,), the cycle of each command's acceptance, of its
    last turn at the banks and of its response's transfer. `read_cycles`, `read_banks`: int64 (m,),
    the cycle and the bank of each read.
    """

    accepted: NDArray[np.int64]
    completed: NDArray[np.int64]
    answered: NDArray[np.int64]
    read_cycles: NDArray[np.int64]
    read_banks: NDArray[np.int64]

    @property
    def cycles(self) -> int:
        """Cycles from the first acceptance to the last response."""
        return int(self.answered[-1] - self.accepted[0])

    @property
    def bytes_per_cycle(self) -> float:
        """256 bytes for each response, over all cycles."""
        return REGISTER_BYTES * len(self.answered) / self.cycles


def simulate(batch: CommandBatch, ub_bytes: int, banks: int, window: int) -> Timing:
    """The cycles of commands that are offered without a pause to an idle unit without fills.

    Each response is taken in the cycle in which it is offered. Raises ValueError for no command.
    """
    wanted = wanted_blocks_batch(batch, ub_bytes)
    count = len(wanted)
    if not count:
        raise ValueError("no commands; a sequence has at least one")
    model = CycleModel(ub_bytes, banks, window)
    model.step()
    accepted: list[int] = []
    completed: list[int] = []
    answered: list[int] = []
    read_cycles: list[int] = []
    read_banks: list[int] = []
    cycle = 0
    while len(answered) < count:
        reads = model.step(wanted[len(accepted)] if len(accepted) < count else None).reads
        read_cycles += [cycle] * len(reads)
        read_banks += reads
        if model.accepted > len(accepted):
            accepted.append(cycle)
        if model.window.completed > len(completed):
            completed.append(cycle)
        if model.answered > len(answered):
            answered.append(cycle)
        cycle += 1
    return Timing(
        *(
            np.array(events, np.int64)
            for events in (accepted, completed, answered, read_cycles, read_banks)
        )
    )
