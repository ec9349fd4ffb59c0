"""The call examples of the two reference documents as programs, loop for loop.

A program yields what the vector core would issue: a `Command`, for which it is sent the
`Response`, or a `Store`, for which it is sent None. So one program runs on the golden model
(`run`) and on hardware whose fill port does the stores.
"""

import struct
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from model.encodings import BLOCK_BYTES, LANES, REGISTER_BYTES, Dtype, Op
from model.golden import execute
from model.masks import MaskPattern, create_mask
from model.unified_buffer import UnifiedBuffer
from model.values import Command, Response


@dataclass(frozen=True, slots=True)
class Store:
    """One DataBlock to write: a byte address and 32 bytes."""

    address: int
    data: bytes


Program: TypeAlias = Generator[Command | Store, Response | None, None]


def gather_b_program(
    dtype: Dtype,
    destination: int,
    source: int,
    indices: int,
    one_repeat_size: int,
    repeat_times: int,
) -> Program:
    """The example of GatherB: load eight indices, gather, store; `repeat_times` times.

    `destination`, `source` and `indices` are byte addresses; `one_repeat_size` counts elements, of
    `dtype` at the destination and of 32 bits at the indices. Every load of indices reads 256
    bytes, of which GatherB uses the first 32.
    """
    gather_mask = create_mask(Dtype.B32, MaskPattern.VL8)
    for i in range(repeat_times):
        loaded = yield Command(
            Op.LOADALIGN,
            Dtype.B32,
            base=indices + i * one_repeat_size * Dtype.B32.element_bytes,
            mask=create_mask(Dtype.B32, MaskPattern.ALL),
            block_stride=1,
        )
        gathered = yield Command(
            Op.GATHERB,
            dtype,
            base=source,
            mask=gather_mask,
            index=struct.unpack_from(f"<{LANES}I", loaded.data),
        )
        yield from _store_register(
            destination + i * one_repeat_size * dtype.element_bytes, gathered.data
        )


def load_align_program(dtype: Dtype, destination: int, source: int, repeat_times: int) -> Program:
    """The example of LoadAlign: load and store with post-update, stride 1, repeat stride 8 * i.

    `destination` and `source` are byte addresses.
    """
    mask = create_mask(dtype, MaskPattern.ALL)
    for i in range(repeat_times):
        repeat_stride = 8 * i
        loaded = yield Command(
            Op.LOADALIGN_POST_UPDATE,
            dtype,
            base=source,
            mask=mask,
            block_stride=1,
            repeat_stride=repeat_stride,
        )
        source = loaded.base
        yield from _store_register(destination, loaded.data)
        destination += BLOCK_BYTES * repeat_stride


def run(buffer: UnifiedBuffer, program: Program) -> None:
    """Run a program on the golden model; its stores change `buffer`.

    Raises ValueError for a store that is misaligned or out of range.
    """
    reply = None
    while True:
        try:
            step = program.send(reply)
        except StopIteration:
            return
        if isinstance(step, Command):
            reply = execute(buffer, step)
        elif buffer.fill(step.address, step.data):
            reply = None
        else:
            raise ValueError(f"the program stores to {step.address:#x}, which holds no DataBlock")


def _store_register(address: int, data: bytes) -> Iterator[Store]:
    for offset in range(0, REGISTER_BYTES, BLOCK_BYTES):
        yield Store(address + offset, data[offset : offset + BLOCK_BYTES])
