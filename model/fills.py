"""Fills over arrays, and what commands between them read: specification, section 5."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model.arrays import check_arrays
from model.batch import CommandBatch, ResponseBatch, execute_rows
from model.encodings import BLOCK_BYTES

# Beside the 25 bits of a block number, in 63.
_CYCLE_BITS = 38


@dataclass(frozen=True, slots=True, eq=False)
class FillBatch:
    """m fills as numpy arrays: byte `address` uint32 (m,), `data` uint8 (m, 32).

    Raises ValueError, naming the field, for another shape or type.
    """

    address: NDArray[np.uint32]
    data: NDArray[np.uint8]

    def __post_init__(self) -> None:
        count = len(self.address)
        expected = [
            ("address", np.uint32, (count,)),
            ("data", np.uint8, (count, BLOCK_BYTES)),
        ]
        check_arrays(self, expected)

    def __len__(self) -> int:
        return len(self.address)

    def take(self, fills: slice | NDArray[np.integer]) -> "FillBatch":
        """The fills that a slice or an array of numbers selects, in its order."""
        return FillBatch(self.address[fills], self.data[fills])

    def written(self, ub_bytes: int) -> NDArray[np.bool_]:
        """Whether each fill is written and not dropped (`fill_error`): bool (m,)."""
        return (self.address % BLOCK_BYTES == 0) & (self.address < ub_bytes)


def execute_in_order(
    contents: NDArray[np.uint8],
    commands: CommandBatch,
    accepted: NDArray[np.int64],
    fills: FillBatch,
    filled: NDArray[np.int64],
) -> ResponseBatch:
    """The responses to commands with fills among them, each taking effect in its cycle.

    `accepted` int64 (n,) and `filled` int64 (m,) are the cycles of acceptance, both increasing; in one
    cycle the command comes first. `contents`, uint8 (ub_bytes,), becomes what it is after all fills.
    """
    blocks = contents.reshape(-1, BLOCK_BYTES)
    kept = np.flatnonzero(fills.written(contents.size))
    number = fills.address[kept].astype(np.int64) // BLOCK_BYTES
    # By block, then by cycle: the fill that a read sees stands just before the read's own place.
    order = np.argsort(number, kind="stable")
    number, kept = number[order], kept[order]
    keys = number << _CYCLE_BITS | filled[kept]
    rows = np.concatenate([blocks, fills.data[kept]])

    def rows_of(block: NDArray[np.intp], chunk: slice) -> NDArray[np.intp]:
        """The row that lane i of each command reads for DataBlock `block`, (n, 8)."""
        before = np.searchsorted(keys, block << _CYCLE_BITS | accepted[chunk, np.newaxis]) - 1
        seen = before >= 0
        seen[seen] = number[before[seen]] == block[seen]
        return np.where(seen, len(blocks) + before, block)

    responses = execute_rows(rows, commands, contents.size, rows_of)
    # Of several fills of one block the last one stays, as in an assignment one after another.
    last = np.flatnonzero(np.diff(number, append=-1))
    blocks[number[last]] = fills.data[kept[last]]
    return responses
