"""The test plan is checked at the end of a full run, and only of a full one."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from clone import ROOT

from flow.testplan import Outcome, complaints, proven, read_plan

PLAN = "| ID | Rule |\n|---|---|\n| AB-1 | One holds. |\n| AB-2 | Two holds. |\n"


def test_the_plan_is_read_from_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "testplan.md"
    path.write_text("Text about AB-9.\n" + PLAN)
    assert read_plan(path) == {"AB-1": "One holds.", "AB-2": "Two holds."}


def test_an_id_in_two_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "testplan.md"
    path.write_text(PLAN + "| AB-1 | Again. |\n")
    with pytest.raises(ValueError, match="two rows with the ID AB-1"):
        read_plan(path)


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        ([Outcome("t", ("AB-1",), "passed")], []),
        ([], ["AB-1 has no passing test: One"]),
        ([Outcome("t", ("AB-1",), "skipped")], ["AB-1 has no passing test: One"]),
        (
            [Outcome("t", ("AB-1",), "passed"), Outcome("u", ("AB-1",), "failed")],
            ["AB-1 has a failing test, u: One"],
        ),
        (
            [Outcome("t", ("AB-1", "XY-3"), "passed")],
            ["XY-3 is not in the plan, but t names it"],
        ),
    ],
)
def test_complaints_name_the_rule(outcomes: list[Outcome], says: list[str]) -> None:
    assert complaints({"AB-1": "One"}, outcomes) == says


def test_only_rules_of_the_plan_without_a_failure_count_as_proven() -> None:
    outcomes = [Outcome("t", ("AB-1", "AB-2", "XY-3"), "passed"), Outcome("u", ("AB-2",), "failed")]
    assert proven({"AB-1": "One", "AB-2": "Two"}, outcomes) == 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with this repository's conftest.py, a plan of two rules and two tests."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "testplan.md").write_text(PLAN)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in ("conftest.py",):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    return tmp_path


def run_pytest(project: Path, second: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run two tests, the second of which proves `second`."""
    (project / "tests" / "test_both.py").write_text(
        "import pytest\n"
        "@pytest.mark.proves('AB-1')\ndef test_one(): pass\n"
        f"@pytest.mark.proves('{second}')\ndef test_two(): pass\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=project,
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.proves("RN-18")
@pytest.mark.parametrize("options", [(), ("-n", "2"), ("tests",)])
def test_a_full_run_that_proves_everything_passes(project: Path, options: tuple) -> None:
    result = run_pytest(project, "AB-2", *options)
    assert result.returncode == 0, result.stdout + result.stderr
    *_, before_last, last = result.stdout.splitlines()
    assert before_last == "testplan: 2 rules, 2 proven"
    assert "2 passed" in last


@pytest.mark.proves("RN-18")
@pytest.mark.parametrize("options", [(), ("-n", "2")])
def test_a_full_run_that_leaves_a_rule_fails(project: Path, options: tuple) -> None:
    result = run_pytest(project, "XY-3", *options)
    assert result.returncode == 1
    assert "testplan: AB-2 has no passing test: Two holds." in result.stdout
    assert "testplan: XY-3 is not in the plan" in result.stdout


@pytest.mark.parametrize("options", [("-k", "one"), ("tests/test_both.py",), ("-m", "proves")])
def test_a_partial_run_does_not_check_the_plan(project: Path, options: tuple) -> None:
    result = run_pytest(project, "AB-1", *options)
    assert result.returncode == 0, result.stdout
    assert "testplan" not in result.stdout


@pytest.mark.proves("RN-18")
def test_the_plan_names_only_tests_that_say_to_prove_the_rule() -> None:
    said = {
        (node.name, identifier)
        for folder in ("tb", "tests")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in node.decorator_list
        for call in ast.walk(decorator)
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("proves")
        for identifier in map(ast.literal_eval, call.args)
    }
    rows = re.findall(
        r"^\| ([A-Z]{2}-\d+) \| .* \| (.*) \|$",
        (ROOT / "docs" / "testplan.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(rows) > 100
    for identifier, proof in rows:
        for name in re.findall(r"`(?:\w+/)?(\w+)`", proof):
            assert (name, identifier) in said, f"{name} does not say to prove {identifier}"
