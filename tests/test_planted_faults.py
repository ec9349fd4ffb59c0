"""Faults planted in a copy of the RTL, one at a time: `make sim` must exit non-zero for each.

Each patch in tests/faults says at its top what `kind` of fault it is, and how it is `found by`
variables of make sim where the default test does not find it as it stands.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from clone import ROOT, Clone, make_clone
from conftest import on_icarus

from flow.benches import BENCHES
from flow.faults import FAULTS, SMALL, in_words, planted
from flow.replay import replays
from flow.run import run
from flow.variables import sim_settings

PATCHES = sorted(FAULTS.glob("*.patch"))
CORPUS = ROOT / "tests" / "corpus"


def variables_of(patch: Path) -> list[str]:
    """The variables of make sim with which the fault of `patch` is found."""
    return [*(f"{name}={value}" for name, value in SMALL.items()), *in_words(patch)[1].split()]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A copy of the whole project."""
    return make_clone(tmp_path / "clone", design=ROOT)


# A build of Verilator takes many times as long as the run: one fault, Icarus has them all.
@pytest.mark.proves("RN-1")
@pytest.mark.parametrize(
    "simulator, name",
    [("icarus", "merge"), ("icarus", "reset"), ("verilator", "merge")],
    indirect=["simulator"],
)
def test_a_fault_planted_in_the_rtl_fails_make_sim(
    clone: Clone, simulator: str, name: str, tmp_path: Path
) -> None:
    patch = FAULTS / f"{name}.patch"
    for source in planted(patch, tmp_path / "planted").glob("*.v"):
        (clone.path / "rtl" / source.name).write_bytes(source.read_bytes())
    result = clone.make("sim", f"SIM={simulator}", "SHRINK=0", *variables_of(patch))
    said = result.stdout + result.stderr
    assert result.returncode != 0, f"nothing found: {patch.read_text(encoding='utf-8')}\n{said}"
    # The simulation ran to its end and a check failed: it is no build that broke.
    assert re.search(r"^  FAIL \w+$", said, re.MULTILINE) and "  MISMATCH " in said, said
    assert "FAIL: 0 of 1 tests passed" in said, said


@pytest.mark.proves("RN-1", "RN-26")
@on_icarus
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_planted_fault_is_found_and_its_smallest_case_shows_it(
    simulator: str, patch: Path, tmp_path: Path
) -> None:
    rtl = planted(patch, tmp_path / "planted")
    given = dict(word.split("=", 1) for word in variables_of(patch))
    settings = sim_settings({"SIM": simulator, **given}, {})
    failed = run(replace(settings, bench=replace(settings.bench, rtl=rtl)))
    (name,) = failed.verdict.failed
    assert failed.record["tests"][name]["failures"][0].startswith("MISMATCH ")
    [settings] = replays((CORPUS / patch.stem,), simulator, {})
    played = run(replace(settings, bench=replace(BENCHES["player"], rtl=rtl)))
    assert not played.verdict.passed
    assert played.record["tests"]["replay"]["failures"][0].startswith("MISMATCH ")


@pytest.mark.proves("RN-1")
def test_the_same_runs_pass_where_no_fault_is_planted(clone: Clone) -> None:
    ways = {tuple(variables_of(patch)) for patch in PATCHES}
    for variables in sorted(ways):
        result = clone.make("sim", "SIM=icarus", *variables)
        assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.proves("RN-23")
def test_the_smallest_cases_are_small() -> None:
    table = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| .* \| .* \| .* \| (\d+) commands?.* \| \d+ \| [\d.]+ \|$", table, re.MULTILINE
    )
    assert len(rows) == len(PATCHES) >= 30
    assert sorted(map(int, rows))[len(rows) // 2] <= 2
