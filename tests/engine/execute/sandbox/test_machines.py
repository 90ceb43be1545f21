"""Output that hangs on the machine is never a truth: the second run of a program is one on another machine (S3)."""

from antemill.engine.execute.sandbox import OutputCheck, Sandbox
from tests.engine.execute.sandbox.backends import sandbox, verdicts

__all__ = ["sandbox"]

LEFT = """import asyncio
async def work(name):
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        print("cancel"{said})
        raise
async def main():
    tasks = [asyncio.create_task(work(name)) for name in "{names}"]
    await asyncio.sleep(0)
    print("main")
asyncio.run(main())
"""
HANGS = {  # what no text shows
    "seconds of a day": "from datetime import date\nprint(f'{date(2024, 1, 1):%s}')",
    "seconds of a moment": "from datetime import datetime\nprint(datetime(2024, 1, 1).strftime('%H %s'))",
    "seconds by format": "from datetime import date\nprint('{:%s}'.format(date(2024, 1, 1)))",
    "the script of argparse": "import argparse\nprint(argparse.ArgumentParser().prog)",
    "the script of optparse": "import optparse\nprint(optparse.OptionParser().get_prog_name())",
    "columns of argparse": (
        "import argparse\np = argparse.ArgumentParser(prog='p', description='a word ' * 9)\n"
        "p.add_argument('--length', help='how long it is')\nprint(p.format_help())"
    ),
    "columns of optparse": (
        "import optparse\np = optparse.OptionParser(prog='p', description='a word ' * 9)\nprint(p.format_help())"
    ),
    "filters of warnings": "import warnings\nprint(len(warnings.filters))",
    "file of a warning": (
        "import warnings\nwith warnings.catch_warnings(record=True) as found:\n    warnings.simplefilter('always')\n"
        "    warnings.warn('x')\nprint(found[0].filename)"
    ),
    "text of a warning": (
        "import warnings\ndef show(message, category, filename, lineno, file=None, line=None):\n"
        "    print(warnings.formatwarning(message, category, filename, lineno))\n"
        "warnings.showwarning = show\nwarnings.warn('x')"
    ),
    "warnings that are ignored": (
        "import warnings\nwith warnings.catch_warnings(record=True) as found:\n"
        "    warnings.warn('x', PendingDeprecationWarning)\nprint(len(found))"
    ),
    "stdout": "import sys\nprint(sys.stdout)",
    "stdin": "import sys\nprint(sys.stdin)",
    "stderr": "import sys\nprint(sys.stderr)",
    "encoding of stdout": "import sys\nprint(sys.stdout.encoding)",
    "errors of stdout": "import sys\nprint(sys.stdout.errors)",
    "a terminal": "import sys\nprint('\\033[1m' if sys.stdout.isatty() else '', 1)",
    "lines of stdout": "import sys\nprint(sys.stdout.line_buffering)",
    "the raw stream": "import sys\nprint(type(sys.stdout.buffer.raw).__name__)",
    "half a surrogate pair": "try:\n    print('\\udc80')\nexcept UnicodeEncodeError:\n    print('no')",
    "the order in which tasks are cancelled": LEFT.format(names="ab", said=", name"),
    "the year": "import calendar\ncalendar.main([])",
    "the size of a format that is computed": "import struct\nprint(struct.calcsize('i' + chr(108)))",
    "bytes of a format that is computed": "import struct\nprint(struct.Struct('hello'[2]).pack(1))",
    "what a format of pointers can hold": (
        "import struct\ntry:\n    print(len(struct.pack(chr(80), 2**40)))\nexcept struct.error:\n    print('too large')"
    ),
    "bytes of an array, seen by a library": (
        "from array import array\nimport hashlib\nprint(hashlib.md5(array('l', [1])).hexdigest())"
    ),
    "bytes of an array of a computed type": "from array import array\nprint(bytes(array(chr(76), [1, 2])))",
    "the size of an item": "from array import array\nprint(getattr(array('l'), 'item' + 'size'))",
    "a view as a computed type": "print(len(memoryview(b'abcdefgh').cast(chr(108))))",
    "a view as longs, by name": "print(len(getattr(memoryview(b'abcdefgh'), 'ca' + 'st')('l')))",
    "a view as longs, by the class": "print(len(memoryview.cast(memoryview(b'abcdefgh'), 'n')))",
    "a view as longs, mapped": "print([len(v) for v in map(memoryview.cast, [memoryview(b'abcdefgh')], ['P'])])",
    "a view as longs, later": "cast = memoryview(b'abcdefgh').cast\nprint(len(cast('L')))",
    "a view as longs, by a dictionary": "print(len(memoryview.__dict__['cast'](memoryview(b'abcdefgh'), 'l')))",
    "a view as longs, by a pattern": "match memoryview(b'abcdefgh'):\n    case memoryview(cast=f): print(len(f('l')))",
    "a format of dates of some systems": "from datetime import datetime\nprint(datetime(2024, 1, 5).strftime('%k|%P'))",
    "an early year": "from datetime import date\nprint(date(5, 1, 2).strftime('%Y-%m-%d'))",
    "the limits of decimal": "from decimal import *\nprint(MAX_EMAX)",
    "the seeking of stdout": "import sys\nprint(sys.stdout.seekable())",
    "the place in stdout": (
        "import sys\ntry:\n    print(sys.stdout.tell())\nexcept OSError as e:\n    print(type(e).__name__)"
    ),
    "an attribute of a stand-in": "try:\n    str.format.x = 1\nexcept AttributeError:\n    pass\nprint(1)",
    "which object comes first": (
        "class C: pass\na, b = C(), C()\nprint(object.__repr__(a)[-9:-1] < object.__repr__(b)[-9:-1])"
    ),
}
LASTS = {
    "one task that is cancelled": (LEFT.format(names="a", said=", name"), "main\ncancel a\n"),
    "tasks that say the same": (LEFT.format(names="ab", said=""), "main\ncancel\ncancel\n"),
    "a width that is given": (
        "import argparse\np = argparse.ArgumentParser(prog='p', formatter_class=lambda prog: "
        "argparse.HelpFormatter(prog, width=60))\nprint(p.format_usage())",
        "usage: p [-h]\n\n",
    ),
    "arguments": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\n"
        "print(p.parse_args(['--n', '3']))",
        "Namespace(n=3)\n",
    ),
    "a day": ("from datetime import date\nprint(f'{date(2024, 1, 2):%d %b %Y, %A}')", "02 Jan 2024, Tuesday\n"),
    "a day in other letters": (
        "from datetime import date\nprint(date(2024, 1, 2).strftime('%d é %Y年'))",
        "02 é 2024年\n",
    ),
    "a moment with a zone": (
        "from datetime import datetime, timezone\nprint(datetime(2024, 1, 1, tzinfo=timezone.utc).timestamp())",
        "1704067200.0\n",
    ),
    "a recorded warning": (
        "import warnings\nwith warnings.catch_warnings(record=True) as found:\n    warnings.simplefilter('always')\n"
        "    warnings.warn('x', DeprecationWarning)\nprint(found[0].category.__name__, found[0].message)",
        "DeprecationWarning x\n",
    ),
    "streams": (
        "import sys\nsys.stdout.write('a\\n')\nsys.stderr.write('b\\udc80')\nprint('c', file=sys.stdout, flush=True)\n"
        "sys.stdout.buffer.write('é\\n'.encode())\nprint(repr(sys.stdin.read()), sys.stdout.fileno())",
        "a\nc\né\n'' 1\n",
    ),
    "sizes that all machines share": (
        "import struct\nprint(struct.calcsize('ib'), struct.pack('iq', 1, 2)[:5], struct.unpack('<lL', b'abcdefgh'))\n"
        "print(struct.calcsize('hh' 'i'), memoryview(b'abcdefgh').cast('I').tolist(), memoryview(b'ab').itemsize)",
        "5 b'\\x01\\x00\\x00\\x00\\x00' (1684234849, 1751606885)\n8 [1684234849, 1751606885] 1\n",
    ),
    "numbers of an array of longs": (
        "from array import array\na = array('l', [3, 1])\na.append(2**30)\na.reverse()\n"
        "print(a, a.typecode, a == array('q', a), memoryview(a).tolist(), a[::2], sum(a))",
        "array('l', [1073741824, 1, 3]) l True [1073741824, 1, 3] array('l', [1073741824, 3]) 1073741828\n",
    ),
    "a cast of other things": (
        "import typing\nclass R:\n    def cast(self, x): return x * 2\nr = R()\nf = r.cast\n"
        "print(r.cast(3), f(4), typing.cast(int, '5'), R.cast(r, 5), list(map(r.cast, [1])))\n"
        "match r:\n    case R(cast=g): print(g(1))",
        "6 8 5 10 [2]\n2\n",
    ),
    "dates by formats that all systems have": (
        "from datetime import datetime\nd = datetime(2024, 1, 5, 13, 4)\n"
        "print(d.strftime('%-d %B %Y %I:%M %p %j %U %a %x %X %e %D %T %G-W%V %y %%'))",
        "5 January 2024 01:04 PM 005 00 Fri 01/05/24 13:04:00  5 01/05/24 13:04:00 2024-W01 24 %\n",
    ),
    "stdout as it was": (
        "import sys, io\nsys.stdout = b = io.StringIO()\nprint('a')\nsys.stdout = sys.__stdout__\n"
        "print(repr(b.getvalue()))",
        "'a\\n'\n",
    ),
    "kinds of functions": (
        "import inspect\nprint(inspect.isbuiltin(getattr), inspect.isroutine(id), inspect.isbuiltin(lambda: 0))",
        "True True False\n",
    ),
    "early years": (
        "from datetime import date\nprint(date(5, 1, 2), date(987, 1, 1).strftime('%m/%d %A'))\n"
        "print(date(1000, 1, 1).strftime('%Y'))",
        "0005-01-02 01/01 Monday\n1000\n",
    ),
    "limits": ("import sys\nprint(sys.getrecursionlimit())", "1000\n"),
}


def test_what_hangs_on_the_machine_is_never_true(sandbox: Sandbox) -> None:
    found = verdicts(sandbox, *(OutputCheck(program) for program in HANGS.values()))
    assert {name: one.stdout for name, one in zip(HANGS, found, strict=True) if one.verdict == "true"} == {}
    assert "depends on" in found[0].detail


def test_what_is_the_same_on_every_machine_is_true(sandbox: Sandbox) -> None:
    found = verdicts(sandbox, *(OutputCheck(program) for program, _ in LASTS.values()))
    said = {name: one.stdout or one.detail for name, one in zip(LASTS, found, strict=True)}
    assert said == {name: stdout for name, (_, stdout) in LASTS.items()}


NARROW = {  # where words have 32 bits, a program meets limits that it does not meet elsewhere
    "a factorial": "import math\ntry:\n    math.factorial(10**20)\nexcept OverflowError as e:\n    print(e)",
    "an exponent": (
        "from decimal import Decimal\ntry:\n    print(Decimal('1e999999999') > 1)\nexcept ArithmeticError:\n    pass"
    ),
    "a precision": "import decimal\ntry:\n    decimal.Context(prec=10**9)\nexcept ValueError:\n    print(2)\nprint(1)",
}


def test_limits_of_narrow_machines_are_no_truth(sandbox: Sandbox) -> None:
    found = verdicts(sandbox, *map(OutputCheck, NARROW.values()))
    wide = ["factorial() argument should not exceed 9223372036854775807\n", "True\n", "1\n"]
    assert [one.stdout for one in found] == (wide if sandbox.backend == "native" else [None] * 3)


def test_what_fails_on_one_machine_only_is_false(sandbox: Sandbox) -> None:
    """It is no error of the program's: its end depends on the machine."""
    other, nowhere = verdicts(
        sandbox,
        OutputCheck("import argparse\nprint(1)\nassert not argparse.ArgumentParser().prog, 'has a name'"),
        OutputCheck("print(1)\nassert False, 'nowhere'"),
    )
    assert (other.verdict, nowhere.verdict) == ("false", "error"), (other, nowhere)
    assert "another machine" in other.detail
    assert "has a name" in other.detail
