"""Runs of a stand-in design that go wrong in every way known, and builds that must not be stale."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone, make_clone
from conftest import left_out_if_missing

from flow import tools


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A clone of its own for each test."""
    return make_clone(tmp_path / "clone")


@pytest.fixture(scope="module")
def small() -> tuple[str, ...]:
    """The fastest simulator that is here, and few commands."""
    found = [name for name, tool in tools.available().items() if isinstance(tool, tools.Simulator)]
    return (f"SIM={found[0]}", "OPS=10")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone for tests that only run, so that they build once."""
    return make_clone(tmp_path_factory.mktemp("shared") / "clone")


@pytest.mark.proves("RN-1")
def test_a_good_run_passes_and_says_what_it_checked(shared: Clone, small: tuple[str, ...]) -> None:
    result = shared.flow("sim", *small)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "seed 1" in result.stdout and "10 commands checked" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("PASS: 1 of 1 tests passed")


@pytest.mark.parametrize(
    ("test", "says"),
    [
        pytest.param("mismatches", "MISMATCH command 3", marks=pytest.mark.proves("RN-1")),
        # The values that were compared, though nothing outside of the bench is compiled for that.
        pytest.param("asserts", "assert (2 * 10) == 3", marks=pytest.mark.proves("RN-1")),
        pytest.param("is_killed", "(SIGKILL)", marks=pytest.mark.proves("RN-3")),
        pytest.param("exits", "no results file", marks=pytest.mark.proves("RN-3")),
        pytest.param(
            "leaves_commands_unchecked", "9 were checked", marks=pytest.mark.proves("RN-5")
        ),
        pytest.param("leaves_responses", "1 expected responses", marks=pytest.mark.proves("RN-5")),
        pytest.param("leaves_no_record", "left no record", marks=pytest.mark.proves("RN-5")),
        pytest.param("waits_on_a_dead_clock", "clock running", marks=pytest.mark.proves("RN-6")),
    ],
)
def test_a_run_that_goes_wrong_fails_and_says_why(
    shared: Clone, small: tuple[str, ...], test: str, says: str
) -> None:
    result = shared.flow("sim", f"TEST={test}", *small)
    assert result.returncode == 1
    assert says in result.stdout
    assert "sim.log" in result.stdout
    assert f"repeat: make sim {small[0]} SEED=1 OPS=10 TEST={test}" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("FAIL")
    assert "Traceback" not in result.stdout + result.stderr


@pytest.mark.proves("RN-6")
def test_a_hanging_run_is_ended_and_says_what_it_waited_for(
    shared: Clone, small: tuple[str, ...]
) -> None:
    result = shared.flow("sim", "TEST=hangs", "LIMIT=3", *small)
    assert result.returncode == 1
    assert "timeout" in result.stdout and "waiting for a response" in result.stdout


@pytest.mark.proves("RN-6")
def test_an_import_error_in_the_test_module_fails(clone: Clone, small: tuple[str, ...]) -> None:
    clone.replace("tb/bench_ub_load_unit.py", "import cocotb\n", "import none_such\n")
    result = clone.flow("sim", *small)
    assert result.returncode == 1
    assert "No module named 'none_such'" in result.stdout


@pytest.mark.proves("RN-6")
def test_finish_in_the_design_fails(clone: Clone, small: tuple[str, ...]) -> None:
    clone.replace("rtl/ub_load_unit.v", "endmodule", "initial #25 $finish;\nendmodule")
    result = clone.flow("sim", *small)
    assert result.returncode == 1
    assert "ended prematurely" in result.stdout


@pytest.mark.proves("RN-6")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_leaves_no_simulator_behind(
    shared: Clone, small: tuple[str, ...], number: signal.Signals
) -> None:
    before = set(shared.runs())
    flow = subprocess.Popen(
        shared.command("sim", "TEST=hangs", *small),
        cwd=shared.path,
        env=shared.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    (folder,) = _until(lambda: _hanging(set(shared.runs()) - before))
    assert list(_processes_in(folder))
    flow.send_signal(number)
    flow.wait()
    _until(lambda: not list(_processes_in(folder)))


def _hanging(folders: set[Path]) -> list[Path]:
    """Those of `folders` whose simulator has come to the point where it hangs."""
    logs = [folder / "sim.log" for folder in folders]
    return [log.parent for log in logs if log.exists() and "waiting for" in log.read_text()]


def _until(condition):
    end = time.monotonic() + 30
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return value


def _processes_in(folder: Path) -> Iterator[str]:
    """The processes whose current folder is `folder`."""
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.readlink() == folder:
                yield link.parent.name
        except OSError:
            continue


@pytest.mark.proves("RN-4")
def test_a_changed_source_is_built_anew_whatever_its_date(
    clone: Clone, small: tuple[str, ...]
) -> None:
    source = clone.path / "rtl" / "ub_load_unit.v"
    assert clone.flow("sim", *small).returncode == 0
    times = source.stat()
    clone.replace("rtl/ub_load_unit.v", "cmd_base + UB_BYTES", "cmd_base + 1 + UB_BYTES")
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert clone.flow("sim", *small).returncode == 1


@pytest.mark.proves("RN-4")
def test_a_changed_parameter_is_built_anew(shared: Clone, small: tuple[str, ...]) -> None:
    # The stand-in answers with a sum of its parameters, which its test knows.
    for banks in (16, 8, 16):
        assert shared.flow("sim", f"BANKS={banks}", *small).returncode == 0


@pytest.mark.proves("RN-4")
def test_an_unfinished_build_is_not_used(clone: Clone, small: tuple[str, ...]) -> None:
    assert clone.flow("sim", *small).returncode == 0
    (stamp,) = (clone.path / "build" / "cache").glob("*/complete")
    stamp.unlink()
    for path in stamp.parent.glob("*.vvp"):
        path.write_text("")
    result = clone.flow("sim", *small)
    assert result.returncode == 0 and "built" in result.stdout


@pytest.mark.proves("RN-16")
def test_a_warning_of_icarus_fails_the_build(clone: Clone) -> None:
    left_out_if_missing("icarus")
    clone.replace("rtl/ub_load_unit.v", "rsp_base  <= cmd_base", "rsp_base  <= cmd_bse")
    clone.replace("rtl/ub_load_unit.v", "`default_nettype none", "`default_nettype wire")
    result = clone.flow("sim", "SIM=icarus", "OPS=10")
    assert result.returncode == 2
    assert "the build with Icarus Verilog" in result.stderr and "cmd_bse" in result.stderr


@pytest.mark.proves("RN-10")
def test_parallel_runs_in_one_clone_do_not_collide(clone: Clone, small: tuple[str, ...]) -> None:
    flows = [
        subprocess.Popen(
            clone.command("sim", f"SEED={seed}", "WAVES=1", *small),
            cwd=clone.path,
            env=clone.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 2, 3)
    ]
    outputs = [flow.communicate(timeout=300)[0] for flow in flows]
    assert [flow.returncode for flow in flows] == [0, 0, 0], outputs
    folders = clone.runs()
    assert len(folders) == 3
    assert len({_digest(folder) for folder in folders}) == 3
    assert all((folder / "dump.vcd").exists() for folder in folders)
    assert sum("built" in output for output in outputs) == 1


@pytest.mark.proves("RN-7")
def test_the_seed_alone_repeats_a_run(shared: Clone, small: tuple[str, ...]) -> None:
    before = set(shared.runs())
    runs = [["SEED=5"], ["SEED=5", "TEST=random_commands"], ["COCOTB_RANDOM_SEED=5"]]
    for variables in runs:
        assert shared.flow("sim", *variables, *small).returncode == 0
    assert shared.flow("sim", *small, COCOTB_RANDOM_SEED="5").returncode == 0
    assert shared.flow("sim", "SEED=6", *small).returncode == 0
    digests = [_digest(folder) for folder in set(shared.runs()) - before]
    assert sorted(digests.count(digest) for digest in set(digests)) == [1, 4]


def _digest(folder: Path) -> str:
    record = json.loads((folder / "record.json").read_text())
    return record["tests"]["random_commands"]["trace_digest"]
