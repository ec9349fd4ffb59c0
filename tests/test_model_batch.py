"""The batch model against the scalar model, and both against a deliberately naive one."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from model import (
    Command,
    CommandBatch,
    Dtype,
    Fault,
    FaultKind,
    Op,
    Response,
    UnifiedBuffer,
    active_lanes,
    active_lanes_batch,
    conflict_degree,
    conflict_degree_batch,
    execute,
    execute_batch,
    find_fault,
    find_faults_batch,
    lane_addresses,
    lane_addresses_batch,
)

UB_BYTES = 32 * 128
SPACE = 1 << 32


def naive_response(contents: bytes, command: Command) -> Response:
    """The specification bit by bit and byte by byte, sharing nothing with the model."""
    size = [1, 2, 4, 8][command.dtype]
    bits = [command.mask // 2**k % 2 for k in range(256)]
    active, addresses = [], []
    for i in range(8):
        if command.op == 0:
            active.append(bits[4 * i] == 1)
            addresses.append(command.base + command.index[i])
        else:
            active.append(any(bits[k] for k in range(32 * i, 32 * i + 32, size)))
            repeat = 32 * command.repeat_stride if command.op == 2 else 0
            addresses.append(command.base + repeat + 32 * command.block_stride * i)

    candidates = []
    if command.op != 0 and command.dtype == 3:
        candidates.append((1, 0, 0))
    if command.base % 32 != 0:
        candidates.append((2, 0, command.base))
    for i in range(8):
        if command.op == 0 and active[i] and command.index[i] % 32 != 0:
            candidates.append((3, i, addresses[i]))
        if active[i] and addresses[i] + 32 > len(contents):
            candidates.append((4, i, addresses[i]))
    if candidates:
        kind, lane, address = min(candidates)
        return Response(bytes(256), 0, command.base, Fault(FaultKind(kind), lane, address))

    data, block_we = [], 0
    for i in range(8):
        for k in range(32):
            data.append(contents[addresses[i] + k] if active[i] else 0)
        if command.op != 0 or active[i]:
            block_we += 2**i
    base = command.base
    if command.op == 3:
        base = (base + 32 * command.repeat_stride) % 2**32
    return Response(bytes(data), block_we, base, Fault(FaultKind.NONE, 0, 0))


def pick(rng: Generator, choices: Sequence) -> object:
    return choices[int(rng.integers(len(choices)))]


def random_base(rng: Generator) -> int:
    blocks = UB_BYTES // 32
    near, far, end = int(rng.integers(blocks)), int(rng.integers(SPACE)), int(rng.integers(10))
    return pick(
        rng,
        [32 * near, 32 * near, 32 * near, 0, UB_BYTES - 32 * end, SPACE - 32, far, far // 32 * 32]
        + [32 * near + end],
    )


def random_stride(rng: Generator) -> int:
    small, any_stride = int(rng.integers(20)), int(rng.integers(SPACE))
    return pick(
        rng, [0, 1, small, small, small, UB_BYTES // 32, 1 << 27, 1 << 31, SPACE - 1, any_stride]
    )


def random_mask(rng: Generator) -> int:
    noise = int.from_bytes(rng.bytes(32), "little")
    bit = 1 << int(rng.integers(256))
    low = 1 << int(rng.integers(32))
    every_fourth = sum(1 << k for k in range(0, 256, 4))
    return pick(
        rng,
        [0, (1 << 256) - 1, noise, bit, low, noise & ~every_fourth, noise % SPACE, noise & bit]
        + [0x11111111 << 32 * int(rng.integers(8)), noise & every_fourth],
    )


def random_index(rng: Generator, base: int) -> tuple[int, ...]:
    index = (32 * rng.integers(UB_BYTES // 64, size=8)).tolist()
    match int(rng.integers(4)):
        case 0:
            index = [index[0]] * 8
        case 1:
            for _ in range(int(rng.integers(1, 4))):
                index[int(rng.integers(8))] = pick(
                    rng,
                    [
                        int(rng.integers(SPACE)),
                        max(UB_BYTES - base, 0),
                        max(UB_BYTES - base - 32, 0),
                        (SPACE - base) % SPACE,
                        SPACE - 32,
                        int(rng.integers(64)),
                    ],
                )
    return tuple(index)


def random_commands(rng: Generator, count: int) -> list[Command]:
    """Commands among which rare things are common; every fault occurs in every lane."""
    commands = []
    for _ in range(count):
        base = random_base(rng)
        commands.append(
            Command(
                op=pick(rng, list(Op)),
                dtype=pick(rng, list(Dtype)),
                base=base,
                mask=random_mask(rng),
                block_stride=random_stride(rng),
                repeat_stride=random_stride(rng),
                index=random_index(rng, base),
            )
        )
    return commands


@pytest.fixture(scope="module")
def buffer() -> UnifiedBuffer:
    buffer = UnifiedBuffer(UB_BYTES)
    buffer.load(default_rng(0).bytes(UB_BYTES))
    return buffer


@pytest.fixture(scope="module", params=range(3), ids=lambda seed: f"seed{seed}")
def commands(request) -> list[Command]:
    return random_commands(default_rng(request.param), 10_000)


@pytest.mark.proves("GB-1", "GB-5", "GB-6", "GB-9", "GB-10", "ST-2", "ST-7")
@pytest.mark.proves("LA-1", "LA-3", "LA-4", "LA-5", "LA-6", "LA-8", "LA-9", "LA-10", "LA-13")
@pytest.mark.proves("FA-3", "FA-4", "FA-5", "FA-6", "FA-8", "FA-9", "FA-10", "FA-14", "MK-9")
def test_the_scalar_model_agrees_with_the_naive_one(buffer, commands):
    contents = bytes(buffer.contents)
    for number, command in enumerate(commands):
        assert execute(buffer, command) == naive_response(contents, command), (number, command)


@pytest.mark.proves("FA-1", "FA-2", "FA-3", "FA-4", "FA-16")
def test_the_random_commands_hold_every_fault_in_every_lane_for_every_op(commands):
    seen = {
        (command.op, fault.kind, fault.lane)
        for command in commands
        for fault in [find_fault(command, UB_BYTES)]
    }
    for op in Op:
        assert (op, FaultKind.NONE, 0) in seen
        assert (op, FaultKind.MISALIGNED_BASE, 0) in seen
        for lane in range(8):
            assert (op, FaultKind.OUT_OF_RANGE, lane) in seen
    for lane in range(8):
        assert (Op.GATHERB, FaultKind.MISALIGNED_INDEX, lane) in seen
    for op in list(Op)[1:]:
        assert (op, FaultKind.ILLEGAL_DTYPE, 0) in seen


@pytest.mark.proves("GB-1", "GB-9", "GB-10", "LA-1", "LA-5", "LA-13", "FA-6", "FA-10", "FA-14")
def test_the_batch_model_agrees_with_the_scalar_one(buffer, commands):
    batch = CommandBatch.from_commands(commands)
    responses = execute_batch(np.frombuffer(buffer.contents, np.uint8), batch)
    assert len(responses) == len(commands)
    for number, command in enumerate(commands):
        assert responses.response(number) == execute(buffer, command), (number, command)


@pytest.mark.proves("GB-1", "GB-5", "LA-1", "LA-8", "FA-6", "FA-9")
def test_addresses_active_lanes_and_faults_of_a_batch_agree_with_the_scalar_ones(commands):
    batch = CommandBatch.from_commands(commands)
    addresses = lane_addresses_batch(batch)
    active = active_lanes_batch(batch)
    faults = find_faults_batch(batch, UB_BYTES)
    for number, command in enumerate(commands):
        assert tuple(addresses[number].tolist()) == lane_addresses(command)
        lanes = active_lanes(command.op, command.dtype, command.mask)
        assert active[number].tolist() == [bool(lanes >> lane & 1) for lane in range(8)]
        fault = find_fault(command, UB_BYTES)
        assert faults.kind[number] == fault.kind
        assert faults.lane[number] == fault.lane
        assert faults.address[number] == fault.address


@pytest.mark.proves("ST-5", "CY-1")
@pytest.mark.parametrize("banks", [1, 2, 8, 16, 64])
def test_the_conflict_degrees_of_a_batch_agree_with_the_scalar_ones(commands, banks):
    degrees = conflict_degree_batch(CommandBatch.from_commands(commands), banks, UB_BYTES)
    for number, command in enumerate(commands[:2000]):
        assert degrees[number] == conflict_degree(command, banks, UB_BYTES)


def test_a_batch_gives_back_its_commands(commands):
    batch = CommandBatch.from_commands(commands)
    assert len(batch) == len(commands)
    assert [batch.command(number) for number in range(len(batch))] == commands


def test_take_and_concatenate_keep_the_order(commands):
    batch = CommandBatch.from_commands(commands)
    joined = CommandBatch.concatenate([batch.take([3, 1]), batch.take(slice(7, 9))])
    assert [joined.command(number) for number in range(4)] == [
        commands[number] for number in (3, 1, 7, 8)
    ]


def test_a_batch_larger_than_a_chunk_gives_the_same_responses(buffer, commands):
    batch = CommandBatch.from_commands(commands)
    contents = np.frombuffer(buffer.contents, np.uint8)
    once = execute_batch(contents, batch)
    four_times = execute_batch(contents, CommandBatch.concatenate([batch] * 4))
    assert len(four_times) == 40_000
    for part in range(4):
        same = slice(part * len(batch), (part + 1) * len(batch))
        for field in ("data", "block_we", "base", "fault_kind", "fault_lane", "fault_address"):
            assert np.array_equal(getattr(four_times, field)[same], getattr(once, field))


@pytest.mark.proves("FA-12")
def test_a_batch_leaves_the_contents_unchanged(buffer, commands):
    contents = np.frombuffer(bytes(buffer.contents), np.uint8)
    assert not contents.flags.writeable
    execute_batch(contents, CommandBatch.from_commands(commands))


def test_an_empty_batch_gives_no_responses():
    responses = execute_batch(np.zeros(32, np.uint8), CommandBatch.from_commands([]))
    assert len(responses) == 0


def test_a_batch_of_another_shape_is_refused_by_the_name_of_the_field():
    batch = CommandBatch.from_commands([Command(Op.GATHERB, Dtype.B8, 0, 0)] * 3)
    arrays = {name: getattr(batch, name) for name in CommandBatch.__slots__}
    with pytest.raises(ValueError, match=r"^index is uint32 \(3, 7\); it must be uint32 \(3, 8\)"):
        CommandBatch(**arrays | {"index": batch.index[:, :7]})
    with pytest.raises(ValueError, match="^base is int64"):
        CommandBatch(**arrays | {"base": batch.base.astype(np.int64)})


@pytest.mark.parametrize("size", [0, 33])
def test_contents_that_are_not_a_number_of_blocks_are_refused(size):
    with pytest.raises(ValueError, match=f"contents has {size} bytes"):
        execute_batch(np.zeros(size, np.uint8), CommandBatch.from_commands([]))


def test_contents_of_another_type_are_refused():
    with pytest.raises(ValueError, match=r"contents is uint32 \(8,\)"):
        execute_batch(np.zeros(8, np.uint32), CommandBatch.from_commands([]))
