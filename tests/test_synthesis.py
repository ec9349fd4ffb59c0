"""What synthesis makes of the design: block RAM for the Unified Buffer, and an area that is bounded."""

import pytest

from flow import yosys
from flow.errors import UserError
from flow.places import ROOT
from flow.synthesis import CELLS, CROSSBAR, SLICE, Measured, Point, points, synthesize, table


@pytest.mark.proves("PA-4")
@pytest.mark.parametrize("rows, block_rams", [(512, 8), (1024, 15)])
def test_a_bank_is_block_ram_without_logic_around_it(rows: int, block_rams: int) -> None:
    """256 bits in RAMs of 36 x 512 or 18 x 1024 bits; two LUTs make the enables of all."""
    _, needed = synthesize("bank_memory", {"ROWS": rows})
    assert needed.pop("LUT4") <= 2
    assert needed == {"FF": 0, "DPR16X4": 0, "DP16KD": block_rams}


@pytest.mark.proves("PA-5")
def test_eight_lanes_at_eight_banks_need_fewer_luts_than_crossbars_without_merging() -> None:
    """With merging of equal blocks, in lock step; 13,764 LUT4 is the least of what is known."""
    _, needed = synthesize(CROSSBAR, Point(CROSSBAR, banks=8, window=1).parameters())
    assert needed["LUT4"] < 13764
    assert 120 <= needed["DP16KD"] <= 128


def test_the_crossbar_alone_keeps_as_many_results_as_in_the_unit() -> None:
    """The smallest power of two that is not below WINDOW + 6."""
    slots = {window: Point(CROSSBAR, 8, window).parameters()["SLOTS"] for window in (1, 2, 3, 10)}
    assert slots == {1: 8, 2: 8, 3: 16, 10: 16}


def test_every_point_has_its_row_in_the_table() -> None:
    assert len(set(points())) == len(points())
    measured = [
        Measured(Point(CROSSBAR, 8, 1), dict.fromkeys(CELLS, 1234)),
        Measured(Point(SLICE, 16, 4), dict.fromkeys(CELLS, 5), {1: 90.0, 2: 101.24, 3: 7.0}),
    ]
    _, _, first, second = table(measured).splitlines()
    assert first == "| block_xbar | 8 | 1 | 1,234 | 1,234 | 1,234 | 1,234 |  |"
    assert second == "| xbar_slice | 16 | 4 | 5 | 5 | 5 | 5 | 101.2 (90.0, 101.2, 7.0) |"


def test_a_design_that_yosys_refuses_is_one_error_and_leaves_nothing() -> None:
    with pytest.raises(UserError, match="the synthesis of broken failed"):
        yosys.synthesize("broken", {}, {"broken.v": b"module broken(; endmodule\n"}, [])
    assert not list((ROOT / "build" / "cache").glob("broken-yosys-*[0-9a-f]"))
