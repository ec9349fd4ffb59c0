"""The bench that only starts the player: random plays at the simulator's own speed."""

import time
from collections import Counter

import cocotb
import numpy as np
from cocotb.handle import HierarchyObject

from model import Op
from tb.config import read_config
from tb.play_check import check_play, count_faults
from tb.player import Player
from tb.random_play import random_play
from tb.record import TestRecord, digest_of_cycles, write_record

PART = 1 << 15  # commands that are drawn, played and checked together: bounds the memory
REPORT_SECONDS = 5


@cocotb.test()
async def soak(dut: HierarchyObject) -> None:
    """OPS random commands and half as many fills, part by part, up to the first mismatch."""
    config = read_config()
    player = Player(dut)
    contents = np.zeros(config.parameters["UB_BYTES"], np.uint8)
    record = TestRecord()
    ops, faults, spent = Counter(), Counter(), Counter()
    start = said = time.monotonic()
    try:
        for part, first in enumerate(range(0, config.ops, PART)):
            count = min(PART, config.ops - first)
            clock = time.monotonic()
            play = random_play(config, count, part)
            clock = _spend(spent, "stimulus", clock)
            played = await player.play(play, keep=part > 0)
            clock = time.monotonic()
            report = check_play(contents, play, played)
            clock = _spend(spent, "golden model and comparison", clock)
            if part == 0:
                record.cycles_digest = digest_of_cycles(
                    played.filled, played.accepted, played.answered
                )
            record.commands_sent += count
            record.commands_checked += len(played.answered)
            record.fills += len(played.filled)
            record.cycles += int(played.answered[-1]) if len(played.answered) else 0
            ops.update(Op(op).name for op in play.commands.op.tolist())
            faults.update(count_faults(played))
            if report:
                record.failures.append(f"{report}\n  part {part}, commands from {first} on")
                raise AssertionError(report)
            if clock - said > REPORT_SECONDS:
                said = clock
                done = first + count
                rate = done / (clock - start)
                left = (config.ops - done) / rate
                print(
                    f"progress: {done:,} of {config.ops:,} commands, {rate:,.0f} a second, "
                    f"{left:,.0f} s left",
                    flush=True,
                )
    finally:
        record.ops, record.faults = dict(ops), dict(faults)
        record.seconds = dict(spent + player.seconds)
        record.lines = [
            ", ".join(f"{name} {seconds:.2f} s" for name, seconds in record.seconds.items())
        ]
        write_record("soak", record)


def _spend(spent: Counter, name: str, since: float) -> float:
    now = time.monotonic()
    spent[name] += now - since
    return now


@cocotb.test()
async def one_play(dut: HierarchyObject) -> None:
    """OPS random commands in a single play, whose files stay in the folder of the run."""
    config = read_config()
    contents = np.zeros(config.parameters["UB_BYTES"], np.uint8)
    play = random_play(config, config.ops)
    player = Player(dut)
    played = await player.play(play)
    report = check_play(contents, play, played)
    record = TestRecord(
        commands_sent=config.ops,
        commands_checked=len(played.answered),
        fills=len(played.filled),
        cycles=int(played.answered[-1]),
        cycles_digest=digest_of_cycles(played.filled, played.accepted, played.answered),
        seconds=dict(player.seconds),
        failures=[report] if report else [],
    )
    write_record("one_play", record)
    assert not report, report
