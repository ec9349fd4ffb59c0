"""`python -m flow`: see `flow.cli`."""

import sys

from flow.cli import main

sys.exit(main(sys.argv[1:]))
