"""The scoreboard: applies fills and commands in the order of acceptance, and checks responses."""

from collections import Counter, deque
from dataclasses import dataclass

from cocotb.utils import get_sim_time

from model import (
    BLOCK_BYTES,
    Command,
    FaultKind,
    Response,
    UnifiedBuffer,
    active_lanes,
    execute,
    lane_addresses,
)
from tb.mismatch import describe_command, describe_mismatch, mismatch_kind
from tb.ports import ObservedResponse, cycle_now

MAX_REPORTS = 5


@dataclass(frozen=True, slots=True)
class _Due:
    number: int
    command: Command
    response: Response
    unwritten: int
    accepted: int


class Scoreboard:
    """Predicts each response at its command's acceptance and compares it when it comes.

    Specification, section 5: fills and commands take effect in the order in which they were
    accepted, in one cycle the command first; responses come one per command, in command order.
    """

    def __init__(self, ub_bytes: int) -> None:
        self.buffer = UnifiedBuffer(ub_bytes)
        self.commands = 0
        self.checked = 0
        self.failures: list[str] = []
        self.failure_kinds: list[str] = []
        self.failure_cycle = 0
        self.ops: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.accepted_cycles: list[int] = []
        self.fill_cycles: list[int] = []
        self.answered_cycles: list[int] = []
        self.unknown_blocks = 0
        self.last_observed: ObservedResponse | None = None
        self.observed: list[ObservedResponse] | None = None  # a list gets every response
        self.last_idle_cycle = -1
        self.uncertain: dict[int, set[bytes]] = {}
        self._due: deque[_Due] = deque()
        self._fills: deque[tuple[int, int, bytes]] = deque()
        self._overwritten: deque[tuple[int, int, bytes]] = deque()
        self._dropped_fill_cycles: deque[int] = deque(maxlen=2)

    @property
    def fills(self) -> int:
        """Fills that have been accepted."""
        return len(self.fill_cycles)

    @property
    def last_fill_cycle(self) -> int:
        """The cycle of the last one, -1 before the first."""
        return self.fill_cycles[-1] if self.fill_cycles else -1

    @property
    def responses_due(self) -> int:
        """Commands that have been accepted and not answered."""
        return len(self._due)

    def last_response(self) -> Response:
        """The last response as it came from the unit."""
        got = self.last_observed
        return Response(got.data, got.block_we, got.base, got.fault)

    def on_fill(self, cycle: int, address: int, data: bytes) -> None:
        """A fill was accepted. It is applied before any command of a later cycle."""
        self.fill_cycles.append(cycle)
        self._fills.append((cycle, address, data))
        if address % BLOCK_BYTES or address + BLOCK_BYTES > self.buffer.ub_bytes:
            self._dropped_fill_cycles.append(cycle)

    def on_command(self, cycle: int, command: Command) -> None:
        """A command was accepted: its response is decided now."""
        self._apply_fills(before=cycle)
        response = execute(self.buffer, command)
        unwritten = 0
        if response.fault.kind is FaultKind.NONE:
            active = active_lanes(command.op, command.dtype, command.mask)
            for lane, address in enumerate(lane_addresses(command)):
                if active >> lane & 1 and not self.buffer.written[address // BLOCK_BYTES]:
                    unwritten |= 1 << lane
        self._due.append(_Due(self.commands, command, response, unwritten, cycle))
        self.commands += 1
        self.ops[command.op.name] += 1
        self.faults[response.fault.kind.name] += 1
        self.accepted_cycles.append(cycle)

    def on_response(self, cycle: int, got: ObservedResponse) -> int:
        """A response was transferred: it belongs to the oldest command that waits for one.

        Bit i of the result is set where nothing has written what block i shows.
        """
        if not self._due:
            report = f"MISMATCH a response in cycle {cycle} that no command waits for"
            self.fail(report, "a response too many")
            return 0
        due = self._due.popleft()
        self.checked += 1
        self.answered_cycles.append(cycle)
        self.last_observed = got
        if self.observed is not None:
            self.observed.append(got)
        self.unknown_blocks += got.unknown.bit_count()
        report = describe_mismatch(
            due.command, due.response, got, due.unwritten, self.buffer.contents
        )
        if report:
            self.fail(
                f"MISMATCH in command {due.number}, accepted in cycle {due.accepted}, "
                f"answered in cycle {cycle} at {get_sim_time('ns'):.0f} ns\n  {report}",
                mismatch_kind(due.response, got),
            )
        return due.unwritten

    def in_flight(self, cycle: int) -> bool:
        """Whether a command was accepted before `cycle` and not answered before it."""
        if self._due and self._due[0].accepted < cycle:
            return True
        return bool(self.answered_cycles) and self.answered_cycles[-1] == cycle

    def fill_error_due(self, cycle: int) -> bool:
        """Whether the fill accepted in the cycle before `cycle` had to be dropped."""
        return cycle - 1 in self._dropped_fill_cycles

    def fail(self, report: str, kind: str) -> None:
        """Note a failure of a kind, as the findings of the player have them; the first few are kept."""
        if not self.failures:
            self.failure_cycle = cycle_now()
        if len(self.failures) < MAX_REPORTS:
            self.failures.append(report)
            self.failure_kinds.append(kind)

    def forget_in_flight(self) -> int:
        """A reset: the responses that are due will not come; how many those are.

        A fill that `idle` has not yet reflected is written whole or not at all: its block may hold
        either until the test has read it (`uncertain`: byte address to possible contents), and no
        response is compared there.
        """
        dropped = len(self._due)
        self.commands -= dropped
        del self.accepted_cycles[len(self.accepted_cycles) - dropped :]
        self._due.clear()
        self._dropped_fill_cycles.clear()
        self.settle()
        for cycle, address, before in self._overwritten:
            if cycle >= self.last_idle_cycle:
                possible = self.uncertain.setdefault(address, {self.buffer.block(address)})
                possible.add(before)
        self._overwritten.clear()
        for address in self.uncertain:
            self.buffer.written[address // BLOCK_BYTES] = 0
        return dropped

    def settle(self) -> None:
        """Apply every accepted fill to the contents."""
        self._apply_fills(before=1 << 62)

    def describe_due(self) -> str:
        """What the bench is waiting for, in one line."""
        if not self._due:
            return "no response is due"
        oldest = self._due[0]
        return (
            f"{len(self._due)} responses are due, the oldest for command {oldest.number}, accepted "
            f"in cycle {oldest.accepted}: {describe_command(oldest.command)}"
        )

    def _apply_fills(self, before: int) -> None:
        while self._fills and self._fills[0][0] < before:
            cycle, address, data = self._fills.popleft()
            if not self.buffer.holds_block(address):
                continue
            while self._overwritten and self._overwritten[0][0] < self.last_idle_cycle:
                self._overwritten.popleft()
            self._overwritten.append((cycle, address, self.buffer.block(address)))
            self.uncertain.pop(address, None)
            self.buffer.fill(address, data)
