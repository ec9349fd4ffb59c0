"""Faults, those that an inactive lane keeps away, and what comes next to them: section 4."""

import numpy as np
from numpy.typing import NDArray

from model import FaultKind, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design
from tb.coverage.design import Design
from tb.coverage.labels import FAULT_KINDS, LANE_NUMBERS, OPS, only
from tb.coverage.observed import Observed


def _kind_out_of_reach(design: Design, op: int, kind: int) -> str:
    if op == Op.GATHERB and kind == FaultKind.ILLEGAL_DTYPE:
        return "every data type is legal for a GatherB"
    if op != Op.GATHERB and kind == FaultKind.MISALIGNED_INDEX:
        return "a LoadAlign has no indices"
    return ""


FAULTS = Covergroup(
    "faults",
    "op and fault",
    ("FA-1", "FA-2", "FA-3", "FA-4", "FA-13", "FA-14", "FA-16", "FA-17"),
    on_every_design(OPS, FAULT_KINDS),
    lambda observed: (observed.commands.op, observed.faults.kind),
    _kind_out_of_reach,
)


# ---- Faults of lanes -----------------------------------------------------------------------------
_LANE_FAULTS: Labels = FAULT_KINDS[FaultKind.MISALIGNED_INDEX :]


def _lane_fault_out_of_reach(design: Design, op: int, kind: int, *others: int) -> str:
    return _kind_out_of_reach(design, op, kind + FaultKind.MISALIGNED_INDEX)


def _lane_fault_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    faults = observed.faults
    kind = np.maximum(faults.kind.astype(np.int8) - FaultKind.MISALIGNED_INDEX, np.int8(-1))
    return observed.commands.op, kind, faults.lane


FAULT_LANES = Covergroup(
    "fault lanes",
    "op, fault and the lane that is blamed",
    ("FA-3", "FA-4", "FA-10"),
    on_every_design(OPS, _LANE_FAULTS, LANE_NUMBERS),
    _lane_fault_classes,
    _lane_fault_out_of_reach,
)

_OTHER_LANES: Labels = ("no lane active", "others active")


def _masked_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    lanes = observed.lanes
    # A lane of a good command that would fault is inactive.
    masked = (np.stack([lanes.misaligned, lanes.outside]) != 0) & observed.good
    kinds = only(np.arange(len(_LANE_FAULTS))[:, np.newaxis], masked)
    return observed.commands.op, kinds, (lanes.active != 0).astype(np.int8)


MASKED_FAULTS = Covergroup(
    "masked faults",
    "a lane that would fault, but is inactive, of a command without a fault",
    ("FA-5", "LA-12"),
    on_every_design(OPS, _LANE_FAULTS, _OTHER_LANES),
    _masked_classes,
    _lane_fault_out_of_reach,
)


# ---- Errors of the command -----------------------------------------------------------------------
_COMMAND_ERRORS: Labels = FAULT_KINDS[FaultKind.ILLEGAL_DTYPE : FaultKind.MISALIGNED_INDEX]
_MASK_BITS: Labels = ("no bit set", "some bits set", "every bit set")


def _error_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    kind = observed.faults.kind
    errors = np.flatnonzero((kind == FaultKind.ILLEGAL_DTYPE) | (kind == FaultKind.MISALIGNED_BASE))
    mask = observed.commands.mask[errors]
    bits = mask.any(axis=1).astype(np.int8) + (mask == 0xFF).all(axis=1)
    return kind[errors].astype(np.int8) - FaultKind.ILLEGAL_DTYPE, bits


COMMAND_ERRORS = Covergroup(
    "command errors",
    "faults that do not depend on the mask, and the mask",
    ("FA-1", "FA-2", "FA-7"),
    on_every_design(_COMMAND_ERRORS, _MASK_BITS),
    _error_classes,
)


# ---- Neighbours ----------------------------------------------------------------------------------
_NEIGHBOURS: Labels = ("good after fault", "fault after good", "fault after fault")
_WHEN: Labels = ("in the next cycle", "later")


def _neighbour_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    fault, accepted = ~observed.good, observed.accepted
    # Good after good is -1, which is not counted. What a reset separates are no neighbours.
    pairs = fault[:-1] + 2 * fault[1:].astype(np.int8) - np.int8(1)
    resets = np.searchsorted(observed.reset_begins, accepted)
    return only(pairs, np.diff(resets) == 0), (np.diff(accepted) > 1).astype(np.int8)


NEIGHBOURS = Covergroup(
    "fault neighbours",
    "a command with a fault next to another command, and how soon they follow",
    ("FA-11", "FA-13", "FA-15"),
    on_every_design(_NEIGHBOURS, _WHEN),
    _neighbour_classes,
)

FAULT_GROUPS = (FAULTS, FAULT_LANES, MASKED_FAULTS, COMMAND_ERRORS, NEIGHBOURS)
