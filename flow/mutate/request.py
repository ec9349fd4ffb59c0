"""What `make mutate` is asked for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MutationRequest:
    """`jobs` batches at once; `sample` mutants in all, drawn by `seed`.

    Where `sample` is 0 they are as many of each module as the plan has, with `every` all there are.
    """

    jobs: int = 2
    sample: int = 0
    seed: int = 1
    every: bool = False
