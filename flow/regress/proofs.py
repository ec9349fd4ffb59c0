"""The test plan beside a regression: what proves each rule, and what came of it.

Evidence is a test whose jobs passed, or a bin of coverage that was hit; bins alone prove nothing, they
say that a proof has met the case. The rules of runs (RN) are about `make` itself: `make test` has those.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flow.places import ROOT
from flow.regress.job import SUITE
from flow.regress.ledger import Entry
from flow.testplan import read_plan

PLAN = ROOT / "docs" / "testplan.md"
RUN_RULES = "RN-"


@dataclass(frozen=True)
class Proof:
    """A test that proves a rule: how many jobs it passed in, and which it failed in."""

    test: str
    passed: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A rule of the plan, what proves it, and bins of coverage that are evidence of it.

    `elsewhere` are the tests of a rule that `make test` alone proves.
    """

    identifier: str
    text: str
    proofs: tuple[Proof, ...]
    bins_hit: int
    bins: int
    elsewhere: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """`proven`, `failed`, `unproven`, or `make test` where that alone has it."""
        if any(proof.failed for proof in self.proofs):
            return "failed"
        if self.proofs:
            return "proven"
        return "make test" if self.elsewhere else "unproven"


def rules(entries: Sequence[Entry], coverage: Mapping[str, Mapping[str, Any]]) -> list[Rule]:
    """Every rule of the plan, in its order. `coverage` are the groups of all jobs together.

    Raises:
        ValueError: the plan has two rules of one name.
    """
    passed, failed = _by_rule(entries)
    elsewhere = _tests_of_runs()
    found = []
    for identifier, text in read_plan(PLAN).items():
        tests = sorted(passed[identifier].keys() | failed[identifier].keys())
        proofs = tuple(
            Proof(test, passed[identifier].get(test, 0), tuple(failed[identifier].get(test, ())))
            for test in tests
        )
        bins = [
            hits
            for group in coverage.values()
            if identifier in group["rules"]
            for hits in group["bins"].values()
        ]
        own = tuple(sorted(elsewhere[identifier])) if identifier.startswith(RUN_RULES) else ()
        hit = sum(map(bool, bins))
        found.append(Rule(identifier, text, proofs, hit, len(bins), own))
    return found


def unproven(all_rules: Sequence[Rule], entries: Sequence[Entry]) -> list[str]:
    """A line for each rule that no test proves, and for each name that the plan does not have."""
    known = {rule.identifier for rule in all_rules}
    lines = [
        f"{rule.identifier} has no passing test: {rule.text}"
        for rule in all_rules
        if rule.result == "unproven"
    ]
    named = {
        (identifier, name)
        for entry in entries
        for name, test in entry.tests.items()
        for identifier in test.get("proves", ())
    }
    lines += [
        f"{identifier} is not in the plan, but {name} names it"
        for identifier, name in sorted(named)
        if identifier not in known
    ]
    return lines


def _by_rule(
    entries: Sequence[Entry],
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """By rule and test: in how many jobs it passed, and the names of those in which it did not."""
    passed: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    failed: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        for name in entry.tests:
            shown = (
                name.partition("[")[0] if entry.job.bench == SUITE else f"{entry.job.bench}/{name}"
            )
            for identifier in entry.tests[name].get("proves", ()):
                # A test counts only in a job that passed as a whole.
                if entry.passed and name in entry.verdict.ok:
                    passed[identifier][shown] += 1
                elif name not in entry.verdict.skipped:
                    failed[identifier][shown].append(entry.job.name)
    return passed, failed


def _tests_of_runs() -> dict[str, set[str]]:
    """The tests of `tests/` by the rules of runs that they are marked with."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        for test, identifier in _marks(path):
            if identifier.startswith(RUN_RULES):
                found[identifier].add(test)
    return found


def _marks(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            for call in ast.walk(decorator):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.proves":
                    yield from ((node.name, ast.literal_eval(word)) for word in call.args)
