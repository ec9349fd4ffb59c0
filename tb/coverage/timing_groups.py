"""When it happens: commands in flight, stalled responses, latencies and resets."""

import numpy as np
from numpy.typing import NDArray

from tb.coverage.covergroup import Covergroup, Labels, on_every_design, ranges
from tb.coverage.design import Design
from tb.coverage.labels import READY, only
from tb.coverage.observed import NEVER, Observed

# ---- Commands in flight --------------------------------------------------------------------------
_IN_FLIGHT: Labels = (
    "none in flight",
    "1 in flight",
    "up to the window",
    "more than the window",
)
_UP_TO_THE_WINDOW = 2


def _in_flight_classes(observed: Observed, cycles: NDArray[np.int64]) -> NDArray[np.int8]:
    count = observed.in_flight[cycles]
    return ranges(count, 0, 1, 2) + (count > observed.design.window)


def _in_flight_out_of_reach(design: Design, in_flight: int, other: int) -> str:
    if in_flight == _UP_TO_THE_WINDOW and design.window == 1:
        return "between 1 and a window of 1 there is none"
    return ""


OCCUPANCY = Covergroup(
    "occupancy",
    "commands in flight where one more is accepted, and rsp_ready in that cycle",
    ("PT-3", "PT-6", "CY-9"),
    on_every_design(_IN_FLIGHT, READY),
    lambda observed: (
        _in_flight_classes(observed, observed.accepted),
        observed.ready[observed.accepted].astype(np.uint8),
    ),
    _in_flight_out_of_reach,
)


# ---- Stalls --------------------------------------------------------------------------------------
_STALLS: Labels = ("1 cycle", "2 to 7 cycles", "8 cycles or more")


def _stall_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    """How long rsp_ready was low just before each transfer, while its response was due.

    The transfers do not show valid: due is here what an idle unit would have ready. The response
    before it was taken with rsp_ready high, so that what it waited for is not counted again.
    """
    kept = observed.answered >= 0
    answered = observed.answered[kept]
    cycle = np.arange(len(observed.ready), dtype=np.int64)
    last_high = np.maximum.accumulate(np.where(observed.ready, cycle, -1))
    low = answered - 1 - last_high[answered - 1]
    due = observed.due[kept]
    return (ranges(np.minimum(low, answered - due), 1, 2, 8),)


STALLS = Covergroup(
    "stalls",
    "cycles with rsp_ready low in which a response was due",
    ("PT-3", "PT-4", "CY-9"),
    on_every_design(_STALLS),
    _stall_classes,
)


# ---- Latencies -----------------------------------------------------------------------------------
_READS: Labels = ("fault", "D = 0", "D = 1", "D from 2 on")
_LATENCIES: Labels = ("as in an idle unit", "1 to 3 cycles more", "4 cycles more or longer")


def _latency_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    more = observed.answered - observed.due
    reads = observed.good * (np.int8(1) + ranges(observed.degree, 0, 1, 2))
    return reads, only(ranges(more, 0, 1, 4), observed.answered >= 0)


LATENCIES = Covergroup(
    "latencies",
    "cycles from acceptance to the transfer of the response, beyond 5 + max(0, D - 1)",
    ("CY-7", "CY-8", "CY-3"),
    on_every_design(_READS, _LATENCIES),
    _latency_classes,
)


# ---- Resets --------------------------------------------------------------------------------------
_RECENTLY = 4  # cycles

_FILLED: Labels = ("no fill just before", f"a fill in the {_RECENTLY} cycles before")


def _reset_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    begins, filled = observed.reset_begins, observed.filled
    recent = np.searchsorted(filled, begins) - np.searchsorted(filled, begins - _RECENTLY)
    return _in_flight_classes(observed, begins), (recent > 0).astype(np.uint8)


RESETS = Covergroup(
    "resets",
    "commands in flight where rst rises, and a fill that may not be written yet",
    ("RS-1", "RS-2", "RS-3", "RS-4", "RS-5"),
    on_every_design(_IN_FLIGHT, _FILLED),
    _reset_classes,
    _in_flight_out_of_reach,
)

_DROPPED: Labels = ("nothing was in flight", "commands were dropped")
_RESUMED: Labels = ("first cycle possible", "later")
# In cycles behind the last one with rst: the first edge without it is what lets a ready rise.
_FIRST_POSSIBLE = 2


def _resume_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    begins = observed.reset_begins
    dropped = observed.in_flight[begins] > 0
    last = np.flatnonzero(observed.resets & ~np.append(observed.resets[1:], False))
    number = np.searchsorted(observed.accepted, begins)
    first = np.append(observed.accepted, NEVER)[number]
    # Only up to the next reset, where there is one, and to the end of the test.
    counted = first < np.append(begins[1:], len(observed.resets))
    later = (first - last > _FIRST_POSSIBLE).astype(np.uint8)
    return dropped.astype(np.uint8), only(later, counted)


RESUMES = Covergroup(
    "resumes",
    "the first command behind a reset, by whether the reset dropped any",
    ("RS-1", "RS-3"),
    on_every_design(_DROPPED, _RESUMED),
    _resume_classes,
)

TIMING_GROUPS = (OCCUPANCY, STALLS, LATENCIES, RESETS, RESUMES)
