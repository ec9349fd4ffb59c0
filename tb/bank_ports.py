"""The ports of the bank memories inside the crossbar, where every access of the banks is seen."""

from collections.abc import Mapping, Sequence

from cocotb.handle import HierarchyObject

BANK_ACCESS = "bank access"
"""The kind of a failure in what a bank reads or writes."""


class BankPorts:
    """What the banks of a block_xbar do in the present cycle."""

    def __init__(self, xbar: HierarchyObject, banks: int, window: int) -> None:
        if window == 1 or banks == 1:
            groups = [xbar.g_single.all_banks]
        else:
            groups = [xbar.g_pair.even_banks, xbar.g_pair.odd_banks]
        size = len(groups)
        memories = [groups[bank % size].g_bank[bank // size].bank_memory for bank in range(banks)]
        self._banks = banks
        self._enables = [memory.enable for memory in memories]
        self._writes = [memory.write for memory in memories]
        self._rows = [memory.row for memory in memories]

    def accesses(self) -> tuple[dict[int, int], list[int]]:
        """The blocks that are read, by bank, and those that are written.

        Raises ValueError where an access is X.
        """
        reads, writes = {}, []
        for bank, enable in enumerate(self._enables):
            if enable.value:
                block = self._banks * int(self._rows[bank].value) + bank
                if self._writes[bank].value:
                    writes.append(block)
                else:
                    reads[bank] = block
        return reads, writes

    def differences(self, reads: dict[int, int], written: int | None) -> list[str]:
        """A line for each bank whose access is not the expected one, as `model.Cycle` has them."""
        try:
            got_reads, got_writes = self.accesses()
        except ValueError:
            return ["the access of a bank is X"]
        return access_differences(got_reads, got_writes, reads, written)


def access_differences(
    got_reads: Mapping[int, int],
    got_writes: Sequence[int],
    reads: Mapping[int, int],
    written: int | None,
) -> list[str]:
    """A line for each bank whose read, by bank, or write is not the expected one."""
    writes = [] if written is None else [written]
    lines = [
        f"bank {bank}: got {_read(got_reads.get(bank))}, expected {_read(reads.get(bank))}"
        for bank in sorted({*got_reads, *reads})
        if got_reads.get(bank) != reads.get(bank)
    ]
    if got_writes != writes:
        lines.append(f"blocks written: got {got_writes}, expected {writes}")
    return lines


def _read(block: int | None) -> str:
    return "no read" if block is None else f"block {block} read"
