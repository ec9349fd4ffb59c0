"""Random plays at the simulator's own speed, part by part."""

import time
from collections import Counter
from itertools import islice

import cocotb
import numpy as np
from cocotb.handle import HierarchyObject

from model import Case, Op, Play, Played, levels
from tb.config import read_config
from tb.coverage import Design, Observed
from tb.player.play_check import Finding, PlayCheck, count_faults, golden_responses
from tb.player.player import Player
from tb.random_play import random_play
from tb.record import TestRecord, digest_of_cycles, write_record
from tb.stopwatch import Stopwatch

PART = 1 << 15  # commands that are drawn, played and checked together: bounds the memory
REPORT_SECONDS = 5


@cocotb.test()
async def soak(dut: HierarchyObject) -> None:
    """OPS random commands and half as many fills, part by part, up to the first mismatch."""
    await play_parts(dut, "soak", PART)


@cocotb.test()
async def one_play(dut: HierarchyObject) -> None:
    """OPS random commands in a single play, whose files stay in the folder of the run."""
    await play_parts(dut, "one_play", read_config().ops)


async def play_parts(dut: HierarchyObject, test: str, size: int) -> None:
    """Draw, play and check OPS commands, `size` at a time, and leave the record of `test`.

    Raises AssertionError with the report of the first mismatch.
    """
    config = read_config()
    stopwatch = Stopwatch()
    player = Player(dut, stopwatch)
    contents = np.zeros(config.parameters["UB_BYTES"], np.uint8)
    design = Design(**{name.lower(): value for name, value in config.parameters.items()})
    record = TestRecord()
    start = said = time.monotonic()
    try:
        for part, first in enumerate(range(0, config.ops, size)):
            with stopwatch.spent_on("stimulus"):
                play = random_play(config, min(size, config.ops - first), part)
            before = contents.tobytes()
            played = await player.play(play, keep=part > 0)
            with stopwatch.spent_on("golden model"):
                expected = golden_responses(contents, play, played)
            with stopwatch.spent_on("check"):
                finding = PlayCheck(contents, play, played, expected).first_wrong()
            add_to_record(record, play, played)
            if finding:
                record.failures.append(f"{finding.report}\n  part {part}, commands from {first} on")
                _keep_failure(record, f"commands from {first} on of a soak", before, play, finding)
                raise AssertionError(finding.report)
            with stopwatch.spent_on("coverage"):
                record.observe(_observed(design, play, played))
            if time.monotonic() - said > REPORT_SECONDS:
                said = time.monotonic()
                done = record.commands_checked
                rate = done / (said - start)
                print(
                    f"progress: {done:,} of {config.ops:,} commands, {rate:,.0f} a second, "
                    f"{(config.ops - done) / rate:,.0f} s left",
                    flush=True,
                )
    finally:
        record.seconds = dict(stopwatch.seconds)
        times = (f"{name} {seconds:.2f} s" for name, seconds in record.seconds.items())
        record.lines = [", ".join(times)]
        write_record(test, record)


def _observed(design: Design, play: Play, played: Played) -> Observed:
    ready, resets = (
        np.fromiter(islice(levels(pairs, first), played.cycles), np.bool_, played.cycles)
        for pairs, first in ((play.ready, True), (play.resets, False))
    )
    return Observed.of_transfers(
        design,
        play.commands.take(slice(0, len(played.accepted))),
        played.accepted,
        played.answered,
        play.fills.address[: len(played.filled)],
        played.filled,
        ready=ready,
        resets=resets,
    )


def _keep_failure(
    record: TestRecord, about: str, contents: bytes, play: Play, finding: Finding
) -> None:
    """Leave the part as a case of its own, up to what was wrong in it."""
    config = read_config()
    case = Case.of_play(about, contents, play).completed(config.parameters)
    record.failure_kinds = [finding.kind]
    record.keep_failure("soak", case, record.failure_kinds, finding.cycle)


def add_to_record(record: TestRecord, play: Play, played: Played) -> None:
    """Count what was played; the digest is that of the first play."""
    record.cycles_digest = record.cycles_digest or digest_of_cycles(
        played.filled, played.accepted, played.answered
    )
    record.commands_sent += len(play.commands)
    record.commands_checked += len(played.answered)
    record.fills += len(played.filled)
    record.cycles += int(played.answered[-1]) if len(played.answered) else 0
    ops = Counter(Op(op).name for op in play.commands.op.tolist())
    record.ops = dict(Counter(record.ops) + ops)
    record.faults = dict(Counter(record.faults) + Counter(count_faults(played.responses)))
