"""A run has one trace, on both simulators and whatever registers start with, or its job fails."""

from pathlib import Path

import pytest
from clone import Clone
from conftest import left_out_if_missing
from regress_clone import make_stand_in, use_matrix, verdicts

ON_BOTH = 'Row("random", "ub_load_unit", {"icarus": ({},), "verilator": ({},)}, ops=10)'


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A stand-in whose regression is a job on each simulator for each seed."""
    left_out_if_missing("verilator")
    clone = make_stand_in(tmp_path / "clone")
    use_matrix(clone, [ON_BOTH.replace("ops=10", 'ops=10, tests=("random_commands",)')])
    return clone


@pytest.mark.proves("RN-36")
def test_both_simulators_give_the_same_trace_or_the_regression_fails(clone: Clone) -> None:
    result = clone.flow("regress", "SEEDS=2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 tests have the same trace on both simulators" in result.stdout
    bench = "tb/bench_ub_load_unit.py"
    clone.replace(bench, "hashlib.sha256()", 'hashlib.sha256(CONFIG["simulator"].encode())')
    result = clone.flow("regress", "SEEDS=1")
    assert result.returncode == 1
    assert "random_commands has other traces in ub_load_unit-random-icarus-" in result.stdout
    assert "FAIL: 2 of 2 jobs passed" in result.stdout
    assert "random_commands has other traces" in (
        clone.path / "build" / "regress" / "report.html"
    ).read_text(encoding="utf-8")


@pytest.mark.proves("RN-37")
def test_a_register_that_is_not_reset_shows_on_verilator(clone: Clone) -> None:
    clone.replace(
        "rtl/ub_load_unit.v",
        "    always @(posedge clk) begin",
        "    reg [31:0] start;\n    always @(posedge clk) start <= start;\n"
        "    always @(posedge clk) begin",
    )
    bench = "tb/bench_ub_load_unit.py"
    call = '    write_record(\n        "random_commands",'
    clone.replace(bench, call, f"    digest.update(str(dut.start.value).encode())\n{call}")
    result = clone.flow("regress", "SEEDS=1", "SIM=verilator")
    assert result.returncode == 1
    (verdict,) = verdicts(clone).values()
    (problem,) = verdict["problems"]
    assert problem[0] == "differs"
    assert problem[1].startswith("random_commands: INITIAL=0 and INITIAL=1 give different traces")
    # The same seed and the same choice repeat the same values.
    traces = [
        [line for line in clone.flow("sim", *run).stdout.splitlines() if "trace" in line]
        for run in (["SIM=verilator"], ["SIM=verilator"], ["SIM=verilator", "INITIAL=1"])
    ]
    assert traces[0] == traces[1] != traces[2]
