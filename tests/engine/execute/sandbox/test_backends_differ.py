"""Where the backends differ: asked of both, and compared with the table in docs/sandbox.md.

`python -m tests.engine.execute.sandbox.test_backends_differ` writes that table.
"""

from pathlib import Path

import pytest

from antemill.engine.execute.sandbox.contract import CheckLimits
from antemill.engine.execute.sandbox.inside.values import plain
from antemill.engine.execute.sandbox.native.backend import NativeBackend
from antemill.engine.execute.sandbox.wasm.backend import WasmBackend
from tests.engine.execute.sandbox.backends import NATIVE

PAGE = Path(__file__).parents[4] / "docs" / "sandbox.md"
BEGIN, END = "<!-- written by tests/engine/execute/sandbox/test_backends_differ.py -->\n", "<!-- end -->\n"
# Names that the questions below use.
_NAMES = """
import array, codecs, contextlib, encodings.aliases, errno, fractions, hashlib, importlib, operator, os, struct, sys
import time

def imports(name):
    try:
        importlib.import_module(name)
    except BaseException:
        return False
    return True
def encodes(name):
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True
def nested(depth):
    class Deep:
        def __getattr__(self, name):
            return getattr(Deep(), str(int(name) - 1)) if int(name) else 0
    sys.setrecursionlimit(10_000)
    return getattr(Deep(), str(depth))
def date():
    import sqlite3
    return len(sqlite3.connect(":memory:").execute("select date('now')").fetchone())
def lock():
    import threading
    one = threading.Lock()
    return one.acquire(), one.acquire(timeout=0.01)
def released(use):
    order = []
    class Thing:
        def __init__(self, name):
            self.name = name
        def __del__(self):
            order.append(self.name)
    use(Thing)
    return " ".join(order)
def variables(make):
    a, b = make("a"), make("b")
def said(make):
    try:
        return repr(make())
    except Exception as error:
        return type(error).__name__
def raised(make):
    try:
        make()
    except Exception as error:
        return str(error)
"""
BITS = "32 bits"
HOST = "no imports from a host: the instance ends"
VERSION = "the newer Python"
FACTS = {  # what: (the question, the cause of a difference); a question about many things gives a dictionary
    "modules": ("{n: imports(n) for n in MODULES}", "not compiled in, or not kept in the snapshot"),
    "encodings": ("{n: encodes(n) for n in set(encodings.aliases.aliases.values())}", "no `bz2`"),
    "hashes": ("{n: n in hashlib.algorithms_available for n in HASHES}", "no OpenSSL"),
    "key derivation": ("{n: hasattr(hashlib, n) for n in ('pbkdf2_hmac', 'scrypt')}", "no OpenSSL"),
    "exceptions of numbers": (
        "{str(n): type(OSError(n, '')).__name__ for n in range(1, 134)}",
        "the system's own numbers of errors",
    ),
    "`errno.ENOENT`": ("str(errno.ENOENT)", "the system's own numbers of errors"),
    "what `2.0 ** 2000` raises": ("raised(lambda: 2.0 ** int('2000'))", "the C library's own numbers of errors"),
    "`sys.maxsize`": ("str(sys.maxsize)", BITS),
    "`len(range(2**31))`": ("said(lambda: len(range(2**31)))", BITS),
    "`decimal.MAX_PREC`": ("said(lambda: importlib.import_module('decimal').MAX_PREC)", BITS),
    "`hash(2**40)`": ("str(hash(2**40))", BITS),
    "`hash(Fraction(1, 3))`": ("str(hash(fractions.Fraction(1, 3)))", BITS),
    "`hash(0.1)`": ("str(hash(0.1))", BITS),
    "`random.Random(1.5).random()`": ("str(__import__('random').Random(1.5).random())", BITS),
    "`hash((1, 2))`": ("str(hash((1, 2)))", BITS),
    "bytes of formats of `struct`": (
        "{c: struct.calcsize(c) for c in 'bhilqnPfd?'}",
        "the C compiler's `long` and pointers",
    ),
    "bytes of items of `array`": ("{c: array.array(c).itemsize for c in 'bhilqfdu'}", "the C compiler's `long`"),
    "`time.tzset`": ("str(hasattr(time, 'tzset'))", "the C library knows no time zones"),
    "`os.fork`": ("str(hasattr(os, 'fork'))", "no processes"),
    "500 nested calls of `getattr`": ("said(lambda: nested(500))", ""),
    "900 nested calls of `getattr`": ("said(lambda: nested(900))", "the stack of a WebAssembly instance"),
    "the order in which a function releases `a`, `b`": ("released(variables)", VERSION),
    "the order in which a built-in function's `a`, `b` are released": (
        "released(lambda make: operator.is_(make('a'), make('b')))",
        VERSION,
    ),
    "the date in SQLite": ("said(date)", HOST),
    "a lock with a time limit": ("said(lock)", HOST),
}
# Modules of Python 3.11 to 3.14 that are asked for.
MODULES = """antigravity argparse ast asyncio base64 bdb bz2 cProfile calendar cmath cmd code codeop collections
    colorsys compileall configparser contextvars copy csv ctypes curses dataclasses datetime dbm decimal
    difflib dis doctest email enum fcntl filecmp fileinput fnmatch fractions ftplib functools getopt
    getpass gettext graphlib grp gzip hashlib heapq hmac html http imaplib inspect io ipaddress itertools
    json keyword linecache locale logging lzma mailbox math mimetypes mmap multiprocessing netrc numbers
    operator optparse pathlib pdb pickle pkgutil plistlib poplib pprint pty pwd pydoc queue quopri random
    re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil
    signal smtplib socket socketserver sqlite3 ssl statistics string struct symtable sysconfig syslog
    tarfile tempfile termios textwrap this threading timeit tkinter token tokenize tomllib trace traceback
    tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref
    webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo"""
HASHES = """blake2b blake2s md5 sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128
    shake_256 ripemd160 sha512_256 sm3"""


def _answers(backend: NativeBackend | WasmBackend) -> dict[str, object]:
    """What a backend says; what ends its instance or process is "ends"."""
    worker, found = backend.worker(), {}
    names = f"{_NAMES}\nMODULES, HASHES = {MODULES.split()}, {HASHES.split()}\n"
    try:
        for what, (question, _) in FACTS.items():
            reply = worker.call("evaluate", names.encode(), question.encode(), CheckLimits(), 30.0, 0)
            assert reply.letter in "VD", (what, reply.text)
            found[what] = plain.decode(reply.data) if reply.letter == "V" else "ends"
    finally:
        worker.close()
    return found


def _rows(native: dict[str, object], wasm: dict[str, object]) -> list[str]:
    lines = ["| What | `native` | `wasm` | Cause |", "|---|---|---|---|"]
    for what, (_, cause) in FACTS.items():
        one, other = native[what], wasm[what]
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            differ = sorted((key for key in one if one[key] != other.get(key)), key=lambda key: (len(key), key))
            if set(one.values()) | set(other.values()) == {True, False}:
                shown = [", ".join(f"`{key}`" for key in differ if side[key]) or "none" for side in (one, other)]
            else:
                shown = [", ".join(f"`{key}` {side.get(key)}" for key in differ) for side in (one, other)]
            lines.append(f"| {what}, of {len(one)} | {shown[0]} | {shown[1]} | {cause} |")
        else:
            lines.append(f"| {what} | {one} | {other} | {cause} |")
    return lines


def _table() -> str:
    return "\n".join(_rows(_answers(NativeBackend()), _answers(WasmBackend()))) + "\n"


@pytest.mark.skipif(not NATIVE, reason="there is one backend here")
def test_the_page_lists_what_differs() -> None:
    text = PAGE.read_text()
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.partition(BEGIN)[2].partition(END)[0] == _table(), "write it: see this module's first lines"


def main() -> None:
    """Write the table into the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + _table() + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
