"""Writes the page: what the template shows, made of the entries of a regression."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from flow.page.charts import Curve, columns, curves
from flow.page.coverage import Coverage
from flow.page.facts import Facts
from flow.regress.failures import Group
from flow.regress.job import PYTHON, SUITE, Job
from flow.regress.ledger import Entry, write_whole
from flow.regress.progress import duration
from flow.regress.proofs import Rule

_TEMPLATES = Path(__file__).parent
_SIMULATORS = {"icarus": "Icarus Verilog", "verilator": "Verilator", PYTHON: "Python"}

# Tests that keep the unit busy from the first command to the last.
_PACED = ("soak", "random_commands", "workloads", "lock_step_is_the_upper_bound")
_LONGEST_JOBS = 12
_LATENCIES = 24  # columns of a histogram; the last one has all that are longer


@dataclass(frozen=True)
class MatrixRow:
    """A theme of a bench on a design: by simulator the entries of all seeds.

    `title` is that of the bench and its theme, "" where the row above has the same.
    """

    title: str
    design: str
    by_simulator: Mapping[str, Sequence[Entry]]


@dataclass(frozen=True)
class PaceRow:
    """A test on a design: its commands per cycle, and those that banks and ports allow."""

    test: str
    design: str
    rate: float
    bound: float

    @property
    def share(self) -> float:
        """The rate as a share of the bound."""
        return self.rate / self.bound


@dataclass(frozen=True)
class Report:
    """All that a report tells.

    `complaints` are about all jobs together: a rule that nothing proves, traces that differ.
    `equal_traces` counts the tests of which both simulators have the same trace.
    """

    entries: Sequence[Entry]
    groups: Sequence[Group]
    coverage: Coverage
    rules: Sequence[Rule]
    complaints: Sequence[str]
    equal_traces: int
    facts: Facts
    seconds: float
    command: str
    date: str

    @property
    def passed(self) -> bool:
        """Whether every job passed and nothing is wrong with all of them together."""
        return not self.complaints and all(entry.passed for entry in self.entries)


def write_page(report: Report, path: Path) -> None:
    """Write the page, whole or not at all; nothing in it points outside."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"duration": duration, "svg": Markup}
    template = environment.get_template("report.html.j2")
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    write_whole(path, template.render(style=Markup(style), **_context(report)))


def _context(report: Report) -> dict[str, Any]:
    entries = report.entries
    return {
        "report": report,
        "group_of": {
            entry.job: number
            for number, group in enumerate(report.groups, 1)
            for entry in (*group.entries, *group.inside)
        },
        "commands": sum(entry.commands_checked for entry in entries),
        "matrix": _matrix(entries),
        "simulators": _SIMULATORS,
        "suite": SUITE,
        "curves": _curves(report.coverage),
        "pace": _pace(entries),
        "latencies": _latencies(entries),
        "bank_loads": _bank_loads(entries),
        "longest": sorted(entries, key=lambda entry: -entry.seconds)[:_LONGEST_JOBS],
        "spent": _spent(entries),
        "results": Counter(rule.result for rule in report.rules),
    }


def _matrix(entries: Sequence[Entry]) -> list[MatrixRow]:
    found: dict[tuple[str, str], dict[str, list[Entry]]] = {}
    for entry in entries:
        job = entry.job
        # Files of tests have a row together.
        title = "model and tools, by pytest" if job.bench == SUITE else f"{job.bench}, {job.theme}"
        by_simulator = found.setdefault((title, job.design), {})
        by_simulator.setdefault(job.simulator, []).append(entry)
    rows: list[MatrixRow] = []
    before = ""
    for (title, design), by_simulator in found.items():
        rows.append(MatrixRow(title if title != before else "", design, by_simulator))
        before = title
    return rows


def _curves(coverage: Coverage) -> Markup:
    series = []
    for name, gains in (("every job", coverage.gains), ("the fewest jobs", coverage.fewest)):
        style = "all" if gains is coverage.gains else "fewest"
        if coverage.bins and gains:
            shares = [100 * gain.bins / coverage.bins for gain in gains]
            series.append(Curve(f"bins, {name}", f"bins {style}", shares))
        if coverage.points and gains:
            shares = [100 * gain.points / coverage.points for gain in gains]
            series.append(Curve(f"code, {name}", f"code {style}", shares))
    return curves(series, "jobs") if series else Markup()


def _paces(entries: Sequence[Entry]) -> list[tuple[str, Job, Mapping[str, Any]]]:
    """The pace of each test that was driven without pauses."""
    return [
        (name, entry.job, entry.tests[name]["pace"])
        for entry in entries
        for name in entry.verdict.ok
        if name in _PACED
        and entry.tests[name].get("pace")
        and not entry.job.idle
        and not entry.job.backpressure
    ]


def _pace(entries: Sequence[Entry]) -> list[PaceRow]:
    sums: dict[tuple[str, str], Counter[str]] = {}
    for name, job, pace in _paces(entries):
        counts = {key: pace[key] for key in ("commands", "cycles", "bound")}
        sums.setdefault((name, job.design), Counter()).update(counts)
    rows = [
        PaceRow(name, design, one["commands"] / one["cycles"], one["commands"] / one["bound"])
        for (name, design), one in sums.items()
    ]
    return sorted(rows, key=lambda row: (row.test, -row.share))


def _latencies(entries: Sequence[Entry]) -> list[tuple[str, Markup]]:
    """A histogram for each design: commands by cycles from acceptance to response."""
    by_design: dict[str, Counter[int]] = {}
    for _, job, pace in _paces(entries):
        counts = {int(cycles): count for cycles, count in pace["latencies"].items()}
        by_design.setdefault(job.design, Counter()).update(counts)
    found = []
    for design, counts in by_design.items():
        first = min(counts)
        shown = Counter()
        for cycles, count in counts.items():
            shown[min(cycles, first + _LATENCIES - 1)] += count
        bars = [
            (f"{cycles}{'+' if cycles == first + _LATENCIES - 1 else ''}", shown[cycles])
            for cycles in range(first, max(shown) + 1)
        ]
        found.append((design, columns(bars, f"latencies of {design}")))
    return found


def _bank_loads(entries: Sequence[Entry]) -> list[tuple[str, Markup]]:
    """For each design: the share of the cycles in which each bank reads, in percent."""
    by_design: dict[str, tuple[int, list[int]]] = {}
    for _, job, pace in _paces(entries):
        cycles, reads = by_design.get(job.design, (0, [0] * len(pace["bank_reads"])))
        added = [a + b for a, b in zip(reads, pace["bank_reads"], strict=True)]
        by_design[job.design] = cycles + pace["cycles"], added
    return [
        (
            design,
            columns(
                [(str(bank), 100 * count / cycles) for bank, count in enumerate(reads)],
                f"load of the banks of {design}",
            ),
        )
        for design, (cycles, reads) in by_design.items()
    ]


def _spent(entries: Sequence[Entry]) -> list[tuple[str, float]]:
    """Seconds of all workers together, by what they were spent on."""
    spent: Counter[str] = Counter()
    for entry in entries:
        simulator = _SIMULATORS[entry.job.simulator]
        spent[f"{entry.job.bench} on {simulator}"] += entry.seconds - entry.build_seconds
        spent["builds inside of jobs"] += entry.build_seconds
    return [(name, seconds) for name, seconds in spent.most_common() if seconds >= 0.05]
