"""Cases on disk through the unit: replayed, shrunk from failures, shown as waves."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import pywellen
from changed_bench import changed
from clone import ROOT, Clone, make_clone
from conftest import on_icarus

from flow.benches import BENCHES, Bench
from flow.cases import case_folders
from flow.explain import find_minimal
from flow.replay import replay_with_waves, replays
from flow.run import Run, run
from flow.settings import Settings
from model import Case, Command, Dtype, Fill, Op, read_case, write_case
from tb.player.case_player import LEFT_OVER

Simulate = Callable[..., Run]

VECTORS = ROOT / "tests" / "vectors"
# As in other tests: built once for all of them.
SMALL = {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}
BLOCK = bytes(range(1, 33))
LOAD = Command(Op.LOADALIGN, Dtype.B8, 64, 1)


@pytest.fixture
def case_folder(tmp_path: Path) -> Path:
    """A case with a fill, a gap, a stall and a reset."""
    case = Case(
        "everything at once",
        bytes(range(128)),
        (LOAD, LOAD, LOAD, LOAD),
        b"",
        gaps=(0, 2, 0, 12),
        fills=(Fill(64, BLOCK, gap=2), Fill(1, BLOCK)),
        ready=((0, 12),),
        resets=((9, 2),),
    )
    write_case(tmp_path / "case", case.completed(SMALL))
    return tmp_path / "case"


def only_run(folder: Path, simulator: str) -> Settings:
    [settings] = replays(case_folders("CASE", str(folder)), simulator, SMALL)
    return settings


@pytest.mark.proves("RN-17", "RN-24")
def test_public_vectors_are_replayed_by_the_player(simulator: str) -> None:
    played = run(only_run(VECTORS, simulator))
    assert played.verdict.passed
    test = played.record["tests"]["replay"]
    assert test["commands_sent"] == test["commands_checked"] == 26
    assert "gatherb_affine: 16 commands: as expected" in test["lines"]


@pytest.mark.proves("RN-24")
def test_a_case_is_played_in_the_same_cycles_by_the_player_and_by_the_bench(
    simulator: str, case_folder: Path
) -> None:
    played = run(only_run(case_folder, simulator))
    assert played.verdict.passed, played.record
    bench = BENCHES["ub_load_unit"]
    settings = Settings(bench, simulator, SMALL, tests=("vectors",), cases=(case_folder,))
    by_bench = run(settings)
    assert by_bench.verdict.passed, by_bench.record
    # Three of the four commands are answered: the reset finds one in flight.
    assert played.record["tests"]["replay"]["commands_checked"] < 4
    assert (
        by_bench.record["tests"]["vectors"]["commands_checked"]
        == played.record["tests"]["replay"]["commands_checked"]
    )


@pytest.mark.proves("RN-24")
def test_other_expected_data_than_the_unit_gives_fail_the_replay(
    simulator: str, tmp_path: Path
) -> None:
    case = Case("", bytes(range(128)), (LOAD,), b"").completed(SMALL)
    wrong = bytearray(case.expected)
    wrong[40] ^= 1
    write_case(tmp_path / "case", Case(case.about, case.contents, case.commands, bytes(wrong)))
    played = run(only_run(tmp_path / "case", simulator))
    assert not played.verdict.passed
    (failure,) = played.record["tests"]["replay"]["failures"]
    assert "between the expected data of the case and the golden model" in failure
    assert "DataBlock 1" in failure
    settings = Settings(
        BENCHES["ub_load_unit"], simulator, SMALL, tests=("vectors",), cases=(tmp_path / "case",)
    )
    assert not run(settings).verdict.passed


WRONG_LANE = ("block_xbar.v", "from_odd[6] ?", "from_odd[5] ?")
MOVED = ("response_queue.v", "else if (transfer) rsp_slot", "else if (rsp_valid) rsp_slot")


@pytest.mark.proves("RN-23", "RN-25")
@on_icarus
def test_a_failure_is_shrunk_and_the_smallest_case_fails_in_the_same_way(
    simulator: str, tmp_path: Path
) -> None:
    bench = changed(BENCHES["ub_load_unit"], tmp_path, *WRONG_LANE)
    parameters = bench.with_defaults({"UB_BYTES": 2048})
    failed = run(Settings(bench, simulator, parameters, ops=200, tests=("random_commands",)))
    assert not failed.verdict.passed
    minimal = find_minimal(failed, lambda line: None)
    case = read_case(minimal.folder)
    assert len(case.commands) == 1 and not case.fills
    assert case.parameters == parameters
    # The good unit gives what the case expects; in this one a block comes from the other banks.
    assert run(only_run(minimal.folder, simulator)).verdict.passed
    [settings] = replays((minimal.folder,), simulator, {})
    again = run(replace(settings, bench=changed_player(tmp_path)))
    assert again.record["tests"]["replay"]["failures"][0].startswith("MISMATCH in command 0")
    words = "\n".join(again.record["tests"]["replay"]["lines"])
    assert "command 0: LOADALIGN" in words and "DataBlock 6 from byte" in words
    assert LEFT_OVER[:8].hex(" ") in words


def changed_player(folder: Path) -> Bench:
    """The player around the design that was changed in `folder`."""
    return replace(BENCHES["player"], rtl=folder / "rtl")


@pytest.mark.proves("RN-23")
@on_icarus
def test_a_soak_is_shrunk_too(simulator: str, tmp_path: Path) -> None:
    bench = changed(BENCHES["player"], tmp_path, *WRONG_LANE)
    parameters = bench.with_defaults({"UB_BYTES": 2048})
    failed = run(Settings(bench, simulator, parameters, ops=200, tests=("soak",)))
    minimal = find_minimal(failed, lambda line: None)
    assert minimal.facts["kind"] == "rsp_data" and minimal.facts["commands"] == 1


@pytest.mark.proves("RN-25")
def test_the_waves_of_a_case_are_its_own_with_its_transactions(
    simulator: str, case_folder: Path
) -> None:
    played, waves = replay_with_waves(case_folder, simulator, SMALL, lambda line: None)
    assert played.verdict.passed
    signals = {each.full_name: each for each in pywellen.Waveform(str(waves.both)).all_vars()}
    # Every text and every port of the view is in the dump.
    lines = waves.view.read_text().splitlines()
    stages = r"(transactions\.\w+\.\w+|[\w.]*\bub_load_unit\.\w+)(\[\d+:\d+\])?"
    shown = {match[1] for line in lines if (match := re.fullmatch(stages, line))}
    assert {"transactions.respond.verdict", "transactions.failure.kind"} & shown
    assert len(shown) > 40 and not shown - set(signals)
    verdicts = [text for _, text in signals["transactions.respond.verdict"].tv]
    assert verdicts.count("PASS") == played.record["tests"]["replay"]["commands_checked"]
    ports = [
        next(signals[name] for name in signals if name.endswith(f"unit.cmd_{port}"))
        for port in ("valid", "ready")
    ]
    accepted = [time for time, text in signals["transactions.accept.command"].tv if text != "-"]
    assert len(accepted) == 4
    for time in accepted:
        # In the same cycle, before the edge that ends it.
        assert [port.signal.value_at(time + 9000) for port in ports] == [1, 1]
    diagram = ElementTree.parse(waves.diagram).getroot()
    said = {text for text in diagram.itertext()}
    assert {"cmd_valid", "rsp_valid", "rst", "fill_valid", "verdict"} <= said


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A copy of the whole project, for what a user types."""
    return make_clone(tmp_path_factory.mktemp("cases") / "clone", design=ROOT)


@pytest.mark.proves("RN-24", "RN-13")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replay",), "CASE= is missing"),
        (("replay", "CASE=none"), "none: no such folder; a case is a folder with"),
        (("replay", "CASE=rtl"), "CASE=rtl has no commands.json, nor has any folder in it"),
        (("sim", "VECTORS=none"), "none: no such folder"),
        (("sim", "VECTORS=none", "TEST=rates"), "VECTORS= has a test of its own"),
        (("waves", "CASE=cases"), "CASE=cases holds 2 cases: name one of them"),
        (("sim", "VECTORS=others"), "are for different parameters: name one, or set them all"),
        (
            ("replay", "CASE=cases/a", "UB_BYTES=64", "BANKS=1"),
            "ub.bin has 128 bytes, UB_BYTES is 64",
        ),
        (("replay", "CASE=cases/b"), "command 0 has a stride of more than STRIDE_W=4 bits"),
        (("sim", "SHRINK=2"), "SHRINK=2 is not possible: 1 or 0"),
    ],
)
def test_a_case_that_cannot_be_played_is_refused_in_one_line(
    clone: Clone, arguments: tuple[str, ...], says: str
) -> None:
    cases = clone.path / "cases"
    if not cases.exists():
        good = Case("", bytes(128), (LOAD,), b"")
        wide = Case("", bytes(32), (Command(Op.LOADALIGN, Dtype.B8, 0, 1, 16),), b"")
        write_case(cases / "a", good.completed(SMALL))
        write_case(cases / "b", wide.completed(SMALL | {"STRIDE_W": 4}))
        write_case(clone.path / "others" / "a", good.completed(SMALL))
        write_case(clone.path / "others" / "b", good.completed(SMALL | {"WINDOW": 2}))
    result = clone.flow(*arguments)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ") and says in line


@pytest.mark.proves("RN-23", "RN-25")
@on_icarus
def test_a_failing_run_says_what_is_left_and_how_to_see_it(simulator: str, tmp_path: Path) -> None:
    clone = make_clone(tmp_path / "a clone", design=ROOT)
    clone.replace("rtl/response_queue.v", *MOVED[1:])
    arguments = ("SIM=icarus", "OPS=100", "UB_BYTES=2048", "BACKPRESSURE=30")
    result = clone.flow("sim", *arguments)
    assert result.returncode == 1
    said = result.stdout.splitlines()
    assert said[-1].startswith("FAIL: 0 of 1 tests passed")
    assert any(line.startswith("  minimal case: 1 command, 1 pause, of ") for line in said)
    (line,) = [line for line in said if line.startswith("    replay:  make ")]
    replay = line.split("make ")[1].split()
    again = clone.flow(*replay)
    assert again.returncode == 1 and "MISMATCH" in again.stdout
    waves = clone.flow("waves", replay[1], "SIM=icarus", DISPLAY="")
    assert "case.vcd" in waves.stdout and "timing diagram: " in waves.stdout
    quiet = clone.flow("sim", *arguments, "SHRINK=0")
    assert quiet.returncode == 1 and "minimal case" not in quiet.stdout
    # Whatever a killed search leaves, a case stands under its name only as a whole.
    kept = [json.loads((path / "commands.json").read_text()) for path in cases_in(clone)]
    assert kept and all(case["commands"] for case in kept)


def cases_in(clone: Clone) -> list[Path]:
    return [path for path in (clone.path / "build" / "cases").iterdir() if path.name[0] != "."]
