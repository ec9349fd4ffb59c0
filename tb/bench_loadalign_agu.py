"""The bench of loadalign_agu: a command in every cycle, its outputs one later.

GatherB commands pass among the others: their outputs do not matter, those of the next command do.
"""

from collections.abc import Iterator

import numpy as np

from model import (
    BLOCK_BYTES,
    LANES,
    Command,
    CommandBatch,
    Dtype,
    MaskPattern,
    Op,
    active_lanes_batch,
    create_mask,
    lane_addresses_batch,
)
from tb.config import BenchConfig
from tb.proves import proves
from tb.unit_bench import Output, UnitBench, mixed_commands, pack_lanes, unit_test

_UB_BYTES = 262144  # of the stimulus alone: this module does not know the size
_ALL_BITS = (1 << 256) - 1
_ADDRESS_SPACE = 1 << 32
_LOADS = (Op.LOADALIGN, Op.LOADALIGN_POST_NORMAL, Op.LOADALIGN_POST_UPDATE)
_DTYPES = (Dtype.B8, Dtype.B16, Dtype.B32)


class LoadalignAguBench(UnitBench):
    """Checks batches of commands of all ops against the model."""

    async def check(self, batch: CommandBatch) -> None:
        """Stream a batch through the module."""
        loads = batch.op != Op.GATHERB
        # The command is refused elsewhere: its active bits mean nothing.
        legal = loads & (batch.dtype != Dtype.B64)
        # uint32 wraps, as the address register does.
        moved = batch.base + BLOCK_BYTES * batch.repeat_stride
        next_base = np.where(batch.op == Op.LOADALIGN_POST_UPDATE, moved, batch.base)
        addresses = pack_lanes(lane_addresses_batch(batch), 41)
        active = pack_lanes(active_lanes_batch(batch), 1)
        await self.stream(
            batch,
            inputs={
                "op": batch.op.tolist(),
                "dtype": batch.dtype.tolist(),
                "base": batch.base.tolist(),
                "block_stride": batch.block_stride.tolist(),
                "repeat_stride": batch.repeat_stride.tolist(),
                "mask": pack_lanes(np.ascontiguousarray(batch.mask).view("<u4"), 32),
            },
            outputs=[
                Output("address", _where(loads, addresses), lane_bits=41),
                Output("active", _where(legal, active), lane_bits=1),
                Output("next_base", _where(loads, next_base.tolist())),
            ],
        )


def _where(matters: np.ndarray, values: list[int]) -> list[int | None]:
    return [value if flag else None for flag, value in zip(matters.tolist(), values, strict=True)]


@unit_test(LoadalignAguBench)
async def random_commands_match_the_model(bench: LoadalignAguBench) -> None:
    """OPS random commands of all ops back to back."""
    rng = bench.config.rng("commands")
    limit = _stride_limit(bench.config)
    await bench.check(mixed_commands(bench.config.ops, rng, _UB_BYTES, limit))


@unit_test(LoadalignAguBench)
@proves("LA-1", "LA-2", "LA-3", "LA-4", "LA-7", "FA-9")
async def strides_of_every_size_give_full_addresses(bench: LoadalignAguBench) -> None:
    """0, 1, all powers of two and one less, as either stride or both, under every op and base."""
    sizes = _stride_sizes(_stride_limit(bench.config))
    pairs = [(size, 0) for size in sizes] + [(0, size) for size in sizes]
    pairs += [(size, size) for size in sizes] + [(size, sizes[-1]) for size in sizes]
    bases = (0, BLOCK_BYTES, _ADDRESS_SPACE - BLOCK_BYTES, _ADDRESS_SPACE - 1)
    commands = [
        Command(op, Dtype.B8, base, _ALL_BITS, block_stride, repeat_stride)
        for block_stride, repeat_stride in pairs
        for base in bases
        for op in Op
    ]
    await bench.check(CommandBatch.from_commands(commands))


@unit_test(LoadalignAguBench)
@proves("ST-3", "LA-8", "MK-9")
async def a_mask_bit_activates_its_block_if_it_is_the_lowest_of_an_element(
    bench: LoadalignAguBench,
) -> None:
    """Each of the 256 bits alone, and all bits but those of one block that count, by dtype."""
    commands = [
        Command(_LOADS[bit % 3], dtype, 0, 1 << bit, 1) for dtype in _DTYPES for bit in range(256)
    ]
    for dtype in _DTYPES:
        significant = create_mask(dtype, MaskPattern.ALL)
        for lane in range(LANES):
            block = 0xFFFFFFFF << 32 * lane
            commands.append(Command(Op.LOADALIGN, dtype, 0, _ALL_BITS ^ (significant & block), 1))
            commands.append(Command(Op.LOADALIGN, dtype, 0, block & ~significant, 1))
    await bench.check(CommandBatch.from_commands(commands))


@unit_test(LoadalignAguBench)
@proves("LA-5", "LA-15")
async def a_post_update_moves_the_base_modulo_2_to_the_32(bench: LoadalignAguBench) -> None:
    """Moves up to the last block, to 2^32 exactly and past it; with and without active blocks."""
    await bench.check(CommandBatch.from_commands(list(_moves(_stride_limit(bench.config)))))


def _moves(stride_limit: int) -> Iterator[Command]:
    for repeat_stride in _stride_sizes(stride_limit):
        exact = -BLOCK_BYTES * repeat_stride % _ADDRESS_SPACE
        for offset in (-BLOCK_BYTES, 0, BLOCK_BYTES):
            base = (exact + offset) % _ADDRESS_SPACE
            for mask in (0, _ALL_BITS):
                for op in _LOADS:
                    yield Command(op, Dtype.B16, base, mask, 1, repeat_stride)


def _stride_limit(config: BenchConfig) -> int:
    return 1 << config.parameters["STRIDE_W"]


def _stride_sizes(limit: int) -> list[int]:
    """0, the powers of two below `limit`, and one less than each power of two up to it."""
    powers = [1 << bit for bit in range(limit.bit_length())]
    return sorted({size for power in powers for size in (power - 1, power) if size < limit})
