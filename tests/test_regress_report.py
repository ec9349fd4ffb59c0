"""What a regression says at its end: groups of failures, JUnit XML, and a page in a real browser."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browser import find_browser, look_at
from clone import ROOT, Clone, make_clone
from conftest import left_out_if_missing
from regress_clone import PLAN, make_stand_in, use_matrix, words

from flow.faults import FAULTS, planted

SMALL = '{"UB_BYTES": 2048, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}'
PHONE, DESKTOP = 390, 1280


@dataclass(frozen=True)
class Regressed:
    """A clone after its regression, and what that said."""

    clone: Clone
    said: str
    status: int

    @property
    def page(self) -> Path:
        """The report."""
        return self.clone.path / "build" / "regress" / "report.html"


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Regressed:
    """A regression of the design with a fault in one of its address generators."""
    for simulator in ("icarus", "verilator"):
        left_out_if_missing(simulator)
    folder = tmp_path_factory.mktemp("failed")
    clone = make_clone(folder / "clone", design=ROOT)
    for name in ("docs", "tests"):
        shutil.copytree(ROOT / name, clone.path / name, symlinks=True)
    for source in planted(FAULTS / "early_update.patch", folder / "planted").glob("*.v"):
        (clone.path / "rtl" / source.name).write_bytes(source.read_bytes())
    tests = '("random_commands", "vectors")'
    use_matrix(
        clone,
        [
            f'Row("random", "ub_load_unit", {{"icarus": ({SMALL},)}}, ops=200, tests={tests})',
            'Row("all", "loadalign_agu", {"icarus": ({"STRIDE_W": 32},)}, ops=200)',
            'Row("all", "gatherb_agu", NO_PARAMETERS, ops=200)',
        ],
    )
    result = clone.flow("regress", "SEEDS=2")
    return Regressed(clone, result.stdout + result.stderr, result.returncode)


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Regressed:
    """A regression in which all is well, and no coverage is counted."""
    clone = make_stand_in(tmp_path_factory.mktemp("passed") / "clone")
    result = clone.flow("regress", "SEEDS=1")
    return Regressed(clone, result.stdout + result.stderr, result.returncode)


@pytest.mark.proves("RN-31")
def test_a_fault_is_one_group_of_failures_with_one_smallest_case(failed: Regressed) -> None:
    assert failed.status == 1
    outcomes = re.findall(r"^(\w+): (ub_load_unit|loadalign_agu)\S*:", failed.said, re.MULTILINE)
    assert len(outcomes) == 4 and {word for word, _ in outcomes} == {"failed"}
    assert len(re.findall(r"^wrong: .*: 2 jobs$", failed.said, re.MULTILINE)) == 1, failed.said
    assert re.search(r"smallest case: 1 command, of \d+ commands", failed.said)
    assert "benches of single modules fail too: loadalign_agu" in failed.said
    page = failed.page.read_text(encoding="utf-8")
    assert page.count('class="card group" id="group') == 1
    assert "<svg" in page and 'class="WaveDrom"' in page
    (replay,) = re.findall(r"<pre>(make replay CASE=\S+ SIM=icarus)</pre>", page)
    case = re.search(r"CASE=(\S+)", replay)[1]
    result = failed.clone.flow("replay", f"CASE={case}", "SIM=icarus")
    assert result.returncode == 1 and "LOADALIGN_POST" in result.stdout


@pytest.mark.proves("RN-31")
def test_the_smallest_case_is_looked_for_once(failed: Regressed) -> None:
    again = failed.clone.flow("regress", "SEEDS=2")
    assert again.returncode == 1
    assert "shrinking" not in again.stderr and "jobs to run" not in again.stderr
    assert "smallest case: 1 command" in again.stdout


@pytest.mark.proves("RN-31")
def test_junit_has_every_job_and_how_to_repeat_it(failed: Regressed, passed: Regressed) -> None:
    root = ElementTree.parse(failed.page.with_name("junit.xml")).getroot()
    counts = {
        suite.get("name"): (int(suite.get("tests")), int(suite.get("failures")))
        for suite in root.iter("testsuite")
    }
    assert counts == {
        "ub_load_unit": (2, 2),
        "loadalign_agu": (2, 2),
        "gatherb_agu": (4, 0),
        "regression": (2, 1),
    }
    texts = [failure.text for failure in root.iter("failure")]
    assert sum("repeat: make sim SIM=icarus SEED=" in text for text in texts) == 4
    root = ElementTree.parse(passed.page.with_name("junit.xml")).getroot()
    assert not list(root.iter("failure")) and len(list(root.iter("testcase"))) == 3


@pytest.mark.proves("RN-33")
def test_a_rule_without_a_passing_test_fails_the_run(failed: Regressed, passed: Regressed) -> None:
    assert re.search(r"^CY-1 has no passing test: ", failed.said, re.MULTILINE)
    assert passed.status == 0 and "1 rules proven" in passed.said
    clone = passed.clone
    plan = clone.path / "docs" / "testplan.md"
    plan.write_text(PLAN + "| AB-2 | Two holds. |\n")
    result = clone.flow("regress", "SEEDS=1")
    assert result.returncode == 1
    assert "AB-2 has no passing test: Two holds." in result.stdout
    assert words(clone) == {"random": "passed"}
    # Who leaves out benches cannot be told so.
    assert clone.flow("regress", "SEEDS=1", "SIM=icarus").returncode == 0
    plan.write_text(PLAN.replace("AB-1", "AB-7"))
    result = clone.flow("regress", "SEEDS=1")
    assert "AB-1 is not in the plan, but random_commands names it" in result.stdout
    plan.write_text(PLAN)


@pytest.fixture(scope="module")
def browser() -> str:
    """A Chromium; left out where there is none, but not in CI."""
    found = find_browser()
    if found is None and os.environ.get("CI"):
        pytest.fail("with CI set, the browser may not be left out: install chromium")
    return found or pytest.skip("no chromium: install it")


@pytest.mark.proves("RN-32")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("which", ["failed", "passed"])
def test_the_page_can_be_read_anywhere(
    request: pytest.FixtureRequest, browser: str, which: str, width: int, dark: bool
) -> None:
    page: Path = request.getfixturevalue(which).page
    seen = look_at(page, browser, width, dark)
    assert (seen.width, seen.dark) == (width, dark)
    assert seen.overflow <= 0, "wider than the window"
    assert seen.contrast[0] >= 4.5, seen.contrast
    assert seen.texts > 50 and seen.links > 5
    assert seen.broken == [] and seen.outside == [] and seen.console == []
    assert "<script" not in page.read_text(encoding="utf-8")


@pytest.mark.proves("RN-32")
def test_the_look_at_a_page_finds_what_is_wrong(browser: str, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!doctype html><body><p style='width: 900px; color: #ccc'>pale</p><a href='#no'>x</a>"
        "<img src='file:///nowhere.png'><script>console.error('bad'); undefined.x</script></body>"
    )
    seen = look_at(page, browser, PHONE, dark=False)
    assert seen.overflow > 0 and seen.contrast[0] < 2 and seen.broken == ["#no"]
    assert seen.outside == ["file:///nowhere.png"] and len(seen.console) >= 2
