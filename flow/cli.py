"""The targets: `python -m flow TARGET NAME=value ...`, which the Makefile runs inside .venv."""

import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flow import tools
from flow.benches import BENCHES, DEFAULT_BENCH
from flow.errors import UserError
from flow.places import ROOT
from flow.variables import (
    VARIABLES,
    case_settings,
    design_parameters,
    is_shrinking,
    is_verbose,
    mutation_request,
    parse,
    regression_request,
    sim_settings,
    split_make_variables,
)

if TYPE_CHECKING:
    from flow.regress.report import Written

SOAK_OPS = 1_000_000
BENCH_OPS = 50_000

HELP = """\
make sim      simulate random commands, each checked against the golden model
make test     run all tests                             ARGS="-k name" goes to pytest
make regress  all benches, simulators and parameters with SEEDS=5 seeds, and a report of it; what
              was done before is kept, JOBS= at once, ENGINE=slurm|lsf|pbs|sge|tcp://host:port
make replay   play CASE=folder, a case on disk, and say in words what comes of it
make coverage what a regression of SEEDS=5 has not met, file and line, and a file for lcov
make soak     random commands at the simulator's own speed, OPS=1000000 if not given
make bench    measure how fast, against the bench of make sim and a simulation without Python
make faults   plant each fault of tests/faults, find it on SIM= or on both simulators, and find the
              smallest case that shows it; what was done before is kept
make formal   prove properties of the design for all inputs, or the one of PROOF=name
make mutate   change every bit of the control logic, one at a time: each mutant is killed by what the
              bench drives or proven equivalent; what was done before is kept, SAMPLE=n draws some
make rates    measure commands per cycle over strides, windows and banks
make cycles   predict cycles and bank load of TRACE=path, and what other padding would give
make synth    area on ECP5 of the unit and its crossbar, clock of a slice (about half an hour)
make doctor   which tools are here, which are needed, what to do; `make list`: benches and tests
make lint     check every Verilog module with three tools, and the Python sources
make waves    open the newest dump of `make sim WAVES=1`, or dump and open the one of CASE=folder
make clean    remove builds and runs; `make distclean` also the tools in .venv

Variables of make sim, as in `make sim SIM=verilator OPS=100000`:
  SIM=icarus|verilator         the simulator (default: icarus where it is installed)
  SEED=1                       the same seed gives the same commands on both simulators
  OPS=2000                     commands of each random test
  VECTORS=folder               the case in this folder, or those in its folders
  TEST=name[,name]             these cocotb tests, or all; COCOTB_TEST_FILTER= takes an expression
  WAVES=1                      write a VCD file and a view of it
  IDLE=0 BACKPRESSURE=0        percent of cycles, 0 to 90, in which a driver or receiver pauses
  UB_BYTES=262144 BANKS=16 WINDOW=4 STRIDE_W=32        the parameters of the design
  NETLIST=1                    the synthesized netlist, by default of UB_BYTES=16384
  BENCH={benches}
  INITIAL=0|1                  what registers start with on Verilator: random, by SEED and this
  LIMIT=seconds                wall time after which the run counts as hanging
  SHRINK=1                     after a failure find the smallest case that still fails
  V=1                          show the simulator's whole log
make cycles, replay and waves take the parameters of the design too; a case has its own.
"""


def main(arguments: Sequence[str]) -> int:
    """Carry out the target `arguments[0]`; the result is the exit status."""
    target = arguments[0] if arguments else "help"
    try:
        if target not in _TARGETS:
            raise UserError(f"no target {target}: possible: {', '.join(_TARGETS)}")
        words = [*split_make_variables(os.environ.get("MAKE_VARIABLES", "")), *arguments[1:]]
        return _TARGETS[target](parse(target, words))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has seen enough. What is still buffered must not fail again at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _say(line: str) -> None:
    """A line of progress among the results."""
    print(f"  {line}", flush=True)


def _say_apart(line: str) -> None:
    """The same where the results are for another program to read."""
    print(f"  {line}", file=sys.stderr, flush=True)


def _help(given: dict[str, str]) -> int:
    print(HELP.format(benches="|".join(BENCHES)), end="")
    return 0


def _sim(given: dict[str, str]) -> int:
    from flow.explain import explain
    from flow.report import header, report, use_colour
    from flow.run import run

    verbose, shrinking = is_verbose(given), is_shrinking(given)
    settings = sim_settings(given, os.environ)
    print(header(settings, tools.require(settings.simulator).title), flush=True)
    finished = run(settings, echo=verbose, say=_say)
    *lines, last = report(finished, colour=use_colour()).splitlines()
    print("\n".join(lines), flush=True)
    if shrinking and not finished.verdict.passed:
        for line in explain(finished, _say):
            print(f"  {line}", flush=True)
    print(last)
    return 0 if finished.verdict.passed else 1


def _test(given: dict[str, str]) -> int:
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal"]
    command += ["--durations=10", *shlex.split(given.get("ARGS", ""))]
    unwanted = ("PYTHONPATH", "PYTHONHOME", "PYTEST_ADDOPTS", "MAKEFLAGS", "MAKE_VARIABLES")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    sys.stdout.flush()
    os.chdir(ROOT)
    os.execve(sys.executable, command, environment)


def _lint(given: dict[str, str]) -> int:
    from flow.lint import lint

    return lint()


def _soak(given: dict[str, str]) -> int:
    return _sim({"BENCH": "player", "OPS": str(SOAK_OPS), **given})


def _regression(given: dict[str, str]) -> "Written":
    from flow.regress.regression import regress
    from flow.regress.report import write_report

    return write_report(regress(regression_request(given), _say_apart), _say_apart)


def _regress(given: dict[str, str]) -> int:
    written = _regression(given)
    print("\n".join(written.lines))
    return 0 if written.report.passed else 1


def _coverage(given: dict[str, str]) -> int:
    from flow.regress.coverage_lines import coverage_lines, is_complete

    written = _regression(given)
    coverage = written.report.coverage
    print("\n".join(coverage_lines(coverage)))
    print(f"report: {written.page}\nlcov:   {written.lcov}")
    return 0 if is_complete(coverage) and written.report.passed else 1


def _replay(given: dict[str, str]) -> int:
    from flow.cases import case_folders
    from flow.replay import replays
    from flow.report import report, use_colour
    from flow.run import run

    simulator, parameters = case_settings(given, os.environ)
    passed = True
    for settings in replays(case_folders("CASE", given.get("CASE", "")), simulator, parameters):
        finished = run(settings, say=_say)
        print(report(finished, colour=use_colour()), flush=True)
        passed &= finished.verdict.passed
    return 0 if passed else 1


def _bench(given: dict[str, str]) -> int:
    from flow.speed import measure_speed, speed_table

    settings = sim_settings({"SIM": "verilator", "OPS": str(BENCH_OPS), **given}, os.environ)
    print(speed_table(measure_speed(settings, _say_apart)))
    return 0


def _doctor(given: dict[str, str]) -> int:
    from flow.doctor import findings

    print(f"{'':8} {'what':16} {'found':12} {'needed':22} what to do")
    missing = False
    for finding in findings():
        print(finding.line, flush=True)
        missing |= bool(finding.advice) and finding.required
    return 1 if missing else 0


def _list(given: dict[str, str]) -> int:
    from flow.run import test_names

    for bench in BENCHES.values():
        print(f"BENCH={bench.name}")
        for parameter in bench.parameters:
            print(f"  {parameter.name}={parameter.default}: {parameter.possible}")
        for name in test_names(bench):
            print(f"  TEST={name}{' (default)' if name == bench.default_test else ''}", flush=True)
    return 0


def _faults(given: dict[str, str]) -> int:
    from flow.faults import measure_faults, write_table

    simulators = (case_settings(given, os.environ)[0],) if given.get("SIM") else tools.SIMULATORS
    for simulator in simulators:
        measure_faults(simulator, _say_apart)
    print(f"table: {os.path.relpath(write_table())}")
    return 0


def _formal(given: dict[str, str]) -> int:
    from flow.formal.run import chosen, prove, write_table

    name = given.get("PROOF", "")
    outcomes = prove(chosen(name), _say)
    good = sum(outcome.is_good for outcome in outcomes)
    if good == len(outcomes) and not name:
        print(f"table: {os.path.relpath(write_table(outcomes))}")
    print(f"{'PASS' if good == len(outcomes) else 'FAIL'}: {good} of {len(outcomes)} proofs hold")
    return 0 if good == len(outcomes) else 1


def _mutate(given: dict[str, str]) -> int:
    from flow.mutate.holes import store_cases
    from flow.mutate.report import summary, write_page
    from flow.mutate.sort import UNRESOLVED, sort_mutants

    simulator, _ = case_settings({}, os.environ)
    request = mutation_request(given)
    results = sort_mutants(request, simulator, _say)
    print("\n".join(summary(results)))
    store_cases(results, _say)
    if not request.sample:
        print(f"page: {os.path.relpath(write_page(results))}")
    return 1 if any(each.status == UNRESOLVED for each in results) else 0


def _rates(given: dict[str, str]) -> int:
    from flow.rates import measure_rates, rates_table

    settings = sim_settings(given, os.environ)
    measured = measure_rates(settings, _say_apart)
    print(rates_table(measured))
    return 0


def _cycles(given: dict[str, str]) -> int:
    from flow.cycles import cycles_report, read_trace, write_chart

    trace = read_trace(given.get("TRACE", ""), design_parameters(given, BENCHES[DEFAULT_BENCH]))
    timing = trace.simulate()
    # Line by line: each other padding of a long trace takes its time.
    for line in cycles_report(trace, timing):
        print(line, flush=True)
    print(f"\nplot: {write_chart(trace, timing)}")
    return 0


def _synth(given: dict[str, str]) -> int:
    from flow.synthesis import measure, points, table, write_results

    measured = measure(points(), _say_apart)
    paths = [str(path) for path in write_results(measured)]
    print("\n".join([table(measured), "", *paths]))
    return 0


def _waves(given: dict[str, str]) -> int:
    from flow.waves import open_dump, open_newest

    if not given.get("CASE"):
        print(open_newest())
        return 0
    from flow.cases import case_folders
    from flow.replay import replay_with_waves
    from flow.report import report, use_colour

    simulator, parameters = case_settings(given, os.environ)
    folders = case_folders("CASE", given["CASE"])
    if len(folders) > 1:
        raise UserError(f"CASE={given['CASE']} holds {len(folders)} cases: name one of them")
    played, waves = replay_with_waves(folders[0], simulator, parameters, _say)
    print(report(played, colour=use_colour()))
    if waves is None:
        return 1
    print(f"{open_dump(waves.both)}\ntiming diagram: {waves.diagram}")
    return 0


_TARGETS = {
    "help": _help,
    "sim": _sim,
    "test": _test,
    "regress": _regress,
    "coverage": _coverage,
    "soak": _soak,
    "bench": _bench,
    "replay": _replay,
    "faults": _faults,
    "mutate": _mutate,
    "doctor": _doctor,
    "list": _list,
    "formal": _formal,
    "rates": _rates,
    "cycles": _cycles,
    "synth": _synth,
    "lint": _lint,
    "waves": _waves,
}
assert set(_TARGETS) == set(VARIABLES)
