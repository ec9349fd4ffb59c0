"""Checks the test plan against what ran: every rule has a passing test, no test an unknown rule."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_ROW = re.compile(r"^\|\s*`?([A-Z]{2}-[0-9]+)`?\s*\|\s*([^|]*)", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """A test, the IDs of the rules that it says to prove, and "passed", "failed" or "skipped"."""

    test: str
    proves: tuple[str, ...]
    outcome: str


def read_plan(path: Path) -> dict[str, str]:
    """Rule by ID, from the tables of the plan.

    Raises:
        ValueError: an ID stands in two rows.
    """
    rules: dict[str, str] = {}
    for identifier, rule in _ROW.findall(path.read_text(encoding="utf-8")):
        if identifier in rules:
            raise ValueError(f"{path.name} has two rows with the ID {identifier}")
        rules[identifier] = rule.strip()
    return rules


def complaints(plan: Mapping[str, str], outcomes: Iterable[Outcome]) -> list[str]:
    """A line for each rule that is not proven and for each ID that the plan does not have."""
    passed: set[str] = set()
    lines: list[str] = []
    failed: dict[str, str] = {}
    for result in outcomes:
        for identifier in result.proves:
            if identifier not in plan:
                lines.append(f"{identifier} is not in the plan, but {result.test} names it")
            elif result.outcome == "passed":
                passed.add(identifier)
            elif result.outcome == "failed":
                failed.setdefault(identifier, result.test)
    for identifier, rule in plan.items():
        if identifier in failed:
            lines.append(f"{identifier} has a failing test, {failed[identifier]}: {rule}")
        elif identifier not in passed:
            lines.append(f"{identifier} has no passing test: {rule}")
    return sorted(set(lines))


def proven(plan: Mapping[str, str], outcomes: Iterable[Outcome]) -> int:
    """How many rules of `plan` have a passing test and no failing one."""
    by_outcome: dict[str, set[str]] = {"passed": set(), "failed": set(), "skipped": set()}
    for result in outcomes:
        by_outcome[result.outcome].update(result.proves)
    return len((by_outcome["passed"] - by_outcome["failed"]) & plan.keys())
