"""Solutions are expressions (T6): exactly one, in the puzzle's namespace, without a way into its verdict."""

import pytest

from antemill.engine.execute.sandbox import CheckLimits, PuzzleCheck, Sandbox
from antemill.engine.execute.sandbox.conduct import conduct
from antemill.engine.execute.sandbox.contract import Reply
from antemill.engine.execute.sandbox.wasm.server import TICK
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
    "ellipsis": ("...", "x is ..."),
    "computed ellipsis": ("[...][0]", "x is ..."),
    "not implemented": ("NotImplemented", "x is NotImplemented"),
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
    "byte array": ("bytearray(b'ab')", "x == b'ab' and type(x) is bytearray"),
    "range": ("range(1, 10, 2)", "list(x) == [1, 3, 5, 7, 9] and type(x) is range"),
    "slice": ("slice(1, None, 2)", "(x.start, x.stop, x.step) == (1, None, 2)"),
    "tuple": ("(1, (2, [3]))", "x == (1, (2, [3])) and type(x) is tuple"),
    "tuple without brackets": ("1, 2", "x == (1, 2)"),
    "list": ("[i * i for i in range(4)]", "x == [0, 1, 4, 9]"),
    "dict in its order": ("{k: v for k, v in zip('ba', [1, 2])}", "list(x.items()) == [('b', 1), ('a', 2)]"),
    "set": ("{1, 2} | {3}", "x == {1, 2, 3} and type(x) is set"),
    "frozen set": ("frozenset('ab')", "x == {'a', 'b'} and type(x) is frozenset"),
    "shared parts": ("[a := [], a]", "x[0] is x[1]"),
    "cycle": ("(a := [1], a.append(a))[0]", "x[1] is x"),
    "not a number twice": ("[float('nan')] * 2", "x[0] is x[1] and x == x[::-1] and x.count(x[0]) == 2"),
    "two that are not a number": ("[float('nan'), -float('nan')]", "x[0] is not x[1] and x != x[::-1]"),
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


def test_a_value_that_is_too_long_to_travel_is_an_error(sandbox: Sandbox) -> None:
    limits = CheckLimits(memory_mb=64)
    (verdict,) = verdicts(sandbox, PuzzleCheck(TAKES_ANY, "b'x' * 20_000_000", limits))
    assert verdict.verdict == "error"
    assert "takes 20000" in verdict.detail


# ------------------------------------------------------------------------------------------------ what cannot travel

PUZZLE = """
import functools, math, operator, os, re, string
from collections import Counter, namedtuple
class Box:
    kept = [1]
    limit = 5
    def __init__(self, n):
        self.n = n
Point = namedtuple("Point", "x y")
def helper(n):
    return n + 1
helper.calls = []
STATE, ROWS, LIMIT = {"solved": False}, [1], 5
from math import sqrt
import math as m
def mystery(f):
    return f(3) == 9 or STATE["solved"] or Box.kept != [1] or helper.calls != [] or ROWS != [1]
"""
USED_WELL = {
    "lambda x: x * x": "true",
    "lambda x: x + x": "false",
    "lambda x, y=6: x + y": "true",
    "lambda *a, **k: sum(a) * len(a) * 3": "true",
    "lambda x: math.prod([x, x])": "true",
    "functools.partial(operator.mul, 3)": "true",
    "lambda x: int(re.sub('a', '9', 'a'))": "true",
    "lambda x: int('{}'.format(9))": "true",
    "lambda x: int(f'{x * x}')": "true",
    "lambda x: (y := x) * y": "true",
    "lambda x: [z := x, z * z][1]": "true",
    "lambda x: max(i for i in range(10))": "true",
    "lambda x: Counter('a' * 9)['a']": "true",
    "lambda x: len([STATE][0]) + 8": "true",
    "lambda x: 9 if type(x) is int and isinstance(x, int) and type(x) != type('') else 0": "true",
    "lambda x: __import__('math').perm(x) + 3": "true",
    "lambda x: '{:>{}}'.format(x * x, 1) == '9' and 9": "true",
    "lambda x: int(format(x * x, '05d'))": "true",
    "(6).__add__": "true",
    "type('Nine', (), {'__call__': lambda self, x: x * self.times, 'times': 3})()": "true",
    "type('Nine', (), {'__init__': lambda self, x: None})": "false",
    "type('Nine', (), {})": "error",
    "lambda x: type('A', (), {})": "false",
    "lambda x: LIMIT + 4": "true",
    "lambda x: (ROWS.append(x) or len(ROWS)) + 7": "true",
    "lambda x: sqrt(81)": "true",
    "lambda x: m.prod([x, x])": "true",
    "lambda x: STATE.update(solved=True)": "false",
    "lambda x: ROWS.append(x)": "false",
    "(STATE, lambda x: 1)[1]": "false",
    "lambda x: 1 / 0": "error",
    "lambda x: f(x)": "error",
}
REFUSED = [
    "lambda x: os.getcwd()",
    "lambda x: mystery.__globals__",
    "lambda x: helper.__code__",
    "lambda x: (1).__class__.__base__.__subclasses__()",
    "lambda x: x.__class__",
    "lambda x: x._private",
    "lambda x: (i for i in [1]).gi_frame",
    "lambda x: (i for i in [1]).gi_code.co_consts",
    "lambda x: x.f_back",
    "lambda x: x.tb_frame",
    "lambda x: int.mro()",
    "lambda x: __import__('os')",
    "lambda x: __builtins__",
    "lambda x: helper(x) + 5",
    "lambda x: Box(x).n * 3",
    "lambda x: Box.kept.append(2)",
    "lambda x: helper.calls.append(1)",
    "(helper, lambda x: x * x)",
    "[lambda x: x * x, Point][0]",
    "[getattr(Box, 'kept'), Box]",
    "[Box.__dict__, Box]",
    "[helper.__globals__, Box]",
    "[Box(1), Counter('a')]",
    "[os, Box(1)]",
    "[Box(1), (n for n in [1])]",
    "[len, Box]",
    "lambda x: getattr(x, 'real')",
    "lambda x: setattr(helper, 'calls', 1)",
    "lambda x: vars(Box)",
    "lambda x: globals()",
    "lambda x: locals()",
    "lambda x: eval('1')",
    "lambda x: exec('1')",
    "lambda x: compile('1', '', 'eval')",
    "lambda x: open('/etc/passwd')",
    "lambda x: input()",
    "lambda x: (yield)",
    "lambda x: '{0.__class__}'.format(x)",
    "lambda x: '{0[a].__class__}'.format(x)",
    "lambda x: '{:{0.real}}'.format(x)",
    "lambda x: ('{0.__cl' + 'ass__}').format(x)",
    "lambda x: str.format('{0.__class__}', x)",
    "lambda x: '{a.b}'.format_map(x)",
    "lambda f=mystery.__globals__: f",
    "lambda x: f'{x.__class__}'",
    "lambda x: f'{x:{x.__class__}}'",
    "lambda x: [y.__dict__ for y in [Box]]",
    "lambda x: x.ｍｒｏ",  # noqa: RUF001 identifiers are normalised
    "lambda x: breakpoint()",
    "lambda x: memoryview(b'')",
    "lambda x: print(x)",
    "lambda x: __import__('random').random()",
    "lambda x: __import__('datetime').datetime.now()",
    "lambda x: type('A', (), {'__eq__': lambda s, o: True})",
    "lambda x: type('A', (type,), {})",
    "lambda x: [0 for x[0] in [1]]",
]


@pytest.mark.parametrize("solution", USED_WELL)
def test_a_function_is_judged(sandbox: Sandbox, solution: str) -> None:
    (verdict,) = verdicts(sandbox, PuzzleCheck(PUZZLE, solution))
    assert verdict.verdict == USED_WELL[solution], verdict


@pytest.mark.parametrize("solution", REFUSED)
def test_what_can_not_travel_is_held_to_a_policy(sandbox: Sandbox, solution: str) -> None:
    (verdict,) = verdicts(sandbox, PuzzleCheck(PUZZLE, solution))
    assert verdict.verdict == "refused", verdict
    assert verdict.detail.startswith("a solution that is not plain data must not "), verdict


def test_operator_parts_that_reach_attributes_are_not_there(sandbox: Sandbox) -> None:
    """Of a module that the puzzle has imported there is what leads nowhere."""
    solutions = (
        "lambda x: functools.os",
        "lambda x: operator.attrgetter('real')(9)",
        "lambda x: operator.methodcaller('bit_length')(9)",
    )
    found = verdicts(sandbox, *(PuzzleCheck(PUZZLE, solution) for solution in solutions))
    assert all(verdict.verdict == "error" and "AttributeError" in verdict.detail for verdict in found), found


def test_a_forged_message_of_a_solution_is_no_verdict(sandbox: Sandbox) -> None:
    """A solution's code may say that it made any value, which it may make anyway; it has no say about the puzzle."""
    write = "[__import__('os').write(n, b{!r}) for n in range(3, 9)] and __import__('os')._exit(0)"
    for letter in "TFNERVBAOSD":
        (verdict,) = verdicts(sandbox, PuzzleCheck(NEVER, write.format(letter)))
        assert verdict.verdict in ("error", "refused", "false"), (letter, verdict)


def test_a_solution_that_does_not_end_has_its_whole_time(sandbox: Sandbox) -> None:
    limits = CheckLimits(seconds=1.0)
    checks = [
        PuzzleCheck(NEVER, "sum(iter(int, 1))", limits),
        PuzzleCheck(NEVER, "lambda: sum(iter(int, 1))", limits),
    ]
    (endless, unused) = verdicts(sandbox, *checks)
    assert (endless.verdict, unused.verdict) == ("timeout", "false")
    assert endless.seconds >= 1.0 - TICK  # wasm counts the tick in which it begins as a whole one


class Slow:
    """A worker whose stages take 0.4 seconds each, and that notes how many they are given."""

    python = ""

    def __init__(self) -> None:
        self.given: dict[str, float] = {}

    def call(
        self, stage: str, _first: bytes, _second: bytes, _limits: CheckLimits, seconds: float, _seed: int
    ) -> Reply:
        self.given[stage] = seconds
        return Reply({"literal": "N", "evaluate": "V", "judge": "F"}[stage], b"", 0.4)

    def kill(self) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize(("limit", "given"), [(1.0, (1.0, 0.6, 0.2)), (0.7, (0.7, 0.3, 0.0))])
def test_the_time_of_all_stages_together_is_limited(limit: float, given: tuple[float, ...]) -> None:
    slow = Slow()
    verdict = conduct(slow, PuzzleCheck(NEVER, "1", CheckLimits(seconds=limit)), "")
    assert verdict.verdict == "false"
    assert verdict.seconds == pytest.approx(1.2)
    assert slow.given == pytest.approx(dict(zip(("literal", "evaluate", "judge"), given, strict=True)))
