"""Faults planted in a copy of the RTL, one at a time: `make sim` must exit non-zero for each.

Each patch in tests/faults says at its top what `kind` of fault it is, what kind of public report it
is `modelled on`, and how it is `found by` variables of make sim where the default test does not
find it as it stands. Here the smallest case of each is played on the design with the fault, and every
sixth fault is found by the bench too, as `make faults` finds all of them on both simulators.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from clone import ROOT, Clone, make_clone
from conftest import on_icarus

from flow import faults
from flow.benches import BENCHES
from flow.errors import UserError
from flow.faults import CORPUS, Fault, Found, measure_faults, planted, read_faults
from flow.replay import replays
from flow.report import report
from flow.run import run
from flow.variables import sim_settings

PLANTED = {fault.name: fault for fault in read_faults()}
FOUND_HERE = sorted(PLANTED)[::6]


def variables_of(fault: Fault) -> list[str]:
    """The variables of make sim with which a fault is found, as words."""
    return [f"{name}={value}" for name, value in fault.variables.items()]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A copy of the whole project."""
    return make_clone(tmp_path / "clone", design=ROOT)


# A build of Verilator takes many times as long as the run: one fault.
@pytest.mark.proves("RN-1")
@pytest.mark.parametrize(
    "simulator, name",
    [("icarus", "merge"), ("icarus", "reset"), ("verilator", "merge")],
    indirect=["simulator"],
)
def test_a_fault_planted_in_the_rtl_fails_make_sim(
    clone: Clone, simulator: str, name: str, tmp_path: Path
) -> None:
    fault = PLANTED[name]
    for source in planted(fault.patch, tmp_path / "planted").glob("*.v"):
        (clone.path / "rtl" / source.name).write_bytes(source.read_bytes())
    result = clone.make("sim", f"SIM={simulator}", "SHRINK=0", *variables_of(fault))
    said = result.stdout + result.stderr
    assert result.returncode != 0, f"nothing found: {fault.kind}\n{said}"
    # The simulation ran to its end and a check failed: it is no build that broke.
    assert re.search(r"^  FAIL \w+$", said, re.MULTILINE) and "  MISMATCH " in said, said
    assert "FAIL: 0 of 1 tests passed" in said, said


@pytest.mark.proves("RN-1")
@on_icarus
@pytest.mark.parametrize("name", FOUND_HERE)
def test_a_planted_fault_is_found(simulator: str, name: str, tmp_path: Path) -> None:
    rtl = planted(PLANTED[name].patch, tmp_path / "planted")
    settings = sim_settings({"SIM": simulator, **PLANTED[name].variables}, {})
    failed = run(replace(settings, bench=replace(settings.bench, rtl=rtl)))
    (test,) = failed.verdict.failed
    assert failed.record["tests"][test]["failures"][0].startswith("MISMATCH ")


@pytest.mark.proves("RN-1", "RN-26")
@on_icarus
@pytest.mark.parametrize("name", PLANTED)
def test_the_smallest_case_of_a_planted_fault_shows_it(
    simulator: str, name: str, tmp_path: Path
) -> None:
    rtl = planted(PLANTED[name].patch, tmp_path / "planted")
    [settings] = replays((CORPUS / name,), simulator, {})
    played = run(replace(settings, bench=replace(BENCHES["player"], rtl=rtl)))
    assert not played.verdict.passed
    assert played.record["tests"]["replay"]["failures"][0].startswith("MISMATCH ")


@pytest.mark.proves("RN-1")
@on_icarus
def test_the_same_runs_pass_where_no_fault_is_planted(simulator: str) -> None:
    ways = {tuple(PLANTED[name].variables.items()) for name in FOUND_HERE}
    for variables in sorted(ways):
        good = run(sim_settings({"SIM": simulator, **dict(variables)}, {}))
        assert good.verdict.passed, report(good)


@pytest.mark.proves("RN-23")
def test_the_smallest_cases_are_small() -> None:
    table = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (\d+) commands?[^|]* \| \d+ \| [\d.]+ \|$", table, re.MULTILINE)
    assert len(rows) == len(PLANTED) >= 64
    assert sorted(map(int, rows))[len(rows) // 2] <= 2


@pytest.mark.proves("RN-1")
def test_every_module_has_two_planted_faults() -> None:
    counts = Counter(
        re.search(r"^--- a/rtl/(\w+)\.v$", fault.patch.read_text(encoding="utf-8"), re.MULTILINE)[1]
        for fault in PLANTED.values()
    )
    # The check of the parameters has no cycles: test_parameters.py elaborates it with each fault.
    modules = {path.stem for path in (ROOT / "rtl").glob("*.v")} - {"parameter_check"}
    assert {name for name in modules if counts[name] < 2} == set()


@pytest.mark.proves("RN-26")
def test_what_was_measured_is_measured_again_only_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PLANTED["idle"].patch.read_text(encoding="utf-8")
    patch = tmp_path / "idle.patch"
    measured = []

    def measure(fault: Fault, simulator: str, say: Callable[[str], None]) -> Found:
        measured.append(fault.name)
        return Found(faults._fingerprint(fault, simulator), "idle")

    monkeypatch.setattr(faults, "FAULTS", tmp_path)
    monkeypatch.setattr(faults, "_ledger", lambda simulator: tmp_path)
    monkeypatch.setattr(faults, "_measure", measure)
    changes = [
        (text, 1),
        (text, 1),
        (text.replace("kind: ", "kind: In other words: "), 1),
        (text.replace("(no_response_due | rsp_valid)", "1'b1"), 2),
    ]
    for content, times in changes:
        patch.write_text(content, encoding="utf-8")
        measure_faults("icarus", lambda line: None)
        assert len(measured) == times
    patch.write_text(text.replace("modelled on: ", "after: "), encoding="utf-8")
    with pytest.raises(UserError, match="modelled on"):
        measure_faults("icarus", lambda line: None)
