"""What a program prints: the truth is what CPython prints, and what varies between its own runs is refused (S3, D8).

`data/style_programs.txt`, `many_programs.txt`, `module_programs.txt` and `honest_programs.txt` have programs in many
styles; a title that ends with " !" means that the output varies. The output of those of `depending_programs.txt` always
does.
"""

import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import CheckLimits, OutputCheck, Sandbox, make_sandbox
from antemill.engine.execute.sandbox.conditions import ROWS, Row
from antemill.engine.execute.sandbox.judge import conduct
from antemill.engine.execute.sandbox.process import Worker
from tests.engine.execute.sandbox.backends import NATIVE, programs, verdicts
from tests.seeds import size

DATA = Path(__file__).parents[3] / "data"
pytestmark = pytest.mark.skipif(not NATIVE, reason="the sandbox is Linux's")


def blocks(name: str) -> dict[str, str]:
    """The programs of a file by title, without what they print."""
    parts = (part.partition("\n") for part in (DATA / f"{name}_programs.txt").read_text("utf-8").split("### ")[1:])
    return {title: text.split("\n--- prints\n")[0] for title, _, text in parts}


HONEST = {title: text for name in ("style", "many", "module", "honest") for title, text in blocks(name).items()}
DEPENDING = blocks("depending")


def unguarded(program: str, folder: Path) -> str:
    """What this Python prints without the sandbox, in a new folder."""
    path, home = folder / "main.py", tempfile.mkdtemp(dir=folder)
    path.write_text(program, "utf-8")
    command = [sys.executable, "-I", str(path)]
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin"}
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, cwd=home, env=environment, timeout=60, check=False
    ).stdout.decode("utf-8", "replace")


def test_there_are_enough_programs() -> None:
    assert len(HONEST) >= 400
    assert len(DEPENDING) >= 90


def test_honest_programs_print_what_they_print_without_the_sandbox(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each twelfth, and all of them in `make test-all`."""
    chosen = dict(list(HONEST.items())[:: size(12, 1)])
    found = programs(sandbox, chosen)
    varying = {title for title in chosen if title.endswith(" !")}
    assert {title for title, verdict in found.items() if verdict.verdict == "refused"} == varying
    assert {title: found[title].detail for title in found.keys() - varying if found[title].verdict != "true"} == {}
    for title in found.keys() - varying:
        assert found[title].stdout == unguarded(chosen[title], tmp_path), title


def test_what_varies_is_refused(sandbox: Sandbox) -> None:
    """Five addresses may agree in the few bits that a program prints: then other servers do not agree."""
    chosen = dict(list(DEPENDING.items())[:: size(4, 1)])
    found = programs(sandbox, chosen)
    for _ in range(3):
        agreed = {title: chosen[title] for title, verdict in found.items() if verdict.verdict != "refused"}
        if agreed:
            with make_sandbox(1) as others:
                found |= programs(others, agreed)
    assert {title: verdict for title, verdict in found.items() if verdict.verdict != "refused"} == {}
    assert {verdict.detail.partition(":")[0] for verdict in found.values()} <= {
        "two runs print different lines",
        "it prints an address, which differs from run to run",
        "one run ends, and another one, as elsewhere, fails",
    }


# ------------------------------------------------------------------------------------------------ the rows

# For each column of the table a program whose output hangs on it alone.
SHOWING = {
    "hash_seed": "print(hash('a') % 1000, list({'a', 'b', 'c', 'd'}))",
    "zone": "import time\nprint(time.tzname, time.localtime(0).tm_hour)",
    "locale": "import locale, os\nprint(locale.setlocale(locale.LC_ALL, None), os.environ['LANG'])",
    "columns": "import shutil\nprint(shutil.get_terminal_size())",
    "script": "import sys\nprint(sys.argv)",
    "home": "import os, getpass\nprint(os.getcwd(), getpass.getuser(), os.uname().nodename)",
    "process": "import os\nprint(os.getpid(), os.getppid())",
    "deeper": "import sys\nprint(sys.getrecursionlimit())",
    "padding": "print(len(object.__subclasses__()))",
    "malloc": "import os\nprint('PYTHONMALLOC' in os.environ)",
    "start": "import datetime, time\nprint(datetime.date.today(), time.time_ns() > 10**18 * 1.8)",
    "running": "import time\nprint(time.monotonic() // 100)",
    "step": "import time\na = time.perf_counter_ns()\nprint(time.perf_counter_ns() - a)",
    "seed": "import random\nprint(random.random())",
    "noise": "import secrets, uuid\nprint(secrets.token_hex(2), uuid.uuid4())",
    "processors": "import os\nprint(os.cpu_count())",
}


def test_every_column_has_a_program_that_shows_it() -> None:
    assert {field.name for field in fields(Row)} == SHOWING.keys()


@pytest.mark.parametrize("column", SHOWING)
def test_every_column_differs_and_is_seen(sandbox: Sandbox, column: str) -> None:
    assert len({getattr(row, column) for row in ROWS}) > 1
    (verdict,) = verdicts(sandbox, OutputCheck(SHOWING[column]))
    assert verdict.verdict == "refused", verdict


def test_the_limit_of_recursion_is_only_raised(sandbox: Sandbox) -> None:
    """A program that needs the 1,000 of a bare Python has them in each row."""
    deep = "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\nprint(f(990))"
    endless = "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    print('deep')"
    assert [one.stdout for one in programs(sandbox, {"a": deep, "b": endless}).values()] == ["990\n", "deep\n"]
    assert min(row.deeper for row in ROWS) > 0


def test_the_first_difference_ends_the_check(sandbox: Sandbox) -> None:
    """A verdict shows the two lines, from shortly before they part."""
    (verdict,) = verdicts(sandbox, OutputCheck("import sys\nprint('same')\nprint('x' * 200, sys.argv[0])"))
    assert verdict.verdict == "refused"
    assert verdict.detail.endswith("xxx main.py' and 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx program.py'")
    worker = Worker()
    assert conduct(worker, OutputCheck("import sys\nprint(sys.argv)")).verdict == "refused"
    assert len(worker.pids()) == 2, "two runs, and no third one"
    worker.close()


CLOCKS = """
import asyncio, datetime, queue, threading, time
a, b, c = time.time(), time.monotonic(), datetime.datetime.now()
time.sleep(0.2)
print(round(time.time() - a, 1), round(time.monotonic() - b, 1), (datetime.datetime.now() - c).seconds)
a = time.perf_counter()
print(threading.Event().wait(0.1), round(time.perf_counter() - a, 1))
a = time.time()
asyncio.run(asyncio.sleep(0.1))
print(round(time.time() - a, 1), time.process_time() < 1, time.time() > a)
try:
    queue.Queue().get(timeout=0.1)
except queue.Empty:
    print('empty')
a, waiting = time.time(), threading.Thread(target=time.sleep, args=(0.4,))
waiting.start()
waiting.join(0.1)
print(round(time.time() - a, 1), waiting.is_alive())
waiting.join()
print(waiting.is_alive())
"""


def test_the_given_clock_goes_on_while_a_program_waits(sandbox: Sandbox) -> None:
    (verdict,) = verdicts(sandbox, OutputCheck(CLOCKS))
    assert verdict.stdout == "0.2 0.2 0\nFalse 0.1\n0.1 True True\nempty\n0.1 True\nFalse\n", verdict


SORT = """
import threading, time
def late(n):
    time.sleep(n / 2)
    print(n)
threads = [threading.Thread(target=late, args=(n,)) for n in (3, 1, 2)]
[t.start() for t in threads]
[t.join(timeout=5) for t in threads]
"""


def test_threads_wait_in_real_time() -> None:
    worker = Worker()
    assert worker.run(0, "run", [SORT.encode()], b"", 9.0, 256 << 20, 1 << 20, 1 << 16).output == b"1\n2\n3\n"
    worker.close()


def test_files_are_as_old_as_the_given_clock(sandbox: Sandbox) -> None:
    """By whatever call: new ones have the date of the run's beginning, and others the one that the program sets."""
    program = """
import os, time
open('a', 'w').close()
new, now = os.stat('a').st_mtime, time.time_ns()
print(0 < now - new * 10**9 < 6e10, os.path.getctime('.') == new, [e.stat().st_mtime == new for e in os.scandir('.')])
os.utime('a', (5, 6.5))
print(os.stat('a').st_mtime, os.path.getatime('a'), os.stat('a').st_ctime == new, os.fstat(0).st_mtime == new)
os.utime('a')
print(now < os.stat('a').st_mtime_ns <= time.time_ns())
"""
    (verdict,) = verdicts(sandbox, OutputCheck(program))
    assert verdict.stdout == "True True [True]\n6.5 5.0 True True\nTrue\n", verdict
    (verdict,) = verdicts(sandbox, OutputCheck("import os\nprint(os.stat('.').st_mtime)"))
    assert "'1764779866.6909618' and '1798656238.4026413'" in verdict.detail


@pytest.mark.parametrize("number", [0, 1])
def test_time_chance_and_hashes_are_the_same_in_every_run_of_a_row(number: int) -> None:
    program = "import datetime, os, random, secrets, tempfile, time, uuid\n" + "\n".join(
        f"print({what})"
        for what in (
            "random.random(), random.Random().random(), random.SystemRandom().random(), os.urandom(4), uuid.uuid4()",
            "secrets.token_hex(4), time.time(), time.monotonic(), time.perf_counter_ns(), datetime.datetime.now()",
            "uuid.uuid1(), hash('a'), list({'a', 'b', 'c'}), os.getpid(), tempfile.mkstemp()[1]",
        )
    )
    said = set()
    for _ in range(2):
        worker = Worker()
        for _ in range(2):
            said.add(worker.run(number, "run", [program.encode()], b"", 5.0, 256 << 20, 1 << 20, 1 << 16).output)
        worker.close()
    assert len(said) == 1
    assert said.pop().count(b"\n") == 3


# ------------------------------------------------------------------------------------------------ what a run has

PRINTS = {
    "input()": ("try:\n    print(input())\nexcept EOFError:\n    print('end')", "end\n"),
    "sys.stdin": ("import sys\nprint(repr(sys.stdin.read()))", "''\n"),
    "exit": ("print(1)\nexit()\nprint(2)", "1\n"),
    "a code": ("import sys\nprint(1)\nsys.exit(3)", "1\n"),
    "a message": ("print(1)\nraise SystemExit('bye')", "1\n"),
    "os._exit": ("import os\nprint(1, flush=True)\nos._exit(0)", "1\n"),
    "the end": (
        "import atexit\natexit.register(print, 'bye')\nclass A:\n    def __del__(self): print('del')\na = A()\n"
        "def g():\n    try:\n        yield\n    finally:\n        print('g')\nx = g()\nnext(x)\nprint('end')",
        "end\nbye\ndel\ng\n",
    ),
    "a daemon": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\nprint(1)",
        "1\n",
    ),
    "a file": ("open('a', 'w').write('x')\nimport os\nprint(os.listdir(), open('a').read())", "['a'] x\n"),
    "an empty folder": ("import os\nprint(os.listdir('.'))", "[]\n"),
    "tempfile": (
        "import tempfile\nwith tempfile.TemporaryFile('w+') as f:\n    f.write('a')\n    f.seek(0)\n    print(*f)",
        "a\n",
    ),
    "a temporary folder": (
        "import os, tempfile\nwith tempfile.TemporaryDirectory() as d:\n    open(d + '/x', 'w').close()\n"
        "    print(os.listdir(d))\nprint(os.path.exists(d))",
        "['x']\nFalse\n",
    ),
    "sqlite in a file": (
        "import sqlite3\nc = sqlite3.connect('a.db')\nc.execute('create table t (a)')\n"
        "c.execute('insert into t values (1)')\nc.commit()\nprint(*sqlite3.connect('a.db').execute('select a from t'))",
        "(1,)\n",
    ),
    "threads": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as e:\n    print(*e.map(abs, range(-3, 3)))",
        "3 2 1 0 1 2\n",
    ),
    "forty threads": (
        "import threading\nb = threading.Barrier(41)\n"
        "[threading.Thread(target=b.wait).start() for _ in range(40)]\nb.wait()\nprint('all')",
        "all\n",
    ),
    "asyncio": ("import asyncio\nasync def f():\n    print(await asyncio.to_thread(abs, -3))\nasyncio.run(f())", "3\n"),
    "doctest": (
        "def f():\n    '''\n    >>> 1 + 1\n    2\n    '''\nimport doctest\nprint(doctest.testmod())",
        "TestResults(failed=0, attempted=1)\n",
    ),
    "its own source": ("import inspect\ndef f(): return 1\nprint(inspect.getsource(f))", "def f(): return 1\n\n"),
    "a limit": ("import resource\nresource.setrlimit(resource.RLIMIT_STACK, (-1, -1))\nprint('ok')", "ok\n"),
    "a module by its name": ("import importlib\nprint(importlib.import_module('wave').__name__)", "wave\n"),
    "a submodule": ("from xml.etree import ElementTree as E\nprint(E.fromstring('<a/>').tag)", "a\n"),
    "modules that import late": (
        "from xml.dom import minidom\nprint(minidom.parseString('<a/>').documentElement.toxml())\n"
        "import io, tarfile\nprint(tarfile.open(fileobj=io.BytesIO(), mode='w:gz').getnames())\n"
        "from email.mime.text import MIMEText\nprint(MIMEText('a')['MIME-Version'], MIMEText('a').as_string()[-1])",
        "<a/>\n[]\n1.0 a\n",
    ),
    "garbage of its own": (
        "import gc\nclass A: pass\na = A()\na.a = a\ndel a\nprint(gc.collect(), gc.collect())",
        "1 0\n",
    ),
    "an error stream of its own": ("import os, stat\nprint(stat.S_ISREG(os.fstat(2).st_mode))", "True\n"),
    "an encoding": ("print('é'.encode('cp850'), b'a'.decode('utf-16-le', 'replace'))", "b'\\x82' \ufffd\n"),
    "a module that prints": ("import this", None),
    "no foreign package": (
        "try:\n    import numpy\nexcept ImportError as e:\n    print(e)",
        "No module named 'numpy'\n",
    ),
    "modules of a bare Python": (
        "import sys\nprint('json' in sys.modules, [m for m in sys.modules if 'antemill' in m])\n"
        "import json\nprint('json' in sys.modules, json.__spec__.name, json.dumps([1]))",
        "False []\nTrue json [1]\n",
    ),
}


def test_a_run_has_what_a_program_has(sandbox: Sandbox) -> None:
    found = programs(sandbox, {name: program for name, (program, _) in PRINTS.items()})
    assert {name: (one.verdict, one.detail) for name, one in found.items() if one.verdict != "true"} == {}
    wanted = {name: printed for name, (_, printed) in PRINTS.items() if printed is not None}
    assert {name: found[name].stdout for name in wanted} == wanted
    assert (found["a module that prints"].stdout or "").startswith("The Zen of Python")


ERRORS = {
    "an exception": ("1 / 0", "the program fails: ZeroDivisionError: division by zero"),
    "no program": ("print(", "the program can not be read: SyntaxError: '(' was never closed (main.py, line 1)"),
    "an interruption": ("raise KeyboardInterrupt", "the program fails: KeyboardInterrupt"),
    "too much": ("print('x' * 70_000)", "it prints more than 65536 bytes"),
    "a flood": ("while True: print('x' * 70_000)", "it prints more than 65536 bytes"),
    "memory": (
        "x = bytearray(300 << 20)",
        "the program fails: MemoryError (the limit is 256 MiB, none of it executable)",
    ),
    "a callback of ctypes": (
        "import ctypes\nctypes.CFUNCTYPE(ctypes.c_int)(lambda: 5)",
        "the program fails: MemoryError (the limit is 256 MiB, none of it executable)",
    ),
    "threads": (
        "import threading, time\nfor _ in range(230): threading.Thread(target=time.sleep, args=(3,)).start()",
        "it has more than 200 threads",
    ),
    "a crash": ("import ctypes\nctypes.string_at(0)", "its process was ended by SIGSEGV"),
    "no text": ("import os\nos.write(1, b'\\xff')", "what it prints is not text in UTF-8"),
    "many files": ("for n in range(10**9): open(str(n), 'w').close()", "it fills its scratch folder"),
    "a large file": ("open('a', 'wb').write(bytes(5 << 20))", "the program fails: OSError: [Errno 27] File too large"),
    "large files": (
        "import time\nfor n in range(4): open(str(n), 'wb').write(bytes(3 << 20))\ntime.sleep(3)",
        "it fills its scratch folder",
    ),
    "folders too deep for a path": (
        "import os, time\nfor _ in range(17):\n    os.mkdir('d' * 250)\n    os.chdir('d' * 250)\n"
        "for n in range(4): open(str(n), 'wb').write(bytes(3 << 20))\ntime.sleep(3)",
        "it fills its scratch folder",
    ),
    "deep folders": ("import os\nwhile True:\n    os.mkdir('d')\n    os.chdir('d')", "it fills its scratch folder"),
}


def test_what_exceeds_a_limit_is_an_error_of_the_program(sandbox: Sandbox) -> None:
    found = programs(sandbox, {name: program for name, (program, _) in ERRORS.items()})
    assert {name: one.verdict for name, one in found.items() if one.verdict != "error"} == {}
    assert {name: one.detail for name, one in found.items()} == {name: said for name, (_, said) in ERRORS.items()}


def test_an_address_is_refused_though_it_is_the_same_in_all_runs(sandbox: Sandbox) -> None:
    (verdict,) = verdicts(sandbox, OutputCheck("print('<thing at 0x1234>')"))
    assert (verdict.verdict, verdict.detail) == ("refused", "it prints an address, which differs from run to run")


def test_a_run_that_takes_too_long(sandbox: Sandbox) -> None:
    limits = CheckLimits(seconds=0.5)
    sleeps = "import time\ntime.sleep(9)"
    endless = "import os\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass"
    found = verdicts(sandbox, OutputCheck(sleeps, None, limits), OutputCheck(endless, None, limits))
    assert [one.verdict for one in found] == ["timeout", "timeout"]


def test_standard_input_is_the_same_in_every_run(sandbox: Sandbox) -> None:
    reads = "import sys\nprint(input(), sys.stdin.readline(), repr(sys.stdin.read()), end='')"
    found = verdicts(sandbox, OutputCheck(reads, None, CheckLimits(), "a\nb\nc\nd"), OutputCheck(reads))
    assert found[0].stdout == "a b\n 'c\\nd'"
    assert found[1].verdict == "error"


def test_an_expected_output_is_compared_but_for_one_newline(sandbox: Sandbox) -> None:
    cases = {("print(1)", "1"): True, ("print(1)", "1\n"): True, ("print(1)", "1\n\n"): False}
    cases |= {("print(1)", " 1"): False, ("print(1, end='')", "1\n"): True}
    found = verdicts(sandbox, *(OutputCheck(code, stdout) for code, stdout in cases))
    assert [verdict.matches for verdict in found] == list(cases.values())


def test_ways_of_ending_are_compared(sandbox: Sandbox) -> None:
    found = programs(
        sandbox,
        {
            "fails elsewhere": "import os\nprint(1)\nif os.getpid() > 9999: 1 / 0",
            "other code": "import os\nprint(1, flush=True)\nos._exit(os.cpu_count() > 5)",
        },
    )
    assert {name: one.verdict for name, one in found.items()} == dict.fromkeys(found, "refused")
    assert "fails: the program fails: ZeroDivisionError" in found["fails elsewhere"].detail
    assert found["other code"].detail == "two runs end with different exit codes: 0 and 1"
