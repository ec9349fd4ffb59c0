"""The golden model over arrays of commands: the same rules as `model.golden`, vectorised."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from model.arrays import check_arrays
from model.encodings import BLOCK_BYTES, LANES, MASK_BITS, REGISTER_BYTES, Dtype, FaultKind, Op
from model.values import Command, Fault, Response

_MASK_BYTES = MASK_BITS // 8

_WITHIN_BLOCK = BLOCK_BYTES - 1  # the bits of an address within its DataBlock

# Bounds the arrays of addresses and flags, eight columns each, to a few megabytes.
_CHUNK_COMMANDS = 1 << 14

# Which of the 32 mask bits of a DataBlock count, by dtype. None of b64, which a LoadAlign refuses.
_SIGNIFICANT_BITS = np.array([0xFFFFFFFF, 0x55555555, 0x11111111, 0], dtype="<u4")

# The bit of each lane among the first 32 mask bits, which alone count for a GatherB.
_GATHER_BITS = np.array([1 << 4 * lane for lane in range(LANES)], dtype="<u4")

# The lowest lane of each set of lanes, one bit each; 0 of the empty set.
_LOWEST_LANE = np.array(
    [(lanes & -lanes).bit_length() - 1 if lanes else 0 for lanes in range(1 << LANES)], np.uint8
)


@dataclass(frozen=True, slots=True, eq=False)
class CommandBatch:
    """n commands as numpy arrays (specification, section 5).

    Shapes and types: `op`, `dtype` uint8 (n,); `base`, `block_stride`, `repeat_stride`
    uint32 (n,); `index` uint32 (n, 8); `mask` uint8 (n, 32), where mask bit k is bit k % 8 of
    byte k // 8. Raises ValueError, naming the field, for another shape or type.
    """

    op: NDArray[np.uint8]
    dtype: NDArray[np.uint8]
    base: NDArray[np.uint32]
    block_stride: NDArray[np.uint32]
    repeat_stride: NDArray[np.uint32]
    index: NDArray[np.uint32]
    mask: NDArray[np.uint8]

    def __post_init__(self) -> None:
        count = len(self.op)
        expected = [
            ("op", np.uint8, (count,)),
            ("dtype", np.uint8, (count,)),
            ("base", np.uint32, (count,)),
            ("block_stride", np.uint32, (count,)),
            ("repeat_stride", np.uint32, (count,)),
            ("index", np.uint32, (count, LANES)),
            ("mask", np.uint8, (count, _MASK_BYTES)),
        ]
        check_arrays(self, expected)

    def __len__(self) -> int:
        return len(self.op)

    def command(self, number: int) -> Command:
        """Command `number` as a value."""
        return Command(
            op=Op(self.op[number]),
            dtype=Dtype(self.dtype[number]),
            base=int(self.base[number]),
            mask=int.from_bytes(self.mask[number].tobytes(), "little"),
            block_stride=int(self.block_stride[number]),
            repeat_stride=int(self.repeat_stride[number]),
            index=tuple(self.index[number].tolist()),
        )

    def take(self, commands: slice | NDArray[np.integer] | Sequence[int]) -> "CommandBatch":
        """The commands that a slice or an array of numbers selects, in its order."""
        return CommandBatch(*(getattr(self, field.name)[commands] for field in fields(self)))

    @staticmethod
    def from_commands(commands: Sequence[Command]) -> "CommandBatch":
        """The batch of these commands, in order."""
        masks = b"".join([command.mask.to_bytes(_MASK_BYTES, "little") for command in commands])
        index = np.array([command.index for command in commands], np.uint32)
        return CommandBatch(
            op=np.array([command.op for command in commands], np.uint8),
            dtype=np.array([command.dtype for command in commands], np.uint8),
            base=np.array([command.base for command in commands], np.uint32),
            block_stride=np.array([command.block_stride for command in commands], np.uint32),
            repeat_stride=np.array([command.repeat_stride for command in commands], np.uint32),
            index=index.reshape(len(commands), LANES),
            mask=np.frombuffer(masks, np.uint8).reshape(len(commands), _MASK_BYTES),
        )

    @staticmethod
    def concatenate(batches: Sequence["CommandBatch"]) -> "CommandBatch":
        """All commands of the batches, in order. Raises ValueError for no batch at all."""
        return CommandBatch(
            *(
                np.concatenate([getattr(batch, field.name) for batch in batches])
                for field in fields(CommandBatch)
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class ResponseBatch:
    """n responses as numpy arrays (specification, section 5).

    Shapes and types: `data` uint8 (n, 256), DataBlock 0 first; `block_we`, `fault_kind`,
    `fault_lane` uint8 (n,); `base` uint32 (n,); `fault_address` uint64 (n,).
    """

    data: NDArray[np.uint8]
    block_we: NDArray[np.uint8]
    base: NDArray[np.uint32]
    fault_kind: NDArray[np.uint8]
    fault_lane: NDArray[np.uint8]
    fault_address: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.base)

    def response(self, number: int) -> Response:
        """Response `number` as a value."""
        return Response(
            data=self.data[number].tobytes(),
            block_we=int(self.block_we[number]),
            base=int(self.base[number]),
            fault=Fault(
                FaultKind(self.fault_kind[number]),
                int(self.fault_lane[number]),
                int(self.fault_address[number]),
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class FaultBatch:
    """n faults as numpy arrays: `kind`, `lane` uint8 (n,); `address` uint64 (n,)."""

    kind: NDArray[np.uint8]
    lane: NDArray[np.uint8]
    address: NDArray[np.uint64]


def lane_addresses_batch(batch: CommandBatch) -> NDArray[np.uint64]:
    """The byte addresses of every lane, full width: uint64 (n, 8).

    Specification, sections 2 and 3.
    """
    base = batch.base.astype(np.uint64)
    repeats = np.where(batch.op == Op.LOADALIGN_POST_NORMAL, batch.repeat_stride, 0)
    start = base + BLOCK_BYTES * repeats.astype(np.uint64)
    step = BLOCK_BYTES * batch.block_stride.astype(np.uint64)
    # In memory each lane has a row of its own: numpy is fast along long rows.
    index = np.ascontiguousarray(batch.index.T).astype(np.uint64)
    strided = start + step * np.arange(LANES, dtype=np.uint64)[:, np.newaxis]
    return np.where(batch.op == Op.GATHERB, base + index, strided).T


def active_lanes_batch(batch: CommandBatch) -> NDArray[np.bool_]:
    """Whether lane i of each command is active: bool (n, 8).

    Specification, sections 2 and 3.
    """
    block_masks = np.ascontiguousarray(np.ascontiguousarray(batch.mask).view("<u4").T)
    gathered = block_masks[0] & _GATHER_BITS[:, np.newaxis]
    loaded = block_masks & _SIGNIFICANT_BITS[batch.dtype]
    return (np.where(batch.op == Op.GATHERB, gathered, loaded) != 0).T


def lane_bits(lanes: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Sets of lanes, bool (n, 8), with one bit for each lane, lane 0 the lowest: uint8 (n,)."""
    return np.packbits(lanes.ravel(), bitorder="little")


def find_faults_batch(batch: CommandBatch, ub_bytes: int) -> FaultBatch:
    """The fault of each command in a Unified Buffer of `ub_bytes` (specification, section 4)."""
    return faults_of_lanes(batch, lane_addresses_batch(batch), active_lanes_batch(batch), ub_bytes)


def faults_of_lanes(
    batch: CommandBatch,
    addresses: NDArray[np.uint64],
    active: NDArray[np.bool_],
    ub_bytes: int,
) -> FaultBatch:
    """The fault of each command whose addresses and active lanes, (n, 8), are known already."""
    gathers = batch.op == Op.GATHERB
    illegal = ~gathers & (batch.dtype == Dtype.B64)
    misaligned_base = batch.base & _WITHIN_BLOCK != 0
    active_bits = lane_bits(active)
    misaligned = active_bits & lane_bits(batch.index & _WITHIN_BLOCK != 0) * gathers
    outside = active_bits & lane_bits(addresses + BLOCK_BYTES > ub_bytes)
    kind = np.select(
        [illegal, misaligned_base, misaligned != 0, outside != 0],
        [
            np.uint8(FaultKind.ILLEGAL_DTYPE),
            np.uint8(FaultKind.MISALIGNED_BASE),
            np.uint8(FaultKind.MISALIGNED_INDEX),
            np.uint8(FaultKind.OUT_OF_RANGE),
        ],
        np.uint8(FaultKind.NONE),
    )
    lane = np.select(
        [kind == FaultKind.MISALIGNED_INDEX, kind == FaultKind.OUT_OF_RANGE],
        [_LOWEST_LANE[misaligned], _LOWEST_LANE[outside]],
        np.uint8(0),
    )
    address = np.where(kind == FaultKind.MISALIGNED_BASE, batch.base, np.uint64(0))
    of_lanes = np.flatnonzero(kind >= FaultKind.MISALIGNED_INDEX)
    address[of_lanes] = addresses[of_lanes, lane[of_lanes]]
    return FaultBatch(kind, lane, address)


def execute_batch(contents: NDArray[np.uint8], batch: CommandBatch) -> ResponseBatch:
    """The responses to a batch of commands, all on the same contents.

    Specification, sections 2 to 4. `contents` is the Unified Buffer, uint8 (ub_bytes,), and stays
    unchanged. Raises ValueError unless its size is a positive multiple of 32.
    """
    if contents.dtype != np.uint8 or contents.ndim != 1:
        raise ValueError(
            f"contents is {contents.dtype} {contents.shape}; it must be uint8 (ub_bytes,)"
        )
    if not len(contents) or len(contents) % BLOCK_BYTES:
        raise ValueError(
            f"contents has {len(contents)} bytes; it must be a positive multiple of {BLOCK_BYTES}"
        )
    return execute_rows(
        contents.reshape(-1, BLOCK_BYTES), batch, contents.size, lambda blocks, chunk: blocks
    )


def execute_rows(
    rows: NDArray[np.uint8],
    batch: CommandBatch,
    ub_bytes: int,
    rows_of: Callable[[NDArray[np.intp], slice], NDArray[np.intp]],
) -> ResponseBatch:
    """The responses to commands that find their DataBlocks in `rows`, uint8 (any, 32).

    `rows_of` tells the row for each DataBlock number, (k, 8), of the k commands of a slice.
    """
    count = len(batch)
    responses = ResponseBatch(
        data=np.empty((count, REGISTER_BYTES), np.uint8),
        block_we=np.empty(count, np.uint8),
        base=np.empty(count, np.uint32),
        fault_kind=np.empty(count, np.uint8),
        fault_lane=np.empty(count, np.uint8),
        fault_address=np.empty(count, np.uint64),
    )
    for first in range(0, count, _CHUNK_COMMANDS):
        chunk = slice(first, first + _CHUNK_COMMANDS)
        _execute_chunk(rows, batch.take(chunk), ub_bytes, rows_of, responses, chunk)
    return responses


def _execute_chunk(
    rows: NDArray[np.uint8],
    batch: CommandBatch,
    ub_bytes: int,
    rows_of: Callable[[NDArray[np.intp], slice], NDArray[np.intp]],
    responses: ResponseBatch,
    chunk: slice,
) -> None:
    addresses = lane_addresses_batch(batch)
    active = active_lanes_batch(batch)
    faults = faults_of_lanes(batch, addresses, active, ub_bytes)
    good = faults.kind == FaultKind.NONE

    loaded = active & good[:, np.newaxis]
    # Lanes that load nothing may have any address: they read DataBlock 0 and are cleared.
    blocks = np.where(loaded, addresses // BLOCK_BYTES, 0).astype(np.intp)
    data = responses.data[chunk].reshape(-1, LANES, BLOCK_BYTES)
    np.take(rows, rows_of(blocks, chunk), axis=0, out=data, mode="clip")
    data[~loaded] = 0

    written = loaded | ((batch.op != Op.GATHERB) & good)[:, np.newaxis]
    responses.block_we[chunk] = np.packbits(written, axis=1, bitorder="little")[:, 0]
    updates = good & (batch.op == Op.LOADALIGN_POST_UPDATE)
    # Arithmetic on uint32 is modulo 2**32, as that of the address register.
    updated = batch.base + BLOCK_BYTES * batch.repeat_stride
    responses.base[chunk] = np.where(updates, updated, batch.base)
    responses.fault_kind[chunk] = faults.kind
    responses.fault_lane[chunk] = faults.lane
    responses.fault_address[chunk] = faults.address
