"""A run passes only where its exit status, its results file and its record all say so."""

import json
from pathlib import Path

import pytest

from flow.process import Ended
from flow.verdict import Verdict, judge

WELL = Ended(status=0, timed_out=False, seconds=1.0)
CHECKED = {"commands_sent": 5, "commands_checked": 5, "responses_left": 0}


def verdict(
    folder: Path,
    cases: str | None = '<testcase name="a"/>',
    tests: dict | None = None,
    ended: Ended = WELL,
    expected: tuple[str, ...] = (),
) -> Verdict:
    """The verdict on a run with these test cases in its results and these tests in its record."""
    results, record, log = (folder / name for name in ("results.xml", "record.json", "sim.log"))
    if cases is not None:
        results.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    record.write_text(json.dumps({"tests": {"a": CHECKED} if tests is None else tests}))
    log.write_text("first line\nlast line\n")
    return judge(ended, limit=9, results=results, record=record, log=log, expected=expected)


def only_problem(result: Verdict) -> str:
    """The text of the one problem of a run that did not pass."""
    assert not result.passed
    (problem,) = result.problems
    return problem.text


def test_a_run_that_checked_all_it_sent_passes(tmp_path: Path) -> None:
    result = verdict(tmp_path)
    assert result.passed
    assert result.ok == ("a",)


@pytest.mark.proves("RN-1")
@pytest.mark.parametrize("kind", ["failure", "error"])
def test_a_failing_test_fails_the_run(tmp_path: Path, kind: str) -> None:
    result = verdict(tmp_path, f'<testcase name="a"><{kind} message="why"/></testcase>')
    assert "why" in only_problem(result)
    assert result.failed == ("a",)


@pytest.mark.proves("RN-2")
def test_no_test_fails_the_run(tmp_path: Path) -> None:
    assert "no test ran" in only_problem(verdict(tmp_path, ""))


@pytest.mark.proves("RN-2")
def test_only_skipped_tests_fail_the_run(tmp_path: Path) -> None:
    result = verdict(tmp_path, '<testcase name="a"><skipped/></testcase>')
    assert "every one was skipped" in only_problem(result)


@pytest.mark.proves("RN-2")
def test_a_requested_test_that_did_not_run_fails_the_run(tmp_path: Path) -> None:
    assert "did not run: b" in only_problem(verdict(tmp_path, expected=("a", "b")))


@pytest.mark.proves("RN-3")
def test_a_missing_results_file_fails_the_run(tmp_path: Path) -> None:
    assert "no results file" in only_problem(verdict(tmp_path, cases=None))


@pytest.mark.proves("RN-3")
@pytest.mark.parametrize("size", [0, 20, 40])
def test_a_truncated_results_file_fails_the_run(tmp_path: Path, size: int) -> None:
    verdict(tmp_path)
    results = tmp_path / "results.xml"
    results.write_bytes(results.read_bytes()[:size])
    assert "truncated" in only_problem(verdict(tmp_path, cases=None))


@pytest.mark.proves("RN-3")
def test_a_bad_exit_status_fails_the_run(tmp_path: Path) -> None:
    result = verdict(tmp_path, ended=Ended(status=1, timed_out=False, seconds=1.0))
    assert "last line" in only_problem(result)


@pytest.mark.proves("RN-6")
def test_a_timeout_says_what_was_last_heard(tmp_path: Path) -> None:
    ended = Ended(status=-9, timed_out=True, seconds=9.0)
    problem = only_problem(verdict(tmp_path, cases=None, ended=ended))
    assert "timeout" in problem and "9 s" in problem and "last line" in problem


@pytest.mark.proves("RN-5")
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"commands_checked": 4}, "5 commands were sent, but 4 were checked"),
        ({"responses_left": 2}, "2 expected responses never came"),
        ({"failures": ["MISMATCH"]}, "1 mismatches were recorded"),
        ({"commands_sent": None}, "lacks"),
    ],
)
def test_what_was_left_unchecked_fails_the_run(tmp_path: Path, change: dict, says: str) -> None:
    assert says in only_problem(verdict(tmp_path, tests={"a": CHECKED | change}))


@pytest.mark.proves("RN-5")
def test_a_test_without_a_record_fails_the_run(tmp_path: Path) -> None:
    assert "no record" in only_problem(verdict(tmp_path, tests={}))


@pytest.mark.proves("RN-5")
@pytest.mark.parametrize("text", ["", '{"tests": {"a', "[]", '{"tests": 3}'])
def test_a_damaged_record_fails_the_run(tmp_path: Path, text: str) -> None:
    verdict(tmp_path)
    record = tmp_path / "record.json"
    record.write_text(text)
    result = judge(
        WELL, limit=9, results=tmp_path / "results.xml", record=record, log=tmp_path / "sim.log"
    )
    assert not result.passed
    assert "record" in result.problems[0].text
