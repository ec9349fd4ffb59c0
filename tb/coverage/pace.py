"""How fast the unit was: cycles against what banks and ports allow, latencies, load of the banks."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from tb.coverage.observed import Observed

Pace = dict[str, Any]
"""By name: "commands" and "cycles" from the first acceptance to the last response, "bound" (the cycles
without which it cannot be done), "latencies" (commands by cycles) and "bank_reads" (one number each).
"""


def pace_of(observed: Observed) -> Pace:
    """The pace of one test; empty where nothing was answered (specification, section 6).

    The bound is what one port and single-ported banks need at least: a cycle for each command, and
    one for each DataBlock that a command wants of the bank with the most of them.
    """
    answered = observed.answered >= 0
    if not answered.any():
        return {}
    lanes, banks = observed.lanes, observed.design.banks
    bank_reads = np.bincount(lanes.blocks[lanes.first] % np.uint32(banks), minlength=banks)
    cycles, counts = np.unique(
        (observed.answered - observed.accepted)[answered], return_counts=True
    )
    return {
        "commands": len(observed.commands),
        "cycles": int(observed.answered.max() - observed.accepted[0]),
        "bound": max(len(observed.commands), int(bank_reads.max())),
        "latencies": dict(zip(map(str, cycles.tolist()), counts.tolist(), strict=True)),
        "bank_reads": bank_reads.tolist(),
    }


def merge_pace(paces: Iterable[Pace]) -> Pace:
    """Those of several tests of one design, one after another."""
    merged: Pace = {}
    for pace in filter(None, paces):
        if not merged:
            merged = dict(pace)
            continue
        latencies = Counter(merged["latencies"])
        latencies.update(pace["latencies"])
        merged = {
            **{name: merged[name] + pace[name] for name in ("commands", "cycles", "bound")},
            "latencies": dict(latencies),
            "bank_reads": [
                before + own
                for before, own in zip(merged["bank_reads"], pace["bank_reads"], strict=True)
            ],
        }
    return merged
