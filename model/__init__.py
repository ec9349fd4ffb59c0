"""The golden model of the load unit, written from the specification alone.

One command at a time: `Command`, `UnifiedBuffer`, `execute`. Arrays of commands: `CommandBatch`,
`execute_batch`. When it happens: `CycleModel`, one clock cycle at a time, and `simulate`, a whole
sequence. Around them: masks, bank conflicts, workloads of real kernels, the programs of the reference
documents, and cases on disk.
"""

from model.batch import (
    CommandBatch,
    FaultBatch,
    ResponseBatch,
    active_lanes_batch,
    execute_batch,
    find_faults_batch,
    lane_addresses_batch,
)
from model.case import Case, Fill
from model.case_json import CaseError
from model.conflict import bank_reads_batch, conflict_degree, conflict_degree_batch
from model.cycles import SLOTS_AHEAD, Cycle, CycleModel
from model.encodings import (
    BLOCK_BYTES,
    LANES,
    MASK_BITS,
    REGISTER_BYTES,
    Dtype,
    FaultKind,
    Op,
)
from model.fills import FillBatch, execute_in_order
from model.golden import execute, find_fault, gather_b, lane_addresses, load_align
from model.kernels import Program, Store, gather_b_program, load_align_program, run
from model.masks import MaskPattern, active_lanes, create_mask, update_mask
from model.play import OUTPUTS, Pairs, Play, Played, level_pairs, levels, offered_cycles
from model.prediction import Prediction, predict, predicted_data
from model.timing import Timing, simulate
from model.unified_buffer import UnifiedBuffer
from model.values import NO_FAULT, Command, Fault, Response
from model.vectors import COMMANDS_FILE, read_case, read_commands, write_case
from model.window import NO_BLOCK, WaitingFill, Window, wanted_blocks, wanted_blocks_batch
from model.workloads import WORKLOADS, Workload

__all__ = [
    "BLOCK_BYTES",
    "COMMANDS_FILE",
    "LANES",
    "MASK_BITS",
    "NO_BLOCK",
    "NO_FAULT",
    "OUTPUTS",
    "REGISTER_BYTES",
    "SLOTS_AHEAD",
    "WORKLOADS",
    "Case",
    "CaseError",
    "Command",
    "CommandBatch",
    "Cycle",
    "CycleModel",
    "Dtype",
    "Fault",
    "FaultBatch",
    "FaultKind",
    "Fill",
    "FillBatch",
    "MaskPattern",
    "Op",
    "Pairs",
    "Play",
    "Played",
    "Prediction",
    "Program",
    "Response",
    "ResponseBatch",
    "Store",
    "Timing",
    "UnifiedBuffer",
    "WaitingFill",
    "Window",
    "Workload",
    "active_lanes",
    "active_lanes_batch",
    "bank_reads_batch",
    "conflict_degree",
    "conflict_degree_batch",
    "create_mask",
    "execute",
    "execute_batch",
    "execute_in_order",
    "find_fault",
    "find_faults_batch",
    "gather_b",
    "gather_b_program",
    "lane_addresses",
    "lane_addresses_batch",
    "level_pairs",
    "levels",
    "load_align",
    "load_align_program",
    "offered_cycles",
    "predict",
    "predicted_data",
    "read_case",
    "read_commands",
    "run",
    "simulate",
    "update_mask",
    "wanted_blocks",
    "wanted_blocks_batch",
    "write_case",
]
