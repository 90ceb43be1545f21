"""Functions and classes of users: "module:name" or "file.py:name", relative to the configuration's folder."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from antemill.engine.errors import UsageError


def load(text: str, home: Path, what: str, makes: str) -> Callable[..., Any]:
    """What the text names. what, makes: "script" and "a player", for errors. Raises UsageError if there is none."""
    where, _, name = text.rpartition(":")
    try:
        module = _file(home / where) if where.endswith(".py") else _module(where, home)
    except Exception as error:
        raise UsageError(f"cannot load the {what} {where} ({type(error).__name__}: {error}): correct it.") from error
    factory = getattr(module, name, None)
    if not callable(factory):
        raise UsageError(f"the {what} {where} has no function '{name}' that makes {makes}.")
    return factory  # type: ignore[no-any-return]


def _file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_antemill_script_{path.stem}", path)
    assert spec is not None  # it ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _module(name: str, home: Path) -> ModuleType:
    """A module that is installed, or lies in the configuration's folder."""
    sys.path.insert(0, str(home))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(home))
