"""The standard library of a run: what a server has imported is put aside, and a run's own imports take it from there.

So a run begins with the modules of a bare Python, and what it never imported is not taken down at its end. What else
the text of a program imports is imported before the door closes; only the library is, and nothing that acts when it is.
Standard library only, since the server imports it.
"""

import builtins
import contextlib
import importlib
import importlib.abc
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
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
_ACTING = {"antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test", "ensurepip", "venv", "site"}
_PRINTING = ("this",)  # when they are imported
_BARE = {"os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc", "_sitebuiltins"}
_LATE = {  # what modules import when they are called, by a part of the program's text
    **{b"tarfile": "gzip bz2 lzma", b"make_archive": "zipfile tarfile gzip bz2 lzma", b"help(": "pydoc"},
    **{b"email.m": "email.generator email.policy", b"ProcessPoolExecutor": "concurrent.futures.process"},
    **{b"xml.dom": "xml.dom.expatbuilder", b"xml.sax": "xml.sax.expatreader"},
}
_WORDS = re.compile(
    r"\bfrom\s+([\w.]+)\s+import\s+\(?([\w\s,]+)|\bimport\s+([\w. \t,]+)|(?:__import__|import_module)\(\s*['\"]([\w.]+)"
    r"|['\"]([\w-]+)['\"]"
)


class Library(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules put aside, as the first place where imports look."""

    def __init__(self, bare: set[str]) -> None:
        self._bare = bare | _BARE
        self.modules: dict[str, ModuleType] = {}
        self._needs: dict[str, set[str]] = {}  # what a module has imported
        self._aliases: dict[str, str] = importlib.import_module("encodings.aliases").aliases
        self._encodings = {one.name for one in pkgutil.iter_modules(importlib.import_module("encodings").__path__)}
        self._codes = {name: _code(name) for name in _PRINTING}

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

    def take_in_common(self) -> None:
        """Import what most programs import."""
        sys.modules["ssl"] = None  # type: ignore[assignment]  # asyncio does without; it is large
        self.take_in(COMMON.split())
        del sys.modules["ssl"]

    def put_aside(self) -> None:
        """Leave the modules of a bare Python in `sys.modules`."""
        for name in [name for name in sys.modules if name not in self._bare]:
            self.modules[name] = sys.modules.pop(name)
        self.modules = {name: module for name, module in self.modules.items() if name.partition(".")[0] != "antemill"}
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def missing(self, text: bytes) -> list[str]:
        """What a program's text seems to import of the library, or to encode with, and is not here."""
        words = set[str]()
        for *imports, encoding in _WORDS.findall(text.decode(errors="replace")):
            where, what, plain, called = imports
            words |= {where, called, *_split(what), *_split(plain), *(f"{where}.{word}" for word in _split(what))}
            name = encoding.lower().replace("-", "_")
            words.add(f"encodings.{self._aliases.get(name, name)}")
        words |= {late for part, names in _LATE.items() if part in text for late in names.split()}
        return sorted(word for word in words if self._is_missing(word))

    def _is_missing(self, word: str) -> bool:
        top, _, below = word.partition(".")
        if word in self.modules or word in self._bare or top.startswith("_") or "__main__" in word:
            return False
        return below in self._encodings if top == "encodings" else top in sys.stdlib_module_names - _ACTING

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: Any = None) -> ModuleSpec | None:
        """A module put aside brings those that it has imported."""
        if name in self._codes:
            return importlib.util.spec_from_loader(name, self)
        if name not in self.modules:
            return None
        waiting = [name]
        while waiting:
            for needed in self._needs.get(waiting.pop(), ()):
                if needed in self.modules and needed not in sys.modules and needed != name:
                    sys.modules[needed] = self.modules[needed]
                    waiting.append(needed)
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module as it is, with its own specification, which `exec_module` gives back to it."""
        if spec.name in self._codes:
            return None
        module = self.modules[spec.name]
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has been executed, unless it prints."""
        if module.__name__ in self._codes:
            exec(self._codes[module.__name__], module.__dict__)
            return
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def _code(name: str) -> Any:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    return spec.loader.get_code(name)  # type: ignore[union-attr]


def _split(text: str) -> list[str]:
    return text.replace(",", " ").split()
