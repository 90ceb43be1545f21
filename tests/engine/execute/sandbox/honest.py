"""Honest solutions that are not plain data, and honest results: what a policy that refuses everything would lose."""

SELF = "type('C', (), {'__call__': lambda self: self})()"
POINT = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\n    y: int\n"
PAIR = "from collections import namedtuple\nPair = namedtuple('Pair', 'a b')\n"
COLOR = "from enum import Enum, Flag\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n"
COLOR += "class Bits(Flag):\n    A = 1\n    B = 2\n    BOTH = 3\n"
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
    "a date as a text": (
        "import datetime\n",
        "x(datetime.date(2000, 1, 1)) == 'Saturday'",
        "lambda d: d.strftime('%A')",
    ),
    "a date of a text": (
        "import datetime\n",
        "x('1.2.2000').month == 2",
        "lambda s: datetime.datetime.strptime(s, '%d.%m.%Y')",
    ),
    "a default dictionary": (
        "from collections import defaultdict\n",
        "x['a'] == [] and x['b'] == 1",
        "defaultdict(list, b=1)",
    ),
    "a default dictionary inside": (
        "from collections import defaultdict\n",
        "x('aab') == 8",
        "lambda s, d=defaultdict(lambda: 3): sum(d[c] + 0 for c in set(s)) + len(d)",
    ),
    "the next of an iterator": ("", "x(iter([5])) == 5 and x(iter([])) is None", "lambda i: next(i, None)"),
    "a partial": ("from functools import partial\n", "x(5) == 32", "partial(pow, 2)"),
    # --- with the puzzle's names
    "data class": (POINT, "x == Point(1, 2) and type(x) is Point", "Point(1, 2)"),
    "data classes": (POINT, "x == [Point(n, -n) for n in range(3)]", "[Point(n, -n) for n in range(3)]"),
    "named tuple": (PAIR, "x._fields == ('a', 'b') and x == (1, 2)", "Pair(1, b=2)"),
    "member": (COLOR, "x is Color.RED", "Color.RED"),
    "member by its value": (COLOR, "x is Color.BLUE", "Color(2)"),
    "member by its name": (COLOR, "x is Color.BLUE", "Color['BLUE']"),
    "members": (COLOR, "x == [Color.BLUE, Color.RED]", "list(Color)[::-1]"),
    "members as keys": (COLOR, "x[Color.RED] == 1 and len(x) == 2", "{color: color.value for color in Color}"),
    "flags": (COLOR, "x is Bits(3)", "Bits.A | Bits.B"),
    "chain": (NODE, "x.after.value == 2 and x.after.after is None", "Node(1, Node(2))"),
    "class method": (TREE, "x.items == (1, 2)", "Tree.of(1, 2)"),
    "function for data": (TREE, "x == [(1,), (2,)]", "list(map(leaf, [1, 2]))"),
    "the puzzle's function": (WORDS, "x is double", "double"),
    "the puzzle's class": (NODE, "x is Node", "Node"),
    "function with data": (WORDS, "x('a', 1) == 'ape'", "lambda c, n: WORDS[c][n]"),
    "function with a constant": (WORDS, "x(1) == 4", "lambda n: LIMIT + n"),
    "function of an object": (POINT, "x(Point(1, 2)) == 3", "lambda p: p.x + p.y"),
    "same class as its argument": (POINT, "x(Point(1, 2)) == Point(2, 1)", "lambda p: type(p)(p.y, p.x)"),
    "a parameter with a name of the puzzle's": (f"{WORDS}import os\n", "x(2) == 4", "lambda os: os * os"),
}
VECTOR = """
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x+o.x, self.y+o.y)
    def __radd__(self, o): return self if o == 0 else NotImplemented
    def __mul__(self, n): return V(self.x*n, self.y*n)
    __rmul__ = __mul__
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def plus(self, o): return self + o
    @property
    def turned(self): return V(-self.y, self.x)
    @staticmethod
    def zero(): return V(0, 0)
    def __call__(self, n): return V(n, n)
"""
KINDS = """
import collections, datetime, enum, fractions, functools, math
class C(enum.Enum):
    RED=1
    BLUE=2
    def label(self): return self.name.lower()
    @property
    def other(self): return C(3 - self.value)
    @classmethod
    def first(cls): return list(cls)[0]
class I(enum.IntEnum):
    A=1
    B=2
P=collections.namedtuple('P','a b')
class Stack(list):
    def top(self): return self[-1]
class Money(int): pass
class D(dict):
    def __missing__(self,k): return k*2
class Error(ValueError): pass
class Slots:
    __slots__ = ('a',)
    def __init__(self, a): self.a = a
@functools.lru_cache
def fib(n): return n if n<2 else fib(n-1)+fib(n-2)
NAMED = {'x': C.RED, C.BLUE: 'y'}
QUEUE = collections.deque([1])
def pair(a, b=0, *rest, c=1): return P((a, b), (rest, c))
"""
# Made of the puzzle's own things, without code that could run later.
BUILT: dict[str, tuple[str, str, str]] = {
    "objects by a target with a star": (
        POINT,
        "x == [Point(1, [2, 3]), Point(4, [])]",
        "[Point(a, b) for a, *b in [(1, 2, 3), [4]]]",
    ),
    "objects by what is before a star": (
        POINT,
        "x == [Point(3, [1, 2])]",
        "[Point(b, a) for *a, b in [(1, 2, 3)]]",
    ),
    "dictionary by names": (POINT, "x == {'things': Point(1, 2)}", "dict(things=Point(1, 2))"),
    "object of a text that is formatted": (
        POINT,
        "x == Point('01', 'a')",
        "Point('{:02d}'.format(1), '{x[0]}'.format(x='ab'))",
    ),
    "list of its own class": (KINDS, "x.top() == 3 and type(x) is Stack", "Stack([1,2,3])"),
    "list of its own class, of objects": (KINDS, "x.top().a == 1", "Stack([P(1, 2)])"),
    "number of its own class from a text": (KINDS, "x == 3 and type(x) is Money", "Money('3')"),
    "dictionary of its own class": (KINDS, "x[4] == 8 and x['a'] == 1", "D(a=1)"),
    "choice of two objects": ("A=object()\nB=object()\n", "x is A", "A if 1 else B"),
    "first of two objects": ("A=object()\nB=object()\n", "x is A", "A or B"),
    "last of two objects": ("A=object()\nB=object()\n", "x is B", "A and B"),
    "objects that are named": ("A=object()\nB=[]\n", "x[0] is A and x[1]['b'] is B is x[2]", "[A, {'b': B}, B]"),
    "a queue that is named": (KINDS, "x[0] is QUEUE", "[QUEUE, 1]"),
    "a method that is named": ("S = []\npush = S.append\n", "(x(1) or S) == [1]", "push"),
    "the same object twice": (NODE, "x[0] is x[1] and x[0].value == 1", "[Node(1)] * 2"),
    "one object in another": (NODE, "x[1].after is x[0]", "[n := Node(1), Node(2, n)]"),
    "objects put together": (NODE, "[n.value for n in x] == [1, 2, 3]", "[Node(1)] + [Node(n) for n in (2, 3)]"),
    "tuple of objects": (NODE, "[n.value for n in x] == [0, 1]", "tuple(Node(n) for n in range(2))"),
    "objects by a comprehension with a condition": (
        NODE,
        "[n.value for n in x] == [2, 4, 4, 11]",
        "[Node(a + b) for a in range(6) for b in [0, a * 6 - 24] if a % 2 == 0 and a and 0 <= b < 9 or b == a + 1]",
    ),
    "objects by map": (POINT, "x == [Point(1, 3), Point(2, 4)]", "list(map(Point, [1, 2], (3, 4)))"),
    "objects by unpacking": (POINT, "x == [Point(1, 2), Point(3, 4)]", "[Point(*(1, 2)), Point(**{'x': 3, 'y': 4})]"),
    "objects by pairs": (POINT, "x == [Point(1, 0), Point(2, 1)]", "[Point(a, n) for n, a in enumerate([1, 2])]"),
    "objects of texts": (
        NODE,
        "[n.value for n in x] == ['A1', 'B1']",
        "[Node(f'{w.upper()}{1:d}') for w in 'a b'.split()]",
    ),
    "objects of the puzzle's data": (
        NODE + WORDS,
        "[(n.value, n.after) for n in x] == [('a', 'ant'), ('b', 'bee')]",
        "[Node(k, v[0]) for k, v in sorted(WORDS.items())]",
    ),
    "objects by its function": (VECTOR, "x == V(4, 6)", "V(1, 2).plus(V(3, 4))"),
    "object by a property": (VECTOR, "x == V(-2, 1)", "V(1, 2).turned"),
    "object by a static method": (VECTOR, "x == V(0, 0)", "V.zero()"),
    "object by an object that is called": (VECTOR, "x == V(7, 7)", "V.zero()(7)"),
    "set of objects": (VECTOR, "len(x) == 1", "{V(1,2), V(1,2)}"),
    "objects as keys": (VECTOR, "x == {V(1,2): 3}", "{V(1,2): 3, **{}}"),
    "method that is the puzzle's": (VECTOR, "x(V(1, 1)) == V(2, 2)", "V(1, 1).plus"),
    "member by another": (KINDS, "x is C.BLUE", "C.RED.other"),
    "member by a choice": (KINDS, "x is C.BLUE", "C.RED if len(C) == 3 else C.BLUE"),
    "members backwards": (KINDS, "x == (C.BLUE, C.RED)", "tuple(reversed(C))"),
    "members by a table": (KINDS, "x == [C.RED, 'y', C.BLUE]", "[NAMED['x'], NAMED[C.BLUE], *list(C)[1:]]"),
    "members and texts": (KINDS, "x == {'red': C.RED, 'blue': C.BLUE}", "{c.label(): c for c in C}"),
    "set of members": (KINDS, "x == {C.RED, C.BLUE}", "set(C)"),
    "pairs of members": (KINDS, "x == {C.RED: 'a', C.BLUE: 'b'}", "dict(zip(C, 'ab'))"),
    "member of numbers": (KINDS, "x[0] is I.B", "[I(2), P]"),
    "named tuples in one": (KINDS, "x.a.b == 2 and x.b == 5", "P(P(1, 2), b=P(4, 5).b)"),
    "unpacked named tuple": (KINDS, "x == (2, 1) and type(x) is P", "P(*[*P(1, 2)][::-1])"),
    "arguments of all kinds": (KINDS, "x == ((1, 2), ((3, 4), 5))", "[pair(1, *(2, 3), 4, c=5)][0] if C else P"),
    "exception": (KINDS, "type(x) is Error and x.args == ('a',)", "Error('a')"),
    "object with slots": (KINDS, "x[0] == 3 and x[1].a == 3", "[Slots(3).a, Slots(3)]"),
    "numbers of the library": (
        KINDS,
        "x == P(4.0, fractions.Fraction(1, 2))",
        "P(math.sqrt(16), fractions.Fraction(1, 2))",
    ),
    "pairs of the library": (
        KINDS.replace("import collections", "import itertools, collections"),
        "x == [P(1, 3), P(1, 4), P(2, 3), P(2, 4)]",
        "[P(a, b) for a, b in itertools.product([1, 2], [3, 4])]",
    ),
    "class method of an enumeration": (KINDS, "x is C.RED", "C.first()"),
    "class with a type's variable": (
        "from typing import *\nT = TypeVar('T')\nclass Box(Generic[T]):\n    def __init__(self, n): self.n = n\n",
        "type(x) is Box and x.n == 1",
        "Box(1)",
    ),
    "class of an abstract one": (
        "import abc\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def f(self): ...\n"
        "class Box(Base):\n    def f(self): return self\n",
        "isinstance(x.f(), Base)",
        "Box().f()",
    ),
    "class that is typed": (
        "import typing\nclass Row(typing.NamedTuple):\n    a: int\n    b: int = 2\n",
        "x == (1, 2) and type(x) is Row",
        "Row(a=1)",
    ),
    "class with slots that is written": (
        "import dataclasses\n@dataclasses.dataclass(slots=True, frozen=True, order=True)\nclass Row:\n    a: int\n"
        "    b: list = dataclasses.field(default_factory=list)\n@dataclasses.dataclass\nclass More:\n    rows: list\n",
        "x.rows[0].b == [] and x.rows[0] < x.rows[1]",
        "More([Row(1), Row(2, [3])])",
    ),
    "member of texts": (
        "import enum\nclass C(str, enum.Enum):\n    A = 'a'\n    @staticmethod\n    def make(n): return C(n)\n",
        "x[0] is C.A and x[1] is C.A and x[2] is C",
        "[C('a'), C.make('a'), C]",
    ),
    "date": (KINDS, "x.a.year == 2000", "P(datetime.date(2000, 1, 1), math.pi)"),
    "function that is written with a memory": (KINDS, "x(20) == 6765", "fib"),
}
HONEST |= BUILT
# Code of the solution's own and the puzzle's functions, classes or objects in one, which is refused: honest as it is.
MIXED: dict[str, tuple[str, str, str]] = {
    "function with a function": (WORDS, "x(3) == 7", "lambda n: double(n) + 1"),
    "instance of a class": (POINT, "x(Point(1, 2)) and not x(1)", "lambda p: isinstance(p, Point)"),
    "comparison with a member": (COLOR, "x(Color.RED) and not x(Color.BLUE)", "lambda c: c == Color.RED"),
    "method of a member": (KINDS, "x() == 'red'", "lambda: C.RED.label()"),
    "method of a list of its own class": (KINDS, "x() == 3", "lambda: Stack([1,2,3]).top()"),
    "cached function": (KINDS, "x(20) == 6765", "lambda n: fib(n)"),
    "function that gives an object": ("A=object()\n", "x() is A", "lambda: A"),
    "function that makes an object": (VECTOR, "isinstance(x(), V)", "lambda: V(1,2)"),
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
