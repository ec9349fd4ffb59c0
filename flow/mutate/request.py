"""What `make mutate` is asked for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MutationRequest:
    """`jobs` batches at once; `sample` mutants in all, drawn by `seed`, or every one where it is 0."""

    jobs: int = 2
    sample: int = 0
    seed: int = 1
