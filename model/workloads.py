"""Access patterns of real kernels: the realistic part of the stimulus."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from numpy.random import Generator

from model.encodings import BLOCK_BYTES, LANES, Dtype, Op
from model.masks import MaskPattern, create_mask, update_mask
from model.values import Command

_LANES = range(LANES)


@dataclass(frozen=True, slots=True)
class Workload:
    """A named sequence of commands.

    `degree` is D at 16 banks of every command (specification, section 6), None where it varies.
    `blocks` is how many DataBlocks from the base on the commands may read. `build` yields them
    for a base and the number of DataBlocks that follow it.
    """

    name: str
    description: str
    degree: int | None
    blocks: int
    build: Callable[[int, int, Generator], Iterator[Command]]

    @property
    def span_bytes(self) -> int:
        """Bytes that the Unified Buffer must have from the base on."""
        return self.blocks * BLOCK_BYTES

    def commands(self, base: int, ub_bytes: int, rng: Generator) -> list[Command]:
        """The commands, none of which faults, in a Unified Buffer of `ub_bytes`.

        Raises ValueError when `base` is misaligned or less than `span_bytes` follow it.
        """
        if base < 0 or base % BLOCK_BYTES or base + self.span_bytes > ub_bytes:
            raise ValueError(
                f"workload {self.name}: base {base:#x}; it must be a multiple of {BLOCK_BYTES} "
                f"with {self.span_bytes} bytes up to the end of the {ub_bytes}"
            )
        return list(self.build(base, (ub_bytes - base) // BLOCK_BYTES, rng))


WORKLOADS: dict[str, Workload] = {}
"""Every workload by its name."""


def _workload(description: str, degree: int | None, blocks: int) -> Callable:
    """Register the function below it as the workload of its name."""

    def register(build: Callable[[int, int, Generator], Iterator[Command]]) -> Callable:
        name = build.__name__
        WORKLOADS[name] = Workload(name, description, degree, blocks, build)
        return build

    return register


def _load(
    base: int,
    block_stride: int,
    mask: int | None = None,
    repeat_stride: int = 0,
    op: Op = Op.LOADALIGN,
    dtype: Dtype = Dtype.B32,
) -> Command:
    if mask is None:
        mask = create_mask(dtype, MaskPattern.ALL)
    return Command(op, dtype, base, mask, block_stride, repeat_stride)


def _load_and_update(
    base: int,
    block_stride: int,
    repeat_stride: int,
    times: int,
    dtype: Dtype = Dtype.B32,
) -> Iterator[Command]:
    for repeat in range(times):
        yield _load(
            base + BLOCK_BYTES * repeat_stride * repeat,
            block_stride,
            repeat_stride=repeat_stride,
            op=Op.LOADALIGN_POST_UPDATE,
            dtype=dtype,
        )


def _gather(base: int, blocks: list[int], mask: int | None = None) -> Command:
    if mask is None:
        mask = create_mask(Dtype.B32, MaskPattern.VL8)
    index = tuple([BLOCK_BYTES * block for block in blocks])
    return Command(Op.GATHERB, Dtype.B32, base, mask, index=index)


@_workload("contiguous copy: stride 1, repeat stride 8", degree=1, blocks=8 * 16)
def contiguous_copy(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield from _load_and_update(base, 1, 8, times=16)


@_workload("every second block: b16, stride 2, repeat stride 16", degree=1, blocks=16 * 16)
def every_second_block(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield from _load_and_update(base, 2, 16, times=16, dtype=Dtype.B16)


@_workload("column walk of an 8 x 64 f32 tile: stride 8", degree=4, blocks=64)
def column_walk(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for column in range(8):
        yield _load(base + BLOCK_BYTES * column, 8)


@_workload("broadcast: stride 0, the base 8 blocks on each time", degree=1, blocks=8 * 8)
def broadcast(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for repeat in range(8):
        yield _load(base + BLOCK_BYTES * 8 * repeat, 0)


@_workload("reload: stride 1, the same base each time", degree=1, blocks=8)
def reload(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for _ in range(8):
        yield _load(base, 1)


@_workload("pairwise leaves: b32, stride 16, 64 lanes", degree=8, blocks=8 * 16)
def pairwise_leaves(base: int, room: int, rng: Generator) -> Iterator[Command]:
    mask = create_mask(Dtype.B32, MaskPattern.VL64)
    for leaf in range(16):
        yield _load(base + BLOCK_BYTES * leaf, 16, mask)


@_workload("one active block: b32, stride 1, mask VL8", degree=1, blocks=1)
def one_active_block(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield _load(base, 1, create_mask(Dtype.B32, MaskPattern.VL8))


@_workload("reduce rows of 32 f32: stride 4, then the rows left, masked", degree=2, blocks=5 * 32)
def reduce_rows(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield from _load_and_update(base, 4, 32, times=4)
    # A row gives eight elements to each of its four columns of blocks.
    tail_rows = int(rng.integers(5, 8))
    mask, _ = update_mask(Dtype.B32, 8 * tail_rows)
    tail = base + BLOCK_BYTES * 32 * 4
    for column in range(4):
        yield _load(tail + BLOCK_BYTES * column, 4, mask, 1, Op.LOADALIGN_POST_UPDATE)


@_workload("rows of 24 f32: stride 3, at the base and one block on", degree=1, blocks=7 * 3 + 2)
def rows_of_24(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield _load(base, 3)
    yield _load(base + BLOCK_BYTES, 3)


@_workload("one block: stride 0, a mask of one block", degree=1, blocks=1)
def one_block(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for lane in _LANES:
        yield _load(base, 0, 0xFFFFFFFF << 32 * lane)


@_workload("all in one bank: b32, stride 32", degree=8, blocks=7 * 32 + 1)
def all_in_one_bank(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield _load(base, 32)


@_workload("NZ store pattern, unpadded: stride 144", degree=8, blocks=8 * 144)
def nz_unpadded(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for row in range(144):
        yield _load(base + BLOCK_BYTES * row, 144)


@_workload("NZ store pattern, padded: stride 145", degree=1, blocks=7 * 145 + 144)
def nz_padded(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for row in range(144):
        yield _load(base + BLOCK_BYTES * row, 145)


@_workload("dequant tiles: strides 17, 33, 65, 129, repeat 8 strides", degree=1, blocks=2 * 8 * 129)
def dequant_tiles(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for block_stride in (17, 33, 65, 129):
        yield from _load_and_update(base, block_stride, 8 * block_stride, times=2)


@_workload("half-register rows: b16, stride 129, 64 elements", degree=1, blocks=3 * 129 + 8)
def half_register_rows(base: int, room: int, rng: Generator) -> Iterator[Command]:
    mask = create_mask(Dtype.B16, MaskPattern.VL64)
    for row in range(8):
        yield _load(base + BLOCK_BYTES * row, 129, mask, repeat_stride=1, dtype=Dtype.B16)


@_workload("gather identity: blocks 0..7", degree=1, blocks=8)
def gather_identity(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield _gather(base, list(_LANES))


@_workload("gather of the reference: blocks 0..6 and 32", degree=2, blocks=33)
def gather_reference(base: int, room: int, rng: Generator) -> Iterator[Command]:
    yield _gather(base, [0, 1, 2, 3, 4, 5, 6, 32])


@_workload("gather affine: blocks ((i + 11c) * 7 + 3) mod 128", degree=None, blocks=128)
def gather_affine(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for c in range(16):
        yield _gather(base, [((i + 11 * c) * 7 + 3) % 128 for i in _LANES])


@_workload("gather boundary: blocks {0,1,15,16,31,32,63,127} + 3c mod 128", degree=None, blocks=128)
def gather_boundary(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for c in range(16):
        yield _gather(base, [(i + 3 * c) % 128 for i in (0, 1, 15, 16, 31, 32, 63, 127)])


@_workload("gather all the same: one block eight times", degree=1, blocks=64)
def gather_all_the_same(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for block in rng.integers(64, size=16).tolist():
        yield _gather(base, [block] * LANES)


@_workload("gather random, near: uniform over 64 blocks", degree=None, blocks=64)
def gather_random_near(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for blocks in rng.integers(64, size=(128, LANES)).tolist():
        yield _gather(base, blocks)


@_workload("gather random, far: uniform from the base to the end", degree=None, blocks=1)
def gather_random_far(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for blocks in rng.integers(room, size=(128, LANES)).tolist():
        yield _gather(base, blocks)


@_workload("tail gathers: the first 1 to 8 of random blocks", degree=None, blocks=64)
def tail_gathers(base: int, room: int, rng: Generator) -> Iterator[Command]:
    for count, blocks in enumerate(rng.integers(64, size=(LANES, LANES)).tolist(), start=1):
        # UpdateMask, because CreateMask has no VL5, VL6 and VL7.
        mask, _ = update_mask(Dtype.B32, count)
        yield _gather(base, blocks, mask)
