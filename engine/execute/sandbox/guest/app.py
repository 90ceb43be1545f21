"""The guest's main module: imports the library, freezes the interpreter, offers the stages. Runs in WebAssembly only.

Judged code can import what is imported here: the snapshot is taken after this module has run, and there are no files
afterwards. Closures hold everything that a stage needs to end; the modules that connect us to the host are hidden from
judged code.
"""

import contextlib
import importlib
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import errors  # type: ignore[import-not-found]
import wit_world  # type: ignore[import-not-found]  # made by componentize-py
from origin import NUMBER, ORIGIN  # type: ignore[import-not-found]  # made by build.py

if TYPE_CHECKING:
    from antemill.engine.execute.sandbox.inside.determinism import repr_watch
    from antemill.engine.execute.sandbox.inside.stages import STAGES, Bounds, prepare
    from antemill.engine.execute.sandbox.inside.world import blinding, doors, freezing, longs, machines
else:
    from inside.determinism import repr_watch
    from inside.stages import STAGES, Bounds, prepare
    from inside.world import blinding, doors, freezing, longs, machines

_kept: list[Any] = []
PRELOAD = """_ast_unparse _strptime abc argparse array ast base64 binascii bisect bz2 calendar cmath cmd code codecs
    codeop collections collections.abc colorsys configparser contextlib contextvars copy copyreg csv dataclasses
    datetime decimal difflib dis doctest email.message encodings.ascii encodings.base64_codec encodings.cp1252
    encodings.hex_codec encodings.idna encodings.latin_1 encodings.punycode encodings.rot_13 encodings.utf_16
    encodings.utf_32 encodings.zlib_codec enum errno filecmp fnmatch fractions functools gc genericpath getopt
    glob graphlib gzip hashlib heapq hmac html html.entities html.parser imaplib importlib.util inspect io
    ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes numbers opcode
    operator optparse os os.path pathlib pickle pickletools platform plistlib posixpath pprint pstats queue
    quopri random re reprlib sched secrets selectors shelve shlex shutil signal sqlite3 stat statistics string
    string.templatelib stringprep struct symtable sysconfig tempfile textwrap threading time timeit token
    tokenize tomllib traceback types typing unicodedata unittest unittest.mock urllib.parse uuid warnings wave
    weakref xml.dom.minidom xml.etree.ElementTree zipfile zlib zoneinfo concurrent.futures asyncio"""

_FUNCTIONS = """open listdir stat lstat scandir mkdir remove unlink rename rmdir readlink getcwd chdir access
    get_terminal_size fstat device_encoding"""
_DOORS = ("os.", "socket.", "shutil.", "tempfile.", "glob.", "subprocess.")


def _block() -> None:
    while True:
        pass


def _deny(*_: object, **__: object) -> Any:
    raise PermissionError(1, "Operation not permitted")


def _audit(event: str, _: object) -> None:
    """Called before Python asks its host for anything. (The compiler, too, opens files, to show an error's line.)"""
    if event == "open" or (event.startswith(_DOORS) and event not in ("os.putenv", "os.unsetenv")):
        _deny()


def _prepare() -> freezing.Clock:
    clock = freezing.freeze(_block)
    _kept.append(errors.renumber())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in PRELOAD.split():
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    _record_slots()
    encodings = _Encodings()
    _close_doors()
    sys.meta_path.append(encodings)
    blinding.blind()
    return clock


class _Encodings:
    """Finds the encodings that are not loaded: their texts are kept in memory."""

    def __init__(self) -> None:
        import encodings
        import os
        import zlib

        self._unpack, self._compile = zlib.decompress, compile
        self._texts: dict[str, bytes] = {}
        for folder in encodings.__path__:
            for file in os.listdir(folder):
                if file.endswith(".py"):
                    with open(os.path.join(folder, file), "rb") as text:
                        self._texts[f"encodings.{file.removesuffix('.py')}"] = zlib.compress(text.read())

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self._texts else None  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        text = self._unpack(self._texts[module.__name__])
        exec(self._compile(text, f"<{module.__name__}>", "exec", dont_inherit=True), module.__dict__)


def _record_slots() -> None:
    """Leave in memory the addresses of the types whose texts are watched, of the doors, and of what shows where the
    sizes of longs are, for `slots.py`."""
    import hashlib
    import struct

    tables = {
        b"slots": [id(kind) for kind in (object, repr_watch.BARE, repr_watch.SLOT, *repr_watch.divert())],
        b"doors": [address for door in doors.made() for address in door.addresses()],
    }
    if NUMBER:
        _kept.extend(found := longs.entries())
        tables |= dict(zip((b"formats", b"arrays"), ([id(one) for one in part] for part in found), strict=True))
    for name, places in tables.items():
        head = hashlib.sha256(name).digest() + struct.pack("<I", len(places))
        _kept.append(head + struct.pack(f"<{len(places)}I", *places))


def _close_doors() -> None:
    """Make functions raise that would ask the host and so end the instance."""
    import builtins
    import io
    import os

    system: Any = os
    for module in (builtins, io):
        module.open = _deny  # type: ignore[attr-defined]
    for name in _FUNCTIONS.split():
        if hasattr(os, name):
            setattr(system, name, _deny)
    system.isatty = lambda _: False
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    kept = ("BuiltinImporter", "FrozenImporter")
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") in kept]
    sys.addaudithook(_audit)


_clock = _prepare()


_OURS = (
    *("wit_world", "componentize_py_types", "componentize_py_runtime", "componentize_py_async_support", "poll_loop"),
    *("inside", "origin", "app", "errors"),
)


def _hide() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
        del sys.modules[name]


class WitWorld(wit_world.WitWorld):  # type: ignore[misc]
    """The exports."""

    def stage(
        self, name: str, first: bytes, second: bytes, answers: list[bytes], output: int, value: int, seconds: float
    ) -> bytes:
        _hide()
        machines.surround(NUMBER)  # the runtime sets them back when an instance starts
        _clock.patience = seconds
        return STAGES[name](first, second, answers, Bounds(output, value, seconds))

    def origin(self) -> str:
        return str(ORIGIN)


machines.settle(NUMBER, prepare)
