"""Coverage over many jobs: read from the simulator's files, added up, and reached by few jobs."""

from pathlib import Path

import pytest

from flow.page.coverage import coverage_of
from flow.regress import code_coverage
from flow.regress.code_coverage import Point, merge, read_coverage
from flow.regress.job import Job, job_parameters
from flow.regress.ledger import Entry
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
    assert merge([first]) == {line: True, toggle: False}
    branch = Point("fill_port.v", 9, 3, "branch", "if")
    assert merge([first, second]) == {line: True, toggle: True, branch: False}


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


def test_what_no_design_can_reach_has_its_reason() -> None:
    reason = "the smallest Unified Buffer has a first DataBlock and a last one"
    alone = coverage_of([job(1, "a")]).out_of_reach
    assert alone["fill addresses"] == {reason: ["another block"]}
    default = job(2, "a", parameters=job_parameters("ub_load_unit", {}))
    both = coverage_of([job(1, "a"), default]).out_of_reach
    assert "fill addresses" not in both
    assert both["fault lanes"]["a LoadAlign has no indices"]
    assert coverage_of([]).out_of_reach == {}
