"""Parameters outside of the specification are refused at elaboration, by name, in every tool."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import left_out_if_missing

from flow import tools
from flow.places import ROOT
from tb.load_unit.cycles import LATENCY

# Relative, because Yosys splits its command lines at blanks.
SOURCES = [f"rtl/{path.name}" for path in sorted((ROOT / "rtl").glob("*.v"))]

WRONG = [
    ("UB_BYTES", 100000, "UB_BYTES_must_be_a_power_of_two"),
    ("UB_BYTES", 0, "UB_BYTES_must_be_a_power_of_two"),
    ("UB_BYTES", 32, "UB_BYTES_must_be_a_power_of_two"),
    ("UB_BYTES", 1 << 31, "UB_BYTES_must_be_a_power_of_two"),
    ("BANKS", 0, "BANKS_must_be_a_power_of_two"),
    ("BANKS", 12, "BANKS_must_be_a_power_of_two"),
    ("UB_BYTES", 512, "BANKS_must_leave_two_rows"),
    ("WINDOW", 0, "WINDOW_must_be_1_to_64"),
    ("WINDOW", 65, "WINDOW_must_be_1_to_64"),
    ("STRIDE_W", 0, "STRIDE_W_must_be_1_to_32"),
    ("STRIDE_W", 33, "STRIDE_W_must_be_1_to_32"),
]


def elaborate(tool: str, parameter: str, value: int, folder: Path) -> subprocess.CompletedProcess:
    """Elaborate the top with one parameter set, in one tool."""
    if tool == "yosys":
        script = (
            "from pyosys import libyosys as ys; d = ys.Design();"
            f"ys.run_pass('read_verilog -defer {' '.join(SOURCES)}', d);"
            f"ys.run_pass('chparam -set {parameter} {value} ub_load_unit', d);"
            "ys.run_pass('hierarchy -check -top ub_load_unit', d)"
        )
        words = [sys.executable, "-c", script]
    else:
        simulator = tools.require(left_out_if_missing(tool))
        if tool == "icarus":
            words = [str(simulator.path), "-g2005", "-s", "ub_load_unit", "-o", str(folder / "a")]
            words += [f"-Pub_load_unit.{parameter}={value}", *SOURCES]
        else:
            words = [str(simulator.path), "--lint-only", "--top-module", "ub_load_unit"]
            words += [f"-G{parameter}={value}", *SOURCES]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.proves("PA-1")
def test_the_defaults_are_those_of_the_specification() -> None:
    top = (ROOT / "rtl" / "ub_load_unit.v").read_text(encoding="utf-8")
    assert re.findall(r"^    parameter (\w+) *= (\w+)", top, re.MULTILINE) == [
        ("UB_BYTES", "262144"),
        ("BANKS", "16"),
        ("WINDOW", "4"),
        ("STRIDE_W", "32"),
    ]


@pytest.mark.proves("CY-10")
def test_the_header_of_the_top_states_the_latency_that_is_measured() -> None:
    header = (ROOT / "rtl" / "ub_load_unit.v").read_text(encoding="utf-8")
    assert f"L = {LATENCY} cycles from acceptance to rsp_valid" in header


@pytest.mark.proves("PA-3")
@pytest.mark.parametrize("tool", ["icarus", "verilator", "yosys"])
@pytest.mark.parametrize("parameter, value, message", WRONG)
def test_a_wrong_parameter_is_refused_by_name(
    tool: str, parameter: str, value: int, message: str, tmp_path: Path
) -> None:
    result = elaborate(tool, parameter, value, tmp_path)
    assert result.returncode != 0
    assert f"parameter_{message}" in result.stdout + result.stderr


@pytest.mark.proves("PA-2")
@pytest.mark.parametrize("tool", ["icarus", "verilator", "yosys"])
@pytest.mark.parametrize(
    "parameter, value",
    [("UB_BYTES", 1024), ("UB_BYTES", 1 << 30), ("BANKS", 1), ("BANKS", 64)]
    + [("WINDOW", 1), ("WINDOW", 7), ("WINDOW", 64), ("STRIDE_W", 1), ("STRIDE_W", 16)],
)
def test_a_legal_parameter_elaborates(
    tool: str, parameter: str, value: int, tmp_path: Path
) -> None:
    assert elaborate(tool, parameter, value, tmp_path).returncode == 0
