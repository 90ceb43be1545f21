"""The static rule of S3: what it refuses, and what it must leave alone."""

import contextlib
import json
import lzma
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import OutputCheck, Sandbox
from antemill.engine.execute.sandbox.inside.determinism import static_rule
from tests.engine.execute.sandbox.backends import sandbox

__all__ = ["sandbox"]
CRUXEVAL = Path(__file__).parents[3] / "data" / "cruxeval.jsonl.xz"

ALLOWED = {
    "a method named id": "class A:\n    def id(self):\n        return 7\nprint(A().id())",
    "a property named id": "class A:\n    @property\n    def id(self):\n        return 7\n"
    "    @id.setter\n    def id(self, value):\n        print(value)\na = A()\na.id = 3\nprint(a.id)",
    "a parameter named id": "def f(id):\n    return id + 1\nprint(f(1))",
    "a variable named time": "time = 3\nprint(time + time)",
    "a parameter named time": "def f(time):\n    return time.upper()\nprint(f('noon'))",
    "an attribute named now": "class Clock:\n    now = 3\nprint(Clock().now, Clock().today if 0 else '')",
    "a variable named input": "input = [1, 2]\nprint(sum(input))",
    "a loop over input": "for input in ([1], [2, 3]):\n    print(len(input))",
    "input set under a condition": "if __name__ == '__main__':\n    input = 'abc'\n    print(input[::-1])",
    "input set after its function": "def f():\n    return input[0]\ninput = 'abc'\nprint(f())",
    "a comprehension over id": "print([id * 2 for id in range(3)])",
    "a nested function that takes hash": "def f(hash):\n    def g():\n        return hash\n    return g()\nprint(f(2))",
    "a hash function of its own": "def hash(s):\n    return sum(map(ord, s)) if s else hash('a')\nprint(hash('ab'))",
    "a lambda named dir": "dir = lambda x: x\nprint(dir(4))",
    "a matched name": "match [1, 2]:\n    case [id, *_]:\n        print(id)",
    "__hash__ for a set": "class P:\n    def __init__(self, x):\n        self.x = x\n    def __eq__(self, o):\n"
    "        return self.x == o.x\n    def __hash__(self):\n        return hash((self.x, 1))\nprint(len({P(1), P(1)}))",
    "random with a seed": "import random\nrandom.seed(1)\nprint(random.random())",
    "a seed in a variable": "import random as r\nSEED = 42\nr.seed(SEED)\nprint(r.randint(1, 6))",
    "a seed by keyword": "import random\nrandom.seed(a=1, version=2)\nprint(random.random())",
    "a function that draws later": "import random\ndef f():\n    return random.random()\nprint('go')\n"
    "random.seed(3)\nprint(f())",
    "a main that seeds": "import random\ndef draw():\n    return random.random()\ndef main():\n    random.seed(4)\n"
    "    print(draw())\nif __name__ == '__main__':\n    main()",
    "a seed under main": "import random\nif __name__ == '__main__':\n    random.seed(1)\n    print(random.random())",
    "a generator with a seed": "import random\nrng = random.Random(7)\nprint(rng.random())",
    "from random import": "from random import seed, shuffle\nseed('x')\nxs = [1, 2, 3]\nshuffle(xs)\nprint(xs)",
    "a class that draws": "import random\nclass D:\n    def roll(self):\n        return random.randint(1, 6)\n"
    "random.seed(2)\nprint(D().roll())",
    "a fixed date": "from datetime import date, timedelta\nprint(date(2024, 2, 28) + timedelta(days=2))",
    "a moment in a zone": "from datetime import datetime, timezone\nprint(datetime.fromtimestamp(0, timezone.utc))",
    "sleeping": "import time\ntime.sleep(0.01)\nprint(1)",
    "sys.setrecursionlimit": "import sys\nsys.setrecursionlimit(5000)\nprint(sys.float_info.epsilon)\nsys.exit(0)",
    "printing to stderr": "import sys\nprint('x', file=sys.stderr)\nprint('y')",
    "uuid5": "import uuid\nprint(uuid.uuid5(uuid.NAMESPACE_DNS, 'a'))",
    "urllib.parse": "from urllib.parse import quote\nimport urllib.parse as p\nprint(quote('a b'), p.unquote('%20'))",
    "literal_eval": "import ast\nprint(ast.literal_eval('[1]'))",
    "a visitor": "class V:\n    def visit_a(self):\n        return 1\nprint(getattr(V(), 'visit_' + 'a')())",
    "setattr": "class A:\n    pass\na = A()\nsetattr(a, 'x', 1)\nprint(vars(a))",
    "text that is written there": "print(eval('1 + 2'))\nexec('print(3)')",
    "a global by its name": "x = 3\nprint(globals()['x'], 'x' in globals(), locals()['x'])",
    "addresses that are compared": "a = b = []\nprint(id(a) == id(b), id(a) != id(b))",
    "special attributes": "class A:\n    'Text.'\n    def __init__(self):\n        self.x = 1\n"
    "print(A().__dict__, A.__name__, A.__doc__, A().__class__.__mro__[0].__name__, (1).__add__(2))",
    "super": "class A:\n    def __init__(self):\n        self.x = 1\nclass B(A):\n    def __init__(self):\n"
    "        super().__init__()\nprint(B().x)",
    "a function of a module by a computed name": "import operator\nprint(getattr(operator, 'a' + 'dd')(1, 2))",
    "an attribute getter": "from operator import attrgetter, methodcaller\n"
    "print(attrgetter('real', 'imag')(3), methodcaller('replace', 'a', 'b')('a'))",
    "a submodule": "import collections.abc\nfrom collections import abc\nprint(isinstance([], collections.abc.Sized))",
    "a hash that is compared": "a = 1.0\nprint(hash(1) == hash(1.0), hash(a) == hash(1))",
    "exceptions": "try:\n    raise ValueError from KeyError(1)\nexcept ValueError as e:\n    e.add_note('x')\n"
    "    print(e.__cause__, e.__notes__)",
    "more special attributes": "class A:\n    __version__ = '1'\ndef f(a=2):\n    return a\n"
    "print(A.__version__, A.__base__, f.__defaults__)",
    "a timestamp in a zone": "import datetime\n"
    "print(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc).timestamp())",
    "moments in zones": "from datetime import datetime, timedelta, timezone\n"
    "east = timezone(timedelta(hours=9))\nd = datetime(2024, 1, 15, 22, tzinfo=timezone.utc)\n"
    "print(d.astimezone(east), d.astimezone(tz=east).timestamp(), d.timestamp())",
    "a timestamp of its own": "import datetime\nclass Row:\n    def timestamp(self):\n        return 5\n"
    "print(Row().timestamp(), datetime.date(2024, 1, 1))",
    "hashes of equal numbers": "from decimal import Decimal\nfrom fractions import Fraction\n"
    "print(hash(1) == hash(1.0) == hash(True), hash(Decimal('1.5')) == hash(1.5), hash(Fraction(1, 2)) == hash(0.5))",
    "a lock": "import threading\nclass One:\n    lock = threading.Lock()\n    def __new__(cls):\n"
    "        with cls.lock:\n            return super().__new__(cls)\nprint(One.lock.locked(), One() is None)",
    "weak references": "import weakref\nclass A:\n    pass\na = A()\nr = weakref.ref(a, lambda _: print('gone'))\n"
    "names = weakref.WeakValueDictionary(a=a)\nprint(r() is a, list(names))\ndel a\nprint(r(), list(names))",
    "an exception as text": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError as e:\n"
    "    traceback.print_exc()\n    print(traceback.format_exception_only(e))",
    "fixed sizes": "import struct\nprint(struct.calcsize('>IhB'), struct.calcsize('<q'))",
    "coroutines": "import asyncio\nasync def f(n):\n    await asyncio.sleep(n / 100)\n    return n\n"
    "async def main():\n    print(await asyncio.gather(f(2), f(1)))\n    try:\n"
    "        await asyncio.wait_for(f(9), 0.01)\n    except asyncio.TimeoutError:\n        print('late')\n"
    "asyncio.run(main())",
    "abstract methods": "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n"
    "    def f(self):\n        pass\nprint(A.__abstractmethods__)",
    "submodules": "import xml.etree.ElementTree as ET\nimport json.decoder\n"
    "print(ET.fromstring('<a/>').tag, json.decoder.JSONDecoder().decode('1'))",
    "datetime.time": "import datetime\nprint(datetime.time(1, 2), datetime.datetime(2024, 1, 1))",
    "common modules": "import re, json, math, itertools, functools, collections, string, heapq, bisect, copy, decimal\n"
    "import hashlib, statistics, operator, textwrap, dataclasses, enum, typing, fractions, struct, zlib, contextlib\n"
    "print(zlib.crc32(b'a'), hashlib.sha256(b'a').hexdigest(), struct.pack('<I', 1))",
}

UNCALLED = {  # functions that are never called, and what only they use
    "input": "def ask():\n    return input()\nprint(1)",
    "open": "def read(path):\n    with open(path) as file:\n        return file.read()\nprint(1)",
    "timeit": "import timeit\ndef measure():\n    return timeit.timeit('1')\nprint(1)",
    "timeit, from": "from timeit import timeit\ndef measure():\n    return timeit('1')\nprint(1)",
    "an import inside": "def where():\n    import os\n    return os.getcwd()\nprint(1)",
    "random": "import random\ndef roll():\n    return random.Random().randint(1, 6)\nprint(1)",
    "two that call each other": "def f():\n    return g(input())\ndef g(x):\n    return f() + x\nprint(1)",
    "one that calls itself": "def f(n):\n    return input() + f(n - 1)\nprint(1)",
    "a special name": "def __getattr__(name):\n    return input()\nprint(1)",
    "a method": "import time\nclass A:\n    def now(self):\n        return time.time()\n    def one(self):\n"
    "        return 1\nprint(A().one())",
    "a nested function": "def f(x):\n    def ask():\n        return input()\n    return x or ask()\nprint(f(1))",
    "a lambda": "WAYS = {'a': lambda: open('a'), 'b': lambda: 1}\nprint(WAYS['b']())",
    "a branch": "def f(x):\n    if x:\n        return x\n    return int(input())\nprint(f(1))",
    "a generator that is never run": "def f():\n    yield input()\nrows = f()\nprint(1)",
    "a decorator that is never used": "import time\ndef timed(f):\n    def g():\n        start = time.perf_counter()\n"
    "        f()\n        print(time.perf_counter() - start)\n    return g\nprint(1)",
    "imports that nothing uses": "import os, time\nfrom pathlib import Path\nprint(1)",
    "a method that draws": "import random\nclass D:\n    def roll(self):\n        return random.random()\n"
    "    def one(self):\n        return 1\nprint(D().one())",
    "a coroutine": "async def f():\n    return open('a')\nprint(1)",
}
CALLED = {  # the same functions, reached in some way
    "by a function": "def f():\n    return input()\ndef g():\n    return f()\nprint(g())",
    "as a value": "def f(x):\n    return input()\nprint(list(map(f, [1])))",
    "in a class": "def f():\n    return input()\nclass A:\n    run = staticmethod(f)\nprint(A.run())",
    "by a method": "def f():\n    return input()\nclass A:\n    def run(self):\n        return f()\nprint(A().run())",
    "by a default": "def f():\n    return input()\ndef g(h=f):\n    return h()\nprint(g())",
    "by a decorator": "KEPT = []\n@KEPT.append\ndef f():\n    return input()\nprint(KEPT[0]())",
    "as a decorator": "def f(g):\n    return input()\n@f\ndef g():\n    pass\nprint(g)",
    "by eval": "def f():\n    return input()\nprint(eval('f' + '()'))",
    "by exec": "def f():\n    print(input())\nexec('f' + '()')",
    "by globals": "def f():\n    return input()\nprint(globals()['f']())",
    "by doctest": 'import doctest\ndef f():\n    """>>> f()\n    2"""\n    return input()\ndoctest.testmod()',
    "by doctest, renamed": 'import doctest as d\ndef f():\n    """>>> f()\n    2"""\n    return input()\nd.testmod()',
    "in text that is executed": "TEXT = 'def f():\\n    print(input())'\nexec(TEXT + '\\nf()')\nprint(1)",
    "an import that prints": "import this, socket\ndef f():\n    return socket.gethostname()\nprint(1)",
    "an import that is used": "import timeit\ndef f():\n    return timeit\nprint(timeit.default_timer())",
    "by a method's name": "import time\nclass A:\n    def now(self):\n        return time.time()\n"
    "print(getattr(A(), 'n' + 'ow')() > 0)",
    "caught": "def f():\n    try:\n        return input()\n    except BaseException:\n        return 1\nprint(f())",
    "a lambda": "f = lambda: dir([])\nprint(len(f()) > 3)",
    "an import by another name": "import os\nif 0:\n    os = 1\nprint(os.getpid() > 0)",
    "an import in a class": "class A:\n    import os\nprint(A.os.getpid() > 0)",
    "an import that is passed on": "import os\ndef f():\n    global g\n    g = os\nf()\nprint(g.getpid() > 0)",
}
REFUSED = {  # what: (program, what the reason names)
    "time": ("import time\nprint(time.time())", "time.time"),
    "time, renamed": ("import time as t\nprint(t.perf_counter_ns())", "time.perf_counter_ns"),
    "time, from": ("from time import monotonic\nprint(monotonic())", "time.monotonic"),
    "time in a function": ("def f():\n    import time\n    return time.time()\nprint(f())", "time.time"),
    "the pid": ("import os\nprint(os.getpid())", "os"),
    "the environment": ("from os import environ\nprint(environ)", "os"),
    "paths": ("import os.path\nprint(os.path.abspath('.'))", "os.path"),
    "files": ("import tempfile\nprint(tempfile.gettempdir())", "tempfile"),
    "this file": ("print(__file__)", "__file__"),
    "the platform": ("import platform\nprint(platform.machine())", "platform"),
    "sys.platform": ("import sys\nprint(sys.platform)", "sys.platform"),
    "sys.version": ("from sys import version_info\nprint(version_info)", "sys.version_info"),
    "sys.path": ("import sys\nprint(sys.path)", "sys.path"),
    "sys.getsizeof": ("import sys\nprint(sys.getsizeof([]))", "sys.getsizeof"),
    "sys.getrefcount": ("import sys\nprint(sys.getrefcount(3))", "sys.getrefcount"),
    "sys by another name": ("import sys\ns = sys\nprint(s.platform)", "sys as a value"),
    "sys by getattr": ("import sys\nprint(getattr(sys, 'plat' + 'form'))", "sys as a value"),
    "threads": ("import threading\nprint(threading.get_ident())", "threading"),
    "processes": ("import multiprocessing\nprint(1)", "multiprocessing"),
    "executors": ("from concurrent.futures import ThreadPoolExecutor\nprint(1)", "concurrent.futures"),
    "loops": ("import asyncio\nprint(asyncio.new_event_loop())", "asyncio.new_event_loop"),
    "a set of tasks": ("import asyncio\nprint(asyncio.all_tasks)", "asyncio.all_tasks"),
    "garbage collection": ("import gc\nprint(gc.collect())", "gc"),
    "a proxy": ("import weakref\nprint(weakref.proxy(int).__dict__)", "weakref.proxy"),
    "a set of references": ("from weakref import WeakSet\nprint(list(WeakSet()))", "weakref.WeakSet"),
    "lines of a traceback": ("import traceback\nprint(len(traceback.format_exc()))", "traceback.format_exc"),
    "a traceback on a stream": (
        "import io, sys, traceback\nsys.stderr = io.StringIO()\ntraceback.print_exc()\nprint(1)",
        "traceback.print_exc",
    ),
    "the system's randomness": ("from random import SystemRandom\nprint(SystemRandom().random())", "SystemRandom"),
    "all of random": ("from random import *\nprint(SystemRandom().random())", "random"),
    "uuid": ("import uuid\nprint(uuid.uuid4())", "uuid.uuid4"),
    "secrets": ("import secrets\nprint(secrets.token_hex(4))", "secrets"),
    "locale": ("import locale\nprint(locale.getlocale())", "locale"),
    "datetime.now": ("import datetime\nprint(datetime.datetime.now())", "now"),
    "datetime.now, from": ("from datetime import datetime as d\nprint(d.now().year)", "now"),
    "date.today": ("from datetime import date\nprint(date.today())", "today"),
    "the local zone": ("from datetime import datetime\nprint(datetime.fromtimestamp(0))", "fromtimestamp"),
    "__import__": ("print(__import__('time').time())", "time.time"),
    "__import__ of what is computed": ("print(__import__('ti' + 'me').sleep(0))", "__import__"),
    "__import__ as a value": ("m = __import__('time')\nprint(m.time())", "__import__"),
    "importlib": ("import importlib\nprint(1)", "importlib"),
    "builtins": ("import builtins\nprint(builtins.open)", "builtins.open"),
    "builtins set": ("import builtins\nbuiltins.len = max", "it sets builtins.len"),
    "__builtins__": ("print(__builtins__)", "__builtins__"),
    "globals": ("print(globals())", "globals"),
    "vars of nothing": ("print(vars())", "vars"),
    "dir": ("print(dir([]))", "dir"),
    "a file": ("print(open('/etc/hostname').read())", "open"),
    "standard input": ("print(input())", "input"),
    "frames": ("def f():\n    yield 1\nprint(f().gi_frame)", "gi_frame"),
    "compressed bytes": ("import zlib\nprint(zlib.compress(b'a'))", "zlib.compress"),
    "builtins by a function": ("print(print.__self__.__import__('time').time())", "__import__"),
    "builtins by a pattern": ("match print:\n    case object(__self__=b):\n        print(b.copyright)", "__self__"),
    "builtins by a getter": ("import operator\nprint(operator.attrgetter('__self__')(print))", "attrgetter"),
    "a getter of what is computed": (
        "import operator\nprint(operator.attrgetter('__se' + 'lf__')(print))",
        "attrgetter",
    ),
    "globals by a function": ("def f():\n    pass\nprint(len(f.__globals__))", "__globals__"),
    "a traceback": ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(e.__traceback__)", "__traceback__"),
    "a reduction": ("print([].__reduce_ex__(4))", "__reduce_ex__"),
    "a module's own modules": ("import random\nprint(random._os.getpid())", "random._os"),
    "a module's public modules": ("import statistics\nprint(statistics.sys.platform)", "statistics.sys"),
    "a module's own modules, from": ("from random import _os\nprint(_os.getpid())", "random._os"),
    "a module as a value": ("import math\nm = math\nprint(m.pi)", "math as a value"),
    "a module's dictionary": ("import random\nprint(random.__dict__['_os'])", "random.__dict__"),
    "compile": ("print(compile('1', '', 'eval'))", "compile"),
    "a global that is no name of its own": ("print(globals()['__builtins__'])", "globals"),
    "a module by its name": ("import random\nprint(globals()['random'])", "globals"),
    "locals": ("print(locals())", "locals"),
    "a module of a module": ("import json\nprint(json.codecs.sys.version)", "codecs.sys"),
    "a module of a submodule": ("import xml.etree.ElementTree\nprint(xml.etree.ElementTree.sys.maxsize)", "sys"),
    "a module of a submodule, renamed": ("import xml.etree.ElementTree as E\nprint(E.sys.maxsize)", "sys"),
    "a module of a submodule, from": ("from xml.etree import ElementTree as E\nprint(E.sys.maxsize)", "sys"),
    "a module that is no part": ("import html.parser\nprint(html.parser.re)", "html.parser.re"),
    "a module from a module": ("from json import codecs\nprint(codecs.sys.version)", "json.codecs"),
    "a submodule as a value": ("import collections.abc\na = collections.abc\nprint(a.sys)", "as a value"),
    "a submodule as a value, from": ("from collections import abc\na = abc\nprint(a.sys)", "as a value"),
    "a private module": ("import _io\nprint(_io.open)", "_io"),
    "text for a console": ("import code\ncode.InteractiveInterpreter().runsource('print(id(3))')", "code"),
    "text that is compiled": ("import codeop, types\ntypes.FunctionType(codeop.compile_command('1'), {})", "codeop"),
    "the size of a buffer": ("import io\nprint(io.DEFAULT_BUFFER_SIZE)", "io.DEFAULT_BUFFER_SIZE"),
    "a relative import": ("from . import x", "."),
}


@pytest.mark.parametrize("what", ALLOWED)
def test_leaves_alone_what_depends_on_nothing_else(what: str) -> None:
    assert static_rule.objection(ALLOWED[what]) == ""


@pytest.mark.parametrize("what", UNCALLED)
def test_what_is_never_called_does_not_count(sandbox: Sandbox, what: str) -> None:
    (verdict,) = sandbox.check_many([OutputCheck(UNCALLED[what])])
    assert (verdict.verdict, verdict.stdout) == ("true", "1\n"), verdict


@pytest.mark.parametrize("what", CALLED)
def test_what_may_be_called_counts(sandbox: Sandbox, what: str) -> None:
    """Such a program is refused, at the latest when it executes a text."""
    (verdict,) = sandbox.check_many([OutputCheck(CALLED[what])])
    assert verdict.verdict == "refused" or (verdict.verdict == "error" and "EOFError" in verdict.detail), verdict


@pytest.mark.parametrize("what", ALLOWED)
def test_the_allowed_programs_are_programs(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Else an example would show nothing."""
    with contextlib.suppress(SystemExit):
        exec(compile(ALLOWED[what], "<example>", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out


COMPUTED = {  # names that are put together when the program runs
    "self": "getattr(print, '__se' + 'lf__')",
    "import": "getattr(getattr(print, '__se' + 'lf__'), '__imp' + 'ort__')('time').time()",
    "globals": "(lambda f: getattr(f, '__glo' + 'bals__'))(lambda: 0)",
    "a module's module": "getattr(math, '__load' + 'er__')",
    "frames": "getattr((x for x in ()), 'gi_' + 'frame')",
    "mapped": "list(map(getattr, [print], ['__se' + 'lf__']))",
    "asked": "hasattr(print, '__co' + 'de__')",
    "with a default": "getattr(print, '__se' + 'lf__', None)",
}


@pytest.mark.parametrize("what", COMPUTED)
def test_a_name_that_is_computed_is_seen_when_it_is_asked_for(sandbox: Sandbox, what: str) -> None:
    """Caught or not."""
    program = f"import math\ntry:\n    x = {COMPUTED[what]}\nexcept Exception:\n    pass\nprint(1)"
    assert static_rule.objection(program) == ""
    (verdict,) = sandbox.check_many([OutputCheck(program)])
    assert verdict.verdict == "refused", verdict
    assert "it uses the attribute" in verdict.detail or "it uses math." in verdict.detail


WATCHED = {  # what the text does not show: seeds, formats, texts
    "random without a seed": "import random\nprint(random.random())",
    "a naive timestamp": "from datetime import datetime\nprint(datetime(2024, 1, 1).timestamp())",
    "a naive moment in a zone": "from datetime import datetime, timezone\n"
    "print(datetime(2024, 1, 1).astimezone(timezone.utc))",
    "the local zone of a moment": "from datetime import datetime, timezone\nx = None\n"
    "print(datetime(2024, 1, 1, tzinfo=timezone.utc).astimezone(x))",
    "a moment's method as a value": "from datetime import datetime, timezone\n"
    "f = datetime(2024, 1, 1, tzinfo=timezone.utc).astimezone\nprint(f())",
    "a moment's method of its class": "from datetime import datetime\nprint(datetime.timestamp(datetime(2024, 1, 1)))",
    "an empty seed": "import random\nrandom.seed()\nprint(random.random())",
    "the seed None": "import random\nrandom.seed(None)\nprint(random.random())",
    "a seed that is None": "import random\ns = None\nrandom.seed(s)\nprint(random.random())",
    "a seed that is None by default": "import random\ndef f(seed=None):\n    random.seed(seed)\n"
    "    return random.random()\nprint(f())",
    "random before the seed": "import random\nprint(random.random())\nrandom.seed(1)",
    "a call before the seed": "import random\ndef f():\n    return random.random()\nprint(f())\nrandom.seed(1)",
    "a call of a call before the seed": "import random\ndef g():\n    return f()\ndef f():\n"
    "    return random.random()\nprint(g())\nrandom.seed(1)",
    "a seed in one branch": "import random\nif len('a') > 1:\n    random.seed(1)\nprint(random.random())",
    "a seed in the other branch": "import random\nif len('a') > 1:\n    random.seed(1)\nelse:\n"
    "    print(random.random())",
    "a seed in a function that is never called": "import random\ndef f():\n    random.seed(1)\nprint(random.random())",
    "an unseeded generator": "import random\nprint(random.Random().random())",
    "the state of a generator without a seed": "import random\nprint(random.getstate()[1][0])",
    "a generator of its own": "import random\nclass R(random.Random):\n    pass\nprint(R().random())",
    "one that never seeds": "import random\nclass R(random.Random):\n    def __init__(self):\n        pass\n"
    "print(R().random())",
    "by another name": "import random\nf = random.Random\nprint(f().random())",
    "seeded anew": "import random\nr = random.Random(5)\nr.seed()\nprint(r.random())",
    "seeded too late": "import random\nf = random.Random\nr = f()\nprint(r.choice('abc'))\nr.seed(5)",
    "a seed that nobody has": "import random\nrandom.seed({}.get('a'))\nprint(random.random())",
    "a seed from nothing": "import random\nrandom.seed([].sort())\nprint(random.random())",
    "mapped": "import random\nprint([r.random() for r in map(random.Random, [None])])",
    "a format": "import statistics\nprint('{0.__globals__[sys].maxsize}'.format(statistics.mean))",
    "a nested format": "import statistics\nprint('{1:{0.__code__.co_argcount}}'.format(statistics.mean, 1))",
    "a format, put together": "def f():\n    pass\nprint(('{0.__glo' + 'bals__}').format(f)[:1])",
    "a format, mapped": "def f():\n    pass\nprint(list(map('{0.__globals__}'.format, [f]))[0][:1])",
    "a format of a type": "def f():\n    pass\nprint(str.format('{0.__globals__}', f)[:1])",
    "a format of a mapping": "def f():\n    pass\nprint('{f.__globals__}'.format_map({'f': f})[:1])",
    "a formatter": "import string\ndef f():\n    pass\nprint(string.Formatter().format('{0.__globals__}', f)[:1])",
    "annotations": "import typing\nclass A:\n    x: \"print(__import__('time').time())\"\n"
    "try:\n    typing.get_type_hints(A)\nexcept TypeError:\n    pass\nprint(1)",
}
UNDISTURBED = {
    "a copy": "import copy, random\nr = random.Random(5)\nprint(copy.deepcopy(r).random() == r.random())",
    "a subclass": "import random\nclass R(random.Random):\n    def __init__(self, n):\n        super().__init__(n)\n"
    "print(R(3).randint(1, 6))",
    "seeded at last": "import random\nf = random.Random\nr = f()\nr.seed(7)\nprint(r.random())",
    "formats": "import string\nprint('{0.real:>{1}} {x[a]!r}'.format(3, 5, x={'a': 1}),\n"
    "    '{a.imag}'.format_map({'a': 2}), string.Formatter().format('{0.real}', 1),\n"
    "    '{:.2f}'.format(1.5), str.format('{}', 1))",
    "a bad format": "try:\n    print('{0.'.format(1))\nexcept ValueError as e:\n    print(e)",
    "annotations": "import typing\nclass A:\n    x: 'list[int] | None'\nprint(typing.get_type_hints(A))",
    "dataclasses": "from dataclasses import dataclass\nfrom collections import namedtuple\n@dataclass(order=True)\n"
    "class A:\n    x: int\nprint(A(1) < A(2), namedtuple('P', 'x y')(1, 2))",
}


@pytest.mark.parametrize("what", WATCHED)
def test_what_is_computed_is_watched(sandbox: Sandbox, what: str) -> None:
    assert static_rule.objection(WATCHED[what]) == ""
    (verdict,) = sandbox.check_many([OutputCheck(WATCHED[what])])
    assert verdict.verdict == "refused", verdict


@pytest.mark.parametrize("what", UNDISTURBED)
def test_watching_disturbs_nothing(sandbox: Sandbox, what: str) -> None:
    (verdict,) = sandbox.check_many([OutputCheck(UNDISTURBED[what])])
    assert verdict.verdict == "true", verdict


def test_every_reason_says_why() -> None:
    said = {program: static_rule.objection(program) for program in ("compile(x)", "globals()", "open('a')", "dir([])")}
    assert all(": " in reason for reason in said.values()), said


@pytest.mark.parametrize("what", REFUSED)
def test_refuses_what_two_runs_can_not_show(what: str) -> None:
    program, named = REFUSED[what]
    assert named in static_rule.objection(program)


def test_no_program_of_cruxeval_is_refused() -> None:
    with lzma.open(CRUXEVAL, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert len(rows) == 400
    assert [(row["id"], static_rule.objection(row["code"])) for row in rows if static_rule.objection(row["code"])] == []


@pytest.mark.parametrize("value", [object(), "".upper, lambda: 1, iter([]), [object()], {1: (object(),)}])
def test_sees_addresses_in_what_is_printed(value: object) -> None:
    """Default reprs, alone and inside others."""
    assert static_rule.shown(f"1\nx {value!r}, y\n")


@pytest.mark.parametrize("text", ["", "fault at 0x1f2e3d4c", "a < b at 0x12", "0x7f00deadbeef", "<b> at 0xff> there"])
def test_other_numbers_are_no_addresses(text: str) -> None:
    assert static_rule.shown(text) == ""


def test_looking_for_addresses_takes_no_time() -> None:
    """Output is hostile, too."""
    assert static_rule.shown("<" * 65536 + " at 0x" * 10000) == ""


def test_a_program_that_is_none_raises_or_fails_when_it_is_run() -> None:
    with pytest.raises(SyntaxError):
        static_rule.objection("import (")
    assert static_rule.objection("print(") == ""


def test_names_in_other_letters_are_read_as_python_reads_them() -> None:
    assert "dir" in static_rule.objection("print(\uff44ir([]))")
    assert "__code__" in static_rule.objection("f = print\ngetattr(f, '\\x5f_co' 'de__')")
