"""Checks what came of a play: each response by the golden model, each output by the cycle model."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from model import (
    BLOCK_BYTES,
    LANES,
    OUTPUTS,
    Cycle,
    FaultKind,
    Play,
    Played,
    ResponseBatch,
    execute_in_order,
    wanted_blocks_batch,
)
from tb.bank_ports import BANK_ACCESS, access_differences
from tb.mismatch import describe_mismatch
from tb.ports import RESPONSE_PAYLOAD, ObservedResponse

# Which port shows a field of a response; the first that differs names the kind of a mismatch, and
# data last: a wrong fault also takes the data away.
_PORT_OF_FIELD = {
    "fault_kind": "rsp_fault",
    "fault_lane": "rsp_fault_lane",
    "fault_address": "rsp_fault_addr",
    "block_we": "rsp_block_we",
    "base": "rsp_base",
    "data": "rsp_data",
}
assert set(_PORT_OF_FIELD) == {field.name for field in fields(ResponseBatch)}

_PAYLOAD_MOVED = "rsp payload"
_IDLE_BIT = 1 << OUTPUTS.index("idle")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong: its `kind`, and the cycle of the play.

    The kind is the name of the output that is wrong, with X before it where it is unknown, or
    "hang", or "a response too many". `report` is the text for the user.
    """

    kind: str
    cycle: int
    report: str


def golden_responses(contents: NDArray[np.uint8], play: Play, played: Played) -> ResponseBatch:
    """The right response of each command that was accepted: specification, sections 2 to 5.

    Commands and fills take effect in the cycles in which the unit has accepted them. `contents`,
    uint8 (ub_bytes,), is the Unified Buffer before the play and becomes that after it.
    """
    return execute_in_order(
        contents,
        play.commands.take(slice(0, len(played.accepted))),
        played.accepted,
        play.fills.take(slice(0, len(played.filled))),
        played.filled,
    )


class PlayCheck:
    """The responses of a play beside those of the golden model: specification, sections 2 to 5.

    `contents`, uint8 (ub_bytes,), is the Unified Buffer after the play. `expected` has the right
    response of each command that was accepted. `command_of` int64 (r,) is the number of the command
    that each response belongs to, as far as each has one, and `missing` how many commands have none.
    `wrong` bool (r,) are the responses that are wrong, `wrong_blocks` bool (r, 8) their DataBlocks.
    """

    def __init__(
        self, contents: NDArray[np.uint8], play: Play, played: Played, expected: ResponseBatch
    ) -> None:
        self.expected = expected
        self._contents = contents
        self._play = play
        self._played = played
        self.command_of, self.missing = _command_of_each_response(play, played)
        idle = (played.outputs_by_cycle()[0] & _IDLE_BIT).astype(np.bool_)
        undecided = undecided_lanes(play, played.accepted, played.filled, idle, contents.size)
        self._undecided = undecided[self.command_of]
        self._wrong_ports = self._compare()
        self.wrong = np.logical_or.reduce(list(self._wrong_ports.values()))

    def first_wrong(self) -> Finding | None:
        """The first response that is wrong, missing or too many; None where all is right."""
        played, known = self._played, len(self.command_of)
        if self.wrong.any():
            response = int(self.wrong.argmax())
            kind = next(port for port, differs in self._wrong_ports.items() if differs[response])
            number, cycle = int(self.command_of[response]), int(played.answered[response])
            when = f"accepted in cycle {played.accepted[number]}, answered in cycle {cycle}"
            report = f"MISMATCH in command {number}, {when}\n  {self.describe(response)}"
            return Finding(kind, cycle, report)
        if known < len(played.answered):
            cycle = int(played.answered[known])
            report = f"MISMATCH a response in cycle {cycle} that no command waits for"
            return Finding("a response too many", cycle, report)
        accepted, filled = len(played.accepted), len(played.filled)
        commands, fills = len(self._play.commands), len(self._play.fills)
        if self.missing or (accepted, filled) != (commands, fills):
            report = (
                f"MISMATCH nothing has moved for too long: {accepted} of {commands} commands and "
                f"{filled} of {fills} fills accepted, {self.missing} responses missing"
            )
            return Finding("hang", int(played.output_cycles[-1]), report)
        return None

    def describe(self, response: int) -> str:
        """What is wrong with a response, "" where nothing is."""
        if not self.wrong[response]:
            return ""
        played, number = self._played, int(self.command_of[response])
        unknown = int(played.unknown[response])
        if fields_unknown := unknown >> LANES:
            names = [
                name for bit, name in enumerate(RESPONSE_PAYLOAD[1:]) if fields_unknown >> bit & 1
            ]
            return f"X in {', '.join(f'rsp_{name}' for name in names)}"
        got = self.got(response)
        if got is None:
            fault = played.responses.fault_kind[response]
            return f"rsp_fault is {fault}, which is no fault"
        return describe_mismatch(
            self._play.commands.command(number),
            self.expected.response(number),
            got,
            unwritten=sum(1 << lane for lane in range(LANES) if self._undecided[response, lane]),
            contents=self._contents.tobytes(),
        )

    def got(self, response: int) -> ObservedResponse | None:
        """A response as it came; None where its fault is none there is."""
        if self._played.responses.fault_kind[response] >= len(FaultKind):
            return None
        got = self._played.responses.response(response)
        unknown = int(self._played.unknown[response]) & (1 << LANES) - 1
        return ObservedResponse(got.data, unknown, got.block_we, got.base, got.fault)

    def _compare(self) -> dict[str, NDArray[np.bool_]]:
        """By the port that is wrong: whether it is so in each response."""
        known = len(self.command_of)
        unknown = self._played.unknown[:known]
        wrong = {"X": unknown >> LANES != 0}
        for field, port in _PORT_OF_FIELD.items():
            got = getattr(self._played.responses, field)[:known]
            differs = got != getattr(self.expected, field)[self.command_of]
            if field == "data":
                blocks = differs.reshape(known, LANES, BLOCK_BYTES).any(axis=2)
                blocks |= (unknown[:, np.newaxis] >> np.arange(LANES) & 1).astype(np.bool_)
                self.wrong_blocks = blocks & ~self._undecided
                differs = self.wrong_blocks.any(axis=1)
            wrong[port] = differs
        return wrong


def check_cycles(played: Played, cycles: Sequence[Cycle]) -> Iterator[Finding]:
    """The first cycle with a wrong ready, valid, fill_error or idle or a payload that moves, and the
    first one in which the banks do something else: at most two findings.

    Specification, sections 5 and 6; `cycles` are those that the cycle model predicts.
    """
    yield from _check_outputs(played, cycles)
    yield from _check_banks(played, cycles)


def _check_outputs(played: Played, cycles: Sequence[Cycle]) -> Iterator[Finding]:
    got, unknown = played.outputs_by_cycle()
    levels = np.array([cycle[: len(OUTPUTS)] for cycle in cycles], np.uint16)
    expected = (levels << np.arange(len(OUTPUTS), dtype=np.uint16)).sum(axis=1, dtype=np.uint16)
    differs = (got ^ expected) | unknown
    if not differs.any():
        return
    cycle = int((differs != 0).argmax())
    names = [*OUTPUTS, _PAYLOAD_MOVED]
    bits = [bit for bit in range(len(names)) if differs[cycle] >> bit & 1]
    lines = []
    for bit in bits:
        level = "X" if unknown[cycle] >> bit & 1 else int(got[cycle] >> bit & 1)
        if names[bit] == _PAYLOAD_MOVED:
            lines.append("the payload of the response moved while valid waited for ready")
        else:
            lines.append(f"{names[bit]}: got {level}, expected {expected[cycle] >> bit & 1}")
    kind = ("X " if unknown[cycle] >> bits[0] & 1 else "") + names[bits[0]]
    yield Finding(kind, cycle, "\n  ".join([_head(cycle), *lines]))


def _check_banks(played: Played, cycles: Sequence[Cycle]) -> Iterator[Finding]:
    by_cycle: dict[int, list[list[int]]] = defaultdict(list)
    for cycle, *access in played.accesses.tolist():
        by_cycle[cycle].append(access)
    for cycle, expected in enumerate(cycles):
        accesses = by_cycle.get(cycle, [])
        if any(kind > 1 for *_, kind in accesses):
            lines = ["the access of a bank is X"]
        else:
            reads = {bank: block for block, bank, kind in accesses if kind == 0}
            writes = [block for block, _, kind in accesses if kind == 1]
            lines = access_differences(reads, writes, expected.reads, expected.written)
        if lines:
            yield Finding(BANK_ACCESS, cycle, "\n  ".join([_head(cycle), *lines]))
            return


def _head(cycle: int) -> str:
    return f"MISMATCH with the cycle model in cycle {cycle}"


def count_faults(responses: ResponseBatch) -> dict[str, int]:
    """How many responses report each kind of fault."""
    counts = {kind.name: int((responses.fault_kind == kind).sum()) for kind in FaultKind}
    return {name: count for name, count in counts.items() if count}


def _command_of_each_response(play: Play, played: Played) -> tuple[NDArray[np.int64], int]:
    """The number of the command that each response belongs to, up to the first too many.

    And how many commands still wait for one. A reset drops all that are in flight.
    """
    starts, _ = play.reset_cycles()
    command_of: list[NDArray[np.int64]] = []
    first = missing = 0
    for begin, end in zip([0, *starts], [*starts, np.iinfo(np.int64).max], strict=True):
        accepted = played.accepted
        numbers = np.flatnonzero((accepted >= begin) & (accepted < end))
        stop = int(np.searchsorted(played.answered, end))
        count = min(stop - first, len(numbers))
        # No response comes in the cycle of its command's acceptance, or before it.
        early = played.answered[first : first + count] <= accepted[numbers[:count]]
        count = int(early.argmax()) if early.any() else count
        command_of.append(numbers[:count])
        missing = len(numbers) - count
        if first + count < stop:
            break
        first = stop
    return np.concatenate(command_of), missing


def undecided_lanes(
    play: Play,
    accepted: NDArray[np.int64],
    filled: NDArray[np.int64],
    idle: NDArray[np.bool_],
    ub_bytes: int,
) -> NDArray[np.bool_]:
    """Lanes of each accepted command, bool (a, 8), that read what a reset has left undecided.

    A fill that idle had not yet reflected when a reset came is written whole or not at all
    (specification, section 5). `accepted` int64 (a,) and `filled` int64 (b,) are the cycles of the
    transfers, `idle` bool (cycles,) is the level of that output.
    """
    undecided = np.zeros((len(accepted), LANES), np.bool_)
    if not len(play.resets):
        return undecided
    commands = play.commands.take(slice(0, len(accepted)))
    blocks = np.array(wanted_blocks_batch(commands, ub_bytes)).reshape(-1, LANES)
    address = play.fills.address[: len(filled)]
    for start in play.reset_cycles()[0]:
        last_idle = max(np.flatnonzero(idle[:start]), default=0)
        for fill in np.flatnonzero((filled >= last_idle) & (filled < start)):
            later = filled[(filled >= start) & (address == address[fill])]
            decided = int(later[0]) if len(later) else 1 << 62
            readers = (accepted >= start) & (accepted <= decided)
            reads = blocks == address[fill] // BLOCK_BYTES
            undecided |= readers[:, np.newaxis] & reads & (address[fill] % BLOCK_BYTES == 0)
    return undecided
