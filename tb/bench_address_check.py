"""The bench of address_check: a command in every cycle; `faulted` with it, the report one later."""

from collections.abc import Iterator

import numpy as np

from model import (
    BLOCK_BYTES,
    LANES,
    Command,
    CommandBatch,
    Dtype,
    FaultKind,
    Op,
    active_lanes_batch,
    find_faults_batch,
    lane_addresses_batch,
)
from tb.directed import gather_at, one_bit_out_of_range
from tb.proves import proves
from tb.unit_bench import Output, UnitBench, mixed_commands, pack_lanes, unit_test

_STRIDE_LIMIT = 1 << 32
_ADDRESS_BITS = 41
_LANES = range(LANES)


class AddressCheckBench(UnitBench):
    """Checks batches of commands, as the address generators pass them on, against the model."""

    @property
    def ub_bytes(self) -> int:
        """The size of the Unified Buffer in bytes."""
        return self.config.parameters["UB_BYTES"]

    async def check(self, batch: CommandBatch) -> None:
        """Stream a batch through the module."""
        illegal = (batch.op != Op.GATHERB) & (batch.dtype == Dtype.B64)
        active = np.packbits(active_lanes_batch(batch), axis=1, bitorder="little")[:, 0]
        faults = find_faults_batch(batch, self.ub_bytes)
        kinds, counts = np.unique(faults.kind, return_counts=True)
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            name = FaultKind(kind).name
            self.record.faults[name] = self.record.faults.get(name, 0) + count
        await self.stream(
            batch,
            inputs={
                "illegal_dtype": illegal.tolist(),
                "base": batch.base.tolist(),
                "address": pack_lanes(lane_addresses_batch(batch), _ADDRESS_BITS),
                # The active bits of an illegal command mean nothing: any must do.
                "active": np.where(illegal, batch.mask[:, 0], active).tolist(),
            },
            outputs=[
                Output("faulted", (faults.kind != FaultKind.NONE).tolist(), latency=0),
                Output("fault", faults.kind.tolist()),
                Output("fault_lane", faults.lane.tolist()),
                Output("fault_address", faults.address.tolist()),
            ],
        )

    async def check_with_good_ones(self, commands: Iterator[Command]) -> None:
        """Stream commands, each followed by one without a fault, which must not be affected."""
        good = _gather({}, active=0xFF)
        pairs = [command for suspect in commands for command in (suspect, good)]
        await self.check(CommandBatch.from_commands(pairs))


def _gather(index: dict[int, int], active: int, base: int = 0) -> Command:
    """A gather with these offsets by the lanes of which a bit of `active` is set."""
    mask = sum((active >> lane & 1) << 4 * lane for lane in _LANES)
    return gather_at(index, mask, base)


@unit_test(AddressCheckBench)
@proves("FA-16", "FA-17")
async def random_commands_match_the_model(bench: AddressCheckBench) -> None:
    """OPS random commands back to back, most of the faults among good ones."""
    rng = bench.config.rng("commands")
    await bench.check(mixed_commands(bench.config.ops, rng, bench.ub_bytes))


@unit_test(AddressCheckBench)
@proves("LA-12", "FA-1", "FA-2", "FA-3", "FA-5", "FA-7", "FA-15")
async def every_fault_is_found_in_every_active_lane_and_no_other(bench: AddressCheckBench) -> None:
    """One bad lane at a time: alone active, active among all, alone inactive."""
    await bench.check_with_good_ones(_single_faults(bench.ub_bytes))


def _single_faults(ub_bytes: int) -> Iterator[Command]:
    bad_offsets = [1 << bit for bit in range(5)] + [31, ub_bytes, ub_bytes + 1]
    for lane in _LANES:
        for offset in bad_offsets:
            for active in (1 << lane, 0xFF, 0xFF ^ 1 << lane, 0):
                yield _gather({lane: offset}, active)
    for bit in range(5):
        for active in (0xFF, 0):
            yield _gather({}, active, base=1 << bit)
    for op in Op:
        for mask in (0, (1 << 256) - 1):
            yield Command(op, Dtype.B64, 0, mask)


@unit_test(AddressCheckBench)
@proves("FA-6", "FA-8")
async def the_first_fault_in_order_wins_and_of_its_lanes_the_lowest(
    bench: AddressCheckBench,
) -> None:
    """Every pair of lanes with every pair of faults, under every fault of the command itself."""
    await bench.check_with_good_ones(_fault_pairs(bench.ub_bytes))


def _fault_pairs(ub_bytes: int) -> Iterator[Command]:
    misaligned, outside = 1, ub_bytes
    for first in _LANES:
        for second in _LANES:
            for offsets in ((misaligned, misaligned), (misaligned, outside), (outside, outside)):
                for base in (0, 1):
                    yield _gather({first: offsets[0], second: offsets[1]}, 0xFF, base)
    for op in Op:
        for dtype in (Dtype.B32, Dtype.B64):
            for base in (0, 1):
                # With the larger stride every lane but the first is out of range.
                for block_stride in (0, ub_bytes // BLOCK_BYTES):
                    yield Command(
                        op, dtype, base, (1 << 256) - 1, block_stride, index=(33,) * LANES
                    )


@unit_test(AddressCheckBench)
@proves("FA-4")
async def the_last_block_is_accepted_and_the_first_byte_past_it_refused(
    bench: AddressCheckBench,
) -> None:
    """Addresses around the end, in each lane, by gathers and by strides."""
    await bench.check_with_good_ones(_range_edges(bench.ub_bytes))


def _range_edges(ub_bytes: int) -> Iterator[Command]:
    last = ub_bytes - BLOCK_BYTES
    for lane in _LANES:
        for address in (last - BLOCK_BYTES, last, last + 1, ub_bytes - 1, ub_bytes, ub_bytes + 1):
            yield _gather({lane: address}, 0xFF)
            # The same address with the base at the end of the range.
            if address >= last:
                yield _gather({lane: address - last}, 0xFF, base=last)
    # All lanes up to one, or all but the next, are in range.
    for lane in range(1, LANES):
        for block_stride in (1, 2, 3):
            for end in (last, ub_bytes):
                base = end - BLOCK_BYTES * block_stride * lane
                if base >= 0:
                    for first_blocks in (LANES, lane + 1, lane):
                        mask = (1 << 32 * first_blocks) - 1
                        yield Command(Op.LOADALIGN, Dtype.B32, base, mask, block_stride)


@unit_test(AddressCheckBench)
@proves("FA-9", "FA-10")
async def no_address_comes_back_into_range(bench: AddressCheckBench) -> None:
    """In range but for one bit, at or above the size, in each lane that can reach it."""
    await bench.check_with_good_ones(_wrapping_addresses(bench))


def _wrapping_addresses(bench: AddressCheckBench) -> Iterator[Command]:
    rng = bench.config.rng("addresses in range")
    anywhere = BLOCK_BYTES * int(rng.integers(bench.ub_bytes // BLOCK_BYTES))
    for block in (0, anywhere, bench.ub_bytes - BLOCK_BYTES):
        yield from one_bit_out_of_range(bench.ub_bytes, _STRIDE_LIMIT, block)
