"""The lint passes a clean design and fails on a warning of any of its tools."""

import re
from pathlib import Path

import pytest
from clone import Clone, make_clone


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A clone whose design is clean."""
    return make_clone(tmp_path / "clone")


@pytest.mark.proves("RN-16")
def test_a_clean_design_passes_as_top_with_every_set_of_parameters(clone: Clone) -> None:
    result = clone.flow("lint")
    assert result.returncode == 0, result.stdout
    assert re.search(r"^ok   ub_load_unit$", result.stdout, re.MULTILINE)
    assert "ok   ub_load_unit UB_BYTES=64 BANKS=1 WINDOW=1 STRIDE_W=1" in result.stdout


@pytest.mark.proves("RN-16")
@pytest.mark.parametrize(
    ("old", "new", "tool"),
    [
        ("    always", "    wire nowhere = clk;\n    always", "verilator"),
        ("    always", "    assign rsp_valid = 1'b0;\n    always", "icarus"),
        (
            "    always",
            "    wire x;\n    assign x = clk;\n    assign x = rst;\n    always",
            "yosys",
        ),
    ],
)
def test_a_complaint_of_one_tool_fails(clone: Clone, old: str, new: str, tool: str) -> None:
    clone.replace("rtl/ub_load_unit.v", old, new)
    result = clone.flow("lint")
    assert result.returncode == 1
    assert "FAIL ub_load_unit" in result.stdout
    assert f"     {tool}: " in result.stdout


@pytest.mark.proves("RN-16")
def test_unformatted_python_fails(clone: Clone) -> None:
    (clone.path / "odd.py").write_text("x   = 1\n")
    result = clone.flow("lint")
    assert result.returncode == 1
    assert "FAIL ruff format --check" in result.stdout


@pytest.mark.proves("RN-16")
def test_a_design_without_a_module_is_no_clean_design(clone: Clone) -> None:
    for source in (clone.path / "rtl").glob("*.v"):
        source.unlink()
    result = clone.flow("lint")
    assert result.returncode == 2
    assert "there is no Verilog module in" in result.stderr
