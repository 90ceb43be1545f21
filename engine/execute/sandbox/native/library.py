"""The standard library in memory, from which a process imports it although it cannot open files.

Common modules, and all modules written in C, are imported before the fork. The others are kept as the bytes of their
compiled files, in a read-only mapping that forks do not copy, and are imported from there. Modules that make no sense
in a fork or would help an attack are omitted (ctypes, tkinter, the tests, package installation).
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import marshal
import mmap
import os
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import IO, NamedTuple

from antemill.engine.execute.sandbox.inside.world.blinding import blind

PRELOAD = [
    "_strptime",
    "abc",
    "array",
    "asyncio",  # before `_asyncio`, which would load half of it
    "ast",
    "base64",
    "bisect",
    "binascii",
    "calendar",
    "cmath",
    "collections",
    "collections.abc",
    "colorsys",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "gc",
    "graphlib",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "inspect",
    "io",
    "itertools",
    "json",
    "keyword",
    "math",
    "numbers",
    "operator",
    "pickle",
    "pprint",
    "queue",
    "random",
    "re",
    "reprlib",
    "secrets",
    "shlex",
    "statistics",
    "string",
    "struct",
    "sys",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "urllib.parse",
    "uuid",
    "weakref",
    "zlib",
    "zoneinfo",
    "encodings.ascii",
    "encodings.base64_codec",
    "encodings.cp1252",
    "encodings.hex_codec",
    "encodings.idna",
    "encodings.latin_1",
    "encodings.punycode",
    "encodings.rot_13",
    "encodings.utf_16",
    "encodings.utf_32",
]
_WITHOUT = {  # folders
    *("__pycache__", "config", "ctypes", "curses", "ensurepip", "idlelib", "lib-dynload", "lib2to3", "pydoc_data"),
    *("site-packages", "test", "tests", "tkinter", "turtledemo", "venv", "distutils", "multiprocessing"),
}
_WITHOUT_C = (
    "_ctypes",
    "_test",
    "_xx",
    "xx",
    "_interp",
    "_tkinter",
    "_curses",
    "_dbm",
    "_gdbm",
    "readline",
    "nis",
    "_multiproc",
)
FOOTHOLDS = (
    *(
        "ctypes",
        "ctypes._endian",
        "_ctypes",
        "_multiprocessing",
        "_posixshmem",
        "_posixsubprocess",
        "_xxsubinterpreters",
    ),
    *("_xxinterpchannels", "_interpreters", "_interpchannels", "_interpqueues"),
)
_PYC_HEADER = 16  # bytes


class _Stored(NamedTuple):
    start: int
    end: int
    is_package: bool
    compiled: bool


class Library:
    """Finds and loads the modules of the standard library from memory."""

    def __init__(self) -> None:
        with open(os.memfd_create("library"), "wb") as store:
            self._modules = dict(_modules(sysconfig.get_path("stdlib"), store))
            store.flush()
            # Opened a second time, for reading: this mapping cannot be made writable.
            with open(f"/proc/self/fd/{store.fileno()}", "rb") as readable:
                self._data = mmap.mmap(readable.fileno(), 0, access=mmap.ACCESS_READ)

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = self._modules.get(fullname)
        return found and ModuleSpec(fullname, self, is_package=found.is_package)  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        found = self._modules[name]
        data = self._data[found.start : found.end]
        code = marshal.loads(data) if found.compiled else compile(data, f"<{name}>", "exec", 0, True)
        exec(code, module.__dict__)


def _modules(root: str, store: IO[bytes]) -> Iterator[tuple[str, _Stored]]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not {name, name.partition("-")[0]} & _WITHOUT]
        package = [] if folder == root else os.path.relpath(folder, root).split(os.sep)
        for file in files:
            stem, extension = os.path.splitext(file)
            name = ".".join(package if stem == "__init__" else [*package, stem])
            if extension == ".py" and name:
                start = store.tell()
                data, compiled = _code(os.path.join(folder, file))
                store.write(data)
                yield name, _Stored(start, store.tell(), stem == "__init__", compiled)


def _code(source: str) -> tuple[bytes, bool]:
    """A module's compiled code and True, or its source and False if there is no up-to-date compiled file."""
    with contextlib.suppress(OSError), open(importlib.util.cache_from_source(source), "rb") as file:
        data = file.read()
        stamp = bytes(4) + (int(os.stat(source).st_mtime) & 0xFFFFFFFF).to_bytes(4, "little")
        if data[:12] == importlib.util.MAGIC_NUMBER + stamp:
            return data[_PYC_HEADER:], True
    with open(source, "rb") as file:
        return file.read(), False


def take_in() -> Library:
    """Import the modules that forks need loaded. Returns the finder of the other modules, for `close`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in [*PRELOAD, *_extensions()]:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    return Library()


def _extensions() -> list[str]:
    """The modules written in C that are files."""
    folder = os.path.join(sysconfig.get_path("platstdlib"), "lib-dynload")
    names = sorted({name.partition(".")[0] for name in os.listdir(folder)}) if os.path.isdir(folder) else []
    return [name for name in names if not name.startswith(_WITHOUT_C)]


def close(library: Library, own: str) -> None:
    """Make imports come from memory. Removes the modules of the package `own`, the footholds and references to them."""
    blind((*FOOTHOLDS, *(f"{own}.engine.execute.sandbox.native.{name}" for name in ("confine", "vdso", "slots"))))
    for name in [name for name in sys.modules if name.partition(".")[0] in (own, *FOOTHOLDS)]:
        del sys.modules[name]
    for name in FOOTHOLDS:
        sys.modules[name] = None  # type: ignore[assignment]
    sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, library]
    sys.path[:] = []
    sys.path_hooks[:] = []
    sys.path_importer_cache.clear()
