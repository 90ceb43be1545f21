"""Honest solutions that are not plain data, and honest results: what a policy that refuses everything would lose."""

SELF = "type('C', (), {'__call__': lambda self: self})()"
POINT = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\n    y: int\n"
PAIR = "from collections import namedtuple\nPair = namedtuple('Pair', 'a b')\n"
COLOR = "from enum import Enum, Flag\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n"
COLOR += "class Bits(Flag):\n    A = 1\n    B = 2\n"
NODE = "class Node:\n    def __init__(self, value, after=None):\n        self.value, self.after = value, after\n"
TREE = "def leaf(n):\n    return (n,)\nclass Tree:\n    @classmethod\n    def of(cls, *items):\n        made = cls()\n"
TREE += "        made.items = items\n        return made\n"
WORDS = "WORDS = {'a': ['ant', 'ape'], 'b': ['bee']}\nLIMIT = 3\ndef double(n):\n    return 2 * n\n"
# A beginning of the puzzle, what it asks of x, and the solution.
HONEST: dict[str, tuple[str, str, str]] = {
    "returns itself": ("", "x()()() is x", SELF),
    "returns itself, with arguments": ("", "x(1, a=2) is x", SELF.replace("self:", "self, *a, **k:")),
    "type of a value": ("", "x(1) is int and x('') is str and x([]) is list", "lambda v: type(v)"),
    "type by its name": ("", "x(1) == 'int' and x('') == 'str'", "lambda v: type(v).__name__"),
    "type compared": ("", "x(True) and not x(1)", "lambda v: type(v) == bool"),
    "type as a constructor": ("", "x([1, 2]) == [2, 1] and x((1, 2)) == (2, 1)", "lambda v: type(v)(v[::-1])"),
    "type itself": ("", "x is type", "type"),
    "type of a type": ("", "x(int) == x(str)", "lambda v: type(v)"),
    "instance of type": ("", "x(int) and not x(1)", "lambda v: isinstance(v, type)"),
    "class": ("", "isinstance(x(), x) and x.size == 3", "type('C', (), {'size': 3})"),
    "class on a class": ("", "issubclass(x, int) and x(5) == 5", "type('C', (int,), {})"),
    "builtin type": ("", "x('12') == 12", "int"),
    "quine": ("", "x() == 'a'", "lambda a='a': a"),
    "the collatz sequence": (
        "",
        "x(6) == 8",
        "lambda n,c=lambda n,c:n//2 and 1+c(n%2 and 3*n+1 or n//2,c) or 0:c(n,c)",
    ),
    "fixed point": (
        "",
        "x(5) == 120",
        "(lambda f: lambda n: f(f, n))(lambda f, n: 1 if n < 2 else n * f(f, n - 1))",
    ),
    "memory in a default": ("", "[x(0), x(0)] == [1, 2]", "lambda v, c=[]: c.append(v) or len(c)"),
    "memory in an iterator": ("import itertools\n", "[x(), x()] == [0, 1]", "lambda c=itertools.count(): next(c)"),
    "its own names are looked at": (
        "",
        "x(4) == 2 and 'sqrt' in x.__code__.co_names and x.__code__.co_argcount == 1",
        "lambda n: __import__('math').sqrt(n)",
    ),
    "a method of a number": ("", "x(3) == 8", "(5).__add__"),
    "a method of a text": ("", "x('b') and not x('z')", "'abc'.__contains__"),
    "a generator": ("", "sum(x) == 6", "(n for n in range(4))"),
    "an iterator": ("", "next(x) == 1", "iter([1])"),
    "its function called twice": ("", "x(2)(3) == 5", "lambda a: lambda b: a + b"),
    "functions in data": ("", "x['f'](2) == 4 and x['g']() == 1", "{'f': lambda n: n * n, 'g': lambda: 1}"),
    "a sort": ("", "sorted('bca', key=x) == ['c', 'b', 'a']", "lambda c: -ord(c)"),
    "a fraction": ("from fractions import Fraction\n", "x + x == 1", "Fraction(1, 2)"),
    "a decimal": ("from decimal import Decimal\n", "x * 3 == 1 - Decimal('0.1')", "Decimal('0.3')"),
    "a counter": ("from collections import Counter\n", "x.most_common(1) == [('a', 2)]", "Counter('aab')"),
    "a deque": ("from collections import deque\n", "x.popleft() == 1", "deque([1, 2])"),
    "a date": ("import datetime\n", "x.weekday() == 5", "datetime.date(2000, 1, 1)"),
    "a pattern": ("import re\n", "x.match('aa')", "re.compile('a+$')"),
    "a partial": ("from functools import partial\n", "x(5) == 32", "partial(pow, 2)"),
    # --- with the puzzle's names
    "a range for its function": ("def total(n):\n    return sum(n)\n", "x() == 3", "lambda: total(range(3))"),
    "a slice for its function": ("def cut(s):\n    return 'abc'[s]\n", "x() == 'ab'", "lambda: cut(slice(0, 2))"),
    "a complex for its function": ("def size(z):\n    return abs(z)\n", "x() == 5", "lambda: size(3 + 4j)"),
    "data class": (POINT, "x == Point(1, 2) and type(x) is Point", "Point(1, 2)"),
    "data classes": (POINT, "x == [Point(n, -n) for n in range(3)]", "[Point(n, -n) for n in range(3)]"),
    "changed data class": (POINT, "x.y == 4", "(lambda p: Point(p.x, p.y * 2))(Point(1, 2))"),
    "named tuple": (PAIR, "x._fields == ('a', 'b') and x == (1, 2)", "Pair(1, b=2)"),
    "member": (COLOR, "x is Color.RED", "Color.RED"),
    "member by its value": (COLOR, "x is Color.BLUE", "Color(2)"),
    "member by its name": (COLOR, "x is Color.BLUE", "Color['BLUE']"),
    "members": (COLOR, "x == [Color.BLUE, Color.RED]", "list(Color)[::-1]"),
    "members as keys": (COLOR, "x[Color.RED] == 1 and len(x) == 2", "{color: color.value for color in Color}"),
    "flags": (COLOR, "x is Bits(3)", "Bits.A | Bits.B"),
    "chain": (NODE, "x.after.value == 2 and x.after.after is None", "Node(1, Node(2))"),
    "long chain": (
        f"{NODE}import functools\n",
        "x.value == 99 and x.after.value == 98",
        "functools.reduce(lambda after, n: Node(n, after), range(100), None)",
    ),
    "class method": (TREE, "x.items == (1, 2)", "Tree.of(1, 2)"),
    "function for data": (TREE, "x == [(1,), (2,)]", "list(map(leaf, [1, 2]))"),
    "the puzzle's function": (WORDS, "x is double", "double"),
    "the puzzle's class": (NODE, "x is Node", "Node"),
    "function with a function": (WORDS, "x(3) == 7", "lambda n: double(n) + 1"),
    "function with data": (WORDS, "x('a', 1) == 'ape'", "lambda c, n: WORDS[c][n]"),
    "function with a constant": (WORDS, "x(1) == 4", "lambda n: LIMIT + n"),
    "function with a class": (POINT, "x(1) == 3", "lambda n: Point(n, 2).x + Point(n, 2).y"),
    "function of an object": (POINT, "x(Point(1, 2)) == 3", "lambda p: p.x + p.y"),
    "same class as its argument": (POINT, "x(Point(1, 2)) == Point(2, 1)", "lambda p: type(p)(p.y, p.x)"),
    "instance of a class": (POINT, "x(Point(1, 2)) and not x(1)", "lambda p: isinstance(p, Point)"),
    "comparison with a member": (COLOR, "x(Color.RED) and not x(Color.BLUE)", "lambda c: c == Color.RED"),
    "a parameter with a name of the puzzle's": (f"{WORDS}import os\n", "x(2) == 4", "lambda os: os * os"),
}
NAMES = "from collections import namedtuple\nfrom enum import Enum, IntEnum, Flag\nfrom dataclasses import dataclass\n"
# A beginning of the puzzle, what it returns, and the verdict.
RESULTS: dict[str, tuple[str, str, str]] = {
    "named tuple": (f"{NAMES}Pair = namedtuple('Pair', 'a')", "Pair(0)", "true"),
    "empty named tuple": (f"{NAMES}Pair = namedtuple('Pair', '')", "Pair()", "false"),
    "data class": (f"{NAMES}@dataclass\nclass Point:\n    x: int", "Point(0)", "true"),
    "member of numbers": (f"{NAMES}class N(IntEnum):\n    A = 0\n    B = 1", "N.B", "true"),
    "member of numbers that is zero": (f"{NAMES}class N(IntEnum):\n    A = 0\n    B = 1", "N.A", "false"),
    "member": (f"{NAMES}class N(Enum):\n    A = 0", "N.A", "true"),
    "no flag": (f"{NAMES}class N(Flag):\n    A = 1", "N(0)", "false"),
    "text": ("class Text(str): pass", "Text('False')", "true"),
    "empty text": ("class Text(str): pass", "Text('')", "false"),
    "text with a comparison": ("class Text(str):\n    __eq__ = lambda s, o: True", "Text('')", "false"),
    "list": ("class Rows(list): pass", "Rows([0])", "true"),
    "empty list": ("class Rows(list): pass", "Rows()", "false"),
    "object": ("class Thing: pass", "Thing()", "true"),
    "class": ("class Thing: pass", "Thing", "true"),
    "function": ("", "mystery", "true"),
    "match": ("import re", "re.match('a', 'b')", "false"),
    "none": ("", "None", "false"),
    "not a number": ("", "float('nan')", "true"),
    "object with a truth": ("class Thing:\n    __bool__ = lambda self: True", "Thing()", "error"),
    "object with a length": ("class Thing:\n    __len__ = lambda self: 1", "Thing()", "error"),
    "object with an inherited truth": (
        "class Base:\n    __bool__ = lambda self: True\nclass Thing(Base): pass",
        "Thing()",
        "error",
    ),
    "object of a class of a class": ("class Meta(type): pass\nclass Thing(metaclass=Meta): pass", "Thing()", "error"),
}
