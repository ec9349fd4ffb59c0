"""`make bench`: how fast each bench runs, on the same commands and the same design."""

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from flow import process, tools
from flow.benches import BENCHES
from flow.errors import UserError
from flow.native import build_native
from flow.report import report
from flow.run import Run, run
from flow.settings import Settings

REPEATS = 3
PLAYS = ("commands.play", "fills.play", "ready.play", "resets.play")
RECORDS = ("commands.rec", "fills.rec", "responses.rec", "outputs.rec", "banks.rec", "start.rec")
_LIMIT_SECONDS = 600


@dataclass(frozen=True)
class Speed:
    """The best of some runs of one bench; `seconds` by what they were spent on."""

    name: str
    commands: int
    cycles: int
    seconds: Mapping[str, float]
    build_seconds: float

    @property
    def rate(self) -> float:
        """Commands per second of simulation."""
        return self.commands / self.seconds["simulation"]


def measure_speed(settings: Settings, say: Callable[[str], None]) -> list[Speed]:
    """The bench on cocotb-bus, the player under cocotb, and the player alone.

    Raises:
        UserError: a run did not pass, or the player's records differ from each other.
    """
    bus = _run(replace(settings, bench=BENCHES["ub_load_unit"]), "random_commands", say)
    plays = [
        _run(replace(settings, bench=BENCHES["player"]), "one_play", say) for _ in range(REPEATS)
    ]
    start = time.monotonic()
    program = build_native(tools.require("verilator"), settings.parameters)
    native_build_seconds = time.monotonic() - start
    native = [_play_native(program, plays[0].folder, say) for _ in range(REPEATS)]
    by_bus = bus.record["tests"]["random_commands"]
    played = min(
        (play.record["tests"]["one_play"] for play in plays),
        key=lambda test: test["seconds"]["simulation"],
    )
    if by_bus["cycles_digest"] != played["cycles_digest"]:
        raise UserError("the player and the bench on cocotb-bus were not in the same cycles")
    counts = settings.ops, played["cycles"]
    return [
        Speed("bench on cocotb-bus", *counts, by_bus["seconds"], bus.build_seconds),
        Speed("player under cocotb", *counts, played["seconds"], plays[0].build_seconds),
        Speed("player alone, in C++", *counts, {"simulation": min(native)}, native_build_seconds),
    ]


def speed_table(speeds: list[Speed]) -> str:
    """A Markdown table, of which the last one is the measure, and where the time of each went."""
    bus, native = speeds[0], speeds[-1]
    lines = [
        "|                      | commands/s | cycles/s | of the last | times the first |",
        "|----------------------|-----------:|---------:|------------:|----------------:|",
    ]
    for speed in speeds:
        cycles = speed.cycles / speed.seconds["simulation"]
        lines.append(
            f"| {speed.name:20} | {speed.rate:10,.0f} | {cycles:8,.0f} | "
            f"{speed.rate / native.rate:11.2f} | {speed.rate / bus.rate:15.1f} |"
        )
    lines.append("")
    for speed in speeds:
        spent = {"build": speed.build_seconds, **speed.seconds}
        lines.append(
            f"{speed.name}: " + ", ".join(f"{what} {s:.2f} s" for what, s in spent.items())
        )
    return "\n".join(lines)


def _run(settings: Settings, test: str, say: Callable[[str], None]) -> Run:
    finished = run(replace(settings, tests=(test,)), say=say)
    if not finished.verdict.passed:
        raise UserError(report(finished))
    seconds = finished.record["tests"][test]["seconds"]["simulation"]
    say(f"{settings.bench.name}: {settings.ops / seconds:,.0f} commands a second")
    return finished


def _play_native(program: Path, played: Path, say: Callable[[str], None]) -> float:
    """Wall time of the program on the play of a run, whose records it must repeat."""
    folder = played / "native"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in PLAYS:
        shutil.copy(played / name, folder)
    start = time.monotonic()
    process.run_tool(
        "the native player",
        [str(program)],
        environment=tools.environment(),
        folder=folder,
        log=folder / "native.log",
        limit=_LIMIT_SECONDS,
    )
    seconds = time.monotonic() - start
    for name in RECORDS:
        if (folder / name).read_bytes() != (played / name).read_bytes():
            raise UserError(f"the native player's {name} differs from the player's under cocotb")
    say(f"native: {seconds:.2f} s")
    return seconds
