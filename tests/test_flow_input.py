"""Bad input at every entrance: one line that says what is wrong and possible, and no traceback."""

import shlex
from pathlib import Path

import pytest
from clone import Clone, make_clone

from flow.benches import BENCHES
from flow.settings import Settings
from flow.variables import split_make_variables


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """One clone for all tests here: refused input leaves nothing behind."""
    return make_clone(tmp_path_factory.mktemp("input") / "clone")


@pytest.mark.proves("RN-13")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            "simm",
            "possible: help, sim, test, ",
        ),
        ("sim SIM=icaru", "did you mean icarus? possible: icarus, verilator"),
        ("sim BANK=8", "did you mean BANKS?"),
        ("sim nonsense", "not of the form NAME=value"),
        (
            "sim BENCH=crossbar",
            "possible: ub_load_unit, player, loadalign_agu, gatherb_agu, address_check, block_xbar",
        ),
        ("sim BENCH=gatherb_agu BANKS=8", "BANKS is no parameter of gatherb_agu; possible: none"),
        ("sim BANKS=12", "BANKS=12 is not possible: a power of two, from 1 to UB_BYTES / 64"),
        ("sim BANKS=0", "BANKS=0 is not possible"),
        ("sim BANKS=8192", "at least 64 * BANKS"),
        ("sim UB_BYTES=100000", "UB_BYTES=100000 is not possible: a power of two"),
        ("sim UB_BYTES=2147483648", "UB_BYTES=2147483648 is not possible"),
        ("sim WINDOW=65", "WINDOW=65 is not possible: from 1 to 64"),
        ("sim WINDOW=-1", "WINDOW=-1 is not possible"),
        ("sim STRIDE_W=33", "STRIDE_W=33 is not possible: from 1 to 32"),
        ("sim SEED=one", "SEED=one is no whole number"),
        ("sim SEED=-1", "SEED=-1 is not possible: from 0"),
        ("sim OPS=0", "OPS=0 is not possible: from 1"),
        ("sim OPS=10000001", "OPS=10000001 is not possible: from 1 to 10000000"),
        ("soak OPS=1000000001", "OPS=1000000001 is not possible: from 1 to 1000000000"),
        ("sim OPS=2e3", "OPS=2e3 is no whole number"),
        ("sim IDLE=91", "IDLE=91 is not possible: from 0 to 90"),
        ("sim NETLIST=1 UB_BYTES=131072", "UB_BYTES=131072 is not possible with NETLIST=1"),
        ("sim BACKPRESSURE=100", "BACKPRESSURE=100 is not possible: from 0 to 90"),
        ("sim WAVES=maybe", "WAVES=maybe is not possible: 1 or 0"),
        ("sim V=2", "V=2 is not possible: 1 or 0"),
        ("sim LIMIT=soon", "LIMIT=soon is no whole number"),
        ("sim 'COCOTB_TEST_FILTER=('", "is no regular expression"),
        ("test SIM=icarus", "make test has no variable SIM: possible variables: ARGS"),
        ("waves", "make sim WAVES=1"),
    ],
)
def test_bad_input_is_refused_in_one_line(clone: Clone, arguments: str, says: str) -> None:
    result = clone.flow(*shlex.split(arguments))
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ") and says in line
    assert clone.runs() == []


@pytest.mark.proves("RN-2", "RN-13")
@pytest.mark.parametrize("name", ["random", "random_commands,none_such", "commands"])
def test_a_mistyped_test_name_lists_the_names(clone: Clone, name: str) -> None:
    result = clone.flow("sim", f"TEST={name}")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert "does not exist" in line and "possible tests: all, random_commands, mismatches" in line


@pytest.mark.proves("RN-2", "RN-13")
def test_a_filter_without_a_match_lists_the_names(clone: Clone) -> None:
    result = clone.flow("sim", COCOTB_TEST_FILTER="^random_commands$")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert "matches no test" in line and "possible tests: all, random_commands" in line


@pytest.mark.proves("RN-13")
def test_make_passes_a_refusal_on(clone: Clone) -> None:
    result = clone.make("sim", "BANK=8", "-j4")
    assert result.returncode != 0
    assert "error: make sim has no variable BANK: did you mean BANKS?" in result.stderr
    assert "Traceback" not in result.stderr


def test_values_reach_the_flow_as_typed() -> None:
    assert split_make_variables(r"A=-k\ x|y B=$$1 C=a\\b D=") == [
        "A=-k x|y",
        "B=$1",
        r"C=a\b",
        "D=",
    ]


@pytest.mark.proves("RN-8")
def test_the_line_to_copy_repeats_every_setting() -> None:
    bench = BENCHES["ub_load_unit"]
    settings = Settings(
        bench=bench,
        simulator="verilator",
        parameters=bench.with_defaults({"BANKS": 8}),
        seed=7,
        ops=50,
        idle=20,
        backpressure=30,
    )
    expected = "make sim SIM=verilator SEED=7 OPS=50 TEST=a IDLE=20 BACKPRESSURE=30 BANKS=8"
    assert settings.command(("a",)) == expected


def test_help_names_every_variable(clone: Clone) -> None:
    text = clone.flow("help").stdout
    for name in ("SIM", "SEED", "OPS", "TEST", "WAVES", "IDLE", "BACKPRESSURE", "BENCH", "BANKS"):
        assert f"{name}=" in text
    assert Path(clone.path / "build").exists() is False
