"""The plot of `make cycles`: how busy each bank is over time, as an SVG heat map."""

from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from model import Timing

MOST_ROWS = 64
"""With more banks than this, neighbours share a row."""

MOST_COLUMNS = 240
LEVELS = 10
"""Steps of the colour, from no read at all to a read in every cycle."""

_LEFT, _TOP, _RIGHT, _BOTTOM = 128, 72, 64, 60
_PLOT_WIDTH = 960
_PLOT_HEIGHT = 352

# Opacity over the background serves both modes: more load stands out more from either.
_STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #59636e }
.title { font-size: 15px; font-weight: 600; fill: #1f2328 }
.ground { fill: #ffffff }
.frame { fill: none; stroke: #d0d7de }
.load { fill: #0a53be }
.end { text-anchor: end }
.middle { text-anchor: middle }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 }
  .title { fill: #e6edf3 }
  .ground { fill: #0d1117 }
  .frame { stroke: #3d444d }
  .load { fill: #79c0ff }
}"""


@dataclass(frozen=True)
class BankLoads:
    """`loads`, float (rows, columns): the share of a column's cycles in which a row's banks read.

    `column_cycles` is how many cycles a column stands for, the last one perhaps fewer.
    """

    loads: NDArray[np.float64]
    column_cycles: int


def bank_loads(timing: Timing, banks: int, columns: int) -> BankLoads:
    """The load of the banks over time, in at most `columns` columns and MOST_ROWS rows."""
    cycles = timing.cycles
    column_cycles = -(-cycles // columns)
    shape = -(-banks // _banks_of_a_row(banks)), -(-cycles // column_cycles)
    counts = np.zeros(shape)
    rows = timing.read_banks // _banks_of_a_row(banks)
    np.add.at(counts, (rows, timing.read_cycles // column_cycles), 1)
    lengths = np.full(shape[1], column_cycles)
    lengths[-1] = cycles - column_cycles * (shape[1] - 1)
    return BankLoads(counts / lengths / _banks_of_a_row(banks), column_cycles)


def row_names(banks: int) -> list[str]:
    """The number of each row's bank, or of the first and the last of its banks."""
    size = _banks_of_a_row(banks)
    if size == 1:
        return list(map(str, range(banks)))
    return [f"{first}-{first + size - 1}" for first in range(0, banks, size)]


def bank_chart(name: str, timing: Timing, banks: int, window: int) -> str:
    """The SVG text of the load of the banks over time."""
    grid = bank_loads(timing, banks, MOST_COLUMNS)
    totals = bank_loads(timing, banks, 1).loads[:, 0]
    rows, columns = grid.loads.shape
    height = max(6, min(22, _PLOT_HEIGHT // rows))
    width = _PLOT_WIDTH / columns
    right, bottom = _LEFT + _PLOT_WIDTH, _TOP + height * rows
    size = f"{right + _RIGHT} {bottom + _BOTTOM}"
    subtitle = (
        f"{len(timing.answered)} commands in {timing.cycles} cycles, "
        f"{timing.bytes_per_cycle:.1f} bytes per cycle; {banks} banks, window {window}"
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {size}">',
        f"<title>Load of the banks over time: {escape(name)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        '<rect class="ground" width="100%" height="100%"/>',
        f'<text class="title" x="{_LEFT}" y="26">{escape(name)}: load of the banks over time</text>',
        f'<text x="{_LEFT}" y="46">{subtitle}</text>',
        f'<text class="end" x="{_LEFT - 8}" y="{_TOP - 6}">bank</text>',
        f'<text class="end" x="{right + _RIGHT - 10}" y="{_TOP - 6}">overall</text>',
    ]
    lines += _cells(grid.loads, width, height)
    lines.append(
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{_PLOT_WIDTH}" '
        f'height="{height * rows}"/>'
    )
    lines += _row_labels(row_names(banks), totals, height)
    lines += _time_axis(timing.cycles, columns * grid.column_cycles, bottom)
    lines += _legend(right, bottom + 34)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _banks_of_a_row(banks: int) -> int:
    return -(-banks // MOST_ROWS)


def _cells(loads: NDArray[np.float64], width: float, height: int) -> list[str]:
    """One path for each step of the colour, made of all stretches of cells of that step."""
    # Rounded up, so that a single read can be seen, but not by what 3 * 0.1 is above 0.3.
    levels = np.ceil(loads * LEVELS - 1e-9).astype(int)
    paths: list[list[str]] = [[] for _ in range(LEVELS + 1)]
    for row, steps in enumerate(levels.tolist()):
        starts = [0, *(c for c in range(1, len(steps)) if steps[c] != steps[c - 1]), len(steps)]
        for first, end in pairwise(starts):
            x, y = _LEFT + first * width, _TOP + row * height
            paths[steps[first]].append(
                f"M{x:.1f} {y}h{(end - first) * width:.1f}v{height}H{x:.1f}z"
            )
    return [
        f'<path class="load" fill-opacity="{level / LEVELS:.1f}" d="{"".join(path)}"/>'
        for level, path in enumerate(paths)
        if level and path
    ]


def _row_labels(names: list[str], totals: NDArray[np.float64], height: int) -> list[str]:
    # Text is 12 high: in lower rows only every second or third has its label.
    step = -(-13 // height)
    lines = []
    for row in range(0, len(names), step):
        y = _TOP + height * row + height / 2 + 4
        x = _LEFT + _PLOT_WIDTH + _RIGHT - 10
        lines.append(f'<text class="end" x="{_LEFT - 8}" y="{y:.0f}">{names[row]}</text>')
        lines.append(f'<text class="end" x="{x}" y="{y:.0f}">{100 * totals[row]:.0f} %</text>')
    return lines


def _time_axis(cycles: int, shown: int, bottom: int) -> list[str]:
    step = next(
        size * 10**power
        for power in range(12)
        for size in (1, 2, 5)
        if size * 10**power * 10 >= cycles
    )
    lines = []
    for cycle in range(0, cycles + 1, step):
        x = _LEFT + _PLOT_WIDTH * cycle / shown
        lines.append(f'<path class="frame" d="M{x:.1f} {bottom}v5"/>')
        lines.append(f'<text class="middle" x="{x:.1f}" y="{bottom + 18}">{cycle}</text>')
    lines.append(f'<text x="{_LEFT}" y="{bottom + 44}">cycles from the first acceptance</text>')
    return lines


def _legend(right: int, y: int) -> list[str]:
    size = 14
    left = right - size * (LEVELS + 1)
    lines = [
        f'<text class="end" x="{left - 42}" y="{y + 11}">share of cycles with a read:</text>',
        f'<text class="end" x="{left - 6}" y="{y + 11}">0 %</text>',
        f'<text x="{right + 6}" y="{y + 11}">100 %</text>',
    ]
    for level in range(LEVELS + 1):
        lines.append(
            f'<rect class="load" fill-opacity="{level / LEVELS:.1f}" '
            f'x="{left + size * level}" y="{y}" width="{size}" height="{size}"/>'
        )
    lines.append(
        f'<rect class="frame" x="{left}" y="{y}" width="{size * (LEVELS + 1)}" height="{size}"/>'
    )
    return lines
