"""The variables of the command line and of the environment, checked."""

import difflib
import os
import re
import shlex
from collections.abc import Mapping, Sequence

from flow import tools
from flow.benches import BENCHES, DEFAULT_BENCH, Bench
from flow.cases import case_folders, common_parameters
from flow.errors import UserError
from flow.mutate.request import MutationRequest
from flow.regress.job import SUITE
from flow.regress.request import BATCH_SYSTEMS, LOCAL, Request
from flow.settings import DEFAULT_OPS, DEFAULT_SEED, Settings

LARGEST_SEED = (1 << 63) - 1
LARGEST_OPS = 10_000_000
LARGEST_SOAK = 1_000_000_000
LARGEST_SEEDS = 100_000
DEFAULT_SEEDS = 5
DEFAULT_CLUSTER_JOBS = 8
NETLIST_UB_BYTES = 16384

# What cocotb's users may have in their environment. Shorter names (SEED, TEST) could stand there
# for other reasons, so these count only on the command line.
_FROM_ENVIRONMENT = ("SIM", "WAVES", "COCOTB_RANDOM_SEED", "COCOTB_TEST_FILTER")

_PARAMETERS = ("UB_BYTES", "BANKS", "WINDOW", "STRIDE_W")
_SIM_VARIABLES = (
    *("SIM", "SEED", "OPS", "TEST", "VECTORS", "WAVES", "IDLE", "BACKPRESSURE", "NETLIST"),
    *("INITIAL", "BENCH", "LIMIT", "SHRINK", "V"),
    *_PARAMETERS,
    *("COCOTB_RANDOM_SEED", "COCOTB_TEST_FILTER"),
)
VARIABLES = {
    "sim": _SIM_VARIABLES,
    "test": ("ARGS",),
    "soak": tuple(
        name for name in _SIM_VARIABLES if name not in ("BENCH", "TEST", "VECTORS", "NETLIST")
    ),
    "bench": ("SEED", "OPS", *_PARAMETERS),
    "cycles": ("TRACE", *_PARAMETERS),
    "rates": ("SIM", "SEED", "OPS", "UB_BYTES"),
    "synth": (),
    "lint": (),
    "regress": ("SEEDS", "JOBS", "ENGINE", "BENCH", "SIM", "LIMIT"),
    "coverage": ("SEEDS", "JOBS", "LIMIT"),
    "faults": ("SIM",),
    "formal": ("PROOF",),
    "mutate": ("JOBS", "SAMPLE", "SEED", "ALL"),
    "replay": ("CASE", "SIM", *_PARAMETERS),
    "waves": ("CASE", "SIM", *_PARAMETERS),
    "doctor": (),
    "list": (),
    "help": (),
}


def parse(target: str, words: Sequence[str]) -> dict[str, str]:
    """`NAME=value` words as a dictionary.

    Raises:
        UserError: a word is no assignment, or `target` has no variable of that name.
    """
    known = VARIABLES[target]
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.rstrip(":")
        if not equals:
            raise UserError(f"{word!r} is not of the form NAME=value")
        if name not in known:
            near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            possible = ", ".join(known) or "none"
            raise UserError(
                f"make {target} has no variable {name}: {hint}possible variables: {possible}"
            )
        values[name] = value.strip()
    return values


def split_make_variables(text: str) -> list[str]:
    """The words of make's list of command-line variables, as typed.

    In that list a backslash quotes and a dollar sign stands twice.
    """
    words = re.findall(r"(?:\\.|[^\s\\])+", text, re.DOTALL)
    return [re.sub(r"\\(.)", r"\1", word, flags=re.DOTALL).replace("$$", "$") for word in words]


def sim_settings(given: Mapping[str, str], environment: Mapping[str, str]) -> Settings:
    """The settings of `make sim`.

    Raises:
        UserError: a value is not possible, or the simulator is not there.
    """
    inherited = {name: environment[name] for name in _FROM_ENVIRONMENT if environment.get(name)}
    values = {**inherited, **given}
    if "SEED" in given:
        values.pop("COCOTB_RANDOM_SEED", None)
    if given.get("TEST"):
        values.pop("COCOTB_TEST_FILTER", None)
    bench_name = _known("BENCH", values.get("BENCH") or DEFAULT_BENCH, tuple(BENCHES))
    bench = BENCHES[bench_name]
    netlist = _switch("NETLIST", values.get("NETLIST", ""))
    if netlist and any(parameter.name == "UB_BYTES" for parameter in bench.parameters):
        values.setdefault("UB_BYTES", str(NETLIST_UB_BYTES))
    cases = case_folders("VECTORS", values["VECTORS"]) if values.get("VECTORS") else ()
    if cases:
        if bench_name != DEFAULT_BENCH or values.get("TEST"):
            raise UserError("VECTORS= has a test of its own: it goes without BENCH= and TEST=")
        parameters = common_parameters(cases, bench, _given_parameters(values))
    else:
        parameters = design_parameters(values, bench)
    # Only the player draws its commands in parts.
    largest_ops = LARGEST_SOAK if bench_name == "player" else LARGEST_OPS
    seed_name = "SEED" if values.get("SEED") else "COCOTB_RANDOM_SEED"
    return Settings(
        bench=bench,
        parameters=parameters,
        seed=_integer(seed_name, values.get(seed_name) or str(DEFAULT_SEED), 0, LARGEST_SEED),
        ops=_integer("OPS", values.get("OPS") or str(DEFAULT_OPS), 1, largest_ops),
        idle=_integer("IDLE", values.get("IDLE") or "0", 0, 90),
        backpressure=_integer("BACKPRESSURE", values.get("BACKPRESSURE") or "0", 0, 90),
        tests=("vectors",) if cases else _names(values.get("TEST", "")),
        cases=cases,
        test_filter=_pattern(values.get("COCOTB_TEST_FILTER", "")),
        waves=_switch("WAVES", values.get("WAVES", "")),
        netlist=netlist,
        initial=_integer("INITIAL", values.get("INITIAL") or "0", 0, 1),
        limit=_integer("LIMIT", values.get("LIMIT") or "0", 0, 1_000_000),
        simulator=_simulator(values.get("SIM", "")),
    )


def design_parameters(given: Mapping[str, str], bench: Bench) -> dict[str, int]:
    """The parameters of the design, given or default.

    Raises:
        UserError: `bench` has no such parameter, or it has no legal value.
    """
    return bench.with_defaults(_given_parameters(given))


def case_settings(
    given: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[str, dict[str, int]]:
    """The simulator and the given parameters for cases, which have parameters of their own.

    Raises:
        UserError: a value is not possible.
    """
    simulator = _simulator(given.get("SIM") or environment.get("SIM", ""))
    return simulator, _given_parameters(given)


def regression_request(given: Mapping[str, str]) -> Request:
    """What `make regress` is to do.

    Raises:
        UserError: a value is not possible.
    """
    bench, simulator, engine = (given.get(name, "") for name in ("BENCH", "SIM", "ENGINE"))
    if bench:
        _known("BENCH", bench, (*BENCHES, SUITE))
    if simulator:
        _known("SIM", simulator, tools.SIMULATORS)
    if engine and "://" not in engine:
        engine = _known("ENGINE", engine.lower(), (LOCAL, *BATCH_SYSTEMS), "or tcp://host:port")
    local = engine in ("", LOCAL)
    jobs = _integer("JOBS", given["JOBS"], 1, 10_000) if given.get("JOBS") else 0
    return Request(
        seeds=_integer("SEEDS", given.get("SEEDS") or str(DEFAULT_SEEDS), 1, LARGEST_SEEDS),
        slots=jobs or (len(os.sched_getaffinity(0)) if local else DEFAULT_CLUSTER_JOBS),
        engine=engine or LOCAL,
        bench=bench,
        simulator=simulator,
        limit=_integer("LIMIT", given.get("LIMIT") or "0", 0, 1_000_000),
        command=shlex.join(["make", "regress", *(f"{k}={v}" for k, v in given.items())]),
    )


def mutation_request(given: Mapping[str, str]) -> MutationRequest:
    """What `make mutate` is to do.

    Raises:
        UserError: a value is not possible.
    """
    return MutationRequest(
        jobs=_integer("JOBS", given.get("JOBS") or "2", 1, 64),
        sample=_integer("SAMPLE", given.get("SAMPLE") or "0", 0, 1_000_000),
        seed=_integer("SEED", given.get("SEED") or str(DEFAULT_SEED), 0, LARGEST_SEED),
        every=_switch("ALL", given.get("ALL", "")),
    )


def is_shrinking(given: Mapping[str, str]) -> bool:
    """Whether a failure is followed by the search for the smallest case, as `SHRINK=1` asks.

    Raises:
        UserError: SHRINK is neither on nor off.
    """
    return _switch("SHRINK", given.get("SHRINK") or "1")


def is_verbose(given: Mapping[str, str]) -> bool:
    """Whether `V=1` asks for the simulator's whole log.

    Raises:
        UserError: V is neither on nor off.
    """
    return _switch("V", given.get("V", ""))


def _given_parameters(given: Mapping[str, str]) -> dict[str, int]:
    return {
        name: _integer(name, given[name], 0, 1 << 62) for name in _PARAMETERS if given.get(name)
    }


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _known(variable: str, value: str, possible: Sequence[str], more: str = "") -> str:
    if value in possible:
        return value
    near = difflib.get_close_matches(value.lower(), possible, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    others = ", ".join([*possible, *([more] if more else [])])
    raise UserError(f"{variable}={value} is unknown: {hint}possible: {others}")


def _simulator(name: str) -> str:
    if name:
        return _known("SIM", name, tools.SIMULATORS)
    # The first that is here; the absence of the other was said when the tools were set up.
    return next(
        (name for name in tools.SIMULATORS if isinstance(tools.find(name), tools.Simulator)),
        tools.SIMULATORS[0],
    )


def _integer(name: str, text: str, least: int, most: int) -> int:
    try:
        value = int(text, 0)
    except ValueError:
        raise UserError(f"{name}={text} is no whole number (such as 16 or 0x10)") from None
    if not least <= value <= most:
        raise UserError(f"{name}={text} is not possible: from {least} to {most}")
    return value


def _switch(name: str, text: str) -> bool:
    if text.lower() in ("", "0", "no", "false", "off"):
        return False
    if text.lower() in ("1", "yes", "true", "on"):
        return True
    raise UserError(f"{name}={text} is not possible: 1 or 0")


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise UserError(f"COCOTB_TEST_FILTER={text} is no regular expression: {error}") from None
    return text
