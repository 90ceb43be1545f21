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
