"""A play: all that is driven into a unit, by cycle: commands and fills with their gaps, backpressure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model.batch import CommandBatch
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
        for field, shape in (
            ("command_gaps", (len(self.commands),)),
            ("fill_gaps", (len(self.fills),)),
            ("ready", (len(self.ready), 2)),
        ):
            array = getattr(self, field)
            if array.dtype != np.uint32 or array.shape != shape:
                raise ValueError(
                    f"{field} is {array.dtype} {array.shape}; it must be uint32 {shape}"
                )


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """What came of a play; cycles count from the first one without reset.

    `accepted` int64 (a,), `filled` int64 (b,) and `answered` int64 (r,) are the cycles of the transfers
    of commands, fills and responses. Of each response: `data` uint8 (r, 256), `block_we`, `fault_kind`,
    `fault_lane` uint8 (r,), `base` uint32 (r,), `fault_address` uint64 (r,), and `unknown` uint16 (r,)
    with a bit for each DataBlock (0 to 7) and field (8 on) that has an X. `outputs` uint32 (k, 2) holds
    the cycle and the new levels whenever one of cmd_ready, fill_ready, rsp_valid, fill_error and idle
    changes (bits 0 to 4, an X in bits 16 to 20). `hung`: it stopped before all was sent and answered.
    """

    accepted: NDArray[np.int64]
    filled: NDArray[np.int64]
    answered: NDArray[np.int64]
    data: NDArray[np.uint8]
    block_we: NDArray[np.uint8]
    fault_kind: NDArray[np.uint8]
    fault_lane: NDArray[np.uint8]
    base: NDArray[np.uint32]
    fault_address: NDArray[np.uint64]
    unknown: NDArray[np.uint16]
    outputs: NDArray[np.uint32]
    hung: bool
