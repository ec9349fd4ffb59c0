"""What all jobs together have covered, what each has added, and which few would have done."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flow.regress.code_coverage import DESIGN, KINDS, Point, covered, merge, points_of
from flow.regress.job import SUITE
from flow.regress.ledger import Entry
from flow.regress.unreachable import Constant, unreachable

Group = dict[str, Any]
"""A covergroup: "about", "rules" and, in "bins", the hits by name of a bin."""


@dataclass(frozen=True)
class MissingLine:
    """A line of a file of the design with points that no job has executed: which, in words."""

    number: int
    text: str
    what: str


@dataclass(frozen=True)
class FileCoverage:
    """Code coverage of one file: by kind, how many points were executed, and of how many."""

    name: str
    counts: Mapping[str, tuple[int, int]]
    missing: tuple[MissingLine, ...]


@dataclass(frozen=True)
class Gain:
    """A job and how much is covered once it has run, in bins and in points of the code."""

    job: str
    bins: int
    points: int


@dataclass(frozen=True)
class Coverage:
    """Everything: `gains` in the order of the plan, `fewest` the smallest set of jobs that was found.

    `bins` and `points` count what can be reached; `executed` says of each such point how many jobs have
    executed it. `out_of_reach` has, by group and by reason, the bins
    that no design of these jobs can reach; `unreachable` the other points of the code, by what was
    proven of them.
    """

    groups: Mapping[str, Group]
    out_of_reach: Mapping[str, Mapping[str, Sequence[str]]]
    files: tuple[FileCoverage, ...]
    bins: int
    points: int
    executed: Mapping[Point, int]
    unreachable: Mapping[Constant, int]
    gains: tuple[Gain, ...]
    fewest: tuple[Gain, ...]


def coverage_of(entries: Sequence[Entry]) -> Coverage:
    """The coverage of those jobs that simulated and passed."""
    own = [entry for entry in entries if entry.passed and entry.job.bench != SUITE]
    bins = _Items()
    points = _Items()
    rows = [(entry, _bins_hit(entry, bins), _points_hit(entry, points)) for entry in own]
    table = np.zeros((len(rows), len(bins) + len(points)), np.bool_)
    for number, (_, hit_bins, hit_points) in enumerate(rows):
        table[number, hit_bins] = True
        table[number, len(bins) + hit_points] = True
    names = [entry.job.name for entry in own]
    executed = merge(entry.coverage for entry in own if entry.coverage)
    proven = unreachable(executed)
    executed = {point: jobs for point, jobs in executed.items() if point not in proven}
    groups = merged_groups(own)
    return Coverage(
        groups=groups,
        out_of_reach=_out_of_reach(own) if groups else {},
        files=_files(executed),
        bins=len(bins),
        points=len(executed),
        executed=executed,
        unreachable=Counter(proven.values()),
        gains=_gains(names, table, range(len(rows)), len(bins)),
        fewest=_gains(names, table, _fewest(table), len(bins)),
    )


def merged_groups(entries: Sequence[Entry]) -> dict[str, Group]:
    """The hits of every bin over all tests of these jobs."""
    merged: dict[str, Group] = {}
    for entry in entries:
        for test in entry.tests.values():
            for name, group in test.get("coverage", {}).items():
                into = merged.setdefault(name, {**group, "bins": Counter()})
                into["bins"].update(group["bins"])
    return merged


def _out_of_reach(entries: Sequence[Entry]) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """By group and reason, what none of the designs can reach that these jobs have counted bins of."""
    # Only where there are bins: a bench need not have covergroups.
    from tb.coverage import Design, out_of_reach

    designs = {
        Design(**{name.lower(): value for name, value in entry.job.parameters})
        for entry in entries
        if any(test.get("coverage") for test in entry.tests.values())
    }
    # The reason that stands is that of the design with the most rows: it has the fewest limits.
    return out_of_reach(sorted(designs, key=lambda design: (design.rows, str(design))))


class _Items:
    """Things to be covered, numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, item: object) -> int:
        return self.numbers.setdefault(item, len(self.numbers))


def _bins_hit(entry: Entry, bins: _Items) -> NDArray[np.intp]:
    hit = []
    for test in entry.tests.values():
        for name, group in test.get("coverage", {}).items():
            for bin_name, hits in group["bins"].items():
                number = bins.number((name, bin_name))
                if hits:
                    hit.append(number)
    return np.array(hit, np.intp)


def _points_hit(entry: Entry, points: _Items) -> NDArray[np.intp]:
    if not entry.coverage:
        return np.array([], np.intp)
    numbers = np.array([points.number(point) for point in points_of(entry.coverage["points"])])
    return numbers[covered(entry.coverage)]


def _fewest(table: NDArray[np.bool_]) -> list[int]:
    """Rows that together cover what all do: each time the one that adds most."""
    left = table.any(axis=0)
    chosen: list[int] = []
    while left.any():
        gains = table[:, left].sum(axis=1)
        chosen.append(int(gains.argmax()))
        left &= ~table[chosen[-1]]
    # What was chosen early may have become superfluous.
    for row in list(chosen):
        others = [other for other in chosen if other != row]
        if others and (table[others].any(axis=0) >= table[row]).all():
            chosen = others
    return chosen


def _gains(
    names: Sequence[str], table: NDArray[np.bool_], order: Sequence[int], bins: int
) -> tuple[Gain, ...]:
    so_far = np.zeros(table.shape[1], np.bool_)
    gains = []
    for row in order:
        so_far |= table[row]
        gains.append(Gain(names[row], int(so_far[:bins].sum()), int(so_far[bins:].sum())))
    return tuple(gains)


def _files(executed: Mapping[Point, int]) -> tuple[FileCoverage, ...]:
    by_file: dict[str, list[tuple[Point, bool]]] = {}
    for point, jobs in executed.items():
        by_file.setdefault(point.file, []).append((point, bool(jobs)))
    return tuple(_file(name, own) for name, own in sorted(by_file.items()))


def _file(name: str, points: Sequence[tuple[Point, bool]]) -> FileCoverage:
    counts = {
        kind: (
            sum(hit for point, hit in points if point.kind == kind),
            sum(point.kind == kind for point, _ in points),
        )
        for kind in KINDS
    }
    lines = (DESIGN / name).read_text(encoding="utf-8").splitlines()
    missed: dict[int, list[Point]] = {}
    for point, hit in points:
        if not hit:
            missed.setdefault(point.line, []).append(point)
    missing = tuple(
        MissingLine(number, lines[number - 1].strip() if number <= len(lines) else "", _words(own))
        for number, own in sorted(missed.items())
    )
    return FileCoverage(name, counts, missing)


def _words(points: Sequence[Point]) -> str:
    """What is missing in a line: `12 toggles, such as base[31]:0->1`."""
    words = []
    for kind in KINDS:
        own = [point.what for point in sorted(points) if point.kind == kind]
        if own:
            plural = {"branch": "branches", "expr": "parts of expressions"}.get(kind, f"{kind}s")
            count = f"{len(own)} {plural if len(own) > 1 else kind}"
            words.append(f"{count}: {own[0]}" if len(own) == 1 else f"{count}, such as {own[0]}")
    return "; ".join(words)
