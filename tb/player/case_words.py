"""A case and what came of it, in words, in the order in which it happened."""

from collections.abc import Iterator

from model import Case
from tb.mismatch import describe_command
from tb.player.case_player import Outcome
from tb.player.play_check import Finding

_SHOWN = 40  # lines


def describe_case(case: Case, outcome: Outcome) -> list[str]:
    """A line or a few for each transfer and each reset, by cycle."""
    lines = [line for _, line in sorted(_events(case, outcome), key=lambda event: event[0])]
    if len(lines) > _SHOWN:
        lines[_SHOWN // 2 : -_SHOWN // 2] = [f"... and {len(lines) - _SHOWN} lines more"]
    return lines


def _events(case: Case, outcome: Outcome) -> Iterator[tuple[tuple[int, int], str]]:
    """Cycle and rank within the cycle, with a line; in one cycle a command comes before a fill."""
    played = outcome.played
    for number, command in enumerate(case.commands):
        cycle = _cycle(played.accepted, number)
        yield (cycle, 1), f"{_when(cycle)} command {number}: {describe_command(command)}"
    for number, fill in enumerate(case.fills):
        cycle = _cycle(played.filled, number)
        text = f"fill {number}: address {fill.address:#x} data {fill.data[:8].hex(' ')} .."
        yield (cycle, 2), f"{_when(cycle)} {text}"
    for start, end in zip(*case.play().reset_cycles(), strict=True):
        yield (int(start), 0), f"{_when(int(start))} reset, for {end - start} cycles"
    for response, number in enumerate(outcome.check.command_of.tolist()):
        cycle = int(played.answered[response])
        wrong = outcome.check.describe(response).splitlines()
        # The first of several lines is the command, which has been told.
        said = [line.strip() for line in wrong[1:] or wrong] or ["as expected"]
        for line in said:
            yield (cycle, 3), f"{_when(cycle)} response to command {number}: {line}"
    for finding in outcome.findings:
        # What a response has wrong is said above.
        if not finding.report.startswith("MISMATCH in command"):
            yield (finding.cycle, 4), f"{_when(finding.cycle)} {_say(finding)}"


def _say(finding: Finding) -> str:
    head, *lines = finding.report.removeprefix("MISMATCH ").splitlines()
    lines = [line.strip() for line in lines]
    if head.startswith("with the cycle model"):
        return f"not as in the cycle model: {', '.join(lines)}"
    return ": ".join([head, *lines])


_NEVER = 1 << 40


def _cycle(cycles, number: int) -> int:
    return int(cycles[number]) if number < len(cycles) else _NEVER


def _when(cycle: int) -> str:
    return "not accepted:" if cycle == _NEVER else f"cycle {cycle:4}:"
