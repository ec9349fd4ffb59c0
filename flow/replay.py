"""Cases through the player: which runs they need, and the waves of one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vcd.gtkw import GTKWSave

from flow.benches import BENCHES, Bench
from flow.dumps import merge_dumps
from flow.errors import UserError
from flow.run import Run, run
from flow.settings import Settings
from flow.waves import Scope, find_scope, read_scopes, write_trace
from model import COMMANDS_FILE, Case, CaseError, read_case

PLAYER = BENCHES["player"]
_ZOOM = -14.5
_LEAD_NS = 80

# What belongs together: the texts of a stage, and the ports and signals that carry it.
_STAGES = {
    "clock and reset": ("", ("clk", "rst")),
    "failure": ("failure", ()),
    "accept": ("accept", ("cmd_",)),
    "bank reads": ("banks", ()),
    "fills": ("fill", ("fill_",)),
    "responses": ("respond", ("rsp_", "idle")),
}


@dataclass(frozen=True)
class CaseWaves:
    """Where the waves of a case are: `dump` and `transactions` together in `both`, shown by `view`."""

    dump: Path
    transactions: Path
    both: Path
    view: Path
    diagram: Path


def case_folders(text: str) -> tuple[Path, ...]:
    """The folder of a case, or those in a folder of cases.

    Raises:
        UserError: there is no case.
    """
    folder = Path(text)
    if not text:
        raise UserError("CASE= is missing: the folder of a case, or of several")
    if (folder / COMMANDS_FILE).exists() or not folder.is_dir():
        return (folder,)
    inside = tuple(sorted(path.parent for path in folder.glob(f"*/{COMMANDS_FILE}")))
    if not inside:
        raise UserError(f"CASE={text} has no {COMMANDS_FILE}, nor has any folder in it")
    return inside


def case_parameters(folder: Path, bench: Bench, given: Mapping[str, int]) -> dict[str, int]:
    """The parameters of the design for a case: `given`, else the case's own, else default.

    Raises:
        UserError: the folder is no case, or the design with these parameters cannot run it.
    """
    case = read_checked(folder)
    parameters = bench.with_defaults({**case.parameters, **given})
    ub_bytes, stride_w = parameters["UB_BYTES"], parameters["STRIDE_W"]
    if len(case.contents) > ub_bytes:
        raise UserError(
            f"{folder}: ub.bin has {len(case.contents)} bytes, UB_BYTES is {ub_bytes}: set UB_BYTES="
        )
    for number, command in enumerate(case.commands):
        if max(command.block_stride, command.repeat_stride) >> stride_w:
            raise UserError(
                f"{folder}: command {number} has a stride of more than STRIDE_W={stride_w} bits"
            )
    return parameters


def read_checked(folder: Path) -> Case:
    """The case in a folder.

    Raises:
        UserError: it is none.
    """
    try:
        return read_case(folder)
    except CaseError as error:
        raise UserError(str(error)) from None


def replays(
    folders: Sequence[Path], simulator: str, given: Mapping[str, int], *, waves: bool = False
) -> list[Settings]:
    """The runs that play all of the cases, one for each set of parameters.

    Raises:
        UserError: a folder is no case, or the design cannot run it.
    """
    by_parameters: dict[tuple[tuple[str, int], ...], list[Path]] = {}
    for folder in folders:
        parameters = case_parameters(folder, PLAYER, given)
        by_parameters.setdefault(tuple(parameters.items()), []).append(folder)
    return [
        Settings(
            bench=PLAYER,
            simulator=simulator,
            parameters=dict(parameters),
            tests=("replay",),
            waves=waves,
            cases=tuple(cases),
        )
        for parameters, cases in by_parameters.items()
    ]


def replay_with_waves(
    folder: Path, simulator: str, given: Mapping[str, int], say: Callable[[str], None]
) -> tuple[Run, CaseWaves | None]:
    """Play one case and dump it; no waves where the simulation died.

    Raises:
        UserError: the folder is no case, or the design cannot run it.
    """
    [settings] = replays([folder], simulator, given, waves=True)
    played = run(settings, say=say)
    facts = played.record.get("tests", {}).get("replay", {}).get("waves")
    if not facts or played.dump is None:
        return played, None
    transactions, both = played.folder / "transactions.vcd", played.folder / "case.vcd"
    merge_dumps(played.dump, transactions, both)
    view = _write_case_view(both, int(facts["marked_ns"]))
    diagram = played.folder / "failure.svg"
    return played, CaseWaves(played.dump, transactions, both, view, diagram)


def _write_case_view(dump: Path, marked_ns: int) -> Path:
    """A GTKWave view of transactions and ports, stage by stage, with the failing time marked."""
    root = read_scopes(dump)
    unit, texts = find_scope(root, "ub_load_unit"), find_scope(root, "transactions")
    view = dump.with_suffix(".gtkw")
    marked = 1000 * marked_ns
    with view.open("w", encoding="utf-8") as file:
        save = GTKWSave(file)
        save.dumpfile(str(dump))
        save.timestart(max(0, marked - 1000 * _LEAD_NS))
        save.zoom_markers(_ZOOM, marked)
        for title, (stage, starts) in _STAGES.items():
            own = find_scope(texts, stage) if texts and stage else None
            ports = [name for name in unit.signals if name.startswith(starts)] if starts else []
            if own is None and not ports:
                continue
            with save.group(title):
                for name in own.signals if own else []:
                    save.trace(f"{own.path}.{name}", datafmt="ascii")
                for name in _handshake_first(ports):
                    write_trace(save, unit, name)
        for inner in unit.scopes:
            _write_inner(save, inner)
    return view


def _handshake_first(ports: Sequence[str]) -> list[str]:
    return sorted(ports, key=lambda name: ("_valid" not in name, "_ready" not in name, name))


def _write_inner(save: GTKWSave, scope: Scope) -> None:
    """The modules inside, closed."""
    with save.group(scope.path.rpartition(".")[2], closed=True):
        for name in scope.signals:
            write_trace(save, scope, name)
    for inner in scope.scopes:
        _write_inner(save, inner)
