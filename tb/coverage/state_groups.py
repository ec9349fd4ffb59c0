"""In which state it happens: fill of the window, backpressure, what is due, and a reset amid it."""

import numpy as np
from numpy.typing import NDArray

from model import LANES
from tb.coverage.covergroup import Covergroup, Labels, on_every_design, ranges
from tb.coverage.design import Design
from tb.coverage.labels import READY
from tb.coverage.observed import LATENCY, Observed

_DUE: Labels = ("no response due", "a response due")


def _due_in(observed: Observed, cycles: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether the oldest command in flight in each cycle could be answered there, if it were alone."""
    if not len(observed.accepted):
        return np.zeros(len(cycles), bool)
    # What is in flight are the commands just before the number that is accepted so far.
    accepted_before = observed.accepted_before[cycles]
    oldest = accepted_before - observed.in_flight[cycles]
    waiting = oldest < accepted_before
    return waiting & (observed.due[np.where(waiting, oldest, 0)] <= cycles)


# ---- Backpressure over the fill of the window ----------------------------------------------------
_LEVELS: Labels = (
    "1 in flight",
    "fewer than the window",
    "the whole window",
    "more than the window",
)
_FEWER, _WHOLE = 1, 2


def _pressure_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    count, window = observed.in_flight, observed.design.window
    # An idle unit has no backpressure, and one in reset shows nothing.
    level = ranges(count, 1, 2) + (count >= max(2, window)) + (count > max(1, window))
    level[observed.resets] = -1
    due = _due_in(observed, np.arange(len(count)))
    return level, observed.ready.astype(np.int8), due.astype(np.int8)


def _pressure_out_of_reach(design: Design, level: int, ready: int, due: int) -> str:
    if level == _FEWER and design.window < 3:
        return "between 1 and the window there is none"
    if level == _WHOLE and design.window == 1:
        return "a window of 1 is full with one command"
    # One is accepted in a cycle, and with D rows of a bank a response is due 4 + D cycles later.
    least = design.window + (level > _WHOLE)
    if level >= _WHOLE and not due and least >= LATENCY - 1 + min(design.rows, LANES):
        return "the oldest of that many commands is due"
    return ""


PRESSURE = Covergroup(
    "window and backpressure",
    "by cycle: commands in flight, rsp_ready, and whether a response is due for it",
    ("PT-3", "PT-4", "PT-6", "CY-9"),
    on_every_design(_LEVELS, READY, _DUE),
    _pressure_classes,
    _pressure_out_of_reach,
)


# ---- Resets by state -----------------------------------------------------------------------------
_STAGES: Labels = (
    "nothing in flight",
    *(f"accepted {age} cycle{'s' * (age > 1)} before" for age in range(1, LATENCY + 1)),
    "accepted longer before",
)
_LONGER = LATENCY + 1


def _stage_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    begins = observed.reset_begins
    if not len(observed.accepted):
        return np.zeros(len(begins), np.int8), np.zeros(len(begins), np.int8)
    youngest = np.maximum(observed.accepted_before[begins] - 1, 0)
    age = np.minimum(begins - observed.accepted[youngest], _LONGER)
    stage = np.where(observed.in_flight[begins] > 0, age, 0)
    return stage, _due_in(observed, begins).astype(np.int8)


def _stage_out_of_reach(design: Design, stage: int, due: int) -> str:
    if not stage and due:
        return "nothing is due where nothing is in flight"
    # With D rows of a bank the response is due 5 + D - 1 cycles behind the acceptance.
    if stage == _LONGER and not due and LATENCY + min(design.rows, LANES) - 1 <= _LONGER:
        return "two rows in a bank delay no response for longer"
    return ""


RESET_STAGES = Covergroup(
    "resets by stage",
    "how long before rst rises the last command in flight was accepted, and whether a response is due",
    ("RS-1", "RS-2", "RS-3"),
    on_every_design(_STAGES, _DUE),
    _stage_classes,
    _stage_out_of_reach,
)

STATE_GROUPS = (PRESSURE, RESET_STAGES)
