"""Random stimulus, drawn so that what is rare in practice is common here.

Everything comes from the generator that is passed in, in whole arrays; one seed gives one sequence
on every simulator.
"""

import functools

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from model import (
    BLOCK_BYTES,
    LANES,
    WORKLOADS,
    CommandBatch,
    Dtype,
    FillBatch,
    MaskPattern,
    Op,
    create_mask,
    lane_addresses_batch,
    update_mask,
)

SEGMENT = 128  # commands drawn together, before a workload may follow

_ADDRESS_SPACE = 1 << 32


def random_commands(
    count: int, rng: Generator, ub_bytes: int, stride_limit: int = _ADDRESS_SPACE
) -> CommandBatch:
    """`count` commands: segments of biased random ones, and workloads of real kernels in between.

    `stride_limit` is one more than the largest stride that the unit's ports carry.
    """
    parts = []
    missing = count
    while missing > 0:
        if rng.random() < 0.75:
            part = biased_commands(min(missing, SEGMENT), rng, ub_bytes, stride_limit)
        else:
            part = workload_commands(rng, ub_bytes, stride_limit)
        parts.append(part.take(slice(0, missing)))
        missing -= len(parts[-1])
    return CommandBatch.concatenate(parts)


def workload_commands(rng: Generator, ub_bytes: int, stride_limit: int) -> CommandBatch:
    """The commands of one workload at a random base; of those that fit, if any do."""
    fitting = [workload for workload in WORKLOADS.values() if workload.span_bytes <= ub_bytes]
    if fitting:
        workload = fitting[rng.integers(len(fitting))]
        room = (ub_bytes - workload.span_bytes) // BLOCK_BYTES
        base = BLOCK_BYTES * int(rng.integers(room + 1))
        batch = CommandBatch.from_commands(workload.commands(base, ub_bytes, rng))
        if max(batch.block_stride.max(), batch.repeat_stride.max()) < stride_limit:
            return batch
    return biased_commands(SEGMENT, rng, ub_bytes, stride_limit)


def biased_commands(
    count: int, rng: Generator, ub_bytes: int, stride_limit: int = _ADDRESS_SPACE
) -> CommandBatch:
    """`count` random commands with equal blocks, one bank, the edges of the UB and all faults."""
    op = rng.integers(len(Op), size=count)
    dtype = rng.choice(len(Dtype), size=count, p=[0.32, 0.32, 0.32, 0.04])
    gathers = op == Op.GATHERB
    dtype = np.where(gathers, rng.integers(len(Dtype), size=count), dtype)
    base = _bases(count, rng, ub_bytes)
    block_stride = _strides(count, rng, base, ub_bytes) % stride_limit
    repeat_stride = _strides(count, rng, base, ub_bytes) % stride_limit
    index = _indices(count, rng, base, ub_bytes)
    return CommandBatch(
        op=op.astype(np.uint8),
        dtype=dtype.astype(np.uint8),
        base=base.astype(np.uint32),
        block_stride=block_stride.astype(np.uint32),
        repeat_stride=repeat_stride.astype(np.uint32),
        index=index.astype(np.uint32),
        mask=_masks(count, rng),
    )


def random_fills(count: int, batch: CommandBatch, rng: Generator, ub_bytes: int) -> FillBatch:
    """`count` fills: half into blocks that commands near them read.

    Some addresses are misaligned or out of range, the first byte past the end among them.
    """
    if count == 0:
        return FillBatch(np.zeros(0, np.uint32), np.zeros((0, BLOCK_BYTES), np.uint8))
    near = (np.arange(count) * len(batch) // count + rng.integers(8, size=count)) % len(batch)
    lane = rng.integers(LANES, size=count)
    read = lane_addresses_batch(batch)[near, lane].astype(np.int64) % ub_bytes & -BLOCK_BYTES
    anywhere = BLOCK_BYTES * rng.integers(ub_bytes // BLOCK_BYTES, size=count)
    edges = rng.choice([0, ub_bytes - BLOCK_BYTES, ub_bytes, _ADDRESS_SPACE - BLOCK_BYTES], count)
    misaligned = anywhere + rng.integers(1, BLOCK_BYTES, size=count)
    kind = rng.choice(4, size=count, p=[0.5, 0.38, 0.08, 0.04])
    return FillBatch(
        address=np.choose(kind, [read, anywhere, edges, misaligned]).astype(np.uint32),
        data=rng.integers(256, size=(count, BLOCK_BYTES), dtype=np.uint8),
    )


def fills_of_everything(rng: Generator, ub_bytes: int) -> FillBatch:
    """A fill of every DataBlock, in order: no two alike, so that no swap can hide."""
    blocks = ub_bytes // BLOCK_BYTES
    return FillBatch(
        address=(BLOCK_BYTES * np.arange(blocks)).astype(np.uint32),
        data=rng.integers(256, size=(blocks, BLOCK_BYTES), dtype=np.uint8),
    )


def _bases(count: int, rng: Generator, ub_bytes: int) -> NDArray[np.int64]:
    blocks = ub_bytes // BLOCK_BYTES
    few = rng.integers(blocks, size=16)
    choices = [
        BLOCK_BYTES * rng.integers(blocks, size=count),
        BLOCK_BYTES * rng.integers(max(1, blocks // 2), size=count),
        BLOCK_BYTES * few[rng.integers(len(few), size=count)],
        BLOCK_BYTES * rng.integers(min(blocks, 8), size=count),
        ub_bytes - BLOCK_BYTES * rng.integers(1, min(blocks, 9) + 1, size=count),
        ub_bytes + BLOCK_BYTES * rng.integers(2, size=count),
        _ADDRESS_SPACE - BLOCK_BYTES * rng.integers(1, 9, size=count),
        rng.integers(_ADDRESS_SPACE, size=count),
        BLOCK_BYTES * rng.integers(blocks, size=count) + rng.integers(1, BLOCK_BYTES, size=count),
    ]
    kind = rng.choice(
        len(choices), size=count, p=[0.3, 0.3, 0.12, 0.1, 0.09, 0.03, 0.02, 0.01, 0.03]
    )
    return np.choose(kind, choices)


def _strides(
    count: int, rng: Generator, base: NDArray[np.int64], ub_bytes: int
) -> NDArray[np.int64]:
    """Strides of which most keep a LoadAlign from `base` in range, some by not a single block."""
    last = np.maximum(0, (ub_bytes - BLOCK_BYTES - base) // (BLOCK_BYTES * (LANES - 1)))
    choices = [
        np.zeros(count, np.int64),
        np.minimum(last, rng.integers(1, 21, size=count)),
        np.minimum(last, 1 << rng.integers(9, size=count)),
        np.minimum(last, rng.choice([17, 33, 65, 129, 144, 145], size=count)),
        rng.integers(last + 1),
        last,
        last + 1,
        1 << rng.integers(32, size=count),
        rng.integers(_ADDRESS_SPACE, size=count),
        np.full(count, _ADDRESS_SPACE - 1),
    ]
    kind = rng.choice(
        len(choices), size=count, p=[0.13, 0.25, 0.13, 0.13, 0.13, 0.1, 0.05, 0.04, 0.02, 0.02]
    )
    return np.choose(kind, choices)


def _indices(
    count: int, rng: Generator, base: NDArray[np.int64], ub_bytes: int
) -> NDArray[np.int64]:
    """Eight byte offsets per command: rows of one kind, with single lanes of another kind."""
    shape = (count, LANES)
    room = np.maximum(1, (ub_bytes - base) // BLOCK_BYTES)[:, np.newaxis]  # blocks from base on
    one = rng.integers(room)
    lane = np.arange(LANES)
    rows = [
        rng.integers(np.broadcast_to(room, shape)),  # anywhere
        np.broadcast_to(one, shape),  # one block, eight times
        (one + 16 * rng.integers(512, size=shape)) % room,  # mostly one bank
        (one + rng.integers(3, size=shape)) % room,  # a few blocks, many duplicates
        (one + lane) % room,  # contiguous
        rng.integers(np.minimum(np.broadcast_to(room, shape), 64)),  # a small table
    ]
    kind = rng.choice(len(rows), size=(count, 1), p=[0.35, 0.12, 0.18, 0.15, 0.08, 0.12])
    index = BLOCK_BYTES * np.choose(kind, rows)
    odd = [
        index,
        index + rng.integers(1, BLOCK_BYTES, size=shape),  # misaligned
        np.maximum(0, ub_bytes - base)[:, np.newaxis] + 0 * lane,  # the first block past the end
        np.maximum(0, ub_bytes - BLOCK_BYTES - base)[:, np.newaxis] + 0 * lane,  # the last block
        (_ADDRESS_SPACE - base)[:, np.newaxis] + 0 * lane,  # back to zero modulo 2^32
        rng.integers(_ADDRESS_SPACE, size=shape),
    ]
    oddity = rng.choice(len(odd), size=shape, p=[0.966, 0.008, 0.006, 0.01, 0.005, 0.005])
    return np.choose(oddity, odd) % _ADDRESS_SPACE


def _masks(count: int, rng: Generator) -> NDArray[np.uint8]:
    """Masks of 256 bits as 32 bytes: full, by lanes, by bits, single bits, insignificant bits."""
    full = np.full((count, 32), 0xFF, np.uint8)
    bits = rng.integers(256, size=(count, 32), dtype=np.uint8)
    lanes = np.repeat(rng.integers(2, size=(count, LANES), dtype=np.uint8) * 0xFF, 4, axis=1)
    single = np.packbits(
        np.arange(256) == rng.integers(256, size=(count, 1)), axis=1, bitorder="little"
    )
    first_words = np.zeros((count, 32), np.uint8)
    first_words[:, :4] = bits[:, :4]
    insignificant = np.where(rng.random((count, 1)) < 0.5, bits & 0xEE, bits & 0xAA)
    named = _named_masks()[rng.integers(len(_named_masks()), size=count)]
    choices = [full, bits, lanes, single, first_words, insignificant, named, 0 * full]
    kind = rng.choice(
        len(choices), size=(count, 1), p=[0.35, 0.1, 0.15, 0.08, 0.1, 0.07, 0.12, 0.03]
    )
    return np.choose(kind, choices).astype(np.uint8)


@functools.cache
def _named_masks() -> NDArray[np.uint8]:
    """What CreateMask and UpdateMask give: (number of masks, 32)."""
    masks = [create_mask(dtype, pattern) for dtype in Dtype for pattern in MaskPattern]
    masks += [update_mask(dtype, count)[0] for dtype in Dtype for count in (1, 7, 24, 63, 100)]
    return np.frombuffer(b"".join(mask.to_bytes(32, "little") for mask in masks), np.uint8).reshape(
        -1, 32
    )
