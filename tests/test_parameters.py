"""Parameters outside of the specification are refused at elaboration, by name, in every tool.

The check of the parameters has faults planted in it too (tests/faults/parameter_check): each must
change what comes of the parameter that it is found by.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import left_out_if_missing

from flow import tools
from flow.faults import FAULTS, planted, read_fault
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


LEGAL = [
    *(("UB_BYTES", 1024), ("UB_BYTES", 1 << 30), ("BANKS", 1), ("BANKS", 64)),
    *(("WINDOW", 1), ("WINDOW", 7), ("WINDOW", 64), ("STRIDE_W", 1), ("STRIDE_W", 16)),
]
MISCHECKED = sorted((FAULTS / "parameter_check").glob("*.patch"))


def elaborate(
    tool: str, parameter: str, value: int, folder: Path, design: Path = ROOT
) -> subprocess.CompletedProcess:
    """Elaborate the top of a design with one parameter set, in one tool."""
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
    return subprocess.run(words, capture_output=True, text=True, cwd=design, check=False)


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
    assert refuses(elaborate(tool, parameter, value, tmp_path), message)


@pytest.mark.proves("PA-2")
@pytest.mark.parametrize("tool", ["icarus", "verilator", "yosys"])
@pytest.mark.parametrize("parameter, value", LEGAL)
def test_a_legal_parameter_elaborates(
    tool: str, parameter: str, value: int, tmp_path: Path
) -> None:
    assert elaborate(tool, parameter, value, tmp_path).returncode == 0


@pytest.mark.proves("RN-1")
@pytest.mark.parametrize("tool", ["icarus", "verilator", "yosys"])
@pytest.mark.parametrize("patch", MISCHECKED, ids=lambda patch: patch.stem)
def test_a_fault_planted_in_the_check_is_found(tool: str, patch: Path, tmp_path: Path) -> None:
    parameter, value = read_fault(patch).found_by.split("=")
    planted(patch, tmp_path / "planted")
    result = elaborate(tool, parameter, int(value), tmp_path, tmp_path / "planted")
    wrong = {(name, number): message for name, number, message in WRONG}
    if (parameter, int(value)) in LEGAL:
        assert result.returncode != 0
    else:
        assert not refuses(result, wrong[parameter, int(value)])


def refuses(result: subprocess.CompletedProcess, message: str) -> bool:
    """Whether a tool has refused a design with this message."""
    return result.returncode != 0 and f"parameter_{message}" in result.stdout + result.stderr
