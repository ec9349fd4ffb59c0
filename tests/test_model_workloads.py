"""The workloads: each is legal wherever it says so, and conflicts as much as it says."""

import itertools

import pytest
from numpy.random import default_rng

from model import (
    WORKLOADS,
    FaultKind,
    UnifiedBuffer,
    active_lanes,
    conflict_degree,
    execute,
    find_fault,
    lane_addresses,
)

UB_BYTES = 1 << 18
BANKS = 16

every_workload = pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)


def bases(workload) -> list[int]:
    return [0, 32, 32 * 77, UB_BYTES - workload.span_bytes]


@every_workload
def test_no_command_faults_at_any_base_that_leaves_room(workload):
    for seed, base in enumerate(bases(workload)):
        commands = workload.commands(base, UB_BYTES, default_rng(seed))
        assert 1 <= len(commands) <= 150
        assert {find_fault(command, UB_BYTES).kind for command in commands} == {FaultKind.NONE}


@pytest.mark.proves("ST-5", "CY-1")
@every_workload
def test_every_command_has_the_degree_that_the_workload_states(workload):
    for seed, base in enumerate(bases(workload)):
        degrees = {
            conflict_degree(command, BANKS, UB_BYTES)
            for command in workload.commands(base, UB_BYTES, default_rng(seed))
        }
        assert workload.degree is None or degrees == {workload.degree}


@every_workload
def test_a_workload_reads_no_further_than_its_span(workload):
    ub_bytes = workload.span_bytes
    for command in workload.commands(0, ub_bytes, default_rng(0)):
        active = active_lanes(command.op, command.dtype, command.mask)
        for lane, address in enumerate(lane_addresses(command)):
            assert not active >> lane & 1 or address + 32 <= ub_bytes


@every_workload
def test_the_same_seed_gives_the_same_commands(workload):
    first, second = (workload.commands(0, UB_BYTES, default_rng(9)) for _ in range(2))
    assert first == second


@every_workload
def test_a_base_without_room_is_refused(workload):
    for base in (UB_BYTES - workload.span_bytes + 32, 16, -32):
        with pytest.raises(ValueError, match=f"workload {workload.name}: base"):
            workload.commands(base, UB_BYTES, default_rng(0))


def test_every_row_of_the_list_of_patterns_is_there():
    assert {name: workload.degree for name, workload in WORKLOADS.items()} == {
        "contiguous_copy": 1,
        "every_second_block": 1,
        "column_walk": 4,
        "broadcast": 1,
        "reload": 1,
        "pairwise_leaves": 8,
        "one_active_block": 1,
        "reduce_rows": 2,
        "rows_of_24": 1,
        "one_block": 1,
        "all_in_one_bank": 8,
        "nz_unpadded": 8,
        "nz_padded": 1,
        "dequant_tiles": 1,
        "half_register_rows": 1,
        "gather_identity": 1,
        "gather_reference": 2,
        "gather_affine": None,
        "gather_boundary": None,
        "gather_all_the_same": 1,
        "gather_random_near": None,
        "gather_random_far": None,
        "tail_gathers": None,
    }


@pytest.mark.proves("LA-5")
@pytest.mark.parametrize("name", ["contiguous_copy", "every_second_block"])
def test_a_loop_with_post_update_continues_where_the_address_register_points(name):
    buffer = UnifiedBuffer(UB_BYTES)
    commands = WORKLOADS[name].commands(64, UB_BYTES, default_rng(0))
    for command, following in itertools.pairwise(commands):
        assert execute(buffer, command).base == following.base


@pytest.mark.proves("LA-8")
def test_half_register_rows_load_four_of_eight_blocks():
    for command in WORKLOADS["half_register_rows"].commands(0, UB_BYTES, default_rng(0)):
        assert active_lanes(command.op, command.dtype, command.mask) == 0b1111


@pytest.mark.proves("GB-5", "MK-7")
def test_tail_gathers_have_one_to_eight_active_lanes():
    commands = WORKLOADS["tail_gathers"].commands(0, UB_BYTES, default_rng(0))
    masks = [active_lanes(command.op, command.dtype, command.mask) for command in commands]
    assert masks == [0b1, 0b11, 0b111, 0xF, 0x1F, 0x3F, 0x7F, 0xFF]


def test_far_random_gathers_reach_the_whole_buffer():
    commands = WORKLOADS["gather_random_far"].commands(0, UB_BYTES, default_rng(0))
    offsets = [offset for command in commands for offset in command.index]
    assert min(offsets) < UB_BYTES // 16
    assert max(offsets) >= UB_BYTES // 16 * 15
