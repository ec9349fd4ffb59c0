"""The results of `make mutate`: lines for the terminal, and docs/mutation.md."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from flow.mutate.plan import DATA_W, LOCK_STEP, MOST, SMALL, TARGETS
from flow.mutate.sort import EQUIVALENT, KILLED, UNRESOLVED, Sorted
from flow.places import ROOT

PAGE = ROOT / "docs" / "mutation.md"

_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)

_HEAD = """\
# Mutants of the design

A mutant is the design with one bit changed at one pin of one cell. `make mutate` plants those that Yosys' `mutate`
lists for the modules below, plays the stimulus of the bench through each, and compares every output in every cycle
with the models. Of {sampled} it draws {most:,} at
random where there are more; `make mutate ALL=1` takes all.
What nothing kills must be proven equivalent, else it is unresolved and the command fails. It writes this page.

**{total:,} mutants: {killed:,} killed, {equivalent:,} equivalent, {unresolved:,} unresolved.**

| module | mutants | killed | equivalent | unresolved | median commands |
|---|---:|---:|---:|---:|---:|
"""

_METHOD = """
"Median commands" is how many commands had been sent when half of the killed ones were dead.

## What is counted

The unit has `{small}`; `pair_queue` has `{lock_step}`. A DataBlock keeps {data_w} of its 256 bits, because
the crossbar treats all of them alike. The netlist is that of words, before any mapping to gates; a mutant sits in a
module, and so in all of its instances. The five modes are stuck at 0, stuck at 1, inverted, and inverted where another bit
of the pin, drawn once, is 0 or is 1. Left out are clocks, a constant in place of itself, and the pin that is the only reader of
another one (the same mutant).

## What is played

First random commands, without and with pauses, then what each directed test of `ub_load_unit` drives, recorded at
its ports, then the stored cases. Every mutant is played until its first difference. An output is one of the unit's ports; "bank
access" is what the bench sees at the banks alone. 255 mutants and the design itself are played at once, one in each bit of
a word ([parallel_sim.cpp](../flow/mutate/parallel_sim.cpp)): a run in which the design differs from the models is refused.

What is left alive is compared with the design by ABC, without a bound on time: first the module alone with free inputs, then
a larger part of the unit, or the module in use ([plan.py](../flow/mutate/plan.py) says which). A proof that leaves out the crossbar
takes the contract in its header as given: it ignores the block of a lane that is not active. A module in use has only such inputs as
the unit gives it, by a contract in [formal](../formal) that `make formal` proves, and only those outputs count that the unit reads,
which is proven first ([contract.py](../flow/mutate/contract.py)). For what is not proven then, more random commands, fills of a few
blocks and resets look for what the bench has missed: "the search alone". Of each such death `make mutate` keeps a small case in
[tests/corpus](../tests/corpus), which the bench plays from then on.

## What kills

| output | mutants |
|---|---:|
"""


def write_page(results: Sequence[Sorted]) -> Path:
    """Write docs/mutation.md."""
    count = Counter(each.status for each in results)
    text = _HEAD.format(
        sampled=", ".join(f"`{each.module}`" for each in TARGETS if each.sampled),
        most=MOST,
        total=len(results),
        killed=count[KILLED],
        equivalent=count[EQUIVALENT],
        unresolved=count[UNRESOLVED],
    )
    text += "".join(f"{line}\n" for line in _modules(results))
    text += _METHOD.format(small=_words(SMALL), lock_step=_words(LOCK_STEP), data_w=DATA_W)
    deaths = [each.death for each in results if each.death]
    outputs = Counter(death.output for death in deaths)
    text += "".join(f"| {output} | {number:,} |\n" for output, number in outputs.most_common())
    text += "\n| killed by | mutants |\n|---|---:|\n"
    tests = Counter(_family(each.death.by, each.hole) for each in results if each.death)
    text += "".join(f"| {test} | {number:,} |\n" for test, number in tests.most_common())
    text += "\nHow many of the mutants that die are alive after so many commands:\n\n"
    commands = np.array([death.commands for death in deaths])
    text += "| commands | alive |\n|---:|---:|\n"
    text += "".join(f"| {step:,} | {int((commands > step).sum()):,} |\n" for step in _STEPS)
    text += "".join(f"{line}\n" for line in _unresolved(results))
    PAGE.write_text(text, encoding="utf-8")
    return PAGE


def summary(results: Sequence[Sorted]) -> Iterator[str]:
    """The counts of each module, and every mutant that is unresolved."""
    for target in TARGETS:
        own = [each for each in results if each.target == target]
        count = Counter(each.status for each in own)
        if own:
            yield (
                f"{target.name:15} {len(own):6,} mutants: {count[KILLED]:6,} killed, "
                f"{count[EQUIVALENT]:5,} equivalent, {count[UNRESOLVED]:4,} unresolved"
            )
    for each in results:
        if each.status == UNRESOLVED:
            yield f"unresolved: {each.mutant.describe()}"


def _modules(results: Sequence[Sorted]) -> Iterator[str]:
    for target in TARGETS:
        own = [each for each in results if each.target == target]
        count = Counter(each.status for each in own)
        commands = [each.death.commands for each in own if each.death]
        if own:
            yield (
                f"| `{target.name}` | {len(own):,} | {count[KILLED]:,} | {count[EQUIVALENT]:,} | "
                f"{count[UNRESOLVED]:,} | {np.median(commands) if commands else 0:,.0f} |"
            )


def _family(by: str, hole: bool) -> str:
    """A test, or the stored cases together; the search is none of the bench's own."""
    if hole:
        return "the search alone"
    if "/" in by:
        return f"`tests/{by.partition('/')[0]}`"
    return f"`{by.partition(' ')[0]}`" if by.startswith("random_commands") else f"`{by}`"


def _unresolved(results: Sequence[Sorted]) -> Iterator[str]:
    left = [each for each in results if each.status == UNRESOLVED]
    if not left:
        return
    yield "\n## Unresolved\n"
    yield "Nothing kills these, and no proof says yet that nothing can.\n"
    yield "| where | how many |\n|---|---:|"
    places = Counter(each.mutant.source for each in left)
    yield from (f"| {place} | {number} |" for place, number in sorted(places.items()))


def _words(parameters: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())
