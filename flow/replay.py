"""Cases through the player: which runs they need, and the waves of one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vcd.gtkw import GTKWSave

from flow.benches import BENCHES
from flow.cases import case_parameters
from flow.dumps import merge_dumps
from flow.run import Run, run
from flow.settings import Settings
from flow.waves import find_scope, handshake_first, read_scopes, write_scope, write_trace

PLAYER = BENCHES["player"]
_ZOOM = -15.0
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
    """The waves of a case: signals and transactions in `both`, shown by `view`, and a `diagram`."""

    both: Path
    view: Path
    diagram: Path


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
    both = played.folder / "case.vcd"
    merge_dumps(played.dump, played.folder / "transactions.vcd", both)
    lead_ns = _LEAD_NS if facts["failed"] else 0
    view = _write_case_view(both, int(facts["marked_ns"]), lead_ns)
    diagram = played.folder / "failure.svg"
    return played, CaseWaves(both, view, diagram)


def _write_case_view(dump: Path, marked_ns: int, lead_ns: int) -> Path:
    """A GTKWave view of transactions and ports, stage by stage, with the failing time marked.

    It begins `lead_ns` before the mark.
    """
    root = read_scopes(dump)
    unit, texts = find_scope(root, "ub_load_unit"), find_scope(root, "transactions")
    view = dump.with_suffix(".gtkw")
    marked = 1000 * marked_ns
    with view.open("w", encoding="utf-8") as file:
        save = GTKWSave(file)
        save.dumpfile(str(dump))
        save.timestart(max(0, marked - 1000 * lead_ns))
        save.zoom_markers(_ZOOM, marked)
        for title, (stage, starts) in _STAGES.items():
            own = find_scope(texts, stage) if texts and stage else None
            ports = [name for name in unit.signals if name.startswith(starts)] if starts else []
            if own is None and not ports:
                continue
            with save.group(title):
                for name in own.signals if own else []:
                    save.trace(f"{own.path}.{name}", datafmt="ascii")
                for name in handshake_first(ports):
                    write_trace(save, unit, name)
        for inner in unit.scopes:
            write_scope(save, inner)
    return view
