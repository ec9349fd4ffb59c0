"""What the unit does with a case, as text by cycle: commands, bank reads, fills, responses, verdicts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from model import (
    BLOCK_BYTES,
    LANES,
    NO_BLOCK,
    Case,
    Command,
    Response,
    active_lanes,
    lane_addresses,
    wanted_blocks,
)
from tb.player.case_player import Outcome
from tb.ports import ObservedResponse

NOTHING = "-"
PS_PER_NS = 1000
_ACCESS = ("", "write ", "X ")  # by its kind


@dataclass(frozen=True)
class Track:
    """One text signal: its stage, its name, its text by cycle; in other cycles it is NOTHING."""

    stage: str
    name: str
    texts: dict[int, str] = field(default_factory=dict)


def tracks_of(case: Case, outcome: Outcome, parameters: Mapping[str, int]) -> list[Track]:
    """The text signals of a case that was played, stage by stage."""
    texts: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    events = _events(case, outcome, parameters)
    for cycle, stage, values in sorted(events, key=lambda event: event[0]):
        for name, text in values.items():
            texts[stage, name][cycle] = text
    return [Track(stage, name, by_cycle) for (stage, name), by_cycle in texts.items()]


def write_transactions(path: Path, tracks: list[Track], clock: tuple[int, int]) -> None:
    """Write the tracks as a VCD file; `clock` is the time of cycle 0 and that of a cycle, in ns."""
    start, period = (PS_PER_NS * time for time in clock)
    changes: list[tuple[int, int, str]] = []
    for number, track in enumerate(tracks):
        for cycle, text in track.texts.items():
            changes.append((start + cycle * period, number, text))
            if cycle + 1 not in track.texts:
                changes.append((start + (cycle + 1) * period, number, NOTHING))
    from vcd import VCDWriter  # here, because few plays write waves

    with path.open("w", encoding="utf-8") as file, VCDWriter(file, "1 ps", date="") as writer:
        variables = [
            writer.register_var(f"transactions.{track.stage}", track.name, "string", init=NOTHING)
            for track in tracks
        ]
        for time, number, text in sorted(changes):
            writer.change(variables[number], time, text)


def _show(response: Response | ObservedResponse | None, lanes: Sequence[int]) -> str:
    """A response: its fault, or the first bytes of some of its blocks, write enables and base."""
    if response is None:
        return "no legal fault"
    if response.fault.kind:
        fault = response.fault
        return f"{fault.kind.name} lane {fault.lane} address {fault.address:#x}"
    unknown = response.unknown if isinstance(response, ObservedResponse) else 0
    blocks = [
        f"{lane}:{'X' if unknown >> lane & 1 else response.data[BLOCK_BYTES * lane :][:4].hex()}"
        for lane in lanes
    ]
    return " ".join([*blocks, f"we:{response.block_we:02x}", f"base:{response.base:#x}"])


def _events(
    case: Case, outcome: Outcome, parameters: Mapping[str, int]
) -> Iterator[tuple[int, str, dict[str, str]]]:
    """(cycle, stage, text by name of the track)."""
    played, check = outcome.played, outcome.check
    ub_bytes, banks = parameters["UB_BYTES"], parameters["BANKS"]
    for number, cycle in enumerate(played.accepted.tolist()):
        command = case.commands[number]
        yield cycle, "accept", {"command": str(number), **_describe(command, ub_bytes, banks)}
    for number, cycle in enumerate(played.filled.tolist()):
        fill = case.fills[number]
        texts = {"fill": str(number), "address": f"{fill.address:#x}", "data": fill.data.hex()}
        yield cycle, "fill", texts
    by_cycle: dict[int, list[str]] = defaultdict(list)
    for cycle, block, bank, kind in played.accesses.tolist():
        by_cycle[cycle].append(f"bank {bank}: {_ACCESS[kind]}{BLOCK_BYTES * block:#x}")
    for cycle, accesses in by_cycle.items():
        yield cycle, "banks", {"got": ", ".join(accesses)}
    for cycle, now in enumerate(outcome.prediction.cycles):
        expected = {bank: f"{BLOCK_BYTES * block:#x}" for bank, block in now.reads.items()}
        if now.written is not None:
            expected[now.written % banks] = f"{_ACCESS[1]}{BLOCK_BYTES * now.written:#x}"
        if expected:
            shown = ", ".join(f"bank {bank}: {text}" for bank, text in sorted(expected.items()))
            yield cycle, "banks", {"expected": shown}
    for response, number in enumerate(check.command_of.tolist()):
        wrong = np.flatnonzero(check.wrong_blocks[response]).tolist()
        lanes = wrong or range(LANES)
        texts = {
            "command": str(number),
            "expected": _show(check.expected.response(number), lanes),
            "got": _show(check.got(response), lanes),
            "verdict": "FAIL" if check.wrong[response] else "PASS",
        }
        yield int(played.answered[response]), "respond", texts
    kinds: dict[int, list[str]] = defaultdict(list)
    for finding in outcome.findings:
        kinds[finding.cycle].append(finding.kind)
    for cycle, found in kinds.items():
        yield cycle, "failure", {"kind": ", ".join(found), "verdict": "FAIL"}


def _describe(command: Command, ub_bytes: int, banks: int) -> dict[str, str]:
    active = active_lanes(command.op, command.dtype, command.mask)
    addresses = enumerate(lane_addresses(command))
    by_bank: dict[int, set[int]] = defaultdict(set)
    for block in wanted_blocks(command, ub_bytes):
        if block != NO_BLOCK:
            by_bank[block % banks].add(block)
    conflicts = [
        f"bank {bank}: {' '.join(f'{BLOCK_BYTES * block:#x}' for block in sorted(blocks))}"
        for bank, blocks in sorted(by_bank.items())
        if len(blocks) > 1
    ]
    return {
        "op": f"{command.op.name} {command.dtype.name.lower()}",
        "mask": f"{command.mask:#x}",
        "addresses": " ".join(
            f"{lane}:{address:#x}" for lane, address in addresses if active >> lane & 1
        )
        or "none",
        "bank_conflicts": ", ".join(conflicts) or "none",
    }
