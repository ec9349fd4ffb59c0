"""Commands with fills among them: the vectorised order against one at a time."""

import numpy as np
import pytest

from model import BLOCK_BYTES, Command, CommandBatch, Dtype, Op, UnifiedBuffer, execute
from model.fills import FillBatch, execute_in_order
from tb.stimulus import biased_commands

UB_BYTES = 512


def draw(
    seed: int, commands: int, fills: int
) -> tuple[CommandBatch, np.ndarray, FillBatch, np.ndarray]:
    """Few blocks, so that most reads see one of several fills of their block."""
    rng = np.random.default_rng(seed)
    batch = biased_commands(commands, rng, UB_BYTES)
    address = (rng.integers(UB_BYTES // BLOCK_BYTES + 2, size=fills) * BLOCK_BYTES).astype(
        np.uint32
    )
    address += rng.choice([0, 0, 0, 5], size=fills).astype(np.uint32)
    data = rng.integers(256, size=(fills, BLOCK_BYTES), dtype=np.uint8)
    cycles = max(commands, fills, 1) * 2
    accepted = np.sort(rng.choice(cycles, commands, replace=False))
    filled = np.sort(rng.choice(cycles, fills, replace=False))
    return batch, accepted, FillBatch(address, data), filled


@pytest.mark.proves("OR-1", "OR-2")
@pytest.mark.parametrize("commands, fills", [(0, 0), (1, 0), (0, 5), (40, 60), (300, 200)])
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_acceptance_decides_what_a_command_reads(
    seed: int, commands: int, fills: int
) -> None:
    batch, accepted, filling, filled = draw(seed, commands, fills)
    buffer = UnifiedBuffer(UB_BYTES)
    buffer.load(np.random.default_rng(seed + 100).bytes(UB_BYTES))
    contents = np.frombuffer(bytes(buffer.contents), np.uint8).copy()
    responses = execute_in_order(contents, batch, accepted, filling, filled)

    # In one cycle the command comes first.
    events = [(cycle, 0, number) for number, cycle in enumerate(accepted.tolist())]
    events += [(cycle, 1, number) for number, cycle in enumerate(filled.tolist())]
    for _, is_fill, number in sorted(events):
        if is_fill:
            buffer.fill(int(filling.address[number]), filling.data[number].tobytes())
        else:
            assert responses.response(number) == execute(buffer, batch.command(number))
    assert contents.tobytes() == bytes(buffer.contents)


def test_a_wrong_shape_names_its_field() -> None:
    with pytest.raises(ValueError, match="data is uint8"):
        FillBatch(np.zeros(2, np.uint32), np.zeros((2, 31), np.uint8))


def test_reads_in_a_buffer_of_many_blocks_see_the_fills_before_them() -> None:
    """The numbers of its blocks have so many bits that they leave few for the cycles."""
    contents = np.zeros(1 << 29, np.uint8)
    last = contents.size - BLOCK_BYTES
    reads = [Command(Op.LOADALIGN, Dtype.B32, base=base, mask=1) for base in (0, last)]
    fills = FillBatch(
        np.array([0, last], np.uint32), np.full((2, BLOCK_BYTES), [[1], [2]], np.uint8)
    )
    responses = execute_in_order(
        contents, CommandBatch.from_commands(reads), np.array([8, 9]), fills, np.array([3, 4])
    )
    assert [set(data[:BLOCK_BYTES]) for data in responses.data] == [{1}, {2}]
