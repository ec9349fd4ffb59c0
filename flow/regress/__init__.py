"""`make regress`: many jobs, each with a verdict that is kept, and a report of all of them."""
