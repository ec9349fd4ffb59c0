"""`make mutate`: mutants of the design, each killed by the bench's stimulus or proven equivalent."""
