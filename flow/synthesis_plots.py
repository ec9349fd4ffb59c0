"""The plots of `make synth`: area and clock of the crossbar against its window."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

matplotlib.use("svg")
# Text stays text, and the same results give the same file.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ubload", "font.size": 11})

from matplotlib import pyplot

if TYPE_CHECKING:
    from flow.synthesis import Measured

_COLOURS = {8: "#0a53be", 16: "#bc4c00"}


def plot_area(measured: Sequence["Measured"], path: Path) -> None:
    """LUT4 of the whole crossbar, a line for each number of banks."""
    figure, axes = _axes("LUT4 of block_xbar, 256-bit blocks", measured)
    for banks, of_banks in _by_banks(measured).items():
        luts = [one.cells["LUT4"] for one in of_banks]
        axes.plot(_windows(of_banks), luts, "o-", color=_COLOURS[banks], label=f"{banks} banks")
    _write(figure, axes, path)


def plot_clock(measured: Sequence["Measured"], path: Path) -> None:
    """The best clock of the slice, and all seeds' as dots, a line for each number of banks."""
    figure, axes = _axes("MHz of xbar_slice, 32-bit blocks", measured)
    for banks, of_banks in _by_banks(measured).items():
        colour = _COLOURS[banks]
        best = [max(one.mhz.values()) for one in of_banks]
        axes.plot(_windows(of_banks), best, "-", color=colour, label=f"{banks} banks, best seed")
        for one in of_banks:
            axes.plot([one.point.window] * len(one.mhz), list(one.mhz.values()), "o", color=colour)
    _write(figure, axes, path)


def _axes(title: str, measured: Sequence["Measured"]) -> tuple:
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.set_title(title)
    axes.set_xlabel("WINDOW")
    axes.set_xscale("log", base=2)
    windows = sorted({one.point.window for one in measured})
    axes.set_xticks(windows, [str(window) for window in windows])
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _by_banks(measured: Sequence["Measured"]) -> Mapping[int, list["Measured"]]:
    groups: dict[int, list[Measured]] = {}
    for one in measured:
        groups.setdefault(one.point.banks, []).append(one)
    return groups


def _windows(measured: Sequence["Measured"]) -> list[int]:
    return [one.point.window for one in measured]


def _write(figure, axes, path: Path) -> None:
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
