"""The verdict on a run: passed only where everything says so.

A results file without a failure is not enough: the simulator may have died before writing it,
no test may have run, or a test may have left commands unchecked.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from flow.process import Ended


class Word(StrEnum):
    """What came of a run, in a word of its own for each way in which it can go wrong."""

    PASSED = "passed"
    FAILED = "failed"  # a check of the bench
    UNCHECKED = "unchecked"  # the record does not say that all that was sent has been checked
    DIFFERS = "differs"  # its trace depends on what registers start with
    NO_TEST = "no test"  # nothing ran
    UNKNOWN_TEST = "unknown test"  # what was asked for did not run
    NO_BUILD = "no build"
    CRASHED = "crashed"  # the simulator ended badly, or before it wrote its results
    DAMAGED = "damaged"  # half a results file, or half a record
    TIMEOUT = "timeout"
    STALE = "stale"  # a source changed while it ran
    LOST = "lost"  # the worker that ran it is gone


@dataclass(frozen=True)
class Problem:
    """Why a run has not passed: in a word and in a line."""

    word: Word
    text: str


@dataclass(frozen=True)
class Verdict:
    """`problems` is empty exactly for a run that passed. `record` is what the bench wrote.

    Every test is named in exactly one of `ok`, `failed` and `skipped`.
    """

    problems: tuple[Problem, ...]
    ok: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the run passed."""
        return not self.problems

    @property
    def word(self) -> Word:
        """The one word for it: that of the problem from which the others follow."""
        return self.problems[0].word if self.problems else Word.PASSED


def judge(
    ended: Ended,
    *,
    limit: float,
    results: Path,
    record: Path,
    log: Path,
    expected: Sequence[str] = (),
) -> Verdict:
    """The verdict on a run that ended as `ended` says.

    `results` is cocotb's xUnit file, `record` the file of the bench, `expected` the names that
    were asked for (none: all of the bench).
    """
    problems: list[Problem] = []
    if ended.timed_out:
        said = (
            f"timeout: the run was killed after {limit:g} s (LIMIT= changes that); it had last "
            f"said: {_last_line(log)}"
        )
        problems.append(Problem(Word.TIMEOUT, said))
    outcomes, complaint = _read_results(results)
    if not ended.timed_out and (complaint or ended.status != 0):
        complaint = complaint or Problem(Word.CRASHED, "the simulator did not end well")
        said = f"{complaint.text}; its log says: {cause_in_log(log)}"
        problems.append(Problem(complaint.word, said))
    tests, complaint = _read_record(record)
    if complaint:
        problems.append(complaint)
    ok: list[str] = []
    failed: list[str] = []
    skipped: list[str] = []
    for name, outcome in outcomes.items():
        complaints = _complaints(name, outcome, tests.get(name))
        problems += complaints
        (failed if complaints else skipped if outcome == "skipped" else ok).append(name)
    missing = [name for name in expected if name not in ok and name not in failed]
    if outcomes and missing:
        said = f"asked for, but did not run: {', '.join(missing)}"
        problems.append(Problem(Word.UNKNOWN_TEST, said))
    if outcomes and not ok and not failed:
        problems.append(Problem(Word.NO_TEST, "no test ran: every one was skipped"))
    return Verdict(tuple(problems), tuple(ok), tuple(failed), tuple(skipped), {"tests": tests})


def cause_in_log(log: Path) -> str:
    """The most telling line of a log: its last error if it has one, else its last line."""
    lines = _lines(log)
    errors = [line for line in lines if re.search(r"\b\w*(Error|Exception|%Error)\b: ", line)]
    if errors:
        return errors[-1]
    return lines[-1] if lines else "(nothing: the log is empty)"


def _complaints(name: str, outcome: str, test: Mapping[str, Any] | None) -> list[Problem]:
    if outcome == "skipped":
        return []
    if outcome != "passed":
        return [Problem(Word.FAILED, f"{name}: {outcome}")]
    if test is None:
        said = f"{name}: passed, but left no record of what it checked"
        return [Problem(Word.UNCHECKED, said)]
    sent, checked = test.get("commands_sent"), test.get("commands_checked")
    left = test.get("responses_left")
    if not isinstance(sent, int) or not isinstance(checked, int) or not isinstance(left, int):
        said = f"{name}: its record lacks commands_sent, commands_checked or responses_left"
        return [Problem(Word.UNCHECKED, said)]
    complaints = []
    if test.get("failures"):
        said = f"{name}: {len(test['failures'])} mismatches were recorded"
        complaints.append(Problem(Word.FAILED, said))
    if sent != checked:
        said = f"{name}: {sent} commands were sent, but {checked} were checked"
        complaints.append(Problem(Word.UNCHECKED, said))
    if left:
        complaints.append(Problem(Word.UNCHECKED, f"{name}: {left} expected responses never came"))
    return complaints


def _read_results(path: Path) -> tuple[dict[str, str], Problem | None]:
    """Outcome by test name, and what is wrong with the file, if anything."""
    if not path.exists():
        said = "no results file: the simulator ended before it wrote one"
        return {}, Problem(Word.CRASHED, said)
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError:
        return {}, Problem(Word.DAMAGED, f"the results file is truncated or damaged ({path})")
    outcomes: dict[str, str] = {}
    for case in root.iter("testcase"):
        name = case.get("name") or "(unnamed)"
        for kind in ("failure", "error", "skipped"):
            found = case.find(kind)
            if found is not None:
                said = (found.get("message") or found.text or "").strip().splitlines()
                outcomes[name] = _OUTCOMES[kind] + (f": {said[0]}" if said else "")
                if kind == "skipped":
                    outcomes[name] = "skipped"
                break
        else:
            outcomes.setdefault(name, "passed")
    return outcomes, None if outcomes else Problem(Word.NO_TEST, "no test ran")


_OUTCOMES = {"failure": "failed", "error": "error", "skipped": "skipped"}


def _read_record(path: Path) -> tuple[dict[str, Any], Problem | None]:
    """The record by test name, and what is wrong with the file, if anything."""
    if not path.exists():
        return {}, None
    try:
        tests = json.loads(path.read_text(encoding="utf-8"))["tests"]
    except (ValueError, KeyError, TypeError):
        said = f"the record of the bench is truncated or damaged ({path})"
        return {}, Problem(Word.DAMAGED, said)
    if not isinstance(tests, dict):
        said = f"the record of the bench has no table of tests ({path})"
        return {}, Problem(Word.DAMAGED, said)
    return tests, None


def _lines(log: Path) -> list[str]:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]


def _last_line(log: Path) -> str:
    lines = _lines(log)
    return lines[-1] if lines else "nothing"
