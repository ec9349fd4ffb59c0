"""One run: build, simulate in a folder of its own, judge."""

import functools
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flow import tools
from flow.benches import Bench
from flow.build import build
from flow.errors import UserError
from flow.jobs import run_job
from flow.places import RUNS, ensure_folder
from flow.settings import Settings
from flow.verdict import Verdict, cause_in_log, judge
from flow.waves import write_view

LIST_LIMIT_SECONDS = 60
ALL_TESTS = "all"  # as TEST=, instead of names


class UnknownTest(UserError):
    """What was asked for is no test of the bench."""


@dataclass(frozen=True)
class Run:
    """A finished run. `folder` keeps its log, results, record and, if asked for, its dump.

    `build_seconds` is 0 where the build was there already. `coverage` is Verilator's own file of it.
    """

    settings: Settings
    simulator: tools.Simulator
    folder: Path
    log: Path
    verdict: Verdict
    seconds: float
    dump: Path | None
    view: Path | None
    build_seconds: float = 0.0
    coverage: Path | None = None

    @property
    def record(self) -> Mapping[str, Any]:
        """What the bench wrote: a table of figures for each test, under "tests"."""
        return self.verdict.record


def run(
    settings: Settings,
    *,
    folder: Path | None = None,
    echo: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Run:
    """Carry out `settings`; `echo` shows the simulator's log, `say` gets lines of progress.

    The run is in `folder`, which is empty, or in a new one.

    Raises:
        UserError: there is nothing to run: no simulator, no such test, no build.
    """
    simulator = tools.require(settings.simulator)
    expected = _expected_tests(settings)
    built = build(
        settings.bench,
        simulator,
        settings.parameters,
        waves=settings.waves,
        netlist=settings.netlist,
        coverage=settings.coverage,
    )
    if built.seconds:
        say(f"built {settings.bench.name} with {simulator.title} in {built.seconds:.1f} s")
    folder = folder or _new_folder(settings)
    say(f"running; log: {folder / 'sim.log'}")
    log, record, results = folder / "sim.log", folder / "record.json", folder / "results.xml"
    job = {
        "kind": "test",
        "simulator": simulator.name,
        "test_module": settings.bench.module,
        "hdl_toplevel": settings.bench.toplevel,
        "hdl_toplevel_lang": "verilog",
        "build_dir": str(built.folder),
        "test_dir": str(folder),
        "results_xml": str(results),
        "seed": settings.seed,
        # Icarus dumps through its dump module.
        "waves": settings.waves and simulator.name == "verilator" and not settings.bench.dump,
        "timescale": None,
    }
    if simulator.name == "verilator":
        # Without the first, whatever is not reset starts as zero, which hides that it should be.
        job["plusargs"] = ["+verilator+rand+reset+2", f"+verilator+seed+{_initial_seed(settings)}"]
    if expected:
        job["test_filter"] = rf"\.({'|'.join(re.escape(name) for name in expected)})$"
    environment = {
        "UBLOAD_CONFIG": json.dumps(
            {
                "seed": settings.seed,
                "ops": settings.ops,
                "idle": settings.idle,
                "backpressure": settings.backpressure,
                "parameters": dict(settings.parameters),
                "simulator": simulator.name,
                "waves": settings.waves,
                "cases": [str(case.resolve()) for case in settings.cases],
                "failed_case": dict(settings.failed_case),
                "keep_driven": settings.keep_driven,
            }
        ),
        "UBLOAD_RECORD": str(record),
        "COCOTB_ANSI_OUTPUT": "0",
        # By default the assertions of all that is imported, numpy too, are compiled anew in each run.
        "COCOTB_REWRITE_ASSERTION_FILES": "tb/*.py",
        "PATH": f"{simulator.path.parent}:{os.environ.get('PATH', os.defpath)}",
    }
    if settings.waves and simulator.name == "icarus":
        # The runner switches dumping off by an option that a later one overrides.
        environment["SIM_CMD_SUFFIX"] = "-vcd"
    limit = settings.wall_limit()
    ended = run_job(
        job,
        folder=folder,
        log=log,
        limit=limit,
        extra_environment=environment,
        echo=echo,
        say=say,
    )
    verdict = judge(ended, limit=limit, results=results, record=record, log=log, expected=expected)
    dump = folder / (settings.bench.dump or "dump.vcd")
    dump = dump if dump.exists() else None
    view = write_view(dump, settings.bench.toplevel) if dump else None
    coverage = folder / "coverage.dat"
    return Run(
        settings,
        simulator,
        folder,
        log,
        verdict,
        ended.seconds,
        dump,
        view,
        built.seconds,
        coverage if coverage.exists() else None,
    )


def test_names(bench: Bench) -> tuple[str, ...]:
    """The names of the tests of `bench`.

    Raises:
        UserError: the test module cannot be imported.
    """
    return _names_in(bench.module)


@functools.cache  # of the module as the first run of this process finds it
def _names_in(module: str) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory(prefix="ubload-") as name:
        folder = Path(name)
        output, log = folder / "tests.json", folder / "list.log"
        job = {"kind": "list", "module": module, "output": str(output)}
        ended = run_job(job, folder=folder, log=log, limit=LIST_LIMIT_SECONDS)
        if ended.status != 0 or ended.timed_out:
            raise UserError(f"the test module {module} cannot be imported: {cause_in_log(log)}")
        return tuple(json.loads(output.read_text(encoding="utf-8")))


def _new_folder(settings: Settings) -> Path:
    ensure_folder("build")
    RUNS.mkdir(exist_ok=True)
    prefix = f"{settings.bench.name}-{settings.simulator}-{time.strftime('%Y%m%d-%H%M%S')}-"
    return Path(tempfile.mkdtemp(prefix=prefix, dir=RUNS))


def _initial_seed(settings: Settings) -> int:
    """A seed of Verilator's, 1 to 2^31 - 1, of its own for each seed and each `initial`."""
    return (2 * settings.seed + settings.initial) % ((1 << 31) - 1) + 1


def _expected_tests(settings: Settings) -> tuple[str, ...]:
    """The full names of the tests that were asked for; none where all are to run."""
    bench = settings.bench
    if not settings.tests and not settings.test_filter:
        return (bench.default_test,) if bench.default_test else ()
    if settings.tests == (ALL_TESTS,):
        return ()
    names = test_names(bench)
    possible = f"possible tests: {ALL_TESTS}, {', '.join(names)}"
    expected: list[str] = []
    for wanted in settings.tests:
        # cocotb names the variants of a parametrised test name/parameter=value.
        found = [name for name in names if wanted in (name, name.partition("/")[0])]
        if not found:
            raise UnknownTest(f"TEST={wanted} does not exist in {bench.name}: {possible}")
        expected += found
    if settings.test_filter:
        pattern = re.compile(settings.test_filter)
        expected = [name for name in names if pattern.search(f"{bench.module}.{name}")]
    if not expected:
        raise UnknownTest(f"COCOTB_TEST_FILTER={settings.test_filter} matches no test: {possible}")
    return tuple(expected)
