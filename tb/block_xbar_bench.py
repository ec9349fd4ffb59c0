"""The bench of block_xbar: commands enter as its header allows, every access of a bank is seen.

The tests are in `bench_block_xbar`.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from cocotb.handle import HierarchyObject
from cocotb.types import LogicArray

from model import (
    BLOCK_BYTES,
    LANES,
    NO_BLOCK,
    Command,
    CommandBatch,
    Dtype,
    FaultKind,
    Op,
    WaitingFill,
    Window,
    active_lanes_batch,
    conflict_degree_batch,
    find_faults_batch,
    lane_addresses_batch,
)
from tb.bank_ports import BankPorts
from tb.config import BenchConfig
from tb.pauses import never
from tb.unit_bench import UnitBench, compare_lanes, number_of

SLOTS = 16
"""The default of the module, which this bench does not set."""

LARGEST_WINDOW = 10
"""With more the commands in flight outnumber the slots."""

LATENCY = 2
"""Cycles from `command_valid` to `done` beyond max(1, D)."""

_LANES = range(LANES)
_BLOCK_BITS = 8 * BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class Request:
    """One command at the crossbar: active lanes (bit i: lane i), block numbers, and its D."""

    active: int
    blocks: tuple[int, ...]
    degree: int

    @property
    def wanted(self) -> frozenset[int]:
        """The blocks that have to be read."""
        return frozenset(self.by_lane) - {NO_BLOCK}

    @property
    def by_lane(self) -> tuple[int, ...]:
        """The block that each lane reads, or NO_BLOCK."""
        return tuple(
            block if self.active >> lane & 1 else NO_BLOCK for lane, block in enumerate(self.blocks)
        )

    @property
    def turns(self) -> int:
        """The cycles that the reads take at best."""
        return max(1, self.degree)

    def __str__(self) -> str:
        return f"blocks {{{', '.join(map(str, self.blocks))}}} active {self.active:#010b}"


@dataclass(slots=True)
class _Fill:
    """A fill that waits for the reads of the `ahead` commands that entered before it."""

    block: int
    data: int
    ahead: int


class BlockXbarBench(UnitBench):
    """Puts requests and fills on the ports, cycle by cycle, and checks all that comes out.

    `entered`, `completed` and `done` are the cycles of these events, one entry per command; `reads`
    are pairs (cycle, block), one per read of a bank.
    """

    def __init__(self, dut: HierarchyObject, config: BenchConfig) -> None:
        super().__init__(dut, config)
        self.banks = config.parameters["BANKS"]
        self.window = config.parameters["WINDOW"]
        self.ub_bytes = config.parameters["UB_BYTES"]
        assert self.window <= LARGEST_WINDOW, (
            f"WINDOW={self.window} is not possible in this bench: at most {LARGEST_WINDOW}"
        )
        self.blocks = self.ub_bytes // BLOCK_BYTES
        self.contents: dict[int, int] = {}
        self._contents_rng = config.rng("contents")
        self._ports = BankPorts(dut, self.banks, self.window)
        self._poison = "X" if config.four_state else "1"
        self._fill: _Fill | None = None
        self._forget()

    def _forget(self) -> None:
        self.requests: list[Request] = []
        self.entered: list[int] = []
        self.completed: list[int] = []
        self.done: list[int] = []
        self.reads: list[tuple[int, int]] = []
        self._model = Window(self.banks, self.window)
        self._expected: deque[int] = deque()
        self._result_shown = False

    @property
    def cycle_number(self) -> int:
        """The number of the present cycle in this test."""
        return self.record.cycles

    @property
    def has_room(self) -> bool:
        """Whether the contract of the module lets one more command enter."""
        return len(self.entered) - len(self.completed) < self.window + 2

    @property
    def fill_waits(self) -> bool:
        """Whether a fill has not been written yet."""
        return self._fill is not None

    async def reset(self) -> None:
        """Reset: what is in flight is gone, the contents stay. No fill may be waiting."""
        assert self._fill is None, "a reset would lose the fill that waits"
        self._drive_request(None)
        self._drive_fill(write=False)
        self.dut.rst.value = 1
        self.record.commands_sent -= len(self._expected)
        await self.next_cycle()
        await self.next_cycle()
        self.dut.rst.value = 0
        self._forget()

    async def cycle(self, request: Request | None = None) -> None:
        """One clock cycle in which `request` enters, or nothing, and every output is checked."""
        write = self._fill is not None and self._fill.ahead == 0
        self._drive_request(request)
        self._drive_fill(write)
        await self.next_cycle()
        self._check_result()
        self._check_cycle(write)
        # Only now: a request is not served in the cycle in which it enters.
        if request is not None:
            self._on_entry(request)
        self._on_completion(write)

    # ---- Inputs -------------------------------------------------------------------------------
    def offer_fill(self, block: int) -> None:
        """Begin to fill a block with new random bytes; commands that enter from now on see them."""
        assert self._fill is None, "the fill before has not been written"
        data = int.from_bytes(self._contents_rng.bytes(BLOCK_BYTES), "little")
        self._fill = _Fill(block, data, ahead=len(self.entered) - len(self.completed))
        self.contents[block] = data
        self.record.fills += 1

    def _drive_request(self, request: Request | None) -> None:
        dut = self.dut
        dut.command_valid.value = request is not None
        if request is None:
            for port in (dut.command_active, dut.command_block):
                port.value = self._unknown(len(port))
        else:
            width = len(dut.command_block) // LANES
            dut.command_active.value = request.active
            dut.command_block.value = sum(
                block << width * lane for lane, block in enumerate(request.blocks)
            )

    def _drive_fill(self, write: bool) -> None:
        dut, fill = self.dut, self._fill
        dut.fill_pending.value = fill is not None
        dut.fill_write.value = write
        dut.fill_block.value = self._unknown(len(dut.fill_block)) if fill is None else fill.block
        dut.fill_data.value = fill.data if write else self._unknown(len(dut.fill_data))

    def _unknown(self, bits: int) -> LogicArray:
        return LogicArray(self._poison * bits)

    # ---- Outputs ------------------------------------------------------------------------------
    def result_of(self, request: Request) -> int:
        """The result of a request that enters now: the blocks of active lanes, zero elsewhere."""
        return sum(
            self.contents[block] << _BLOCK_BITS * lane
            for lane, block in enumerate(request.blocks)
            if request.active >> lane & 1
        )

    def _on_entry(self, request: Request) -> None:
        self.requests.append(request)
        self.entered.append(self.cycle_number)
        self._model.enter(request.by_lane)
        self.record.commands_sent += 1
        self._expected.append(self.result_of(request))

    def _on_completion(self, write: bool) -> None:
        complete = number_of(self.dut.reads_complete.value)
        done = number_of(self.dut.done.value)
        self.trace(complete, done)
        if complete is None or done is None:
            self.fail(f"MISMATCH reads_complete or done is X in cycle {self.cycle_number}")
        if complete:
            if len(self.completed) == len(self.entered):
                self.fail(f"MISMATCH reads_complete without a command in cycle {self.cycle_number}")
            else:
                self.completed.append(self.cycle_number)
            if self._fill is not None and not write:
                self._fill.ahead -= 1
        if write:
            self._fill = None
        if done and len(self.done) == len(self.completed):
            self.fail(f"MISMATCH done without a command in cycle {self.cycle_number}")
            done = 0
        if done:
            self.dut.result_slot.value = len(self.done) % SLOTS
            self.done.append(self.cycle_number)
        self._result_shown = bool(done)

    def _check_result(self) -> None:
        """The blocks of the command that was done in the cycle before."""
        if not self._result_shown:
            return
        number = len(self.done) - 1
        self.check_slot(number, self._expected.popleft())
        self.record.commands_checked += 1

    def check_slot(self, number: int, expected: int) -> None:
        """Compare what `result_slot` shows with the expected result of command `number`."""
        value = self.dut.result_data.value
        got = number_of(value)
        self.trace(got)
        if got != expected:
            self.fail(
                f"MISMATCH in command {number}, entered in cycle {self.entered[number]}",
                str(self.requests[number]),
                *compare_lanes("result_data", value, expected, _BLOCK_BITS),
            )

    def _check_cycle(self, write: bool) -> None:
        """Each access of a bank, and `reads_complete`, must be those of the cycle model."""
        fill = self._fill and WaitingFill(
            self._fill.block, ahead=len(self.completed) + self._fill.ahead
        )
        reads = self._model.serve(fill, write)
        self.reads += [(self.cycle_number, block) for block in reads.values()]
        differences = self._ports.differences(reads, self._fill.block if write else None)
        complete = self._model.completed - len(self.completed)
        got = number_of(self.dut.reads_complete.value)
        if got != complete:
            differences.append(f"reads_complete: got {got}, expected {complete}")
        if differences:
            self.fail(
                f"MISMATCH with the cycle model in cycle {self.cycle_number}",
                *differences,
                "the model behind this cycle:",
                *self._model.describe(),
            )

    # ---- Sequences ----------------------------------------------------------------------------
    def requests_of(self, batch: CommandBatch) -> list[Request]:
        """What enters for each command: as in the load unit, nothing is active in a faulty one."""
        good = find_faults_batch(batch, self.ub_bytes).kind == FaultKind.NONE
        active = active_lanes_batch(batch) & good[:, np.newaxis]
        blocks = lane_addresses_batch(batch) // BLOCK_BYTES % self.blocks
        degree = conflict_degree_batch(batch, self.banks, self.ub_bytes)
        return [
            Request(*values)
            for values in zip(
                np.packbits(active, axis=1, bitorder="little")[:, 0].tolist(),
                map(tuple, blocks.tolist()),
                degree.tolist(),
                strict=True,
            )
        ]

    def gather(self, blocks: Sequence[int], active: int = 0xFF) -> Request:
        """What enters for a gather of these blocks."""
        mask = sum((active >> lane & 1) << 4 * lane for lane in _LANES)
        index = tuple(BLOCK_BYTES * block for block in blocks)
        command = Command(Op.GATHERB, Dtype.B32, 0, mask, index=index)
        return self.requests_of(CommandBatch.from_commands([command]))[0]

    async def fill(self, requests: Iterable[Request]) -> None:
        """Fill every block that the requests name, one per cycle."""
        for block in sorted({block for request in requests for block in request.blocks}):
            self.offer_fill(block)
            await self.cycle()

    async def send(self, requests: Iterable[Request], pauses: Iterator[int] | None = None) -> None:
        """Let requests enter as soon as there is room, after the pauses, and wait for the last."""
        pauses = pauses or never()
        for request in requests:
            for _ in range(next(pauses)):
                await self.cycle()
            await self.enter(request)
        await self.drain()

    async def enter(self, request: Request) -> None:
        """Wait for room and let one request enter."""
        await self._wait_while(lambda: not self.has_room, "there is no room for a command")
        await self.cycle(request)

    async def drain(self) -> None:
        """Wait until every request was answered and no fill is left."""
        await self._wait_while(
            lambda: bool(self._expected) or self.fill_waits, "commands or a fill are not done"
        )

    async def _wait_while(self, waiting: Callable[[], bool], what: str) -> None:
        patience = 16 * (self.window + 4)
        for _ in range(patience):
            if not waiting():
                return
            await self.cycle()
        self.record.responses_left = len(self._expected)
        self.fail(f"MISMATCH {what} after {patience} cycles")
        self.raise_failures()

    # ---- Rules of many cycles -----------------------------------------------------------------
    def check_pace(self) -> None:
        """No command waits for younger ones; with WINDOW = 1, each takes its turns exactly.

        From the cycle in which it is the oldest one its lanes win every bank, so its reads take at
        most its turns. In lock step nothing was read before. Holds while no fill takes a bank.
        """
        before = self.entered[0]
        for number, (request, entry, completion) in enumerate(
            zip(self.requests, self.entered, self.completed, strict=True)
        ):
            taken = completion - max(before, entry)
            if taken > request.turns or (self.window == 1 and taken != request.turns):
                self.fail(
                    f"MISMATCH in command {number}, entered in cycle {entry}: as the oldest one "
                    f"it took {taken} cycles, expected {request.turns}",
                    str(request),
                )
            before = completion
