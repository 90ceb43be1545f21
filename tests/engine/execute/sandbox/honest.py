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
# Operators, classes and functions of all kinds, through views.
VECTOR = """
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x+o.x, self.y+o.y)
    def __radd__(self, o): return self if o == 0 else NotImplemented
    def __mul__(self, n): return V(self.x*n, self.y*n)
    __rmul__ = __mul__
    def __divmod__(self, n): return (self.x//n, self.y%n)
    def __round__(self, n=None): return self.x
    def __format__(self, s): return s + str(self.x)
    def __reversed__(self): return iter([self.y, self.x])
    def __iter__(self): return iter((self.x, self.y))
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __lt__(self, o): return self.x < o.x
    def __len__(self): return 2
    def __sub__(self, o): return self.x - o.x
    def __repr__(self): return f"V({self.x}, {self.y})"
class Seq:
    def __init__(self): self.items=[3,4]
    def __getitem__(self, i): return self.items[i]
"""
KINDS = """
import enum, functools, collections
class C(enum.Enum):
    RED=1
    BLUE=2
    def label(self): return self.name.lower()
class I(enum.IntEnum):
    A=1
    B=2
class F(enum.Flag):
    A=1
    B=2
    AB=3
P=collections.namedtuple('P','a b')
class Stack(list):
    def top(self): return self[-1]
class Money(int): pass
class D(dict):
    def __missing__(self,k): return k*2
@functools.lru_cache
def fib(n): return n if n<2 else fib(n-1)+fib(n-2)
def gen(n):
    for i in range(n): yield i
class G:
    total = 0
    @functools.cached_property
    def sq(self): return 9
    @property
    def half(self): return 4
"""
# What changes after the solution was made, and before it is called.
LATER = "def later():\n    global n\n    n = 7\n    data.append(2)\nn, data = 1, [1]\n"
HONEST |= {
    "a name that is bound anew": (LATER, "(later() or x()) == 7", "lambda: n"),
    "a list that grows": (LATER, "(later() or x()) == [1, 2]", "lambda: data"),
    "a list that grows, with a function": (LATER, "(later() or x(3)) == 6", "lambda k: sum(data)+k"),
    "product from the right": (VECTOR, "x() == 4", "lambda: (2*V(1,2)).y"),
    "product that is an object": (VECTOR, "x == V(2,4)", "2*V(1,2)"),
    "sum of objects": (VECTOR, "x == V(4,6)", "sum([V(1,2),V(3,4)])"),
    "division with a rest": (VECTOR, "x() == (1,1)", "lambda: divmod(V(3,3),2)"),
    "rounding": (VECTOR, "x() == 5", "lambda: round(V(5,5))"),
    "rounding to places": (VECTOR, "x() == 5", "lambda: round(V(5,5), 1)"),
    "format": (VECTOR, "x() == '!1'", "lambda: format(V(1,2),'!')"),
    "formatted text": (VECTOR, "x() == '!1'", "lambda: f'{V(1,2):!}'"),
    "backwards": (VECTOR, "x() == [2,1]", "lambda: list(reversed(V(1,2)))"),
    "unpacked object": (VECTOR, "x() == [1,2]", "lambda: [*V(1,2)]"),
    "contents": (VECTOR, "x() is True", "lambda: 2 in V(1,2)"),
    "iteration by places": (VECTOR, "x() == [3,4]", "lambda: list(Seq())"),
    "sorted objects": (VECTOR, "x() == [1,2,3]", "lambda: [v.x for v in sorted([V(3,0),V(1,0),V(2,0)])]"),
    "greatest object": (VECTOR, "x() == 3", "lambda: max(V(3,0),V(1,0)).x"),
    "text of an object": (VECTOR, "x() == 'V(1, 2)'", "lambda: str(V(1,2))"),
    "set of objects": (VECTOR, "x() == 1", "lambda: len({V(1,2),V(1,2)})"),
    "unequal objects": (VECTOR, "x() is True", "lambda: V(1,2) != V(1,3)"),
    "difference": (VECTOR, "x() == 2", "lambda: V(3,2) - V(1,2)"),
    "method of a member": (KINDS, "x() == 'red'", "lambda: C.RED.label()"),
    "names of members": (KINDS, "x() == ['RED','BLUE']", "lambda: [c.name for c in C]"),
    "member of an enumeration": (KINDS, "x() is True", "lambda: C.RED in C"),
    "text of a member": (KINDS, "x() == 'C.RED'", "lambda: str(C.RED)"),
    "sum of members": (KINDS, "x() == 3", "lambda: I.A + I.B"),
    "comparison of members": (KINDS, "x() is True", "lambda: I.A < I.B and I.A == 1"),
    "flag in flags": (KINDS, "x()", "lambda: F.A in F.AB"),
    "parts of a named tuple": (KINDS, "x() == (1, 2, 3)", "lambda: (P(1,2).a, P(1,2)[1], sum(P(1,2)))"),
    "unpacked named tuple": (KINDS, "x() == 3", "lambda: (lambda a,b: a+b)(*P(1,2))"),
    "named tuple and a tuple": (KINDS, "x() == (1,2,3)", "lambda: P(1,2)+(3,)"),
    "tuple and a named tuple": (KINDS, "x() == (3,1,2)", "lambda: (3,)+P(1,2)"),
    "place in a named tuple": (KINDS, "x() == 1", "lambda: P(1,2).index(2)"),
    "list of its own class": (KINDS, "x.top() == 3 and type(x) is Stack", "Stack([1,2,3])"),
    "method of a list of its own class": (KINDS, "x() == 3", "lambda: Stack([1,2,3]).top()"),
    "slice of a list of its own class": (KINDS, "x() == [2,3]", "lambda: Stack([1,2,3])[1:]"),
    "product of a number of its own class": (KINDS, "x() == 6", "lambda: Money(3)*2"),
    "sum of numbers of its own class": (KINDS, "x() == 5", "lambda: Money(3)+Money(2)"),
    "number of its own class from a text": (KINDS, "x == 3 and type(x) is Money", "Money('3')"),
    "dictionary with a default of its own": (KINDS, "x() == 8", "lambda: D(a=1)[4]"),
    "cached function": (KINDS, "x(20) == 6765", "lambda n: fib(n)"),
    "generator function": (KINDS, "x() == [0,1,2]", "lambda: list(gen(3))"),
    "properties": (KINDS, "x() == 13", "lambda: G().sq + G().half"),
    "member as an index": (KINDS, "x()==5", "lambda: [3,4,5][I.B]"),
    "instance of a named tuple": (KINDS, "x()", "lambda: isinstance(P(1,2), tuple) or isinstance(P(1,2), P)"),
    "name of a class": (KINDS, "x()=='P'", "lambda: P.__name__"),
    "text of a data class": (POINT, "x() == 'Point(x=1, y=2)'", "lambda: repr(Point(1, 2))"),
    "equal data classes": (POINT, "x()", "lambda: Point(1, 2) == Point(1, 2) != Point(2, 1)"),
    "exception by a function": (
        "class Err(Exception): pass\ndef fail(m):\n    raise Err(m)\n"
        "def t(x):\n    try: x()\n    except Err: return True\n",
        "t(x)",
        "lambda: fail('a')",
    ),
    "choice of two objects": ("A=object()\nB=object()\n", "x is A", "A if 1 else B"),
    "first of two objects": ("A=object()\nB=object()\n", "x is A", "A or B"),
    "function that gives an object": ("A=object()\n", "x() is A", "lambda: A"),
    "function that gives a class": ("class A: pass\n", "x() is A", "lambda: A"),
    "function that gives an instance": ("class A: pass\na=A()\n", "x() is a", "lambda: a"),
    "function that makes an object": (VECTOR, "isinstance(x(), V)", "lambda: V(1,2)"),
    "function that makes an equal object": (VECTOR, "x() == V(1,2)", "lambda: V(1,2)"),
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
