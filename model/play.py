"""A play: all that is driven into a unit, by cycle: commands and fills with their gaps, backpressure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model.arrays import check_arrays
from model.batch import CommandBatch, ResponseBatch
from model.fills import FillBatch


@dataclass(frozen=True, slots=True, eq=False)
class Play:
    """n commands, m fills and the pattern of `rsp_ready`.

    `command_gaps` uint32 (n,) and `fill_gaps` uint32 (m,) are the cycles in which valid is low
    before each transfer, counted from the transfer before it, or from the first cycle without reset.
    `ready` uint32 (k, 2) has pairs (cycles high, cycles low); behind the last one it stays high.
    Raises ValueError, naming the field, for another shape or type.
    """

    commands: CommandBatch
    command_gaps: NDArray[np.uint32]
    fills: FillBatch
    fill_gaps: NDArray[np.uint32]
    ready: NDArray[np.uint32]

    def __post_init__(self) -> None:
        expected = [
            ("command_gaps", np.uint32, (len(self.commands),)),
            ("fill_gaps", np.uint32, (len(self.fills),)),
            ("ready", np.uint32, (len(self.ready), 2)),
        ]
        check_arrays(self, expected)


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """What came of a play; cycles count from the first one without reset.

    `accepted` int64 (a,), `filled` int64 (b,) and `answered` int64 (r,) are the cycles of the transfers
    of commands, fills and responses. `responses` are r, and `unknown` uint16 (r,) has a bit for each
    DataBlock (0 to 7) and field (8 on) of theirs that has an X.
    """

    accepted: NDArray[np.int64]
    filled: NDArray[np.int64]
    answered: NDArray[np.int64]
    responses: ResponseBatch
    unknown: NDArray[np.uint16]
