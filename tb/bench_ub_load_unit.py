"""The bench of the top module: every test of tb/load_unit.

The tests share one simulation and run in the order of these imports. The one about unwritten
blocks stands first: whatever runs before it would have written them.
"""

from tb.load_unit.unknowns import unwritten_blocks_stay_in_their_own_lane  # isort: skip
from tb.load_unit.cycles import (
    fills_cost_their_own_bank_cycles_alone,
    latency_in_an_idle_unit,
    lock_step_is_the_upper_bound,
    one_command_per_cycle_without_conflicts,
    rates,
)
from tb.load_unit.examples import reference_programs, vectors, workloads
from tb.load_unit.faults import every_fault_in_every_lane
from tb.load_unit.handshakes import (
    a_lone_command_behind_each_pause,
    no_output_follows_an_input_within_a_cycle,
    ports_have_the_widths_of_the_specification,
    stalled_responses_wait_unchanged,
)
from tb.load_unit.kinds import every_kind_of_command
from tb.load_unit.ordering import (
    a_fill_at_every_distance_from_a_read,
    a_fill_holds_turns_in_every_place,
    fills_and_reads_of_the_same_few_blocks,
    fills_one_per_cycle_while_no_command_is_in_flight,
    neither_side_starves,
)
from tb.load_unit.random_commands import random_commands
from tb.load_unit.resets import (
    reset_at_every_distance_from_a_command,
    reset_in_every_state,
    reset_in_flight,
)

__all__ = [
    "a_fill_at_every_distance_from_a_read",
    "a_fill_holds_turns_in_every_place",
    "a_lone_command_behind_each_pause",
    "every_fault_in_every_lane",
    "every_kind_of_command",
    "fills_and_reads_of_the_same_few_blocks",
    "fills_cost_their_own_bank_cycles_alone",
    "fills_one_per_cycle_while_no_command_is_in_flight",
    "latency_in_an_idle_unit",
    "lock_step_is_the_upper_bound",
    "neither_side_starves",
    "no_output_follows_an_input_within_a_cycle",
    "one_command_per_cycle_without_conflicts",
    "ports_have_the_widths_of_the_specification",
    "random_commands",
    "rates",
    "reference_programs",
    "reset_at_every_distance_from_a_command",
    "reset_in_every_state",
    "reset_in_flight",
    "stalled_responses_wait_unchanged",
    "unwritten_blocks_stay_in_their_own_lane",
    "vectors",
    "workloads",
]
