"""Axes that several covergroups share, and the classes of commands along them."""

import numpy as np
from numpy.typing import NDArray

from model import LANES, Dtype, FaultKind, Op
from tb.coverage.covergroup import Labels
from tb.coverage.observed import Observed

OPS: Labels = tuple(op.name for op in Op)
DTYPES: Labels = tuple(dtype.name.lower() for dtype in Dtype)
FAULT_KINDS: Labels = tuple(kind.name for kind in FaultKind)
LANE_NUMBERS: Labels = tuple(f"lane {lane}" for lane in range(LANES))

FAMILIES: Labels = ("GatherB", "LoadAlign")
"""The op without how a LoadAlign treats its base."""


def family(observed: Observed) -> NDArray[np.uint8]:
    """The class of each command along FAMILIES: uint8 (n,)."""
    return (observed.commands.op != Op.GATHERB).astype(np.uint8)


def only(classes: NDArray[np.integer], counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """`classes` where they are to be counted, and -1 elsewhere, both broadcast to one shape."""
    return np.where(counted, classes.astype(np.int64), -1)
