"""Solutions are expressions (T6): exactly one, in the puzzle's namespace, without a way into its verdict."""

from typing import cast

import pytest

from antemill.engine.execute.sandbox import CheckLimits, PuzzleCheck, Sandbox
from antemill.engine.execute.sandbox.judge import conduct
from antemill.engine.execute.sandbox.process import Ran, Worker
from antemill.engine.execute.sandbox.values import REFUSED as REFUSED_BECAUSE
from antemill.engine.execute.sandbox.values import decode
from tests.engine.execute.sandbox.backends import verdicts

NEVER = "def mystery(x):\n    return False\n"
# What a solution of a puzzle without a solution could try. None is ever right; most are no expression at all.
INJECTIONS = {
    "closes the call": "1) or (True",
    "closes the call and comments": "1) or True #",
    "closes more": "1)) or ((True",
    "opens": "(1",
    "keyword argument": "x=1",
    "starred argument": "*[1]",
    "double starred argument": "**{'x': 1}",
    "generator argument": "i for i in [1]",
    "several arguments": "1, x=2",
    "statement": "return True",
    "assignment": "mystery = lambda x: True",
    "two statements": "1; import os",
    "two lines": "1\nmystery = lambda x: True",
    "semicolon at the end": "1;",
    "import": "import os",
    "function": "def mystery(x): return True",
    "class": "class A: pass",
    "deletion": "del mystery",
    "assertion": "assert True",
    "raise": "raise SystemExit(0)",
    "global": "global mystery",
    "pass": "pass",
    "empty": "",
    "white space": " \n\t\r\f\v ",
    "comment only": "# nothing",
    "continuation at the end": "1 \\",
    "continuation and statement": "1 \\\n; True",
    "null byte": "1\0) or (True",
    "null byte in front": "\0 1",
    "byte order mark in the middle": "1\ufeff) or True",
    "byte order mark in front": "\ufeff1",
    "form feed": "1\f) or (True",
    "carriage return": "1\rmystery = lambda x: True",
    "line separator": "1\u2028mystery = lambda x: True",
    "next line": "1\x85mystery = 1",
    "indented lines": "  1\n  2",
    "full width parentheses": "1\uff09 or \uff08True",
    "heredoc": '"""',
    "open text": "'",
    "open f-string": "f'{'",
    "type comment": "1 # type: ignore",
    "yield": "(yield)",
    "bare yield": "yield 1",
    "yield from": "(yield from [1])",
    "await": "await f()",
    "await in brackets": "(await f())",
    "asynchronous comprehension": "[i async for i in []]",
    "print of a verdict": "print('T') or True",
    "end of the process": "__import__('os')._exit(0)",
    "system exit": "exit(0)",
    "system exit raised": "(_ for _ in ()).throw(SystemExit(0))",
    "exec": "exec('mystery = lambda x: True')",
    "eval": "eval('mystery(1)')",
    "compile": "eval(compile('mystery = lambda x: True', 'm', 'exec'))",
    "walrus over the puzzle": "(mystery := lambda x: True)",
    "walrus in a comprehension": "[mystery := (lambda x: True) for _ in [1]]",
    "globals": "globals().update(mystery=lambda x: True)",
    "globals of the puzzle": "mystery.__globals__.update(mystery=lambda x: True)",
    "code of the puzzle": "setattr(mystery, '__code__', (lambda x: True).__code__)",
    "code of the puzzle beside": "(lambda: 1, setattr(mystery, '__code__', (lambda x: True).__code__))",
    "defaults of the puzzle": "setattr(mystery, '__defaults__', (True,))",
    "vars": "vars().update(mystery=lambda x: True)",
    "builtins": "__builtins__.update(bool=lambda x: True) if isinstance(__builtins__, dict) else 1",
    "builtins module": "setattr(__import__('builtins'), 'callable', lambda x: True)",
    "subclasses": "().__class__.__base__.__subclasses__()",
    "subclasses called": "[c for c in object.__subclasses__() if c.__name__ == 'Popen'][0](['true'])",
    "lying type": "type('A', (int,), {'__eq__': lambda s, o: True, '__hash__': int.__hash__})()",
    "lying type of type": "type('A', (type,), {'__eq__': lambda s, o: True})('B', (), {})",
    "mock": "__import__('unittest.mock').mock.ANY",
    "getattr": "getattr(mystery, '__glo' + 'bals__')",
    "attribute getter": "__import__('operator').attrgetter('__globals__')(mystery)",
    "frames": "__import__('sys')._getframe().f_back.f_back.f_locals.clear()",
    "frames of a generator": "[g.gi_frame.f_back for g in [(lambda: (yield))()]]",
    "descriptor": "[__import__('os').write(n, b'T') for n in range(3, 9)]",
    "file": "open('/etc/passwd').read()",
    "process": "__import__('subprocess').run(['true']).returncode",
    "decorator": "@lambda f: f",
    "lambda with a statement": "lambda x: return 1",
    "ternary without else": "1 if True",
    "deep brackets": "(" * 5_000 + "1" + ")" * 5_000,
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep operators": "-" * 100_000 + "1",
    "deep attributes": "x" + ".a" * 100_000,
    "deep calls": "(lambda: 1)" + "()" * 100_000,
    "long sum": "+".join(["1"] * 100_000),
    "long number": "1" * 100_000,
    "unhashable": "{[]: 1}",
    "division by zero": "1 // 0",
    "encoding": "# coding: rot13\nGehr",
    "unknown name": "nothing_of_that_name",
}
TAKES_ANY = "def mystery(x):\n    return True\n"
NO_EXPRESSION = [
    name for name in INJECTIONS if list(INJECTIONS).index(name) < list(INJECTIONS).index("print of a verdict")
]


@pytest.mark.parametrize("name", INJECTIONS)
def test_nothing_solves_a_puzzle_without_a_solution(sandbox: Sandbox, name: str) -> None:
    (verdict,) = verdicts(sandbox, PuzzleCheck(NEVER, INJECTIONS[name], CheckLimits(seconds=2)))
    assert verdict.verdict in ("false", "error", "refused"), verdict


@pytest.mark.parametrize("name", [name for name in NO_EXPRESSION if name != "type comment"])
def test_what_is_not_one_expression_is_an_error_even_where_anything_is_right(sandbox: Sandbox, name: str) -> None:
    (verdict,) = verdicts(sandbox, PuzzleCheck(TAKES_ANY, INJECTIONS[name], CheckLimits(seconds=2)))
    assert verdict.verdict == "error"
    assert verdict.detail.startswith("the solution is not one expression: "), verdict


def test_a_half_surrogate_pair_is_no_text(sandbox: Sandbox) -> None:
    for code, solution in ((TAKES_ANY, "'\ud800'"), (f"{TAKES_ANY}'\udfff'", "1")):
        assert verdicts(sandbox, PuzzleCheck(code, solution))[0].verdict == "error"


def test_a_huge_text_is_refused(sandbox: Sandbox) -> None:
    limits = CheckLimits(text_bytes=100)
    found = verdicts(
        sandbox, PuzzleCheck(TAKES_ANY, "1" * 101, limits), PuzzleCheck(TAKES_ANY + "#" * 100, "1", limits)
    )
    assert [verdict.verdict for verdict in found] == ["refused", "refused"]


# ------------------------------------------------------------------------------------------------ data that travels

# A solution, and an expression of x that is true for its value and for nothing like it.
DATA = {
    "integer": ("-7", "x == -7 and type(x) is int"),
    "big integer": ("2**521 - 2", "x == (1 << 521) - 2 and type(x) is int"),
    "bool": ("1 == 1", "x is True"),
    "none": ("None", "x is None"),
    "float": ("1e-300 * 3", "x == 3e-300 and type(x) is float"),
    "negative zero": ("-0.0", "x == 0 and str(x) == '-0.0'"),
    "computed negative zero": ("0.0 * -1", "str(x) == '-0.0'"),
    "not a number": ("float('nan')", "x != x and type(x) is float"),
    "infinity": ("1e999", "x > 1e308 and type(x) is float"),
    "computed infinity": ("-float('inf')", "x == float('-inf')"),
    "complex": ("3 - 4j", "x == complex(3, -4) and abs(x) == 5"),
    "computed complex": ("complex('nan+2j')", "x.imag == 2 and x.real != x.real"),
    "text": ("'U' * 15", "x == 'UUUUUUUUUUUUUUU'"),
    "text with half a surrogate pair": (r"'\ud800' + chr(0xdfff)", "[ord(c) for c in x] == [0xd800, 0xdfff]"),
    "text with all kinds of characters": (
        r"'\0\n\u2028\U0001f600é'",
        "[ord(c) for c in x] == [0, 10, 0x2028, 0x1f600, 0xe9]",
    ),
    "bytes": ("bytes(range(256))", "list(x) == list(range(256)) and type(x) is bytes"),
    "tuple": ("(1, (2, [3]))", "x == (1, (2, [3])) and type(x) is tuple"),
    "tuple without brackets": ("1, 2", "x == (1, 2)"),
    "list": ("[i * i for i in range(4)]", "x == [0, 1, 4, 9]"),
    "dict in its order": ("{k: v for k, v in zip('ba', [1, 2])}", "list(x.items()) == [('b', 1), ('a', 2)]"),
    "set": ("{1, 2} | {3}", "x == {1, 2, 3} and type(x) is set"),
    "frozen set": ("frozenset('ab')", "x == {'a', 'b'} and type(x) is frozenset"),
    "shared parts": ("[a := [], a]", "x[0] is x[1]"),
    "cycle": ("(a := [1], a.append(a))[0]", "x[1] is x"),
    "not a number in a set": ("{1e999 - 1e999, 2}", "len(x) == 2"),
    "nested": ("{'a': [({1}, b'', {2.5: None})]}", "x == {'a': [({1}, b'', {2.5: None})]}"),
    "nested deeply": ("eval('[' * 50 + ']' * 50)", "str(x) == '[' * 50 + ']' * 50"),
    "module": ("__import__('struct').unpack('<I', b'abcd')", "x == (1684234849,)"),
    "white space around": ("\n\t 5 \n", "x == 5"),
    "comment behind": ("5 # five", "x == 5"),
    "several lines": ("[\n1,\n# one\n2]", "x == [1, 2]"),
}


@pytest.mark.parametrize("name", DATA)
def test_data_arrives_as_it_was(sandbox: Sandbox, name: str) -> None:
    """The puzzle's own word on the value: equal in kind and content; the opposite puzzle rejects it."""
    solution, is_right = DATA[name]
    checks = [PuzzleCheck(f"def mystery(x):\n    return {word} ({is_right})", solution) for word in ("", "not ")]
    found = verdicts(sandbox, *checks)
    assert [verdict.verdict for verdict in found] == ["true", "false"], found


def test_a_solution_sees_the_puzzle_but_does_not_change_it(sandbox: Sandbox) -> None:
    """It may use the puzzle's names; what it does to them stays where it ran."""
    code = "KEY = [3]\ndef helper(n):\n    return n + KEY[0]\n"
    code += "def mystery(x):\n    return x == helper(1) and len(KEY) == 1\n"
    wanted = {"helper(1)": "true", "KEY[0] + 1": "true", "KEY.append(9) or 4": "true", "helper(2)": "false"}
    found = verdicts(sandbox, *(PuzzleCheck(code, solution) for solution in wanted))
    assert [verdict.verdict for verdict in found] == list(wanted.values())


def test_two_parties_do_not_meet_where_the_solution_needs_nothing_of_the_puzzle(sandbox: Sandbox) -> None:
    """Not even a puzzle that breaks Python's functions changes how an expression is evaluated."""
    code = "import builtins\nsaved = len\nbuiltins.len = lambda x: 99\ndef mystery(x):\n    return x == 3\n"
    assert verdicts(sandbox, PuzzleCheck(code, "len([1, 2, 3])"))[0].verdict == "true"


def test_an_expression_sees_what_the_puzzle_puts_in_the_place_of_a_builtin(sandbox: Sandbox) -> None:
    """T6: it is evaluated in the puzzle's own namespace, whether that binds a name itself or by a star."""
    for binds in ("pow = lambda a, b: 8.5", "from math import *"):
        code = f"{binds}\ndef mystery(x):\n    return type(x) is float"
        assert verdicts(sandbox, PuzzleCheck(code, "pow(2, 3)"))[0].verdict == "true"


def test_a_value_that_is_too_long_to_travel_is_an_error(sandbox: Sandbox) -> None:
    limits = CheckLimits(memory_mb=64)
    (verdict,) = verdicts(sandbox, PuzzleCheck(TAKES_ANY, "b'x' * 20_000_000", limits))
    assert verdict.verdict == "error"
    assert "takes 20000" in verdict.detail


# ------------------------------------------------------------------------------------------------ what is no plain data

REFUSED = {
    "a function": "lambda x: x * x",
    "a function of the puzzle": "helper",
    "a class": "int",
    "a built-in function": "len",
    "a module": "__import__('math')",
    "an instance": "Box(1)",
    "a class made here": "type('A', (), {})",
    "an instance made here": "type('A', (int,), {'__eq__': lambda s, o: True})(3)",
    "a generator": "(n for n in [1])",
    "an iterator": "iter([1])",
    "a range": "range(3)",
    "an ellipsis": "...",
    "a slice": "slice(1)",
    "a named tuple": "Point(1, 2)",
    "a fraction": "__import__('fractions').Fraction(1, 2)",
    "a default dictionary": "__import__('collections').defaultdict(list)",
    "a byte array": "[bytearray(b'ab')]",
    "a view": "memoryview(b'ab')",
    "keys": "{1: 2}.keys()",
    "inside of a list": "[1, [lambda: 1]]",
    "inside of a dictionary": "{'a': Box(1)}",
}
PUZZLE = """
from collections import namedtuple
class Box:
    def __init__(self, n):
        self.n = n
Point = namedtuple("Point", "x y")
def helper(n):
    return n + 1
def mystery(x):
    return True
"""


def test_what_is_no_plain_data_is_refused_with_one_sentence(sandbox: Sandbox) -> None:
    found = dict(
        zip(REFUSED, verdicts(sandbox, *(PuzzleCheck(PUZZLE, text) for text in REFUSED.values())), strict=True)
    )
    assert {name: one.verdict for name, one in found.items() if one.verdict != "refused"} == {}
    assert {one.detail.rpartition(" ")[0] for one in found.values()} == {f"{REFUSED_BECAUSE} an object of the type"}


FORGED = [  # pickles that do something else than making plain data
    b"cos\nsystem\n(S'true'\ntR.",
    b"cbuiltins\ncomplex\n.",
    b"cbuiltins\nrange\n(I1\ntR.",
    b"\x80\x05\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.",
    b"(i__main__\nmystery\n.",
    b"(c__main__\nmystery\no.",
    b"\x80\x02\x82\x01.",
    b"\x80\x05\x97.",
    b"\x80\x05\x96\x01\x00\x00\x00\x00\x00\x00\x00a\x98.",
    b"]\x94(K\x01K\x02e}b.",
    b"Px\n.",
    b"K\x01K\x02\x86Q.",
    b"",
    b"\x80",
    b".",
    b"\xff" * 50,
]


@pytest.mark.parametrize("data", FORGED)
def test_the_decoder_builds_plain_data_and_nothing_else(data: bytes) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 whatever it is
        decode(data)


@pytest.mark.parametrize("data", FORGED)
def test_a_forged_value_of_a_solution_is_no_verdict(sandbox: Sandbox, data: bytes) -> None:
    """A solution's code may send any bytes as its value; the process that judges them has seen no code of it."""
    write = f"__import__('os').write(3, {b'V' + data!r}) and __import__('os')._exit(0)"
    assert verdicts(sandbox, PuzzleCheck(TAKES_ANY, write))[0].verdict == "error"


def test_a_forged_message_of_a_solution_is_no_verdict(sandbox: Sandbox) -> None:
    write = "[__import__('os').write(n, b{!r}) for n in range(3, 9)] and __import__('os')._exit(0)"
    for letter in "TFNERVS":
        (verdict,) = verdicts(sandbox, PuzzleCheck(TAKES_ANY, write.format(letter)))
        assert verdict.verdict in ("error", "refused"), (letter, verdict)


def test_the_process_that_judges_has_seen_no_code_of_the_solver(sandbox: Sandbox) -> None:
    """What the expression leaves in its own process is not there when `mystery` is called."""
    leaves = (
        "setattr(__import__('builtins'), 'len', lambda x: 99) or __import__('sys').modules.update(left=1) or [1, 2]"
    )
    code = "import sys\ndef mystery(x):\n    return len(x) == 2 and 'left' not in sys.modules"
    assert verdicts(sandbox, PuzzleCheck(code, leaves))[0].verdict == "true"


class Slow:
    """A worker whose stages take 0.4 seconds each, and that notes how many they are given."""

    def __init__(self) -> None:
        self.given: dict[str, float] = {}

    def run(self, _row: int, stage: str, texts: list[bytes], _stdin: bytes, seconds: float, *_: int) -> Ran:
        self.given[stage] = seconds
        answer = {"literal": b"N", "evaluate": b"V", "judge": texts[2] if len(texts) > 2 else b""}[stage]
        return Ran(b"A", 0, "", 0.4, b"", answer, "3.99")


@pytest.mark.parametrize(("limit", "given"), [(1.0, (1.0, 0.6, 0.2)), (0.7, (0.7, 0.3, 0.0))])
def test_the_time_of_all_stages_together_is_limited(limit: float, given: tuple[float, ...]) -> None:
    slow = Slow()
    verdict = conduct(cast(Worker, slow), PuzzleCheck(NEVER, "1", CheckLimits(seconds=limit)))
    assert verdict.verdict == "false"
    assert verdict.python.startswith("3.99 on ")
    assert verdict.seconds == pytest.approx(1.2)
    assert slow.given == pytest.approx(dict(zip(("literal", "evaluate", "judge"), given, strict=True)))


def test_a_solution_that_does_not_end_has_its_whole_time(sandbox: Sandbox) -> None:
    (verdict,) = verdicts(sandbox, PuzzleCheck(NEVER, "sum(iter(int, 1))", CheckLimits(seconds=1.0)))
    assert verdict.verdict == "timeout"
    assert verdict.seconds >= 1.0
