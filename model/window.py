"""The crossbar of the cycle model: which turn is served by which bank in which cycle.

Specification, section 6, and the headers of rtl/block_xbar.v, rtl/bank_group.v and rtl/fill_port.v.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from model.batch import CommandBatch, active_lanes_batch, find_faults_batch, lane_addresses_batch
from model.encodings import BLOCK_BYTES, LANES, FaultKind
from model.golden import find_fault, lane_addresses
from model.masks import active_lanes
from model.values import NO_FAULT, Command

NO_BLOCK = -1
"""In place of a block number: the lane has nothing to read."""


def wanted_blocks(command: Command, ub_bytes: int) -> tuple[int, ...]:
    """The block number that each of the eight lanes reads, or NO_BLOCK.

    Specification, sections 2 to 4: a command that faults reads nothing.
    """
    if find_fault(command, ub_bytes) != NO_FAULT:
        return (NO_BLOCK,) * LANES
    active = active_lanes(command.op, command.dtype, command.mask)
    return tuple(
        [
            address // BLOCK_BYTES if active >> lane & 1 else NO_BLOCK
            for lane, address in enumerate(lane_addresses(command))
        ]
    )


def wanted_blocks_batch(batch: CommandBatch, ub_bytes: int) -> list[tuple[int, ...]]:
    """`wanted_blocks` of each command."""
    good = find_faults_batch(batch, ub_bytes).kind == FaultKind.NONE
    reads = active_lanes_batch(batch) & good[:, np.newaxis]
    blocks = (lane_addresses_batch(batch) // BLOCK_BYTES).astype(np.int64)
    return list(map(tuple, np.where(reads, blocks, NO_BLOCK).tolist()))


_DESCRIBED = 3


class WaitingFill(NamedTuple):
    """A fill that has not been written; `ahead` commands were accepted before it or with it."""

    block: int
    ahead: int


class _Turn(NamedTuple):
    """A lane's turn at its bank. `queue` has one bit set, that of the queue in which it stands."""

    queue: int
    bank: int
    block: int


@dataclass(slots=True)
class _Waiting:
    """A command whose reads are not complete: the turns that are left, and their queues."""

    turns: list[_Turn]
    queues: int


class Window:
    """The commands whose reads are not complete, oldest first, and the banks that serve them.

    Each lane has a queue of turns at the even banks and one at the odd banks; with one bank, or a
    window of one command, it has one queue in all. A turn is at the head of its queue when the
    lane has no older one there. In every cycle each bank reads one block: for the oldest head that
    waits for it, of one command the lowest lane, and for every other head that wants this block.
    """

    def __init__(self, banks: int, window: int) -> None:
        self.completed = 0
        self._banks = banks
        self._window = window
        self._groups = 2 if banks > 1 and window > 1 else 1
        self._all_queues = (1 << LANES * self._groups) - 1
        self._commands: deque[_Waiting] = deque()

    def serve(self, fill: WaitingFill | None = None, write: bool = False) -> dict[int, int]:
        """The reads of one cycle, bank to block. `completed` rises if the oldest command is done.

        `fill` is held against commands younger than it: they do not read its block. With `write`
        it takes its bank in this cycle.
        """
        reads: dict[int, int] = {}
        fill_block, ahead = fill or (NO_BLOCK, 0)
        if write:
            reads[fill_block % self._banks] = NO_BLOCK
        # The queues in which an older command has a turn: of those it has the head.
        taken = 0
        for number, command in enumerate(islice(self._commands, self._window), self.completed):
            held_block = fill_block if number >= ahead else NO_BLOCK
            left, queues = [], 0
            for turn in command.turns:
                queue, bank, block = turn
                if queue & taken or not (
                    block == NO_BLOCK
                    or (block != held_block and reads.setdefault(bank, block) == block)
                ):
                    left.append(turn)
                    queues |= queue
            taken |= command.queues
            command.turns, command.queues = left, queues
            if taken == self._all_queues:
                break
        if write:
            del reads[fill_block % self._banks]
        if self._commands and not self._commands[0].turns:
            self._commands.popleft()
            self.completed += 1
        return reads

    def enter(self, wanted: Sequence[int]) -> None:
        """A command enters at the end of a cycle; `wanted` is as `wanted_blocks` gives it.

        A lane that reads nothing takes its turn without an access, at the even banks.
        """
        turns, queues = [], 0
        for lane, block in enumerate(wanted):
            group = block % self._groups if block != NO_BLOCK else 0
            queue = 1 << LANES * group + lane
            turns.append(_Turn(queue, block % self._banks, block))
            queues |= queue
        self._commands.append(_Waiting(turns, queues))

    def describe(self) -> list[str]:
        """A line for each of the oldest commands that wait for reads, three at most.

        It names the block that each lane still wants: "-" where the lane has had its turn, "none"
        where its turn is one without an access.
        """
        lines = []
        for number, command in enumerate(islice(self._commands, _DESCRIBED), self.completed):
            wants = ["-"] * LANES
            for turn in command.turns:
                lane = (turn.queue.bit_length() - 1) % LANES
                wants[lane] = "none" if turn.block == NO_BLOCK else str(turn.block)
            lines.append(f"command {number} wants blocks {{{', '.join(wants)}}}")
        return lines
