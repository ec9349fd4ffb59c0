"""Axes that several covergroups share, and the classes of commands along them."""

import numpy as np
from numpy.typing import NDArray

from model import LANES, Dtype, FaultKind, Op
from tb.coverage.covergroup import Labels, ranges
from tb.coverage.observed import Observed

OPS: Labels = tuple(op.name for op in Op)
DTYPES: Labels = tuple(dtype.name.lower() for dtype in Dtype)
FAULT_KINDS: Labels = tuple(kind.name for kind in FaultKind)
LANE_NUMBERS: Labels = tuple(f"lane {lane}" for lane in range(LANES))

DEGREES: Labels = tuple(f"D = {degree}" for degree in range(LANES + 1))
READY: Labels = ("rsp_ready low", "rsp_ready high")

FAMILIES: Labels = ("GatherB", "LoadAlign")
"""The op without how a LoadAlign treats its base."""


def family(observed: Observed) -> NDArray[np.uint8]:
    """The class of each command along FAMILIES: uint8 (n,)."""
    return (observed.commands.op != Op.GATHERB).astype(np.uint8)


def only(classes: NDArray[np.integer], counted: NDArray[np.bool_]) -> NDArray[np.int8]:
    """`classes` where they are to be counted, and -1 elsewhere, both broadcast to one shape."""
    return np.where(counted, classes.astype(np.int8), np.int8(-1))


MASKS: Labels = (
    "no bit set",
    "one lane",
    "some lanes",
    "eight lanes",
    "only bits that do not count",
)
NO_BIT, ONE_LANE, SOME_LANES, EIGHT_LANES, IGNORED_BITS = range(len(MASKS))


def mask_class(observed: Observed) -> NDArray[np.int8]:
    """The class of each command along MASKS: int8 (n,)."""
    # Four words tell as well as 32 bytes whether there is a bit.
    words = np.ascontiguousarray(observed.commands.mask).view(np.uint64)
    some = (words[:, 0] | words[:, 1] | words[:, 2] | words[:, 3]) != 0
    lanes = ranges(observed.lanes.count, 0, 1, 2, LANES)
    return np.where((lanes == NO_BIT) & some, np.int8(IGNORED_BITS), lanes)
