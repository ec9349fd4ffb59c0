"""The groups that arrays make fast, counted one command, fill and cycle after another."""

from collections import Counter

import numpy as np
import pytest
from coverage_examples import DESIGNS, hits, random_observed

from model import (
    BLOCK_BYTES,
    NO_FAULT,
    Op,
    active_lanes,
    conflict_degree,
    find_fault,
    lane_addresses,
)
from tb.coverage import Design, Observed

COUNT = 600
DISTANCES = ["same cycle", "1 cycle", "2 cycles", *["3 to 8 cycles"] * 6]


class Naive:
    """What is known of each command of a test, by the scalar model."""

    def __init__(self, observed: Observed) -> None:
        self.observed, self.design = observed, observed.design
        self.commands = [observed.commands.command(number) for number in range(COUNT)]
        self.degree = [
            conflict_degree(command, self.design.banks, self.design.ub_bytes)
            for command in self.commands
        ]
        self.reads = [self._reads(number) for number in range(COUNT)]
        accepted, answered = observed.accepted.tolist(), observed.answered.tolist()
        resets = np.flatnonzero(np.diff(observed.resets.astype(int), prepend=0) > 0).tolist()
        self.resets = resets
        self.accepted = accepted
        self.left = [
            end if end >= 0 else min([cycle for cycle in resets if cycle > begin], default=1 << 60)
            for begin, end in zip(accepted, answered, strict=True)
        ]

    def _reads(self, number: int) -> list[int]:
        """The DataBlock of each lane that reads."""
        command = self.commands[number]
        if find_fault(command, self.design.ub_bytes) != NO_FAULT:
            return []
        active = active_lanes(command.op, command.dtype, command.mask)
        addresses = enumerate(lane_addresses(command))
        return [address // BLOCK_BYTES for lane, address in addresses if active >> lane & 1]

    def fills(self) -> list[tuple[int, int]]:
        """Cycle and DataBlock of each fill that is written."""
        pairs = zip(self.observed.filled.tolist(), self.observed.fill_address.tolist(), strict=True)
        return [
            (cycle, address // BLOCK_BYTES)
            for cycle, address in pairs
            if not address % BLOCK_BYTES and address < self.design.ub_bytes
        ]

    def in_flight(self, cycle: int) -> list[int]:
        """The numbers of the commands in flight."""
        return [n for n in range(COUNT) if self.accepted[n] < cycle <= self.left[n]]

    def due(self, cycle: int) -> str:
        """Whether the oldest of them could be answered."""
        flying = self.in_flight(cycle)
        due = flying and self.accepted[flying[0]] + 4 + max(1, self.degree[flying[0]]) <= cycle
        return "a response due" if due else "no response due"


def distance(cycles: int) -> str:
    """The class of a number of cycles."""
    return DISTANCES[cycles] if cycles < len(DISTANCES) else "more cycles"


@pytest.fixture(params=DESIGNS, ids=str)
def naive(request: pytest.FixtureRequest) -> Naive:
    """A random test of each design."""
    design: Design = request.param
    return Naive(random_observed(design, seed=11, count=COUNT))


def test_the_full_cross_counts_what_the_scalar_model_tells(naive: Naive) -> None:
    expected: Counter[str] = Counter()
    for command, degree, reads in zip(naive.commands, naive.degree, naive.reads, strict=True):
        if find_fault(command, naive.design.ub_bytes) != NO_FAULT:
            continue
        names = ["no bit set", "one lane", *["some lanes"] * 6, "eight lanes"]
        mask = names[len(reads)]
        if command.mask and not reads:
            mask = "only bits that do not count"
        shared = "no block twice" if len(set(reads)) == len(reads) else "some lanes share a block"
        if len(reads) > 1 and len(set(reads)) == 1:
            shared = "all lanes share one block"
        dtype = command.dtype.name.lower()
        expected[f"{Op(command.op).name} x {dtype} x {mask} x D = {degree} x {shared}"] += 1
    assert hits("commands", naive.observed) == expected


def test_each_lane_is_counted_at_the_bank_that_it_reads(naive: Naive) -> None:
    expected: Counter[int] = Counter()
    for reads in naive.reads:
        expected.update(block % naive.design.banks for block in reads)
    got: Counter[int] = Counter()
    size = max(1, naive.design.banks // 16)
    for name, count in hits("banks", naive.observed).items():
        got[int(name.split()[4]) // size] += count
    together: Counter[int] = Counter()
    for bank, count in expected.items():
        together[bank // size] += count
    assert got == together


def test_the_nearest_reads_of_a_fill_are_found(naive: Naive) -> None:
    expected: Counter[str] = Counter()
    for cycle, block in naive.fills():
        reads = [naive.accepted[n] for n in range(COUNT) if block in naive.reads[n]]
        early, late = [r for r in reads if r <= cycle], [r for r in reads if r > cycle]
        if early:
            expected[f"fill after the read x {distance(cycle - early[-1])}"] += 1
        if late:
            expected[f"fill before the read x {distance(late[0] - cycle)}"] += 1
    assert hits("fills around reads", naive.observed) == expected


def test_the_commands_beside_a_fill_are_found(naive: Naive) -> None:
    expected: Counter[str] = Counter()
    for cycle, block in naive.fills():
        early = [n for n in range(COUNT) if naive.accepted[n] < cycle][-1:]
        late = [n for n in range(COUNT) if naive.accepted[n] >= cycle][:1]
        sides = ("command before the fill", early), ("command with or after the fill", late)
        for side, numbers in sides:
            for number in numbers:
                reads, banks = naive.reads[number], naive.design.banks
                wants = "reads other banks or nothing"
                if block % banks in [read % banks for read in reads]:
                    wants = "reads its block" if block in reads else "reads its bank"
                away = distance(abs(cycle - naive.accepted[number]))
                expected[f"{side} x {away} x {wants}"] += 1
    assert hits("fills beside commands", naive.observed) == expected


def test_window_and_backpressure_are_counted_in_each_cycle(naive: Naive) -> None:
    expected: Counter[str] = Counter()
    window = naive.design.window
    for cycle, ready in enumerate(naive.observed.ready.tolist()):
        count = len(naive.in_flight(cycle))
        if not count or naive.observed.resets[cycle]:
            continue
        level = "fewer than the window"
        if count == 1:
            level = "1 in flight"
        elif count > window:
            level = "more than the window"
        elif count == window:
            level = "the whole window"
        expected[f"{level} x rsp_ready {'high' if ready else 'low'} x {naive.due(cycle)}"] += 1
    assert hits("window and backpressure", naive.observed) == expected


def test_resets_are_counted_by_the_stage_of_the_last_command(naive: Naive) -> None:
    expected: Counter[str] = Counter()
    for cycle in naive.resets:
        flying = naive.in_flight(cycle)
        age = cycle - naive.accepted[flying[-1]] if flying else 0
        stage = f"accepted {age} cycle{'s' * (age > 1)} before" if age else "nothing in flight"
        expected[f"{stage if age < 6 else 'accepted longer before'} x {naive.due(cycle)}"] += 1
    assert hits("resets by stage", naive.observed) == expected
