"""Errors that a user can correct.

    AntemillError          one sentence: the problem, and what to do. The command line prints it and exits with 2.
    ├── UsageError         an argument or a configuration file is wrong
    ├── SpecError          a game's rules are not legal
    ├── StorageError       a file cannot be read or written
    └── ExecutionError     jobs cannot be run, or one of them failed

Any other exception is a bug in this program, and keeps its traceback.
"""


class AntemillError(Exception):
    """Base class of these errors. `str(error)` is one sentence for the user."""


class UsageError(AntemillError):
    """An argument or a configuration file is wrong."""


class SpecError(AntemillError):
    """A game's rules are not legal."""


class StorageError(AntemillError):
    """A file cannot be read or written."""


class ExecutionError(AntemillError):
    """Jobs cannot be run, or one of them failed."""
