"""`make cycles`: what it reports, the plot, and wrong input in one line."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from flow.bank_chart import MOST_ROWS, bank_chart, bank_loads, row_names
from flow.benches import BENCHES
from flow.cli import main
from flow.cycles import cycles_report, read_trace
from flow.places import ROOT
from model import WORKLOADS, Case, Command, Dtype, Op, write_case

UB_BYTES = 1 << 18
VECTORS = ROOT / "tests" / "vectors"
ALL = (1 << 256) - 1


def parameters(**given: int) -> dict[str, int]:
    return BENCHES["ub_load_unit"].with_defaults(given)


def write(folder: Path, commands: list[Command]) -> Path:
    expected = bytes(256 * len(commands))
    write_case(folder, Case("for a test", bytes(32), tuple(commands), expected))
    return folder


@pytest.fixture
def unpadded(tmp_path: Path) -> Path:
    """The NZ store pattern with block stride 144."""
    commands = WORKLOADS["nz_unpadded"].commands(0, UB_BYTES, np.random.default_rng(1))
    return write(tmp_path / "unpadded", commands)


def report(path: Path, **given: int) -> list[list[str]]:
    """The words of each line of the report."""
    trace = read_trace(str(path), parameters(**given))
    return [line.split() for line in cycles_report(trace, trace.simulate())]


@pytest.mark.proves("CY-2", "CY-4")
def test_the_report_says_what_a_padding_of_one_block_gives(unpadded):
    lines = report(unpadded, WINDOW=1)
    assert ["cycles", "1156,"] in [line[:2] for line in lines]
    assert ["144", "0", "8", "1008", "LOADALIGN", "block_stride", "144"] in lines
    assert ["144", "8", "1156", "31.9", "as", "given"] in lines
    for stride in ("142", "143", "145", "146"):
        assert [stride, "1", "148", "249.1"] in lines


@pytest.mark.parametrize(
    ("first", "stride", "unit", "strides"),
    [
        pytest.param(15, 1168, {}, [1168, 1166, 1167], id="lane 7 has the last block"),
        pytest.param(0, 1, {"BANKS": 2, "STRIDE_W": 1}, [1, 0], id="a stride of one bit"),
        pytest.param(0, 1, {"BANKS": 2}, [1, 0, 2, 3], id="no stride below zero"),
    ],
)
def test_other_strides_are_only_those_in_range(tmp_path, first, stride, unit, strides):
    command = Command(Op.LOADALIGN, Dtype.B32, 32 * first, ALL, stride)
    lines = report(write(tmp_path / "case", [command]), **unit)
    table = lines[
        lines.index(["block_stride", "largest", "D", "cycles", "bytes", "per", "cycle"]) :
    ]
    assert [int(line[0]) for line in table[1:]] == strides


def test_the_report_of_a_trace_without_conflicts_says_so(tmp_path):
    trace = write(tmp_path / "copy", [Command(Op.LOADALIGN, Dtype.B32, 0, ALL, 1)] * 4)
    lines = [" ".join(line) for line in report(trace)]
    assert "conflicts: none, every command has D <= 1" in lines
    assert "padding: no LoadAlign has D > 1" in lines


def test_commands_that_fault_are_counted(tmp_path):
    bad, good = (Command(Op.LOADALIGN, Dtype.B32, base, ALL, 1) for base in (3, 0))
    assert ["faults", "2"] in [
        line[:2] for line in report(write(tmp_path / "bad", [bad, good, bad]))
    ]


@pytest.mark.parametrize("banks", [1, 16, 64, 4096])
@pytest.mark.parametrize("columns", [1, 7, 240])
def test_the_loads_of_the_banks_are_all_reads(unpadded, banks, columns):
    timing = read_trace(str(unpadded), parameters(BANKS=banks)).simulate()
    grid = bank_loads(timing, banks, columns)
    rows, width = grid.loads.shape
    assert rows == len(row_names(banks)) <= MOST_ROWS and width <= columns
    lengths = np.full(width, grid.column_cycles)
    lengths[-1] = timing.cycles - grid.column_cycles * (width - 1)
    reads = (grid.loads * lengths).sum() * (banks // rows)
    assert round(reads) == len(timing.read_banks) == 8 * 144
    assert grid.loads.max() <= 1


@pytest.mark.parametrize("banks", [1, 16, 4096])
def test_the_plot_is_a_picture_with_a_label_for_the_first_row(unpadded, banks):
    timing = read_trace(str(unpadded), parameters(BANKS=banks)).simulate()
    picture = ElementTree.fromstring(bank_chart("a < b", timing, banks, 4))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert row_names(banks)[0] in texts and "a < b: load of the banks over time" in texts
    assert f"144 commands in {timing.cycles} cycles" in texts[1]


@pytest.mark.parametrize("trace", ["gatherb_affine", "gatherb_affine/commands.json"])
def test_make_cycles_prints_the_report_and_writes_the_plot(trace, capsys):
    assert main(["cycles", f"TRACE={VECTORS / trace}", "BANKS=8"]) == 0
    *lines, plot = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("gatherb_affine: ") and "BANKS=8" in lines[0]
    path = Path(plot.removeprefix("plot: "))
    assert path == ROOT / "build" / "cycles" / "gatherb_affine-banks8-window4.svg"
    assert "gatherb_affine" in path.read_text(encoding="utf-8")


@pytest.mark.proves("RN-13")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "TRACE is missing: make cycles TRACE=path, a case folder or its commands.json"),
        (["TRACE=none_such"], "none_such: cannot be read: No such file"),
        ([f"TRACE={ROOT / 'rtl'}"], "rtl/commands.json: cannot be read"),
        ([f"TRACE={ROOT / 'Makefile'}"], "Makefile: not JSON in UTF-8"),
        ([f"TRACE={VECTORS / 'gatherb_affine'}", "BANKS=3"], "BANKS=3 is not possible"),
        ([f"TRACE={VECTORS / 'gatherb_affine'}", "WINDOW=x"], "WINDOW=x is no whole number"),
        ([f"TRACE={VECTORS / 'gatherb_affine'}", "SEED=1"], "make cycles has no variable SEED"),
        (["trace=x"], "did you mean TRACE?"),
    ],
)
def test_wrong_input_is_refused_in_one_line(arguments, says, capsys):
    assert main(["cycles", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and says in line


@pytest.mark.proves("RN-13")
@pytest.mark.parametrize(
    ("op", "keys", "says"),
    [
        ("LOADALIGN", {"block_stride": 16}, "command 1: block_stride is 16; with STRIDE_W=4"),
        ("LOADALIGN_POST_UPDATE", {"repeat_stride": 99}, "command 1: repeat_stride is 99; with"),
        ("LOADALIGN", {"repeat_stride": 99}, None),
        ("GATHERB", {"block_stride": 16, "repeat_stride": 16}, None),
    ],
)
def test_a_stride_that_the_unit_would_use_must_fit(tmp_path, op, keys, says, capsys):
    common = {"op": op, "dtype": "b32", "base": 0, "mask": f"{ALL:064x}", "index": [0] * 8}
    strides = {"block_stride": 15, "repeat_stride": 15}
    listing = {"about": "", "commands": [common | strides, common | strides | keys]}
    file = tmp_path / "strides.json"
    file.write_text(json.dumps(listing), encoding="utf-8")
    assert main(["cycles", f"TRACE={file}", "STRIDE_W=4"]) == (2 if says else 0)
    printed = capsys.readouterr()
    assert says in printed.err if says else printed.out.startswith("strides: 2 commands")
