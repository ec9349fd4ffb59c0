"""The table of benches: what is simulated, by which tests, with which parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from flow.errors import UserError
from flow.places import ROOT

BLOCK_BYTES = 32
LARGEST_UB_BYTES = 1 << 30


@dataclass(frozen=True)
class Parameter:
    """A design parameter: its default, its legal values and those values in words."""

    name: str
    default: int
    accepts: Callable[[int], bool]
    possible: str


@dataclass(frozen=True)
class Bench:
    """A top module, the cocotb module that tests it, and the parameters that may be set.

    `default_test` is the one that runs where no test is named; "" stands for all of them. `dump` is
    the file that the bench itself dumps waves to; "" where the simulator does it from the beginning.
    `rtl` is the folder of the design.
    """

    name: str
    toplevel: str
    module: str
    parameters: tuple[Parameter, ...]
    default_test: str = ""
    hdl: tuple[str, ...] = ()
    dump: str = ""
    rtl: Path = ROOT / "rtl"

    def sources(self) -> list[Path]:
        """All Verilog of the design and of the bench, in a fixed order."""
        return [
            *sorted(self.rtl.glob("*.v")),
            *(ROOT / "tb" / "hdl" / name for name in self.hdl),
        ]

    def with_defaults(self, given: Mapping[str, int]) -> dict[str, int]:
        """All parameters, `given` or default (specification, section 5).

        Raises:
            UserError: one does not exist in this bench or has no legal value.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in given.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise UserError(f"{name} is no parameter of {self.name}; possible: {names}")
            if not known[name].accepts(value):
                raise UserError(f"{name}={value} is not possible: {known[name].possible}")
        values = {name: given.get(name, parameter.default) for name, parameter in known.items()}
        if "BANKS" in values and values["UB_BYTES"] < 2 * BLOCK_BYTES * values["BANKS"]:
            raise UserError(
                f"UB_BYTES={values['UB_BYTES']} with BANKS={values['BANKS']} is not possible: "
                f"every bank has at least two rows, so UB_BYTES is at least {2 * BLOCK_BYTES} * BANKS"
            )
        return values


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


UB_BYTES = Parameter(
    "UB_BYTES",
    262144,
    lambda value: _is_power_of_two(value) and 2 * BLOCK_BYTES <= value <= LARGEST_UB_BYTES,
    "a power of two, from 64 * BANKS to 1073741824",
)
BANKS = Parameter("BANKS", 16, _is_power_of_two, "a power of two, from 1 to UB_BYTES / 64")
WINDOW = Parameter("WINDOW", 4, lambda value: 1 <= value <= 64, "from 1 to 64")
STRIDE_W = Parameter("STRIDE_W", 32, lambda value: 1 <= value <= 32, "from 1 to 32")

BENCHES = {
    bench.name: bench
    for bench in (
        Bench(
            "ub_load_unit",
            "ub_load_unit",
            "tb.bench_ub_load_unit",
            (UB_BYTES, BANKS, WINDOW, STRIDE_W),
            default_test="random_commands",
        ),
        Bench(
            "player",
            "player",
            "tb.bench_player",
            (UB_BYTES, BANKS, WINDOW, STRIDE_W),
            default_test="soak",
            hdl=("player.v", "stream_driver.v", "level_driver.v", "player.vlt"),
            dump="waves.vcd",
        ),
        Bench("loadalign_agu", "loadalign_agu", "tb.bench_loadalign_agu", (STRIDE_W,)),
        Bench("gatherb_agu", "gatherb_agu", "tb.bench_gatherb_agu", ()),
        Bench("address_check", "address_check", "tb.bench_address_check", (UB_BYTES,)),
        Bench("block_xbar", "block_xbar", "tb.bench_block_xbar", (UB_BYTES, BANKS, WINDOW)),
    )
}
DEFAULT_BENCH = "ub_load_unit"
