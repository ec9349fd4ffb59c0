"""What is left of a regression: the page, JUnit XML, and the last lines on the terminal."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flow.page.coverage import coverage_of
from flow.page.facts import gather
from flow.page.page import Report, write_page
from flow.regress.failures import group_failures
from flow.regress.junit import write_junit
from flow.regress.lcov import write_lcov
from flow.regress.ledger import REGRESS
from flow.regress.proofs import rules, unproven
from flow.regress.regression import Outcome
from flow.regress.traces import compare_simulators

PAGE, JUNIT, LCOV = "report.html", "junit.xml", "coverage.info"


@dataclass(frozen=True)
class Written:
    """The report and where it is; `lines` say the same on a terminal."""

    report: Report
    page: Path
    junit: Path
    lcov: Path
    lines: tuple[str, ...]


def write_report(outcome: Outcome, say: Callable[[str], None]) -> Written:
    """Group the failures, merge the coverage, check traces and test plan, and write all of it down."""
    entries = outcome.entries
    coverage = coverage_of(entries)
    all_rules = rules(entries, coverage.groups)
    # Who leaves out jobs cannot be told that nothing proves a rule.
    no_proof = unproven(all_rules, entries) if outcome.whole else []
    traces = compare_simulators(entries)
    report = Report(
        entries=entries,
        groups=group_failures(entries, say),
        coverage=coverage,
        rules=all_rules,
        complaints=(*traces.differing, *no_proof),
        equal_traces=traces.equal,
        facts=gather(entries),
        seconds=outcome.seconds,
        command=outcome.request.command,
        date=time.strftime("%Y-%m-%d %H:%M"),
    )
    page, junit, lcov = REGRESS / PAGE, REGRESS / JUNIT, REGRESS / LCOV
    write_page(report, page)
    write_junit(entries, traces, no_proof, junit)
    write_lcov(coverage.executed, lcov)
    return Written(report, page, junit, lcov, tuple(_lines(report, page, junit)))


def _lines(report: Report, page: Path, junit: Path) -> list[str]:
    lines = []
    for group in report.groups:
        lines.append(f"{group.title}: {len(group.entries)} jobs")
        if group.explanation:
            lines += [f"  smallest case: {group.explanation.title}"]
            lines += [f"  {line}" for line in group.explanation.lines]
            lines.append(f"  {group.explanation.replay}")
        else:
            lines += [f"  {line}" for line in group.says.splitlines()[:6]]
        if group.inside:
            benches = dict.fromkeys(entry.job.bench for entry in group.inside)
            lines.append(f"  benches of single modules fail too: {', '.join(benches)}")
    lines += report.complaints
    lines += [f"report: {page}", f"JUnit:  {junit}"]
    entries = report.entries
    passed = sum(entry.passed for entry in entries)
    checked = sum(entry.commands_checked for entry in entries)
    proven = sum(rule.result == "proven" for rule in report.rules)
    word = "PASS" if report.passed else "FAIL"
    if report.equal_traces:
        lines.append(f"{report.equal_traces:,} tests have the same trace on both simulators")
    lines.append(
        f"{word}: {passed} of {len(entries)} jobs passed, {checked:,} commands checked, "
        f"{proven} rules proven"
    )
    return lines
