"""The same run must have the same trace wherever it runs, and whatever its registers start with.

A trace is a digest of the ports in every cycle, which each test leaves in its record.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flow.regress.job import Job
from flow.regress.ledger import Entry

_DIGESTS = ("trace_digest", "cycles_digest")


@dataclass(frozen=True)
class Comparison:
    """Runs of one job on more than one simulator: tests with equal traces, and a line for each other."""

    equal: int
    differing: tuple[str, ...]


def differing_tests(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """The tests in both records, by name, whose traces are not the same."""
    return [
        name
        for name, test in first.items()
        if name in second and _digests(test) != _digests(second[name])
    ]


def compare_simulators(entries: Sequence[Entry]) -> Comparison:
    """Compare the traces of all jobs that are the same but for the simulator, where both passed."""
    same: dict[Job, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.passed:
            same[replace(entry.job, simulator="")].append(entry)
    equal, differing = 0, []
    for entry, *others in same.values():
        for other in others:
            names = differing_tests(entry.tests, other.tests)
            traced = [name for name in entry.tests if any(_digests(entry.tests[name]))]
            equal += len(traced) - len(names)
            differing += [
                f"{name} has other traces in {entry.job.name} and in {other.job.name}"
                for name in names
            ]
    return Comparison(equal, tuple(differing))


def _digests(test: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(test.get(kind, "") for kind in _DIGESTS)
