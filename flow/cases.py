"""Cases on disk, from a user's side: which folders, for which design."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from flow.benches import Bench
from flow.errors import UserError
from model import COMMANDS_FILE, Case, CaseError, read_case


def case_folders(variable: str, text: str) -> tuple[Path, ...]:
    """The folder of a case, or those in a folder of cases, that a variable names.

    Raises:
        UserError: there is no case.
    """
    folder = Path(text)
    if not text:
        raise UserError(f"{variable}= is missing: the folder of a case, or of several")
    if (folder / COMMANDS_FILE).exists() or not folder.is_dir():
        return (folder,)
    inside = tuple(sorted(path.parent for path in folder.glob(f"*/{COMMANDS_FILE}")))
    if not inside:
        raise UserError(f"{variable}={text} has no {COMMANDS_FILE}, nor has any folder in it")
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


def common_parameters(
    folders: Sequence[Path], bench: Bench, given: Mapping[str, int]
) -> dict[str, int]:
    """The parameters with which one run can play all of the cases.

    Raises:
        UserError: a folder is no case, or two of them are for different designs.
    """
    parameters = {folder: case_parameters(folder, bench, given) for folder in folders}
    first = folders[0]
    for folder in folders:
        if parameters[folder] != parameters[first]:
            raise UserError(
                f"{first} and {folder} are for different parameters: name one, or set them all"
            )
    return parameters[first]
