"""Fixtures that run the RTL, and the check of the test plan at the end of a full run."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from flow import tools
from flow.benches import BENCHES, Bench
from flow.errors import UserError
from flow.report import report
from flow.run import Run, run
from flow.settings import Settings
from flow.testplan import Outcome, complaints, proven, read_plan

Simulate = Callable[..., Run]


def left_out_if_missing(simulator: str) -> str:
    """`simulator`; skips the test where it is not here, and with CI set fails it.

    Who has one simulator can test with it; nothing is left out where it would not be seen.
    """
    found = tools.find(simulator)
    if isinstance(found, tools.Missing):
        if os.environ.get("CI"):
            pytest.fail(f"with CI set, no simulator may be left out. {found.advice}")
        pytest.skip(found.advice)
    return simulator


# For what is the same on every simulator: Icarus builds a changed design in a second, a netlist in
# some, where Verilator takes minutes.
on_icarus = pytest.mark.parametrize("simulator", ["icarus"], indirect=True)


def traces(run: Run) -> dict[str, str]:
    """The digest of all transfers with their cycles, of each test of a run."""
    return {name: test["trace_digest"] for name, test in run.record["tests"].items()}


@pytest.fixture(params=tools.SIMULATORS)
def simulator(request: pytest.FixtureRequest) -> str:
    """The name of each simulator in turn; a missing one is left out, but not in CI."""
    return left_out_if_missing(request.param)


@pytest.fixture
def both_simulators() -> tuple[str, ...]:
    """The names of all simulators, for a test that compares them."""
    return tuple(left_out_if_missing(simulator) for simulator in tools.SIMULATORS)


@pytest.fixture
def simulate(request: pytest.FixtureRequest) -> Simulate:
    """A function that carries out a run, and fails with its report where it does not pass.

    What its cocotb tests prove, the pytest test that has asked for them does too.
    """

    def simulate(
        bench: str | Bench,
        simulator: str,
        parameters: Mapping[str, int] | None = None,
        tests: Sequence[str] | None = None,
        seed: int = 1,
        ops: int = 200,
        idle: int = 0,
        backpressure: int = 0,
        waves: bool = False,
        netlist: bool = False,
    ) -> Run:
        bench = BENCHES[bench] if isinstance(bench, str) else bench
        settings = Settings(
            bench=bench,
            simulator=simulator,
            parameters=bench.with_defaults(parameters or {}),
            seed=seed,
            ops=ops,
            idle=idle,
            backpressure=backpressure,
            tests=tuple(tests or ()),
            waves=waves,
            netlist=netlist,
        )
        try:
            finished = run(settings)
        except UserError as error:
            raise AssertionError(str(error)) from None
        if not finished.verdict.passed:
            raise AssertionError(report(finished))
        tests = finished.record["tests"]
        rules = [rule for name in finished.verdict.ok for rule in tests[name].get("proves", ())]
        request.node.user_properties.append(("proves", rules))
        return finished

    return simulate


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "proves(*ids): rules of the test plan that the test proves")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(TestplanPlugin(config), "testplan")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Past failures first: they are the likeliest to come back, and small."""
    items.sort(key=lambda item: item.path.name != "test_corpus.py")


def pytest_runtest_setup(item: pytest.Item) -> None:
    # Travels with the report, also from a worker process of xdist to the one that counts.
    ids = [identifier for mark in item.iter_markers("proves") for identifier in mark.args]
    item.user_properties.append(("proves", ids))


class TestplanPlugin:
    """Collects what ran and, after a full run, compares it with docs/testplan.md."""

    __test__ = False

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reports: dict[str, Outcome] = {}
        self.lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        proves = tuple(
            rule for name, rules in report.user_properties if name == "proves" for rule in rules
        )
        before = self.reports.get(report.nodeid)
        worst = [report.outcome, before.outcome if before else "passed"]
        outcome = next(name for name in ("failed", "skipped", "passed") if name in worst)
        self.reports[report.nodeid] = Outcome(report.nodeid, proves, outcome)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if path := os.environ.get("UBLOAD_OUTCOMES"):
            tests = {
                each.test.rpartition("::")[2]: {"outcome": each.outcome, "proves": each.proves}
                for each in self.reports.values()
            }
            Path(path).write_text(json.dumps(tests), encoding="utf-8")
        if not is_full_run(self.config) or exitstatus not in (
            pytest.ExitCode.OK,
            pytest.ExitCode.TESTS_FAILED,
        ):
            return
        self.lines, unproven = self._check()
        if unproven:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.lines:
            terminalreporter.write_line(line)

    def _check(self) -> tuple[list[str], bool]:
        path = self.config.rootpath / "docs" / "testplan.md"
        try:
            plan = read_plan(path)
        except (OSError, ValueError) as error:
            return [f"testplan: {error}"], True
        outcomes = list(self.reports.values())
        unproven = [f"testplan: {line}" for line in complaints(plan, outcomes)]
        total = f"testplan: {len(plan)} rules, {proven(plan, outcomes)} proven"
        return [*unproven, total], bool(unproven)


def is_full_run(config: pytest.Config) -> bool:
    """Whether no option leaves tests out, so that a rule without a test is really without one."""
    option = config.option
    selecting = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "collectonly")
    if any(getattr(option, name, None) for name in selecting):
        return False
    everything = {Path(name) for name in config.getini("testpaths")}
    given = {Path(os.path.relpath(name, config.rootpath)) for name in config.args}
    return given <= everything | {Path(".")}
