"""The text that a user sees at the end of a run."""

import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from flow.run import Run
from flow.settings import Settings

SHOWN_FAILURES = 5


def report(run: Run, *, colour: bool = False) -> str:
    """What ran, what was checked, and PASS or FAIL as the last line."""
    return "\n".join([*_lines(run), _last_line(run, colour)])


def header(settings: Settings, simulator_title: str) -> str:
    """One line that names all that the run depends on."""
    parameters = " ".join(f"{name}={value}" for name, value in settings.parameters.items())
    return (
        f"{settings.bench.name} on {simulator_title}: seed {settings.seed}, {settings.ops} "
        f"commands, idle {settings.idle} %, backpressure {settings.backpressure} %; {parameters}"
    ).rstrip("; ")


def use_colour() -> bool:
    """Whether standard output is a terminal whose user did not refuse colour."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _lines(run: Run) -> Iterator[str]:
    tests: Mapping[str, Any] = run.verdict.record.get("tests", {})
    marks = {"ok": run.verdict.ok, "FAIL": run.verdict.failed, "skip": run.verdict.skipped}
    for mark, names in marks.items():
        for name in names:
            yield f"  {mark:4} {name}"
            yield from (f"         {line}" for line in _facts(tests.get(name, {})))
    for name in run.verdict.failed:
        failures = tests.get(name, {}).get("failures", [])
        for failure in failures[:SHOWN_FAILURES]:
            yield from (f"  {line}" for line in str(failure).splitlines())
        if len(failures) > SHOWN_FAILURES:
            yield f"  ... and {len(failures) - SHOWN_FAILURES} more (in {run.folder}/record.json)"
    for problem in run.verdict.problems:
        yield f"  problem: {problem.text}"
    if run.dump:
        yield f"  waves:  {run.dump}"
        yield f"  view:   {run.view}"
    elif run.settings.waves:
        yield "  waves:  the simulator wrote none"
    if not run.verdict.passed:
        yield f"  log:    {run.log}"
        yield f"  repeat: {run.settings.command(run.verdict.failed)}"


def _facts(test: Mapping[str, Any]) -> Iterator[str]:
    """The figures of one test, as its record has them."""
    if not test:
        return
    facts = [f"{test.get('commands_checked', 0)} commands checked"]
    facts.append(f"{len(test.get('failures', []))} mismatches")
    # How many commands per cycle is for the bench to say: only it knows which cycles count.
    facts += [f"{test[key]} {key}" for key in ("fills", "cycles") if key in test]
    if test.get("trace_digest"):
        facts.append(f"trace {test['trace_digest'][:12]}")
    yield ", ".join(facts)
    for key in ("ops", "faults"):
        if test.get(key):
            counts = ", ".join(f"{name} {count}" for name, count in test[key].items())
            yield f"{key}: {counts}"
    yield from test.get("lines", [])


def _last_line(run: Run, colour: bool) -> str:
    tests = run.verdict.record.get("tests", {}).values()
    checked = sum(test.get("commands_checked", 0) for test in tests if isinstance(test, dict))
    word = "PASS" if run.verdict.passed else "FAIL"
    if colour:
        word = f"\033[{32 if run.verdict.passed else 31};1m{word}\033[0m"
    ok, ran = len(run.verdict.ok), len(run.verdict.ok) + len(run.verdict.failed)
    return (
        f"{word}: {ok} of {ran} tests passed, {checked} commands checked, "
        f"{run.settings.bench.name} on {run.simulator.title}, seed {run.settings.seed}, "
        f"{run.seconds:.1f} s"
    )
