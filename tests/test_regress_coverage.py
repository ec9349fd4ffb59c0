"""Coverage over many jobs: read from the simulator's files, added up, and reached by few jobs."""

from dataclasses import replace
from pathlib import Path

import pytest

from flow.errors import UserError
from flow.page.coverage import coverage_of
from flow.regress import code_coverage
from flow.regress.code_coverage import Point, merge, read_coverage
from flow.regress.coverage_lines import coverage_lines, is_complete
from flow.regress.job import Job, job_parameters
from flow.regress.lcov import write_lcov
from flow.regress.ledger import Entry
from flow.regress.unreachable import CONSTANTS, unreachable
from flow.verdict import Verdict

HEAD = "# SystemC::Coverage-3\n"


def record(line: int, kind: str, what: str, hits: int, instance: str = "top.a") -> str:
    """A point as Verilator writes it."""
    fields = {"f": "/x/fill_port.v", "l": line, "n": 3, "t": kind, "page": f"v_{kind}/m"}
    fields |= {"o": what, "h": instance}
    text = "".join(f"\x01{name}\x02{value}" for name, value in fields.items())
    return f"C '{text}' {hits}\n"


@pytest.fixture(autouse=True)
def points_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The points of these files are kept where no other build's are."""
    monkeypatch.setattr(code_coverage, "POINTS", tmp_path / "points")


def read(folder: Path, *records: str) -> dict[str, str]:
    """The coverage of a file of these records."""
    path = folder / "coverage.dat"
    path.write_text(HEAD + "".join(records))
    return read_coverage(path)


def test_instances_count_together_and_runs_add_up(tmp_path: Path) -> None:
    first = read(
        tmp_path,
        record(5, "line", "block", 0, "top.a"),
        record(5, "line", "block", 2, "top.b"),
        record(7, "toggle", "x:0->1", 0),
    )
    second = read(tmp_path, record(7, "toggle", "x:0->1", 4), record(9, "branch", "if", 0))
    line = Point("fill_port.v", 5, 3, "line", "block")
    toggle = Point("fill_port.v", 7, 3, "toggle", "x:0->1")
    assert merge([first]) == {line: 1, toggle: 0}
    branch = Point("fill_port.v", 9, 3, "branch", "if")
    assert merge([first, second]) == {line: 1, toggle: 1, branch: 0}


def test_the_bench_is_no_part_of_the_design(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no point"):
        read(tmp_path, record(5, "line", "block", 1).replace("fill_port", "player"))


@pytest.mark.proves("RN-28")
@pytest.mark.parametrize("text", ["", "other\n", HEAD, HEAD + record(5, "line", "b", 1)[:40]])
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "coverage.dat"
    path.write_text(text)
    with pytest.raises(ValueError):
        read_coverage(path)


SMALLEST = job_parameters("ub_load_unit", {"UB_BYTES": 64, "BANKS": 1, "WINDOW": 1, "STRIDE_W": 1})


def job(seed: int, *bins: str, parameters: tuple[tuple[str, int], ...] = SMALLEST) -> Entry:
    """A job that has hit these of the bins a, b, c and d."""
    hits = {name: int(name in bins) for name in "abcd"}
    coverage = {"group": {"about": "x", "rules": ["ST-1"], "bins": hits}}
    return Entry(
        Job("ub_load_unit", "random", "icarus", parameters=parameters, seed=seed),
        "sources",
        Verdict((), ok=("t",), record={"tests": {"t": {"coverage": coverage}}}),
        started=0.0,
        seconds=1.0,
    )


def test_few_jobs_reach_what_all_do() -> None:
    entries = [job(1, "a"), job(2, "a", "b"), job(3, "b", "c"), job(4, "c")]
    coverage = coverage_of(entries)
    assert coverage.groups["group"]["bins"] == {"a": 2, "b": 2, "c": 2, "d": 0}
    assert (coverage.bins, [gain.bins for gain in coverage.gains]) == (4, [1, 2, 3, 3])
    assert [gain.job for gain in coverage.fewest] == [entries[1].job.name, entries[2].job.name]
    assert coverage.fewest[-1].bins == 3


def test_a_choice_that_later_ones_make_superfluous_is_dropped() -> None:
    # The first choice is the largest, but the other two are needed anyway and cover it.
    entries = [job(1, "b", "c"), job(2, "a", "b"), job(3, "c", "d")]
    assert len(coverage_of(entries).fewest) == 2


@pytest.mark.proves("RN-38")
def test_what_is_missing_is_told_by_file_and_line(tmp_path: Path) -> None:
    fault = "rsp_fault_addr[41]:0->1"
    entry = replace(job(1, "a", "b", "c", "d"), coverage=read(tmp_path, record(5, "line", "b", 1)))
    assert is_complete(coverage_of([entry]))
    records = [
        record(5, "line", "block", 1),
        record(7, "toggle", "x:0->1", 0),
        record(73, "toggle", fault, 0).replace("fill_port", "ub_load_unit"),
    ]
    entry = replace(job(1, "a", "b", "c"), coverage=read(tmp_path, *records))
    lines = list(coverage_lines(coverage_of([entry])))
    assert "missing: rtl/fill_port.v:7: 1 toggle: x:0->1" in lines
    assert "missing: bin of group: d" in lines
    assert [line for line in lines if line.startswith("out of reach: 1 toggles of ub_load_unit's")]
    assert lines[-1] == "3 of 4 bins, 1 of 2 points of the code"
    assert not is_complete(coverage_of([entry]))


@pytest.mark.proves("RN-38")
def test_a_point_is_out_of_reach_only_with_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    constant = CONSTANTS[0]
    point = Point("ub_load_unit.v", 73, 3, "toggle", f"{constant.signal}[{constant.low}]:0->1")
    assert unreachable([point]) == {point: constant}
    other = replace(point, what=f"{constant.signal}[{constant.low - 1}]:0->1")
    assert unreachable([other]) == {}
    wrong = replace(constant, low=constant.low - 1)
    monkeypatch.setattr("flow.regress.unreachable.CONSTANTS", (wrong,))
    with pytest.raises(UserError, match="did fail|failed"):
        unreachable([other])


@pytest.mark.proves("RN-38")
def test_a_file_for_lcov_has_lines_and_branches(tmp_path: Path) -> None:
    points = {
        Point("fill_port.v", 5, 3, "line", "block", "5-6,8"): 2,
        Point("fill_port.v", 6, 3, "branch", "if", "6"): 0,
        Point("fill_port.v", 9, 3, "toggle", "x:0->1"): 1,
    }
    write_lcov(points, path := tmp_path / "coverage.info")
    name, *lines = path.read_text().splitlines()
    assert name.startswith("SF:") and name.endswith("/rtl/fill_port.v")
    assert lines == [
        *("BRDA:6,0,0,0", "BRDA:9,0,0,1", "BRF:2", "BRH:1"),
        *("DA:5,2", "DA:6,2", "DA:8,2", "DA:9,1", "LF:4", "LH:4", "end_of_record"),
    ]


def test_what_no_design_can_reach_has_its_reason() -> None:
    reason = "the smallest Unified Buffer has a first DataBlock and a last one"
    alone = coverage_of([job(1, "a")]).out_of_reach
    assert alone["fill addresses"] == {reason: ["another block"]}
    default = job(2, "a", parameters=job_parameters("ub_load_unit", {}))
    both = coverage_of([job(1, "a"), default]).out_of_reach
    assert "fill addresses" not in both
    assert both["fault lanes"]["a LoadAlign has no indices"]
    assert coverage_of([]).out_of_reach == {}
