"""Functional coverage: which of the cases that the test plan is about a test has met.

From what went through the ports and from the golden model alone, in whole arrays.
"""

from collections import Counter
from collections.abc import Iterable

from tb.coverage.address_groups import ADDRESS_GROUPS
from tb.coverage.command_cross import COMMANDS
from tb.coverage.command_groups import COMMAND_GROUPS
from tb.coverage.covergroup import Covergroup
from tb.coverage.design import Design
from tb.coverage.fault_groups import FAULT_GROUPS
from tb.coverage.observed import Observed
from tb.coverage.order_groups import ORDER_GROUPS
from tb.coverage.state_groups import STATE_GROUPS
from tb.coverage.timing_groups import TIMING_GROUPS

__all__ = [
    "COVERGROUPS",
    "Covergroup",
    "Design",
    "Observed",
    "Sample",
    "merge",
    "out_of_reach",
    "sample_all",
]

COVERGROUPS: tuple[Covergroup, ...] = (
    COMMANDS,
    *COMMAND_GROUPS,
    *FAULT_GROUPS,
    *ADDRESS_GROUPS,
    *ORDER_GROUPS,
    *TIMING_GROUPS,
    *STATE_GROUPS,
)

Sample = dict[str, dict[str, object]]
"""By name of a group: "about", "rules" and, in "bins", the hits by name of a bin."""


def sample_all(observed: Observed) -> Sample:
    """The hits of every bin of every group, ready for JSON."""
    return {
        group.name: {
            "about": group.about,
            "rules": list(group.rules),
            "bins": dict(
                zip(group.bins(observed.design), group.sample(observed).tolist(), strict=True)
            ),
        }
        for group in COVERGROUPS
    }


def merge(samples: Iterable[Sample]) -> Sample:
    """The hits of all samples together, over all bins that any of their designs can reach."""
    merged: Sample = {}
    for sample in samples:
        for name, group in sample.items():
            into = merged.setdefault(name, {**group, "bins": Counter()})
            into["bins"].update(group["bins"])
    return {name: {**group, "bins": dict(group["bins"])} for name, group in merged.items()}


def out_of_reach(designs: Iterable[Design]) -> dict[str, dict[str, list[str]]]:
    """By group and reason, the combinations that none of these designs can reach.

    Where designs have several reasons for one, that of the last of them stands.
    """
    of_groups: dict[str, dict[str, str]] = {group.name: {} for group in COVERGROUPS}
    for design in designs:
        for group in COVERGROUPS:
            reasons = of_groups[group.name]
            for name, reason in group.reasons(design).items():
                # Once a design reaches it, none of the others matters.
                if reasons.setdefault(name, reason):
                    reasons[name] = reason
    found: dict[str, dict[str, list[str]]] = {}
    for group_name, reasons in of_groups.items():
        for name, reason in reasons.items():
            if reason:
                found.setdefault(group_name, {}).setdefault(reason, []).append(name)
    return found
