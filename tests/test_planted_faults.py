"""Faults planted in a copy of the RTL, one at a time: `make sim` must exit non-zero for each.

Each patch in tests/faults says at its top what `kind` of fault it is, and how it is `found by`
variables of make sim where the default test does not find it as it stands.
"""

import re
import subprocess
from pathlib import Path

import pytest
from clone import ROOT, Clone, make_clone

FAULTS = Path(__file__).resolve().parent / "faults"
SMALL = ("OPS=300", "UB_BYTES=2048")

# A build of Verilator takes many times as long as the run: few faults, Icarus has them all.
CASES = [("icarus", path.stem) for path in sorted(FAULTS.glob("*.patch"))]
CASES += [("verilator", name) for name in ("merge", "reset")]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A copy of the whole project."""
    return make_clone(tmp_path / "clone", design=ROOT)


def found_by(patch: Path) -> list[str]:
    """The variables of make sim with which the fault of `patch` is found."""
    line = re.search(r"^found by: (.*)$", patch.read_text(encoding="utf-8"), re.MULTILINE)
    return line[1].split() if line else []


def plant(clone: Clone, patch: Path) -> None:
    """Apply `patch` to the copy."""
    result = subprocess.run(
        ["git", "apply", str(patch)],
        cwd=clone.path,
        # Inside another repository, git would leave out what is not that one's.
        env=clone.environment | {"GIT_CEILING_DIRECTORIES": str(clone.path.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"{patch.name} does not apply any more: {result.stderr}"


@pytest.mark.proves("RN-1")
@pytest.mark.parametrize("simulator, name", CASES, indirect=["simulator"])
def test_a_fault_planted_in_the_rtl_fails_the_run(clone: Clone, simulator: str, name: str) -> None:
    patch = FAULTS / f"{name}.patch"
    plant(clone, patch)
    result = clone.make("sim", f"SIM={simulator}", *SMALL, *found_by(patch))
    said = result.stdout + result.stderr
    assert result.returncode != 0, f"nothing found: {patch.read_text(encoding='utf-8')}\n{said}"
    # The simulation ran to its end and a check failed: it is no build that broke.
    assert re.search(r"^  FAIL \w+$", said, re.MULTILINE) and "  MISMATCH " in said, said
    assert "FAIL: 0 of 1 tests passed" in said, said


@pytest.mark.proves("RN-1")
def test_the_same_runs_pass_where_no_fault_is_planted(clone: Clone) -> None:
    ways = {tuple(found_by(patch)) for patch in FAULTS.glob("*.patch")}
    assert () in ways
    for variables in sorted(ways):
        result = clone.make("sim", "SIM=icarus", *SMALL, *variables)
        assert result.returncode == 0, result.stdout + result.stderr
