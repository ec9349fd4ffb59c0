"""The cycles around a failure as a timing diagram for a report."""

import json
from collections.abc import Sequence
from itertools import islice, zip_longest
from pathlib import Path

import numpy as np

from model import OUTPUTS, Case, levels, offered_cycles
from tb.player.case_player import Outcome
from tb.player.transactions import NOTHING, Track

_BEFORE, _AFTER = 9, 2  # cycles of the failure that are shown
_LONGEST_WINDOW = 16
_LONGEST = 18  # characters in a box
_PLAIN, _GOOD, _BAD = "=", "7", "9"  # colours of boxes


def write_diagram(path: Path, case: Case, outcome: Outcome, tracks: Sequence[Track]) -> None:
    """Write the timing diagram of the cycles around the first findings, or of the first ones."""
    failing = [finding.cycle for finding in outcome.findings] or [_BEFORE]
    first = max(0, failing[0] - _BEFORE)
    last = min(outcome.played.cycles - 1, first + _LONGEST_WINDOW, failing[-1] + _AFTER)
    diagram = {
        "signal": _signals(case, outcome, tracks, first, last + 1),
        "head": {"text": case.about[:100], "tick": first},
        "config": {"hscale": 3},
    }
    # Takes as long to import as a small case to play, and most cases are played without a diagram.
    import wavedrom

    drawing = wavedrom.render(json.dumps(diagram))
    # Its lines are black: a page with a dark background must not show through.
    drawing.elements.insert(0, drawing.rect(size=("100%", "100%"), fill="white"))
    drawing.saveas(str(path))


def _signals(
    case: Case, outcome: Outcome, tracks: Sequence[Track], first: int, end: int
) -> list[object]:
    played, play = outcome.played, case.play()
    outputs, unknown = played.outputs_by_cycle()

    def output(name: str) -> dict[str, str]:
        bit = OUTPUTS.index(name)
        shown = [
            "x" if unknown[cycle] >> bit & 1 else str(outputs[cycle] >> bit & 1)
            for cycle in range(first, end)
        ]
        return {"name": name, "wave": _dotted(shown)}

    def level(name: str, by_cycle: Sequence[bool]) -> dict[str, str]:
        return {"name": name, "wave": _dotted([str(int(high)) for high in by_cycle[first:end]])}

    def texts(stage: str, *names: str) -> list[dict[str, object]]:
        wanted = [track for track in tracks if track.stage == stage and track.name in names]
        return [_boxes(track, first, end) for track in wanted]

    ready = list(islice(levels(play.ready, first=True), end))
    signals: list[object] = [{"name": "clk", "wave": "p" + "." * (end - first - 1)}]
    if case.resets:
        signals.append(level("rst", list(islice(levels(play.resets, first=False), end))))
    valid = _valid(play.command_gaps, played.accepted, end)
    commands = [level("cmd_valid", valid), output("cmd_ready")]
    signals.append(["accept", *commands, *texts("accept", "command", "op", "addresses")])
    if case.fills:
        fill_valid = _valid(play.fill_gaps, played.filled, end)
        fills = [level("fill_valid", fill_valid), output("fill_ready"), output("fill_error")]
        signals.append(["fill", *fills, *texts("fill", "fill", "address")])
    signals.append(["banks", *texts("banks", "expected", "got")])
    responses = [output("rsp_valid"), level("rsp_ready", ready), output("idle")]
    names = ("command", "expected", "got", "verdict")
    signals.append(["respond", *responses, *texts("respond", *names)])
    signals += [{**box, "name": "failure"} for box in texts("failure", "kind")]
    # A stage in which nothing happened has only its name.
    return [group for group in signals if not isinstance(group, list) or len(group) > 1]


def _valid(gaps: np.ndarray, transfers: np.ndarray, end: int) -> list[bool]:
    """The level of a valid in each cycle: high from each offer to its transfer."""
    high = np.zeros(end, np.bool_)
    # The last offer may have had no transfer.
    for offer, transfer in zip_longest(offered_cycles(gaps, transfers), transfers, fillvalue=end):
        high[offer : transfer + 1] = True
    return high.tolist()


def _boxes(track: Track, first: int, end: int) -> dict[str, object]:
    wave, data = [], []
    for cycle in range(first, end):
        text = track.texts.get(cycle, NOTHING)
        if text == NOTHING:
            wave.append("z")
            continue
        bad = text == "FAIL" or track.stage == "failure"
        wave.append(_BAD if bad else _GOOD if text == "PASS" else _PLAIN)
        data.append(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]}..")
    return {"name": track.name, "wave": _dotted(wave, repeatable="z"), "data": data}


def _dotted(levels_shown: Sequence[str], repeatable: str = "01xz") -> str:
    """A level that goes on is a dot; a box begins anew in each cycle."""
    before = ""
    dotted = []
    for shown in levels_shown:
        dotted.append("." if shown == before and shown in repeatable else shown)
        before = shown
    return "".join(dotted)
