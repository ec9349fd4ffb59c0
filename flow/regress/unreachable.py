"""Points of the code that nothing can execute, each with a proof.

A point is left out of the count only where Yosys has proven it: a bit that has one value, whatever
the inputs and registers are, has no toggle.
"""

import importlib.metadata
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flow import yosys
from flow.regress.code_coverage import DESIGN, Point

# The modules inside may drive whatever they want: what holds then holds with them, too.
_SAT = "sat -tempinduct -ignore_unknown_cells -maxsteps 3 -verify -prove"
_TOGGLE = re.compile(r"(\w+)\[(\d+)\]:[01]->[01]")


@dataclass(frozen=True)
class Constant:
    """The bits `high` to `low` of a signal of a module are 0, for the reason that is given."""

    module: str
    signal: str
    high: int
    low: int
    reason: str

    @property
    def title(self) -> str:
        """As a user reads it."""
        return f"{self.signal}[{self.high}:{self.low}]"

    @property
    def proof(self) -> str:
        """What has proven it, in words."""
        version = importlib.metadata.version("pyosys")
        return f"Yosys {version} has proven it to be 0 for all inputs and all states"

    def has(self, point: Point) -> bool:
        """Whether a point is a toggle of one of these bits."""
        toggle = _TOGGLE.fullmatch(point.what)
        return (
            point.kind == "toggle"
            and point.file == f"{self.module}.v"
            and toggle is not None
            and toggle[1] == self.signal
            and self.low <= int(toggle[2]) <= self.high
        )

    def prove(self) -> None:
        """Have it proven, once for each different content of the design.

        Raises:
            UserError: it is not so; the log that is named has a counter-example.
        """
        width = self.high - self.low + 1
        goal = f"{self.signal}[{self.high}:{self.low}] {width}'d0"
        sources = {path.name: path.read_bytes() for path in sorted(DESIGN.glob("*.v"))}
        yosys.synthesize(self.module, {}, sources, ["proc", f"cd {self.module}", f"{_SAT} {goal}"])


CONSTANTS = (
    Constant(
        "ub_load_unit",
        "rsp_fault_addr",
        47,
        41,
        "the port is as wide as the specification has it, the largest address has 41 bits",
    ),
)


def unreachable(points: Iterable[Point]) -> Mapping[Point, Constant]:
    """Those of `points` that nothing can execute, after a proof that it is so.

    Raises:
        UserError: something is said to be constant that is not.
    """
    found = {point: constant for point in points for constant in CONSTANTS if constant.has(point)}
    for constant in dict.fromkeys(found.values()):
        constant.prove()
    return found
