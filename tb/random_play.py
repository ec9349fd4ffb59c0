"""Random plays: the one stimulus of `make sim`, of `make soak` and of their failures."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from model import FillBatch, Play
from tb.config import BenchConfig
from tb.pauses import idle_cycles, ready_cycles
from tb.stimulus import fills_of_everything, random_commands, random_fills

_ENTRY_CYCLES = 8  # between the last fill of the whole buffer and the first command


def random_play(config: BenchConfig, count: int, part: int = 0) -> Play:
    """`count` random commands with half as many fills among them, idle and backpressure as asked.

    A long sequence is drawn in parts; the first one begins with a fill of every DataBlock.
    """
    ub_bytes = config.parameters["UB_BYTES"]
    stride_limit = 1 << config.parameters["STRIDE_W"]
    batch = random_commands(count, config.rng(f"commands {part}"), ub_bytes, stride_limit)
    among = random_fills(count // 2, batch, config.rng(f"fills {part}"), ub_bytes)
    command_pauses, fill_pauses, ready_pauses = config.rng(f"pauses {part}").spawn(3)
    command_gaps = _first(idle_cycles(config.idle, command_pauses), count)
    fill_gaps = _first(idle_cycles(config.idle, fill_pauses), len(among))
    if part == 0:
        everything = fills_of_everything(config.rng("contents"), ub_bytes)
        among = FillBatch(
            np.concatenate([everything.address, among.address]),
            np.concatenate([everything.data, among.data]),
        )
        fill_gaps = np.concatenate([np.zeros(len(everything), np.uint32), fill_gaps])
        command_gaps[0] += len(everything) + _ENTRY_CYCLES
    # Each command has one response, and at the end the rest goes without backpressure.
    ready = (
        np.array(list(islice(ready_cycles(config.backpressure, ready_pauses), count)), np.uint32)
        if config.backpressure
        else np.zeros((0, 2), np.uint32)
    )
    return Play(batch, command_gaps, among, fill_gaps, ready, resets=np.zeros((0, 2), np.uint32))


def _first(numbers: Iterator[int], count: int) -> NDArray[np.uint32]:
    return np.fromiter(islice(numbers, count), np.uint32, count)
