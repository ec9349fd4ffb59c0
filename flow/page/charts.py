"""Plots as SVG that takes its colours from the page around it."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 520, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 12, 34


@dataclass(frozen=True)
class Curve:
    """A named curve; `values` are percentages, the first one that behind the first job."""

    name: str
    style: str
    values: Sequence[float]


def curves(series: Sequence[Curve], across: str) -> Markup:
    """Percentages over a count from 1 on, on an axis that begins near the smallest of them."""
    longest = max(len(curve.values) for curve in series)
    lowest = min(min(curve.values) for curve in series)
    floor = 10 * int(min(lowest, 90) // 10)
    plot_width, plot_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(number: int) -> float:
        return _LEFT + plot_width * (number / max(1, longest - 1))

    def y(value: float) -> float:
        return _TOP + plot_height * (100 - value) / (100 - floor)

    parts = []
    step = 10 if 100 - floor <= 50 else 20
    for level in range(floor, 101, step):
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(level):.1f}" y2="{y(level):.1f}"/>'
        )
        parts.append(f'<text class="end" x="{_LEFT - 6}" y="{y(level) + 4:.1f}">{level} %</text>')
    for curve in series:
        points = " ".join(f"{x(n):.1f},{y(value):.1f}" for n, value in enumerate(curve.values))
        parts.append(f'<polyline class="curve {curve.style}" points="{points}"/>')
    base = _HEIGHT - _BOTTOM + 18
    parts.append(f'<text x="{_LEFT}" y="{base}">1</text>')
    parts.append(
        f'<text class="end" x="{_WIDTH - _RIGHT}" y="{base}">{longest} {escape(across)}</text>'
    )
    return _svg(_WIDTH, _HEIGHT, "".join(parts), ", ".join(curve.name for curve in series))


def columns(values: Sequence[tuple[str, float]], about: str) -> Markup:
    """A column for each value, the highest as high as the plot; `values` have labels."""
    width, height, bottom = 260, 110, 18
    highest = max((value for _, value in values), default=0) or 1
    pitch = width / max(1, len(values))
    # As many labels as there is room for.
    every = max(1, -(-len(values) * 26 // width))
    parts = []
    for number, (label, value) in enumerate(values):
        tall = (height - bottom - 6) * value / highest
        left, top = number * pitch, height - bottom - tall
        parts.append(
            f'<rect class="column" x="{left + 0.1 * pitch:.1f}" y="{top:.1f}" '
            f'width="{0.8 * pitch:.1f}" height="{max(tall, 0.8):.1f}">'
            f"<title>{escape(label)}: {value:,.4g}</title></rect>"
        )
        if number % every == 0:
            parts.append(
                f'<text class="middle" x="{left + pitch / 2:.1f}" y="{height - 4}">{escape(label)}</text>'
            )
    return _svg(width, height, "".join(parts), about)


def _svg(width: int, height: int, content: str, about: str) -> Markup:
    return Markup(
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(about)}">'
        f"{content}</svg>"
    )
