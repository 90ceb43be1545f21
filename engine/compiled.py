"""The rules as machine code: the modules that draw games and compile them, where somebody has made it of them.

They are plain Python. `python -m engine.execute.compiling` makes modules of machine code of them with mypyc, which run
in half of the time and do the same. Nobody has to, and nothing stale ever runs:

- The machine code is not beside the sources, but in a folder of the cache (`engine.cache_root`) whose name is a digest
  of the bytes of these sources and of all of ours that they import, of the script that compiles them, of Python's
  version and of the platform. When the first of these modules is imported, the name is computed anew. If there is no
  such folder, because a source was edited for instance, all of them are plain Python.
- A folder gets this name when everything in it is complete.
- Machine code that can not be loaded is taken for none, and so is what another user may have put there.

What asks for sources goes on to read them (`engine.digests`), so digests do not depend on what runs.

Plain Python all the same: with `ANTEMILL_INTERPRETED=1` in the environment, and where a debugger or a measurement of
coverage follows the process, which sees nothing of machine code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

TOP = Path(__file__).resolve().parent.parent
GROUP = "antemill"
LIBRARY = f"{GROUP}__mypyc"  # the module that has the machine code of all others, as mypyc names it
SUFFIX = EXTENSION_SUFFIXES[0]
LIBRARY_FILE = LIBRARY + SUFFIX
BUILD = "engine/execute/mypyc_build.py"  # what compiles

_COMPILED = ("engine/builder/*.py", "engine/compiler/*.py", "engine/rules/walk.py", "engine/rules/constructs.py")
# The doors to them stay plain Python: their functions have signatures and sources that can be looked at, and take what
# Python takes. So does `caps`, whose objects are sent between processes, some of which may be interpreted.
_PLAIN = ("generate.py", "resolve.py", "compile.py", "caps.py", "__init__.py")
# What else the digest is of: all of ours that the compiled modules import. The maker compares.
_IMPORTED = (
    "engine/builder/caps.py",
    "engine/errors.py",
    "engine/machine/events.py",
    "engine/machine/layout.py",
    "engine/machine/opcodes.py",
    "engine/machine/program.py",
    "engine/rules/limits.py",
    "engine/rules/spec/*.py",
    "engine/seeding.py",
    BUILD,
)
_PREFIXES = ("engine.builder.", "engine.compiler.", "engine.rules.")


def install() -> None:
    """Let imports find the machine code from here on."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def in_use() -> bool:
    """Whether the rules are machine code in this process; loads it if it is there and nobody has asked before."""
    return _loaded() is not None


def compiled_sources(top: Path = TOP) -> list[str]:
    """The sources of the modules that are compiled, by their paths below `top`, where our packages are."""
    found = [path for pattern in _COMPILED for path in top.glob(pattern) if path.name not in _PLAIN]
    return sorted(str(path.relative_to(top)) for path in found)


def read_sources(top: Path = TOP) -> list[str]:
    """Those, and all of ours that they are made with, by their paths below `top`."""
    imported = {str(path.relative_to(top)) for pattern in _IMPORTED for path in top.glob(pattern)}
    return sorted(imported.union(compiled_sources(top)))


def folder(top: Path = TOP) -> Path:
    """Where the machine code of the sources as they are now is, or would be. Raises OSError, or RuntimeError."""
    from hashlib import blake2b  # here, for many programs import none of these modules

    from engine.cache_root import preferred_root

    python = (sys.version, SUFFIX, os.uname().machine)
    digest = blake2b(repr(python).encode(), digest_size=16)
    for path in read_sources(top):
        content = top.joinpath(path).read_bytes()
        digest.update(f"{path} {len(content)}\0".encode() + content)
    return preferred_root() / f"compiled-{digest.hexdigest()}"


class _Finder:
    """Finds the machine code of modules; `sys.meta_path` asks it before it looks for sources."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == LIBRARY:
            return spec_from_file_location(name, _library())
        there = _loaded() if name.startswith(_PREFIXES) else None
        if there is None:
            return None
        file = there / (name.replace(".", "/") + SUFFIX)
        return spec_from_file_location(name, file) if file.is_file() else None


@cache
def _loaded() -> Path | None:
    """The folder of the machine code, its library being loaded; None if there is none that can be used."""
    if os.environ.get("ANTEMILL_INTERPRETED") == "1" or _followed():
        return None
    from engine.cache_root import trusted  # here, as in `folder`

    try:
        library = _library()
        if not library.is_file() or not all(map(trusted, library.parents[:2])):  # its folder, and the cache's root
            return None
        import_module(LIBRARY)  # once, whichever threads import the rules at the same time
    except (OSError, RuntimeError, ImportError):  # RuntimeError: there is no home directory
        return None
    with suppress(OSError):  # it may be somebody else's
        os.utime(library.parent)
    return library.parent


@cache
def _library() -> Path:
    return folder() / LIBRARY_FILE


def _followed() -> bool:
    """Whether a debugger or a measurement of coverage follows this process."""
    tools: Any = getattr(sys, "monitoring", None)  # Python 3.12
    if tools is not None and any(map(tools.get_tool, (tools.DEBUGGER_ID, tools.COVERAGE_ID))):
        return True
    return sys.gettrace() is not None
