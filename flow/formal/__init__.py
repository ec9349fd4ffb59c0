"""`make formal`: the proofs that the design keeps its specification, for all inputs."""
