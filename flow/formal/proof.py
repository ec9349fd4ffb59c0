"""What a proof is: a harness in Verilog, how it is elaborated, how deep the solver looks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from flow.places import ROOT

HARNESSES = ROOT / "formal"

_STATEMENT = re.compile(r"(\w+)\s*:\s*(assert|cover)\b")


@dataclass(frozen=True)
class Proof:
    """One property of the design, in a harness formal/`harness`.v with a module of that name."""

    name: str
    says: str
    """The property, in words."""
    rules: tuple[str, ...]
    """IDs of the test plan that it proves."""
    harness: str
    cover_depth: int
    """Cycles from reset in which every cover statement is reached."""
    faults: tuple[str, ...]
    """Patches of tests/faults or formal/faults: with each of them planted, an assertion fails."""
    parameters: Mapping[str, int] = field(default_factory=dict)
    """Of the harness, where they are not the defaults."""
    small: Mapping[str, int] = field(default_factory=dict)
    """Of the harness for covers and planted faults, which look far, where these are not the same."""
    registers: tuple[str, ...] = ()
    """Modules whose memories become registers, so that a harness can name their words."""
    abstract: tuple[str, ...] = ()
    """Modules in place of which those of formal/abstract stand, which can do all that they do."""
    structural: bool = False
    """No solver: Yosys looks for a path in the netlist of the whole unit; there is no harness."""
    fault_depth: int = 2
    """Cycles from reset in which every planted fault shows."""
    quick: bool = False
    """Whether `make test` makes it too."""

    @property
    def size(self) -> str:
        """The parameters as shown to the user."""
        return " ".join(f"{name}={value}" for name, value in self.parameters.items())

    @property
    def parts(self) -> tuple[str, ...]:
        """What the solver is asked, by name."""
        faults = tuple(f"fault {name}" for name in self.faults)
        if self.structural:
            return ("paths", *faults)
        return ("base", "step", "cover", *faults)

    def parameters_of(self, part: str) -> Mapping[str, int]:
        """Those with which the solver is asked this part."""
        return self.parameters if part in ("base", "step") else {**self.parameters, **self.small}

    def path(self) -> Path:
        """The harness."""
        return (ROOT / "rtl" if self.structural else HARNESSES) / f"{self.harness}.v"


def fault_patch(name: str) -> Path:
    """The patch of a planted fault: one of those of the simulations serves where it fits."""
    own = HARNESSES / "faults" / f"{name}.patch"
    return own if own.exists() else ROOT / "tests" / "faults" / f"{name}.patch"


def labels(
    sources: Mapping[str, bytes], kind: str = "assert cover"
) -> Iterator[tuple[str, str, int]]:
    """Label, file and line of every labelled assertion and cover statement of harnesses."""
    for name, content in sources.items():
        text = content.decode()
        for found in _STATEMENT.finditer(text):
            if found[2] in kind:
                yield found[1], name, text.count("\n", 0, found.start(1)) + 1
