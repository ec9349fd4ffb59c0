"""Faults: which, in which lane, with which address, and that nothing else happens."""

import pytest
from numpy.random import default_rng

from model import (
    Command,
    Dtype,
    Fault,
    FaultKind,
    Op,
    Response,
    UnifiedBuffer,
    execute,
    find_fault,
)

UB_BYTES = 32 * 256
LAST = UB_BYTES - 32
ALL = (1 << 256) - 1
SPACE = 1 << 32

every_op = pytest.mark.parametrize("op", Op, ids=lambda op: op.name)
every_load = pytest.mark.parametrize("op", list(Op)[1:], ids=lambda op: op.name)
every_lane = pytest.mark.parametrize("lane", range(8))
every_mask = pytest.mark.parametrize("mask", [0, ALL, 1 << 255], ids=["none", "all", "last"])


@pytest.fixture(scope="module")
def buffer() -> UnifiedBuffer:
    buffer = UnifiedBuffer(UB_BYTES)
    buffer.load(default_rng(0).bytes(UB_BYTES))
    return buffer


def gather(index: dict[int, int], mask: int = ALL, base: int = 0) -> Command:
    """A gather of block 0 with other offsets in some lanes."""
    offsets = tuple(index.get(lane, 0) for lane in range(8))
    return Command(Op.GATHERB, Dtype.B32, base, mask, index=offsets)


def lanes_mask(op: Op, lanes) -> int:
    """A mask with exactly these lanes active."""
    return sum(1 << (4 if op is Op.GATHERB else 32) * lane for lane in lanes)


def refused(command: Command, kind: FaultKind, lane: int, address: int) -> Response:
    return Response(bytes(256), 0, command.base, Fault(kind, lane, address))


@pytest.mark.proves("FA-1", "FA-7", "FA-10", "FA-14")
@every_load
@every_mask
def test_a_load_of_b64_is_illegal_whatever_the_mask(buffer, op, mask):
    command = Command(op, Dtype.B64, 64, mask, 1, 3)
    assert execute(buffer, command) == refused(command, FaultKind.ILLEGAL_DTYPE, 0, 0)


@pytest.mark.proves("FA-1", "GB-7")
def test_a_gather_of_b64_is_legal(buffer):
    command = Command(Op.GATHERB, Dtype.B64, 0, ALL)
    assert execute(buffer, command).fault.kind is FaultKind.NONE


@pytest.mark.proves("FA-2", "FA-7", "FA-10", "FA-14", "ST-1")
@every_op
@every_mask
@pytest.mark.parametrize("base", [1, 2, 4, 8, 16, 31, 33, LAST + 1, SPACE - 1])
def test_a_misaligned_base_is_refused_whatever_the_mask(buffer, op, mask, base):
    command = Command(op, Dtype.B32, base, mask, 1, 3)
    assert execute(buffer, command) == refused(command, FaultKind.MISALIGNED_BASE, 0, base)


@pytest.mark.proves("FA-3", "FA-10", "FA-14", "ST-1")
@every_lane
@pytest.mark.parametrize("offset", [1, 2, 4, 8, 16, 31, 33])
def test_a_misaligned_index_is_reported_in_its_lane(buffer, lane, offset):
    command = gather({lane: offset}, base=64)
    expected = refused(command, FaultKind.MISALIGNED_INDEX, lane, 64 + offset)
    assert execute(buffer, command) == expected


@pytest.mark.proves("FA-3")
@every_lane
def test_the_lowest_misaligned_active_lane_is_reported(buffer, lane):
    command = gather(
        {other: 32 * other + 1 for other in range(8)},
        mask=lanes_mask(Op.GATHERB, range(lane, 8)),
    )
    assert execute(buffer, command).fault == Fault(FaultKind.MISALIGNED_INDEX, lane, 32 * lane + 1)


@pytest.mark.proves("FA-4", "FA-10", "FA-14")
@every_op
@every_lane
def test_the_first_lane_past_the_end_is_reported(buffer, op, lane):
    if op is Op.GATHERB:
        command = gather({other: UB_BYTES + 32 * other for other in range(lane, 8)}, base=0)
        address = UB_BYTES + 32 * lane
    else:
        start = UB_BYTES - 32 * lane
        repeat_stride = 2 if op is Op.LOADALIGN_POST_NORMAL else 9
        base = start - 64 if op is Op.LOADALIGN_POST_NORMAL else start
        command = Command(op, Dtype.B32, base, ALL, 1, repeat_stride)
        address = UB_BYTES
    assert execute(buffer, command) == refused(command, FaultKind.OUT_OF_RANGE, lane, address)


@pytest.mark.proves("FA-4", "FA-5")
@every_op
@every_lane
def test_only_active_lanes_can_be_out_of_range(buffer, op, lane):
    mask = lanes_mask(op, [lane])
    command = Command(op, Dtype.B8, UB_BYTES, mask, 1, index=(0,) * 8)
    address = UB_BYTES if op is Op.GATHERB else UB_BYTES + 32 * lane
    assert execute(buffer, command).fault == Fault(FaultKind.OUT_OF_RANGE, lane, address)


@pytest.mark.proves("FA-4", "FA-16", "ST-4")
@every_op
@every_lane
def test_the_last_block_is_accepted_and_the_first_past_it_refused(buffer, op, lane):
    mask = lanes_mask(op, [lane])
    for address, kind in [(LAST, FaultKind.NONE), (UB_BYTES, FaultKind.OUT_OF_RANGE)]:
        if op is Op.GATHERB:
            command = gather({lane: address}, mask)
        else:
            command = Command(op, Dtype.B32, address - 64 * lane, mask, 2)
        response = execute(buffer, command)
        assert response.fault.kind is kind
        loaded = response.data[32 * lane : 32 * lane + 32]
        assert loaded == (bytes(32) if kind else buffer.block(LAST))


@pytest.mark.proves("FA-5", "LA-12", "GB-10")
@every_op
def test_inactive_lanes_never_fault(buffer, op):
    for active in range(8):
        mask = lanes_mask(op, [active])
        if op is Op.GATHERB:
            wild = {lane: SPACE - 1 for lane in range(8) if lane != active}
            command = gather(wild, mask)
        else:
            # Lanes above the active one are out of range; no stride reaches below the start.
            command = Command(op, Dtype.B32, LAST - 32 * active, mask, 1)
        assert execute(buffer, command).fault.kind is FaultKind.NONE


@pytest.mark.proves("FA-5", "LA-12", "LA-10", "GB-10")
@every_op
def test_a_command_without_active_lanes_may_have_any_aligned_address(buffer, op):
    largest = SPACE - 1
    command = Command(op, Dtype.B32, SPACE - 32, 0, largest, largest, (largest,) * 8)
    response = execute(buffer, command)
    assert response.fault.kind is FaultKind.NONE
    assert response.data == bytes(256)


@pytest.mark.proves("FA-5", "GB-6", "LA-8")
@every_op
def test_mask_bits_that_do_not_count_activate_no_lane_that_could_fault(buffer, op):
    noise = ALL & ~sum(1 << bit for bit in range(0, 256, 4))
    command = Command(op, Dtype.B32, SPACE - 32, noise, 1, index=(1,) * 8)
    assert execute(buffer, command).fault.kind is FaultKind.NONE


@pytest.mark.proves("FA-6", "FA-10")
@every_load
def test_an_illegal_type_comes_before_a_misaligned_base_and_a_range_fault(buffer, op):
    command = Command(op, Dtype.B64, SPACE - 1, ALL, SPACE - 1, SPACE - 1)
    assert execute(buffer, command) == refused(command, FaultKind.ILLEGAL_DTYPE, 0, 0)


@pytest.mark.proves("FA-6", "FA-10")
@every_op
def test_a_misaligned_base_comes_before_every_fault_of_a_lane(buffer, op):
    base = UB_BYTES + 1
    command = Command(op, Dtype.B32, base, ALL, 1, index=(33,) * 8)
    assert execute(buffer, command) == refused(command, FaultKind.MISALIGNED_BASE, 0, base)


@pytest.mark.proves("FA-6", "FA-8", "FA-10")
@every_lane
def test_a_misaligned_index_wins_over_every_lower_lane_that_is_out_of_range(buffer, lane):
    index = {lower: UB_BYTES for lower in range(lane)} | {lane: UB_BYTES + 1}
    command = gather(index, base=32)
    expected = refused(command, FaultKind.MISALIGNED_INDEX, lane, UB_BYTES + 33)
    assert execute(buffer, command) == expected


@pytest.mark.proves("FA-3", "FA-6")
def test_an_aligned_sum_of_base_and_index_does_not_hide_that_both_are_misaligned(buffer):
    command = gather({0: 31}, base=1)
    assert execute(buffer, command).fault == Fault(FaultKind.MISALIGNED_BASE, 0, 1)


@pytest.mark.proves("FA-9", "FA-10", "GB-2")
@every_lane
def test_a_gather_that_would_wrap_to_an_address_in_range_faults_at_full_width(buffer, lane):
    for base in (32, LAST, SPACE - 32):
        offset = SPACE - base
        if base == SPACE - 32:
            # Every other lane would be out of range too.
            command = gather({lane: offset}, lanes_mask(Op.GATHERB, [lane]), base)
        else:
            command = gather({lane: offset}, base=base)
        assert execute(buffer, command).fault == Fault(FaultKind.OUT_OF_RANGE, lane, SPACE)


@pytest.mark.proves("FA-9", "FA-10")
@every_load
@pytest.mark.parametrize(
    "wrap",
    [UB_BYTES, 1 << 18, SPACE, 1 << 33, 1 << 36],
    ids=["ub", "default_ub", "2^32", "2^33", "2^36"],
)
def test_a_stride_that_would_wrap_to_an_address_in_range_faults_at_full_width(buffer, op, wrap):
    command = Command(op, Dtype.B32, 0, ALL, block_stride=wrap // 32)
    assert execute(buffer, command).fault == Fault(FaultKind.OUT_OF_RANGE, 1, wrap)


@pytest.mark.proves("FA-9", "FA-10", "LA-4")
@pytest.mark.parametrize("wrap", [UB_BYTES, SPACE, 1 << 36], ids=["ub", "2^32", "2^36"])
def test_a_repeat_that_would_wrap_to_an_address_in_range_faults_at_full_width(buffer, wrap):
    command = Command(Op.LOADALIGN_POST_NORMAL, Dtype.B32, 32, ALL, 1, wrap // 32)
    assert execute(buffer, command).fault == Fault(FaultKind.OUT_OF_RANGE, 0, 32 + wrap)


@pytest.mark.proves("FA-9", "FA-10")
def test_the_largest_address_has_41_bits(buffer):
    largest = SPACE - 1
    mask = lanes_mask(Op.LOADALIGN, [7])
    command = Command(Op.LOADALIGN_POST_NORMAL, Dtype.B32, SPACE - 32, mask, largest, largest)
    address = SPACE - 32 + 8 * 32 * largest
    assert execute(buffer, command).fault == Fault(FaultKind.OUT_OF_RANGE, 7, address)


@pytest.mark.proves("FA-5", "LA-5")
def test_the_updated_base_is_not_checked(buffer):
    command = Command(Op.LOADALIGN_POST_UPDATE, Dtype.B32, LAST - 224, ALL, 1, 1 << 20)
    response = execute(buffer, command)
    assert response.fault.kind is FaultKind.NONE
    assert response.base == LAST - 224 + (1 << 25)


@pytest.mark.proves("FA-12", "FA-14", "FA-15")
def test_a_fault_changes_neither_the_buffer_nor_the_next_command(buffer):
    before = bytes(buffer.contents)
    good = Command(Op.LOADALIGN_POST_UPDATE, Dtype.B32, 0, ALL, 1, 8)
    expected = execute(buffer, good)
    for bad in [
        Command(Op.LOADALIGN_POST_UPDATE, Dtype.B64, 0, ALL, 1, 8),
        Command(Op.LOADALIGN_POST_UPDATE, Dtype.B32, 1, ALL, 1, 8),
        Command(Op.LOADALIGN_POST_UPDATE, Dtype.B32, UB_BYTES, ALL, 1, 8),
        gather({3: 1}),
    ]:
        response = execute(buffer, bad)
        assert response.fault.kind is not FaultKind.NONE
        assert (response.data, response.block_we, response.base) == (bytes(256), 0, bad.base)
        assert execute(buffer, good) == expected
    assert buffer.contents == before


@pytest.mark.proves("FA-4")
def test_find_fault_is_the_fault_of_the_response(buffer):
    command = gather({2: UB_BYTES})
    assert find_fault(command, UB_BYTES) == execute(buffer, command).fault
    assert find_fault(command, 2 * UB_BYTES).kind is FaultKind.NONE
