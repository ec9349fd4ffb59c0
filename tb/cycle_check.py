"""Steps the cycle model beside the unit: a wrong cycle is a failure as a wrong byte is."""

from collections.abc import Callable, Sequence

from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge

from model import OUTPUTS, CycleModel
from tb.bank_ports import BANK_ACCESS, BankPorts
from tb.ports import cycle_now


class CycleCheck:
    """Compares every output that is no payload, and every access of a bank, in every cycle.

    The bench sets `wanted`, `fill` and `answered` to what is transferred at the present edge before
    this class looks at it. A netlist has no hierarchy: the accesses of its banks are left out.
    The first difference goes to `on_failure`.
    """

    def __init__(
        self,
        dut: HierarchyObject,
        ub_bytes: int,
        banks: int,
        window: int,
        on_failure: Callable[[str, str], None],
    ) -> None:
        self.wanted: Sequence[int] | None = None
        self.fill: int | None = None
        self.answered = False
        self._model = CycleModel(ub_bytes, banks, window)
        self._rst = dut.rst
        self._edge = RisingEdge(dut.clk)
        self._outputs = [getattr(dut, name) for name in OUTPUTS]
        visible = hasattr(dut, "block_xbar")
        self._banks = BankPorts(dut.block_xbar, banks, window) if visible else None
        self._on_failure = on_failure

    async def watch(self) -> None:
        """Run from the first edge with rst high to the first difference."""
        await self._edge
        while self._rst.value != 1:
            await self._edge
        while True:
            await self._edge
            if differences := self._step():
                head = f"MISMATCH with the cycle model in cycle {cycle_now()}"
                lines = [*differences, "the model behind this cycle:", *self._model.describe()]
                output = differences[0].partition(":")[0]
                kind = output if output in OUTPUTS else BANK_ACCESS
                self._on_failure("\n  ".join([head, *lines]), kind)
                return

    def _step(self) -> list[str]:
        """The differences of the present cycle."""
        rst = self._rst.value == 1
        cycle = self._model.step(self.wanted, self.fill, self.answered, rst)
        self.wanted, self.fill, self.answered = None, None, False
        expected = cycle[: len(OUTPUTS)]
        got = [signal.value for signal in self._outputs]
        differences = []
        if got != list(expected):
            differences = [
                f"{name}: got {value}, expected {level:d}"
                for name, value, level in zip(OUTPUTS, got, expected, strict=True)
                if value != level
            ]
        if self._banks is not None:
            differences += self._banks.differences(cycle.reads, cycle.written)
        return differences
