"""The one exception that is shown to the user as a line instead of a traceback."""


class UserError(Exception):
    """Says what was wrong, where, and what is possible or to be done next."""
