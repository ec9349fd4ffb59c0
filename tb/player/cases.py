"""Cases through the player: replayed as they are, and made smaller where they fail."""

import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import cocotb
from cocotb.handle import HierarchyObject

from model import Case, read_case, write_case
from tb.bank_ports import BANK_ACCESS
from tb.config import BenchConfig, read_config
from tb.player.case_player import CasePlayer, Outcome
from tb.player.case_words import describe_case
from tb.player.play_files import read_clock
from tb.player.player import Player
from tb.player.timing_diagram import write_diagram
from tb.player.transactions import tracks_of, write_transactions
from tb.record import TestRecord, write_record
from tb.shrink import Shrinker, Size
from tb.stopwatch import Stopwatch

MINIMAL = "minimal"  # the folder of the case that is left
SECONDS = 60  # for the search


@cocotb.test()
async def replay(dut: HierarchyObject) -> None:
    """Each case gives the responses of the golden model in the cycles of the cycle model."""
    config = read_config()
    player = CasePlayer(Player(dut, Stopwatch()), config.parameters)
    record = TestRecord()
    for folder in map(Path, config.cases):
        case = read_case(folder)
        outcome = await player.run(case, waves=config.waves)
        record.commands_sent += int((outcome.prediction.answered >= 0).sum())
        record.commands_checked += len(outcome.played.answered)
        record.fills += len(outcome.played.filled)
        record.cycles += outcome.played.cycles
        if config.waves:
            record.waves = _write_waves(case, outcome, config)
        if outcome.findings:
            record.failures.append(outcome.findings[0].report)
            record.failure_kinds += [finding.kind for finding in outcome.findings]
            record.lines += [f"{folder.name}: {case.about}", *describe_case(case, outcome)]
        else:
            record.lines.append(f"{folder.name}: {Size.of(case)}: as expected")
    write_record("replay", record)
    assert not record.failures, record.failures[0]


@cocotb.test()
async def shrink(dut: HierarchyObject) -> None:
    """Find the smallest case that fails as the given one does, and leave it as a folder."""
    config = read_config()
    failed = config.failed_case
    case = read_case(Path(failed["folder"]))
    player = CasePlayer(Player(dut, Stopwatch()), config.parameters)
    record = TestRecord()
    start = time.monotonic()
    # The first that was wrong; the access of a bank last, because what follows from it says more.
    kinds = sorted(dict.fromkeys(failed["kinds"]), key=lambda kind: kind == BANK_ACCESS)
    for kind, trusting in product(kinds, (True, False)):
        search = _Search(player, kind, trusting)
        smallest = await search.smallest(case, failed["cycle"])
        if smallest is None:
            continue
        # From an empty buffer on, as a replay will play it.
        outcome = await player.run(smallest)
        if search.failing_cycle(outcome) is not None:
            about = f"{kind} wrong: {Size.of(smallest)} of {Size.of(case)}; {case.about}"
            minimal = replace(smallest, about=about).completed(config.parameters)
            write_case(Path(MINIMAL), minimal)
            record.lines = describe_case(minimal, outcome)
            record.shrunk = {
                "folder": str(Path(MINIMAL).resolve()),
                "kind": kind,
                "from": str(Size.of(case)),
                "to": str(Size.of(smallest)),
                "commands": len(minimal.commands),
                "plays": player.plays,
                "seconds": time.monotonic() - start,
                "out_of_time": search.out_of_time,
            }
            break
    write_record("shrink", record)


def _write_waves(case: Case, outcome: Outcome, config: BenchConfig) -> dict[str, object]:
    """What goes with the dump of a case: its transactions, and a diagram of the failure."""
    folder = Path.cwd()
    clock = read_clock(folder)
    tracks = tracks_of(case, outcome, config.parameters)
    write_transactions(folder / "transactions.vcd", tracks, clock)
    write_diagram(folder / "failure.svg", case, outcome, tracks)
    cycle = outcome.findings[0].cycle if outcome.findings else 0
    return {"marked_ns": clock[0] + cycle * clock[1], "failed": bool(outcome.findings)}


class _Search:
    """One search for the smallest case that has a failure of one kind."""

    def __init__(self, player: CasePlayer, kind: str, trusting: bool) -> None:
        self.out_of_time = False
        self._player = player
        self._kind = kind
        self._trusting = trusting

    async def smallest(self, case: Case, cycle: int) -> Case | None:
        """The smallest case from what led to the failure of `case` in `cycle`, if it fails again."""
        shrinker = Shrinker(self._fails, self._player.parameters, SECONDS, _say)
        smallest = await shrinker.shrink(case, cycle)
        self.out_of_time = shrinker.out_of_time
        return smallest

    def failing_cycle(self, outcome: Outcome) -> int | None:
        """The cycle of the first finding of this kind, if there is one."""
        cycles = [finding.cycle for finding in outcome.findings if finding.kind == self._kind]
        return min(cycles, default=None)

    async def _fails(self, case: Case) -> int | None:
        return self.failing_cycle(await self._player.run(case, trusting=self._trusting))


def _say(line: str) -> None:
    print(f"progress: {line}", flush=True)
