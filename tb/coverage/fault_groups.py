"""Faults, those that an inactive lane keeps away, and what comes next to them: section 4."""

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, FaultKind, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design
from tb.coverage.design import Design
from tb.coverage.labels import FAULT_KINDS, LANE_NUMBERS, OPS, only
from tb.coverage.observed import Observed


def _kind_reachable(design: Design, op: int, kind: int) -> bool:
    # Only a LoadAlign has an illegal type, only a GatherB has indices.
    refused = FaultKind.ILLEGAL_DTYPE if op == Op.GATHERB else FaultKind.MISALIGNED_INDEX
    return kind != refused


FAULTS = Covergroup(
    "faults",
    "op and fault",
    ("FA-1", "FA-2", "FA-3", "FA-4", "FA-13", "FA-14", "FA-16", "FA-17"),
    on_every_design(OPS, FAULT_KINDS),
    lambda observed: (observed.commands.op, observed.faults.kind),
    _kind_reachable,
)


# ---- Faults of lanes -----------------------------------------------------------------------------
_LANE_FAULTS: Labels = FAULT_KINDS[FaultKind.MISALIGNED_INDEX :]


def _lane_fault_reachable(design: Design, op: int, kind: int, *others: int) -> bool:
    return _kind_reachable(design, op, kind + FaultKind.MISALIGNED_INDEX)


def _lane_fault_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    faults = observed.faults
    kind = faults.kind.astype(np.int64) - FaultKind.MISALIGNED_INDEX
    return observed.commands.op, np.maximum(kind, -1), faults.lane


FAULT_LANES = Covergroup(
    "fault lanes",
    "op, fault and the lane that is blamed",
    ("FA-3", "FA-4", "FA-10"),
    on_every_design(OPS, _LANE_FAULTS, LANE_NUMBERS),
    _lane_fault_classes,
    _lane_fault_reachable,
)

_OTHER_LANES: Labels = ("no lane active", "others active")


def _masked_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands = observed.commands
    gathers = (commands.op == Op.GATHERB)[:, np.newaxis]
    misaligned = gathers & (commands.index % BLOCK_BYTES != 0)
    outside = observed.addresses + BLOCK_BYTES > observed.design.ub_bytes
    # A lane of a good command that would fault is inactive.
    masked = np.stack([misaligned.any(axis=1), outside.any(axis=1)]) & observed.good
    kinds = only(np.arange(len(_LANE_FAULTS))[:, np.newaxis], masked)
    return commands.op, kinds, observed.active.any(axis=1).astype(np.uint8)


MASKED_FAULTS = Covergroup(
    "masked faults",
    "a lane that would fault, but is inactive, of a command without a fault",
    ("FA-5", "LA-12"),
    on_every_design(OPS, _LANE_FAULTS, _OTHER_LANES),
    _masked_classes,
    _lane_fault_reachable,
)


# ---- Errors of the command -----------------------------------------------------------------------
_COMMAND_ERRORS: Labels = FAULT_KINDS[FaultKind.ILLEGAL_DTYPE : FaultKind.MISALIGNED_INDEX]
_MASK_BITS: Labels = ("no bit set", "some bits set", "every bit set")


def _error_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    mask, kind = observed.commands.mask, observed.faults.kind
    errors = (kind == FaultKind.ILLEGAL_DTYPE) | (kind == FaultKind.MISALIGNED_BASE)
    bits = mask.any(axis=1).astype(np.uint8) + (mask == 0xFF).all(axis=1)
    return only(kind.astype(np.int64) - FaultKind.ILLEGAL_DTYPE, errors), bits


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
    pairs = fault[:-1] + 2 * fault[1:].astype(np.int64) - 1
    resets = np.searchsorted(observed.reset_begins, accepted)
    return only(pairs, np.diff(resets) == 0), (np.diff(accepted) > 1).astype(np.uint8)


NEIGHBOURS = Covergroup(
    "fault neighbours",
    "a command with a fault next to another command, and how soon they follow",
    ("FA-11", "FA-13", "FA-15"),
    on_every_design(_NEIGHBOURS, _WHEN),
    _neighbour_classes,
)

FAULT_GROUPS = (FAULTS, FAULT_LANES, MASKED_FAULTS, COMMAND_ERRORS, NEIGHBOURS)
