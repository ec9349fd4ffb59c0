"""A regression as JUnit XML, which every CI system reads."""

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from flow.regress.job import SUITE
from flow.regress.ledger import Entry, write_whole
from flow.regress.traces import Comparison


def write_junit(
    entries: Sequence[Entry], traces: Comparison, unproven: Sequence[str], path: Path
) -> None:
    """Write a suite for each bench, a test case for each job, and one for what all of them show."""
    root = ElementTree.Element("testsuites", name="ubload")
    by_bench: dict[str, list[Entry]] = {}
    for entry in entries:
        by_bench.setdefault(entry.job.bench, []).append(entry)
    for bench, own in by_bench.items():
        suite = _suite(root, bench, len(own), sum(not entry.passed for entry in own))
        suite.set("time", f"{sum(entry.seconds for entry in own):.3f}")
        for entry in own:
            _case(suite, entry)
    whole = {
        "every rule is proven": ("unproven", unproven),
        "both simulators have the same traces": ("differs", traces.differing),
    }
    suite = _suite(root, "regression", len(whole), sum(bool(lines) for _, lines in whole.values()))
    for name, (word, lines) in whole.items():
        case = ElementTree.SubElement(suite, "testcase", classname="regression", name=name)
        if lines:
            _add(case, "failure", word, "\n".join(lines))
    ElementTree.indent(root)
    write_whole(path, ElementTree.tostring(root, encoding="unicode", xml_declaration=True))


def _suite(root: ElementTree.Element, name: str, tests: int, failures: int) -> ElementTree.Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": "0"}
    return ElementTree.SubElement(root, "testsuite", name=name, **counts)


def _case(suite: ElementTree.Element, entry: Entry) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=entry.job.bench,
        name=entry.job.name,
        time=f"{entry.seconds:.3f}",
    )
    if entry.passed:
        return
    text = "\n".join(problem.text for problem in entry.verdict.problems)
    if entry.job.bench != SUITE:
        text += f"\nrepeat: {entry.job.settings().command(entry.verdict.failed)}"
    _add(case, "failure", entry.verdict.word, text)


def _add(case: ElementTree.Element, kind: str, message: str, text: str) -> None:
    # XML has no way to write most control characters, and a log may have any.
    clean = "".join(sign if sign >= " " or sign in "\t\n" else "\ufffd" for sign in text)
    ElementTree.SubElement(case, kind, message=message).text = clean
