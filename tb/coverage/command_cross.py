"""The full cross of a single command: op, data type, mask, conflicts and duplicates together."""

import numpy as np
from numpy.typing import NDArray

from model import LANES, Dtype, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design
from tb.coverage.design import Design
from tb.coverage.labels import (
    DEGREES,
    DTYPES,
    EIGHT_LANES,
    IGNORED_BITS,
    MASKS,
    NO_BIT,
    ONE_LANE,
    OPS,
    SOME_LANES,
    mask_class,
    only,
)
from tb.coverage.observed import Observed

DUPLICATES: Labels = ("no block twice", "some lanes share a block", "all lanes share one block")
NONE_TWICE, SOME_SHARE, ALL_SHARE = range(len(DUPLICATES))

# Of so many lanes at the most: a mask's, less one where two of them share a DataBlock.
_MOST_LANES = {SOME_LANES: LANES - 1, EIGHT_LANES: LANES}


def _classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands, lanes = observed.commands, observed.lanes
    count, distinct = lanes.count, lanes.distinct
    shared = (distinct < count).astype(np.int8) + ((distinct == 1) & (count > 1))
    degree = only(observed.degree, observed.good)
    return commands.op, commands.dtype, mask_class(observed), degree, shared


def _out_of_reach(design: Design, op: int, dtype: int, mask: int, degree: int, shared: int) -> str:
    if op != Op.GATHERB and dtype == Dtype.B64:
        return "a LoadAlign of b64 is refused"
    if op != Op.GATHERB and dtype == Dtype.B8 and mask == IGNORED_BITS:
        return "every bit counts for b8"
    if mask in (NO_BIT, IGNORED_BITS):
        nothing = degree == 0 and shared == NONE_TWICE
        return "" if nothing else "without an active lane nothing is read"
    if degree == 0:
        return "an active lane of a command without a fault reads"
    if mask == ONE_LANE:
        one = degree == 1 and shared == NONE_TWICE
        return "" if one else "one lane reads one DataBlock"
    if shared == ALL_SHARE:
        return "" if degree == 1 else "one DataBlock is one row"
    if degree > design.rows:
        return "a bank has fewer rows"
    if degree > _MOST_LANES[mask] - (shared == SOME_SHARE):
        return "these lanes want fewer DataBlocks"
    if degree == 1 and design.banks == 1:
        return "two DataBlocks of the only bank are two rows"
    if op != Op.GATHERB:
        return _load_out_of_reach(design, mask, degree, shared)
    if mask == EIGHT_LANES and shared == NONE_TWICE and degree * design.banks < LANES:
        return "eight DataBlocks need more rows of so few banks"
    return ""


def _load_out_of_reach(design: Design, mask: int, degree: int, shared: int) -> str:
    """Of at least two lanes of a LoadAlign that want `degree` rows, not all the same DataBlock."""
    if shared == SOME_SHARE:
        return "a stride is 0 for all lanes or for none"
    if mask == SOME_LANES:
        far = (degree - 1) * design.shortest_period >= LANES
        return "no stride brings that many of eight lanes to one bank" if far else ""
    if degree not in (1, 2, 4, 8):
        return "eight lanes spread evenly over a power of two of banks"
    period = LANES // degree
    if degree == 1:
        # Any period from eight on will do: stride 1 has the longest.
        period = design.banks
    if not design.shortest_period <= period <= design.banks or degree == 1 and period < LANES:
        return "no stride spreads eight lanes over that many banks"
    if (LANES - 1) * (design.banks // period) >= design.blocks:
        return "eight lanes that far apart do not fit"
    return ""


COMMANDS = Covergroup(
    "commands",
    "op, data type, mask, D and duplicates of the commands without a fault, all crossed",
    ("GB-4", "GB-5", "GB-6", "GB-7", "LA-2", "LA-8", "LA-15", "MK-9", "CY-1", "CY-2", "PT-14"),
    on_every_design(OPS, DTYPES, MASKS, DEGREES, DUPLICATES),
    _classes,
    _out_of_reach,
)
