"""The standard library of a run: what a server has imported is put aside, and a run's own imports take it from there.

So a run begins with the modules of a bare Python, and what it never imported is not taken down at its end. What else
the text of a program imports is imported before the door closes, but for what acts when it is. Whatever it imports
later, and the text of any module, is read from files that the server has open. Standard library only, since the server
imports it.
"""

import builtins
import contextlib
import fcntl
import importlib
import importlib.abc
import importlib.util
import io
import os
import re
import resource
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any

# What most programs import, and what the library itself imports late.
COMMON = """
_strptime abc argparse array ast asyncio atexit base64 bisect calendar cmath collections collections.abc
concurrent.futures concurrent.futures.thread contextlib contextvars copy csv dataclasses datetime decimal
difflib dis doctest encodings.ascii encodings.cp437 encodings.idna encodings.latin_1
encodings.raw_unicode_escape encodings.unicode_escape encodings.utf_16 encodings.utf_32 encodings.utf_8_sig enum
fnmatch fractions functools gc getpass graphlib hashlib heapq hmac html inspect io itertools json keyword
linecache locale logging math numbers operator pathlib pickle platform pprint queue random re reprlib resource
secrets shlex shutil signal sqlite3 statistics string struct tempfile textwrap threading time timeit tokenize
traceback types typing unicodedata unittest unittest.async_case urllib.parse uuid warnings weakref zlib
"""
# What most puzzles import.
FEW = """
bisect cmath collections collections.abc copy dataclasses datetime decimal enum fractions functools heapq itertools json
math numbers operator random re statistics string struct textwrap time types typing
"""
_ACTING = {"antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test", "ensurepip", "venv"}
_UNREAD = {"site-packages", "dist-packages", "__pycache__", "test", "tests", "idlelib", "ensurepip", "lib2to3"}
_EXTENSIONS = re.compile(r"(?!_test|_tkinter|_xx|xx|_ctypes_test|readline|_ssl|nis|ossaudiodev)\w+")
_BARE = {"os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc", "_sitebuiltins", "site"}
_WORDS = re.compile(
    r"\bfrom\s+([\w.]+)\s+import\s+\(?([\w\s,]+)|\bimport\s+([\w. \t,]+)|(?:__import__|import_module)\(\s*['\"]([\w.]+)"
)


class Library(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules put aside, as the first place where imports look."""

    def __init__(self, bare: set[str], kept: int) -> None:
        """kept: the lowest number of descriptors that runs keep."""
        self._bare = bare | _BARE
        self.modules: dict[str, ModuleType] = {}
        self._needs: dict[str, set[str]] = {}  # what a module has imported
        self._paths: dict[str, str] = {}  # of modules
        self._open: dict[str, int] = {}  # descriptors, by path
        self._open_all(kept)

    def _open_all(self, kept: int) -> None:
        """Open the library's files, as many as this process may."""
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096) if hard >= 0 else 4096, hard))
        base = sysconfig.get_path("stdlib")
        for where, folders, files in os.walk(base):
            folders[:] = [name for name in folders if name not in _UNREAD and name.isidentifier()]
            for name in files:
                path = os.path.join(where, name)
                if name.endswith(".py"):
                    words = os.path.relpath(path, base)[:-3].split(os.sep)
                    self._paths[".".join(words[:-1] if words[-1] == "__init__" else words)] = path
                    with contextlib.suppress(OSError), open(path, "rb", 0) as file:
                        self._open[path] = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, kept)
        original: Any = SourceFileLoader.get_data

        def get_data(loader: Any, path: str) -> bytes:
            if path not in self._open:
                return original(loader, path)  # type: ignore[no-any-return]
            return os.pread(self._open[path], 1 << 24, 0)

        self.read = get_data

    def take_in(self, names: Iterable[str]) -> None:
        """Import these modules if there are such ones, noting what each of them imports."""
        original = builtins.__import__

        def note(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            found = original(name, globals, locals, fromlist, level)
            importer = (globals or {}).get("__name__", "")
            with contextlib.suppress(ImportError, TypeError, ValueError):
                package = (globals or {}).get("__package__") or importer.rpartition(".")[0]
                full = importlib.util.resolve_name("." * level + name, package) if level else name
                self._needs.setdefault(importer, set()).update((full, *(f"{full}.{part}" for part in fromlist or ())))
            return found

        builtins.__import__ = note
        try:
            for name in names:
                with contextlib.suppress(Exception, SystemExit):
                    importlib.import_module(name)
        finally:
            builtins.__import__ = original

    def take_in_common(self, few: bool) -> None:
        """Import what most programs import, and what can not be read later: machine code; or what few puzzles need."""
        if few:
            self.take_in(FEW.split())
            return
        sys.modules["ssl"] = None  # type: ignore[assignment]  # asyncio does without; it is large
        folder = os.path.join(sysconfig.get_path("platstdlib"), "lib-dynload")
        files = os.listdir(folder) if os.path.isdir(folder) else []
        code = {name.partition(".")[0] for name in files if name.endswith(tuple(EXTENSION_SUFFIXES))}
        self.take_in([*COMMON.split(), *sorted(name for name in code if _EXTENSIONS.fullmatch(name))])
        del sys.modules["ssl"]

    def put_aside(self) -> None:
        """Leave the modules of a bare Python in `sys.modules`."""
        for name in [name for name in sys.modules if name not in self._bare]:
            self.modules[name] = sys.modules.pop(name)
        self.modules = {name: module for name, module in self.modules.items() if name.partition(".")[0] != "antemill"}
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
            setattr(SourceFileLoader, "get_data", self.read)  # noqa: B010
            # Of `linecache`, where the path of a module can be seen but not opened.
            vars(self.modules["tokenize"])["_builtin_open"] = lambda path, _: io.BytesIO(self.read(None, path))

    def missing(self, text: bytes) -> list[str]:
        """What a program's text seems to import of the library, and is not here."""
        words = set[str]()
        for where, what, plain, called in _WORDS.findall(text.decode(errors="replace")) if b"import" in text else ():
            below = what.replace(",", " ").split()
            words |= {where, called, *below, *plain.replace(",", " ").split(), *(f"{where}.{word}" for word in below)}
        return sorted(word for word in words if self._is_missing(word))

    def _is_missing(self, word: str) -> bool:
        top = word.partition(".")[0]
        if word in self.modules or word in self._bare or top.startswith("_") or "__main__" in word:
            return False
        return top in sys.stdlib_module_names - _ACTING

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: Any = None) -> ModuleSpec | None:
        """A module put aside brings those that it has imported; another one is read."""
        if name not in self.modules:
            path = self._paths.get(name, "")
            inner = [os.path.dirname(path)] if path.endswith("__init__.py") else None
            loader, made = SourceFileLoader(name, path), importlib.util.spec_from_file_location
            return made(name, path, loader=loader, submodule_search_locations=inner) if path in self._open else None
        waiting = [name]
        while waiting:
            for needed in self._needs.get(waiting.pop(), ()):
                if needed in self.modules and needed not in sys.modules and needed != name:
                    sys.modules[needed] = self.modules[needed]
                    waiting.append(needed)
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module as it is, with its own specification, which `exec_module` gives back to it."""
        module = self.modules[spec.name]
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has been executed."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state
