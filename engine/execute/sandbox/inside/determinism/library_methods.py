"""Methods of the library's classes that ask the machine, noticed where they are called (S3).

A program may use the class all the same: what else it does depends on its arguments only.
"""

import ast
import functools
import importlib
from collections.abc import Callable
from typing import Any

Note = Callable[[str], None]


def watch(note: Note) -> None:
    """Let these methods call `note`, in this interpreter and for good."""
    pathlib: Any = importlib.import_module("pathlib")
    path, pure = pathlib.Path, set(dir(pathlib.PurePath))
    _watch(path, [name for name in dir(path) if name not in pure], note, "it uses files")
    logging: Any = importlib.import_module("logging")
    formatter = logging.Formatter
    _watch(logging.FileHandler, ["__init__"], note, "it uses files")
    _watch(formatter, ["formatException", "formatStack"], note, "it logs a traceback: it shows names of files")
    _watch(formatter, ["formatTime"], note, "it logs the time")
    if "__repr__" in vars(ast.AST):  # from Python 3.14 on, in place of an address
        _watch(ast.AST, ["__repr__"], note, "it shows a syntax tree, whose text differs between versions")


def _watch(kind: type, names: list[str], note: Note, reason: str) -> None:
    for name in names:
        base = next(one for one in kind.__mro__ if name in vars(one))
        found = vars(base)[name]
        if isinstance(found, classmethod):
            setattr(kind, name, classmethod(_noting(found.__func__, note, reason)))
        elif isinstance(found, property):
            setattr(kind, name, property(_noting(found.fget, note, reason)))
        elif callable(found):
            setattr(kind, name, _noting(found, note, reason))


def _noting(method: Any, note: Note, reason: str) -> Any:
    @functools.wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        note(reason)
        return method(*given, **named)

    del call.__wrapped__
    return call
