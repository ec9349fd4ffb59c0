"""A harder look at what the bench's stimulus leaves alive: the same stimulus, longer and denser."""

from collections.abc import Mapping

import numpy as np

from flow.mutate.stimulus import Driven
from model import BLOCK_BYTES, LANES, Case, Command, CommandBatch, Dtype, FillBatch, Op, Play
from tb.config import BenchConfig
from tb.pauses import idle_cycles, ready_cycles
from tb.random_play import random_play

SEEDS = range(101, 107)
OPS = 4000
HOT_BLOCKS = 6
RESETS = 20


def search_stimulus(parameters: Mapping[str, int]) -> list[Driven]:
    """Random commands with other seeds, and fills and reads of a few blocks, all with pauses."""
    driven = []
    for seed in SEEDS:
        pauses = np.random.default_rng(seed)
        idle, backpressure = (int(pauses.choice([0, 10, 40])) for _ in range(2))
        config = BenchConfig(seed, OPS, idle, backpressure, dict(parameters), "verilator")
        for name, play in (
            (f"random_commands SEED={seed}", random_play(config, OPS)),
            (f"hot blocks, seed {seed}", hot_play(config, OPS)),
        ):
            contents = np.random.default_rng(seed).bytes(parameters["UB_BYTES"])
            driven.append(Driven(name, Case.of_play(name, contents, play)))
    return driven


def hot_play(config: BenchConfig, count: int) -> Play:
    """`count` gathers of a few blocks, half of them in one bank, as many fills of the same, and resets.

    Some of the gathers want eight rows of one bank: what comes behind them waits in the queues.
    """
    rng = config.rng("hot")
    blocks = config.parameters["UB_BYTES"] // BLOCK_BYTES
    banks = config.parameters["BANKS"]
    spread = np.where(rng.random(HOT_BLOCKS) < 0.5, banks, 1)
    hot = BLOCK_BYTES * (spread * rng.integers(blocks, size=HOT_BLOCKS) % blocks)
    index = hot[rng.integers(HOT_BLOCKS, size=(count, LANES))]
    slow = rng.random(count) < rng.choice([0.0, 0.3])
    index[slow] = BLOCK_BYTES * (banks * np.arange(LANES) % blocks)
    lanes = rng.integers(1 << LANES, size=count)
    everything = (1 << 32) - 1
    masks = [
        everything
        if slow[number] or number % 3 == 0
        else sum(1 << 4 * lane for lane in range(LANES) if bits >> lane & 1)
        for number, bits in enumerate(lanes.tolist())
    ]
    commands = [
        Command(Op.GATHERB, Dtype.B32, base=0, mask=mask, index=tuple(each.tolist()))
        for mask, each in zip(masks, index, strict=True)
    ]
    command_pauses, fill_pauses, ready_pauses = rng.spawn(3)
    ready = ready_cycles(config.backpressure, ready_pauses)
    return Play(
        CommandBatch.from_commands(commands),
        np.array(
            [
                next(each)
                for each in [idle_cycles(config.idle, command_pauses)]
                for _ in range(count)
            ],
            np.uint32,
        ),
        FillBatch(
            hot[rng.integers(HOT_BLOCKS, size=count)].astype(np.uint32),
            rng.integers(256, size=(count, BLOCK_BYTES), dtype=np.uint8),
        ),
        np.array(
            [next(each) for each in [idle_cycles(40, fill_pauses)] for _ in range(count)], np.uint32
        ),
        np.array([next(ready) for _ in range(count)], np.uint32),
        np.stack([rng.integers(20, 400, RESETS), rng.integers(1, 3, RESETS)], axis=1).astype(
            np.uint32
        ),
    )
