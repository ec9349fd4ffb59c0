"""The bench of gatherb_agu: a gather in every cycle, its addresses and active bits one later."""

from dataclasses import replace

import numpy as np

from model import (
    LANES,
    Command,
    CommandBatch,
    Op,
    active_lanes_batch,
    lane_addresses_batch,
)
from tb.directed import gather_at
from tb.proves import proves
from tb.unit_bench import Output, UnitBench, mixed_commands, pack_lanes, unit_test

_UB_BYTES = 262144  # of the stimulus alone: this module does not know the size
_ALL_BLOCKS = 0x11111111
_ADDRESS_SPACE = 1 << 32


class GatherbAguBench(UnitBench):
    """Checks batches of GatherB commands against the model."""

    async def check(self, batch: CommandBatch) -> None:
        """Stream a batch of GatherB commands through the module."""
        first_word = np.ascontiguousarray(batch.mask[:, :4]).view("<u4")[:, 0]
        await self.stream(
            batch,
            inputs={
                "base": batch.base.tolist(),
                "index": pack_lanes(batch.index, 32),
                "mask": first_word.tolist(),
            },
            outputs=[
                Output("address", pack_lanes(lane_addresses_batch(batch), 33), lane_bits=33),
                Output("active", pack_lanes(active_lanes_batch(batch), 1), lane_bits=1),
            ],
        )


def _gather(base: int, index: dict[int, int]) -> Command:
    """A gather with these offsets by all lanes."""
    return gather_at(index, _ALL_BLOCKS, base)


@unit_test(GatherbAguBench)
async def random_gathers_match_the_model(bench: GatherbAguBench) -> None:
    """OPS random gathers back to back."""
    batch = mixed_commands(bench.config.ops, bench.config.rng("gathers"), _UB_BYTES)
    await bench.check(replace(batch, op=np.full_like(batch.op, Op.GATHERB)))


@unit_test(GatherbAguBench)
@proves("GB-1", "PT-14")
async def every_bit_of_base_and_index_counts_in_its_lane(bench: GatherbAguBench) -> None:
    """One bit at a time: the base moves all lanes, an index its own."""
    commands = [_gather(1 << bit, {}) for bit in range(32)]
    commands += [_gather(0, {lane: 1 << bit}) for lane in range(LANES) for bit in range(32)]
    await bench.check(CommandBatch.from_commands(commands))


@unit_test(GatherbAguBench)
@proves("GB-2")
async def no_sum_wraps_at_32_bits(bench: GatherbAguBench) -> None:
    """Sums of exactly 2^32, in one lane at a time, and the largest sum of all."""
    commands = [
        _gather(_ADDRESS_SPACE - (1 << bit), {lane: 1 << bit})
        for lane in range(LANES)
        for bit in range(32)
    ]
    commands += [_gather(_ADDRESS_SPACE - 1, {lane: _ADDRESS_SPACE - 1}) for lane in range(LANES)]
    await bench.check(CommandBatch.from_commands(commands))


@unit_test(GatherbAguBench)
@proves("GB-5", "GB-6")
async def only_mask_bits_0_4_to_28_count(bench: GatherbAguBench) -> None:
    """Each of the 256 mask bits alone set and alone cleared; all ignored bits at random."""
    rng = bench.config.rng("ignored mask bits")
    everything = (1 << 256) - 1
    masks = [1 << bit for bit in range(256)]
    masks += [everything ^ mask for mask in masks]
    for active in rng.integers(256, size=64).tolist():
        significant = sum((active >> lane & 1) << 4 * lane for lane in range(LANES))
        noise = int.from_bytes(rng.bytes(32), "little") & ~_ALL_BLOCKS
        masks += [significant, significant | noise, significant | everything & ~_ALL_BLOCKS]
    await bench.check(CommandBatch.from_commands([gather_at({}, mask) for mask in masks]))
