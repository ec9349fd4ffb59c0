"""A unit whose data are right and whose cycles are not: the benches must find it."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from flow.benches import BENCHES, Bench
from flow.run import Run

Simulate = Callable[..., Run]

# The check is the same on every simulator; Icarus builds each changed design in a second.
on_icarus = pytest.mark.parametrize("simulator", ["icarus"], indirect=True)


LANE_7_FIRST = (
    "older(behind[BEHIND_W*i +: BEHIND_W],\n" + 50 * " " + "behind[BEHIND_W*j +: BEHIND_W]);",
    (
        "older(behind[BEHIND_W*i +: BEHIND_W], behind[BEHIND_W*j +: BEHIND_W]) &\n"
        "    behind[BEHIND_W*i +: BEHIND_W] != behind[BEHIND_W*j +: BEHIND_W];"
    ),
)
"""In age_order.v, of two lanes of one command: the higher one goes first."""


@dataclass(frozen=True)
class ChangedBench(Bench):
    """A bench whose design lies in `folder`."""

    folder: Path = Path()

    def sources(self) -> list[Path]:
        return sorted(self.folder.glob("*.v"))


def changed(bench: Bench, folder: Path, file: str, old: str, new: str) -> ChangedBench:
    """The bench with one text of one source replaced, which must be there."""
    for source in bench.sources():
        text = source.read_text(encoding="utf-8")
        if source.name == file:
            assert old in text
            text = text.replace(old, new)
        (folder / source.name).write_text(text, encoding="utf-8")
    return ChangedBench(*(getattr(bench, field.name) for field in fields(bench)), folder=folder)


@pytest.mark.proves("RN-20")
@on_icarus
@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        pytest.param(
            "block_xbar.v",
            "assign done = reads_complete_qq;",
            "reg late; always @(posedge clk) late <= ~rst & reads_complete_qq; assign done = late;",
            "rsp_valid: got 0, expected 1",
            id="a response one cycle late",
        ),
        pytest.param(
            "ub_load_unit.v",
            "READS_MAX = WINDOW + 2",
            "READS_MAX = WINDOW + 1",
            "cmd_ready: got 0, expected 1",
            id="a command fewer in flight",
        ),
        pytest.param("age_order.v", *LANE_7_FIRST, "read, expected", id="lane 7 first"),
    ],
)
def test_right_data_in_a_wrong_cycle_fail_the_run(
    simulate: Simulate, simulator: str, tmp_path: Path, file: str, old: str, new: str, says: str
) -> None:
    bench = changed(BENCHES["ub_load_unit"], tmp_path, file, old, new)
    parameters = {"UB_BYTES": 1024, "BANKS": 4}
    with pytest.raises(
        AssertionError, match=r"MISMATCH with the cycle model in cycle \d+"
    ) as failed:
        simulate(bench, simulator, parameters, tests=["random_commands"])
    assert says in str(failed.value)
    assert "the model behind this cycle" in str(failed.value)


@pytest.mark.proves("RN-20")
@on_icarus
def test_a_wrong_bank_fails_the_bench_of_the_crossbar(
    simulate: Simulate, simulator: str, tmp_path: Path
) -> None:
    bench = changed(BENCHES["block_xbar"], tmp_path, "age_order.v", *LANE_7_FIRST)
    tests = ["blocks_reach_their_lanes_at_full_pace"]
    with pytest.raises(AssertionError, match=r"MISMATCH with the cycle model in cycle \d+"):
        simulate(bench, simulator, {"UB_BYTES": 1024, "BANKS": 4}, tests=tests)
