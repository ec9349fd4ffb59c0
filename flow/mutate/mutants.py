"""The mutants of the design: each as Yosys' `mutate` makes it, none twice."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from flow import yosys
from flow.benches import BENCHES, DEFAULT_BENCH
from flow.mutate.plan import DATA_W, SELECT, SELECT_W, TOP
from model import BLOCK_BYTES

PREPARED, NETS = "prepared.il", "prepared.json"
EVERY = 1_000_000  # more than there are

_NOT_MUTATED = ("CLK", "clk", "RD_CLK", "WR_CLK", "RD_EN", "RD_ARST", "RD_SRST")
"""Clocks, and pins that a memory with a read that is not clocked has for the form alone."""

Bit = int | str
"""A net of Yosys' JSON by its number, or a constant."""


@dataclass(frozen=True, order=True)
class Mutant:
    """One change of one bit at a port of a cell; `module`, `cell` are Yosys' names.

    `mode` is what Yosys' mutate calls it: inv, const0, const1, and cnot0 and cnot1, which invert the
    bit where bit `control_bit` of the port is 0 or 1 (-1 for the other modes). `source` is the line
    of the cell.
    """

    module: str
    cell: str
    port: str
    bit: int
    mode: str
    control_bit: int
    source: str

    def passes(self, number: int) -> str:
        """The pass that plants it, switched on by `number`."""
        control = f" -ctrlbit {self.control_bit}" if self.control_bit >= 0 else ""
        return (
            f"mutate -ctrl {SELECT} {SELECT_W} {number} -mode {self.mode} -module {self.module} "
            f"-cell {self.cell} -port {self.port} -portbit {self.bit}{control}"
        )

    def describe(self) -> str:
        """Where it is and what it does, in words."""
        control = f" by bit {self.control_bit}" if self.control_bit >= 0 else ""
        kind = re.sub(r"\$\d+$", "", self.cell.rpartition("$")[0] or self.cell)
        return f"{self.source}: {self.mode}{control} at {kind} {self.port}[{self.bit}]"


def prepare(rtl: Path, parameters: Mapping[str, int], data_w: int = DATA_W) -> Path:
    """The folder with the design at word level, PREPARED and NETS, and a list of all mutants.

    Raises:
        UserError: Yosys failed.
    """
    sources = {path.name: path.read_bytes() for path in sorted(rtl.glob("*.v"))}
    return yosys.synthesize(
        TOP,
        parameters,
        sources,
        [
            "proc",
            "opt_expr",
            "opt_clean",
            "opt_merge",
            "opt_clean",
            "memory_collect",
            "opt_clean",
            "check -assert",
            f"write_rtlil {PREPARED}",
            f"write_json {NETS}",
            f"mutate -list {EVERY} -seed 1 -o mutants.txt",
        ],
        before=[f"chparam -set DATA_W {data_w} block_xbar"],
    )


def all_mutants(prepared: Path, module: str) -> list[Mutant]:
    """The mutants of `module` (its name in rtl/) that differ from each other and from the design.

    What is the same whatever the state and inputs is left out: a constant put in place of itself, an
    input that is the only reader of an output (the output's mutant is the same one), and a control
    bit that is constant or the bit itself.
    """
    modules = json.loads((prepared / NETS).read_text(encoding="utf-8"))["modules"]
    name = yosys_name(modules, module)
    finder = _Sites(modules[name], has_data=module in ("fill_port", TOP))
    text = (prepared / "mutants.txt").read_text(encoding="utf-8")
    found: dict[tuple, Mutant] = {}
    for line in sorted(text.splitlines()):
        if f"-module {name} " not in line:
            continue
        mutant = _parse(line)
        if mutant.port in _NOT_MUTATED or finder.beyond_data(mutant):
            continue
        key = finder.effect(mutant)
        if key is not None:
            found.setdefault(key, mutant)
    return sorted(found.values())


def yosys_name(modules: Mapping[str, object], module: str) -> str:
    """Yosys' name of a module of rtl/, which has its parameters in it."""
    (name,) = yosys_names(modules, module)
    return name


def yosys_names(modules: Mapping[str, object], module: str) -> list[str]:
    """Yosys' names of a module of rtl/; none where the design has no such module."""
    # $paramod\name\A=... or $paramod$digest\name
    form = rf"({module}|\$paramod\\{module}\\.*|\$paramod\$\w+\\{module})"
    return [name for name in modules if re.fullmatch(form, name)]


def instances(modules: Mapping[str, dict], top: str, path: str = "") -> Iterator[tuple[str, str]]:
    """The path within the flattened `top` of each instance of a module, and Yosys' name of that."""
    for name, cell in modules[top]["cells"].items():
        if cell["type"] in modules:
            inner = f"{path}.{name}".lstrip(".")
            yield inner, cell["type"]
            yield from instances(modules, cell["type"], inner)


def source_files() -> Path:
    """The folder of the design."""
    return BENCHES[DEFAULT_BENCH].rtl


def _parse(line: str) -> Mutant:
    words = dict(re.findall(r"-(\w+) (\S+)", line))
    # The last -src is that of the cell; those before it are those of the wire.
    lines = re.findall(r"-src (\S+)", line)
    return Mutant(
        module=words["module"],
        cell=words["cell"],
        port=words["port"],
        bit=int(words["portbit"]),
        mode=words["mode"],
        control_bit=int(words.get("ctrlbit", -1)),
        source=_place(lines[-1]) if lines else "",
    )


def _place(source: str) -> str:
    """File and line of the first place in a src attribute."""
    path, _, at = source.split("|")[0].rpartition(":")
    return f"rtl/{Path(path).name}:{at.split('.')[0]}"


class _Sites:
    """The bits of the cells of one module, and what a mutant of each does."""

    def __init__(self, module: dict, has_data: bool) -> None:
        self._has_data = has_data
        self._cells = module["cells"]
        self._readers: Counter[Bit] = Counter()
        self._driven: set[Bit] = set()
        for cell in self._cells.values():
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "input":
                    self._readers.update(bits)
                else:
                    self._driven.update(bits)
        for port in module["ports"].values():
            if port["direction"] == "output":
                self._readers.update(port["bits"])

    def beyond_data(self, mutant: Mutant) -> bool:
        """Whether it touches those bits of a whole DataBlock that the small unit does not have."""
        width = len(self._cells[mutant.cell]["connections"][mutant.port])
        return (
            self._has_data
            and width == 8 * BLOCK_BYTES
            and max(mutant.bit, mutant.control_bit) >= DATA_W
        )

    def effect(self, mutant: Mutant) -> tuple | None:
        """What is the same for two mutants that do the same; None for one that does nothing."""
        cell = self._cells[mutant.cell]
        bits = cell["connections"][mutant.port]
        bit, mode = bits[mutant.bit], mutant.mode
        if bit == "x":
            return None
        control: Bit = ""
        if mutant.control_bit >= 0:
            control = bits[mutant.control_bit]
            wanted = mode[-1]  # cnot0: inverts where the control is 0
            if control == bit:
                mode, control = f"const{1 - int(wanted)}", ""
            elif control in ("0", "1", "x"):
                if control != wanted:
                    return None
                mode, control = "inv", ""
        if bit in ("0", "1"):
            if mode == f"const{bit}":
                return None
            mode = f"const{1 - int(bit)}" if mode == "inv" else mode
        site: tuple = (mutant.cell, mutant.port, mutant.bit)
        output = cell["port_directions"][mutant.port] == "output"
        if output or (self._readers[bit] == 1 and bit in self._driven):
            site = (bit,)
        return site, mode, control
