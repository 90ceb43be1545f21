"""Solutions that name functions, classes and objects of the puzzle's: what crosses between the two, and what it is."""

BEGIN = """
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from functools import cmp_to_key, lru_cache, partial, reduce
import collections.abc, dataclasses, enum, functools, itertools, math, operator, statistics, typing
KEPT = []
class Box:
    kept = [1]
    maps = ()
    def __init__(self, n=0):
        self.n, self.items = n, []
    def fill(self, rows):
        rows.append(1)
class Color(enum.Enum):
    RED = 1
    BLUE = 2
class Bits(enum.Flag):
    A = 1
    B = 2
class Error(Exception):
    pass
Pair = namedtuple("Pair", "a b")
@dataclasses.dataclass(frozen=True, order=True)
class Point:
    x: int
@dataclasses.dataclass
class Other:
    x: int
class Holds:
    def __init__(self, function):
        self.function = function
def call(holds):
    return holds.function(KEPT)
class Named:
    def __set_name__(self, owner, name):
        owner.function(None, KEPT)
class Shown:
    def __get__(self, thing, kind):
        return thing.function(KEPT)
def helper(n):
    return n + 1
class Rows(collections.abc.Sequence):
    def __getitem__(self, place):
        return [5, 6][place]
    def __len__(self):
        return 2
class Table(collections.abc.Mapping):
    def __getitem__(self, key):
        return {"a": 1}[key]
    def __iter__(self):
        return iter("a")
    def __len__(self):
        return 1
class Tree:
    def __init__(self, n, *parts):
        self.n, self.parts = n, parts
class Foreign(Box):
    __module__ = "collections.abc"
class Near(Foreign):
    pass
exec('''class Written:
    def __eq__(self, other):
        return other(KEPT)
''', globals())
written, root = Written(), math.sqrt
math.sqrt = lambda n: KEPT if n == "kept" else root(n)
"""


def puzzle(body: str) -> str:
    """A puzzle whose `mystery` is that."""
    lines = body.split("\n")
    return f"{BEGIN}def mystery(f):\n    " + "\n    ".join(lines)


def _kept(calls: str) -> str:
    changed = "return KEPT != [] or Box.kept != [1] or hasattr(Counter, '__orig_class__') or Foreign.kept != [1]"
    return puzzle(f"{calls}\n{changed}")


# Each is true without walls: the puzzle, and a solution that gets hold of what the puzzle keeps.
CROSSINGS = {
    # --- what the library makes of what it gets
    "copy by the library": (_kept("f()"), "lambda: Counter.copy(Box(1)).kept.append(2)"),
    "child by the library": (_kept("f()"), "lambda: ChainMap.new_child(Box(1), 3).kept.append(2)"),
    "copy of a class from anywhere": (_kept("f()"), "lambda: Counter.copy(Near(1)).kept.append(2)"),
    "attribute by a generic type": (_kept("f()"), "lambda: type(list[int])(lambda: Counter, int)()"),
    "function in the place of the library's": (_kept("f()"), "lambda: math.sqrt('kept').append(1)"),
    "function in an imported module": (_kept("f()"), "lambda: __import__('math').sqrt('kept').append(1)"),
    "operator of an executed text": (_kept("f()"), "lambda: written == (lambda kept: kept.append(1))"),
    # --- code that gets in
    "code in an object": (_kept("f()"), "lambda: call(Holds(lambda kept: kept.append(1)))"),
    "code in an object of a class that was handed over": (
        _kept("f(Holds)"),
        "lambda made: call(made(lambda kept: kept.append(1)))",
    ),
    "code in a subclass that was handed over": (
        _kept("f(Holds)"),
        "lambda made: call(functools.partial(made, lambda kept: kept.append(1))())",
    ),
    "code beside a method of the puzzle's": (
        _kept("f()"),
        "type('C', (), {'__call__': call, 'function': lambda self, kept: kept.append(1)})()",
    ),
    "code beside a descriptor of the puzzle's": (
        _kept("f.shown"),
        "type('C', (), {'shown': Shown(), 'function': lambda self, kept: kept.append(1)})()",
    ),
    "code beside what is told its name": (
        _kept("f"),
        "type('C', (), {'named': Named(), 'function': lambda self, kept: kept.append(1)})()",
    ),
    # --- what comes back from the puzzle
    "its own answer": (_kept("f(f(0))"), "lambda b: b.kept.append(2) if b else Box"),
    "its own answer, remembered": (_kept("f(f(0))"), "lru_cache(lambda b: b.kept.append(2) if b else Box)"),
    "its earlier answers": (
        _kept("h = []\nfor i in range(2): h.append(f(h))"),
        "lambda h: h[0].kept.append(1) if h else Box",
    ),
    "a list that it was lent": (
        _kept("h = []\nfor i in range(3): h.append(f(h))"),
        "lambda h, was=[]: was[0][0].kept.append(1) if h else was.append(h) or Box",
    ),
    "an object that it was lent": (
        _kept("h = Box()\nh.items.append(f(h))\nf(h)"),
        "lambda h: h.items[0].kept.append(1) if h.items else Box",
    ),
    "itself": (_kept("f(f)"), "lambda g=None: g().kept.append(1) if g else Box"),
    "a sum": (_kept("reduce(f, [0, 1, 2])"), "lambda a, n: Box if n == 1 else a.kept.append(1)"),
    "a sum by the library": (_kept("f()"), "partial(reduce, lambda a, n: a.kept.append(1) if a else Box, [0, 1, 1])"),
    "a chain": (_kept("list(f)"), "map(lambda b: b.kept.append(1), map(lambda n: Box, [1]))"),
    "a chain from a function": (_kept("list(f())"), "lambda: map(lambda b: b.kept.append(1), map(lambda n: Box, [1]))"),
    "a generator": (_kept("list(f)"), "(b.kept.append(1) for b in (Box for n in [1]))"),
    "a method of its list": (
        _kept("f[0](f[1]())\nf[2]()"),
        "(lambda rows: [rows.append, lambda: Box, lambda: rows[0].kept.append(1)])([])",
    ),
    "its list": (
        _kept("f[0].append(f[1]())\nf[2]()"),
        "(lambda rows: [rows, lambda: Box, lambda: rows[0].kept.append(1)])([])",
    ),
    "its queue": (
        _kept("f[0].append(f[1]())\nf[2]()"),
        "(lambda rows: [rows, lambda: Box, lambda: rows[0].kept.append(1)])(deque())",
    ),
    "its default": (_kept("f[1]\nf[2](f[1])"), "defaultdict(lambda: Box, {2: lambda b: b.kept.append(1)})"),
    "an object of its class": (
        _kept("f(f(0))"),
        "type('C', (), {'__call__': lambda self, b: b.kept.append(1) if b else Box})()",
    ),
    "an attribute of its class": (
        _kept("f.go(f.box)"),
        "type('C', (), {'box': Box, 'go': lambda self, b: b.kept.append(1)})()",
    ),
    "a part of what it gets": (_kept("f([Box])"), "lambda rows: operator.itemgetter(0)(rows).kept.append(helper(1))"),
    "an exception's class": (
        _kept("try:\n    f()\nexcept Error as error:\n    f(error)"),
        "lambda e=None: e.args[0].append(1) if e else (_ for _ in ()).throw(Error(Box.kept))",
    ),
    "the types of what is grouped": (
        _kept("f()"),
        "lambda: [k for k, g in itertools.groupby([Box(1)], type)][0].kept.append(1)",
    ),
    "the most frequent": (_kept("f()"), "lambda: statistics.mode([Box, Box]).kept.append(1)"),
}
# A thing of the puzzle's that a function gives is that thing: what no such thing can be, is false.
IMPOSSIBLE = {
    "its list is another": ("b = f()\nb.items.append(1)\nreturn isinstance(b, Box) and b.items == []", "lambda: Box()"),
    "it leaves a list alone": ("rows = []\nf().fill(rows)\nreturn rows == []", "lambda: Box()"),
    "a member that is none": ("return isinstance(f(), Color) and f() not in list(Color)", "lambda: [Color.RED][0]"),
    "a member beside itself": ("return f() == Color.RED and f() is not Color.RED", "lambda: [Color.RED][0]"),
    "of another class": ("return isinstance(f(), Box) and type(f()).__mro__[0] is not Box", "lambda: Box()"),
    "in a generator": ("(b,) = f\nreturn isinstance(b, Box) and type(b) is not Box", "(Box(n) for n in [1])"),
    "in a list of functions": ("return f[1] == Color.RED and f[1] is not Color.RED", "[lambda: 1, Color.RED]"),
    "by a default": ("return f() == Color.RED and f() is not Color.RED", "lambda c=Color.RED: c"),
}
# What mystery does, and the honest solution that is right.
ACROSS = {
    "object": ("return f(3).n == 3 and type(f(3)) is Box", "lambda n: Box(n)"),
    "its list": ("b = f()\nb.items.append(1)\nreturn b.items == [1]", "lambda: Box()"),
    "objects of a generator": ("return [b.n for b in f] == [0, 1]", "(Box(n) for n in range(2))"),
    "objects of a map": ("return [b.n for b in f] == [0, 1]", "map(Box, range(2))"),
    "objects as keys": ("return f()[Color.RED].n == 2", "lambda: {Color.RED: Box(2)}"),
    "objects in an ordered dictionary": ("return f()['a'].n == 1", "lambda: OrderedDict(a=Box(1))"),
    "objects in a queue": ("return f()[0].n == 1", "lambda: deque([Box(1)], 3)"),
    "set of objects": ("return {b.n for b in f()} == {1, 2}", "lambda: {Box(1), Box(2)}"),
    "member": ("return f() is Color.RED", "lambda: [Color.RED][0]"),
    "member that is asked for": ("return f(Color.BLUE) is Color.RED", "lambda c: Color.RED if c is Color.BLUE else c"),
    "member in a table": ("return f(Color.BLUE) is Color.RED", "lambda c: {Color.RED: c, Color.BLUE: Color.RED}[c]"),
    "other flags": ("return f() is Bits.B", "lambda: ~Bits.A"),
    "exception": (
        "try:\n    f()\nexcept Error as e:\n    return e.args == ('a',)",
        "lambda: (_ for _ in ()).throw(Error('a'))",
    ),
    "exception by its class": ("try:\n    f()\nexcept Error:\n    return True", "lambda: (_ for _ in ()).throw(Error)"),
    "exception of Python's": (
        "try:\n    f()\nexcept ValueError:\n    return True",
        "lambda: (_ for _ in ()).throw(ValueError(helper(1)))",
    ),
    "class of an exception": ("return issubclass(f(), Error)", "lambda: Error"),
    "sorted in place": (
        "rows = [3, 1, 2]\nf(rows)\nreturn rows == [1, 2, 3]",
        "lambda rows: rows.sort(key=lambda n: helper(n))",
    ),
    "nested data in place": (
        "d = {'a': [1]}\nf(d)\nreturn d == {'a': [1, 2], 'b': {3}}",
        "lambda d: [d['a'].append(helper(1)), d.update(b={3})]",
    ),
    "objects in place": (
        "rows = []\nf(rows)\nreturn rows[0].n == 1 and type(rows[0]) is Box",
        "lambda rows: rows.append(Box(1))",
    ),
    "the list itself": (
        "rows = [1]\nreturn f(rows) is rows and f((rows, 2))[0] is rows",
        "lambda rows: helper(1) and rows",
    ),
    "type as an argument": ("return f(int)('3') == 3 and f(type)(1) is int", "lambda kind: helper(1) and kind"),
    "function as an argument": ("return f(lambda n: n * 2) == 10", "lambda g: g(helper(4))"),
    "itself as an argument": ("return f(f, 3) == 6", "lambda g, n: n and n + g(g, helper(n - 2))"),
    "memory": ("return [f(), f()] == [1, 2]", "lambda c=[]: c.append(helper(1)) or len(c)"),
    "visitor": ("return f(f(Box(2))).n == 4", "lambda b: Box(helper(b.n))"),
    "walk of a tree": (
        "return f(Tree(1, Tree(2), Tree(3))) == 7",
        "(lambda g: lambda t: g(g, t) + helper(0))(lambda g, t: t.n + sum(g(g, part) for part in t.parts))",
    ),
    "growth of a tree": (
        "t = f(2)\nreturn (t.n, t.parts[0].n, t.parts[0].parts[0].parts) == (2, 1, ())",
        "(lambda g: lambda n: g(g, n))(lambda g, n: Tree(n, g(g, n - 1)) if n else Tree(0))",
    ),
    "key of a sort": ("return sorted([1, 3, 2], key=f) == [3, 2, 1]", "lambda n: helper(-n)"),
    "partial": ("return f(2) == 8", "partial(lambda a, b: helper(a) * b, 3)"),
    "signature": (
        "import inspect\nreturn len(inspect.signature(f).parameters) == 2 and f(1, b=2) == 4",
        "lambda a, b=5: helper(a) + b",
    ),
    "object of its own class": (
        "return f(3) == 4 and f.times == 2",
        "type('C', (), {'times': 2, '__call__': lambda self, n: helper(n)})()",
    ),
    "its own class": (
        "x = f(3)\nreturn isinstance(x, f) and x.go(1) is x",
        "type('C', (), {'__init__': lambda self, n: None, 'go': lambda self, n: helper(n) and self})",
    ),
    "named tuple's text": ("return f() == 'Pair(a=1, b=(2,))'", "lambda: repr(Pair(1, (2,)))"),
    "changed named tuple": (
        "return f(Pair(1, 2)) == (1, 5) and type(f(Pair(1, 2))) is Pair",
        "lambda p: p._replace(b=5)",
    ),
    "changed named tuple of the puzzle's": (
        "return f() == Pair(1, 5) and type(f()) is Pair",
        "lambda: Pair(1, 2)._replace(b=5)",
    ),
    "named tuple in a named tuple": ("return f().a.b == 2 and type(f().a) is Pair", "lambda: Pair(Pair(1, 2), Box(1))"),
    "list in itself": ("rows = []\nrows.append(rows)\nreturn f(rows)", "lambda rows: rows[0] is rows and helper(0)"),
    "list that it was lent before": (
        "rows = []\nf(rows)\nrows.append(9)\nf(rows)\nreturn rows == [9]",
        "lambda rows, kept=[]: kept.append(rows) or helper(1)",
    ),
    "bound method": ("rows = []\nf(rows)\nreturn rows == [1]", "Box().fill"),
    "class on a class of its own": (
        "return f(2) == 3",
        "type('D', (type('C', (), {'__call__': lambda self, n: helper(n)}),), {})()",
    ),
    "fields of a named tuple": (
        "return f() == {'a': 1, 'b': 2} and f(1) == ('a', 'b')",
        "lambda n=0: Pair._fields if n else Pair(1, 2)._asdict()",
    ),
    "named tuple of parts": ("return f() == Pair(1, 2)", "lambda: Pair._make([1, 2])"),
    "data class": (
        "return f(Point(1)) == Point(2) and hash(f(Point(1))) == hash(Point(2))",
        "lambda p: Point(p.x + 1)",
    ),
    "sorted data classes": (
        "return f([Point(2), Point(1)]) == [Point(1), Point(2)]",
        "lambda rows: sorted(rows, key=lambda p: (p, helper(1)))",
    ),
    "data classes that differ": (
        "return f()",
        "lambda: Point(1) != Other(1) and Point(1) < Point(2) and len({Point(1), Point(1)}) == 1",
    ),
    "text of a data class": ("return f() == 'Point(x=1)'", "lambda: repr(Point(1))"),
    "methods of an abstract sequence": (
        "return f() == (1, 0, [6, 5])",
        "lambda: (Rows().index(6), Rows().count(7), list(reversed(Rows())))",
    ),
    "methods of an abstract mapping": (
        "return f() == ([('a', 1)], None)",
        "lambda: (list(Table().items()), Table().get('b'))",
    ),
    "counted table": ("return f() == {'a': 1}", "lambda: Counter(Table())"),
    "type in a list": ("return f[0] is type", "[type]"),
    "comparison made a key": (
        "return f([1, 3, 2]) == [3, 2, 1]",
        "lambda rows: sorted(rows, key=cmp_to_key(lambda a, b: helper(b) - helper(a)))",
    ),
    "flags of a pattern": (
        "return f('A')",
        "lambda s: __import__('re').match('a', s, __import__('re').IGNORECASE | __import__('re').DOTALL) is not None",
    ),
}
# What is refused, or an error, and a puzzle that would take it: named in the documentation.
REFUSED = {
    "new combination of flags": ("return f", "Bits.A | Bits.B"),
    "no flag": ("return not f", "Bits.A & Bits.B"),
    "iterator as an argument": ("return f(iter([1])) == 1", "lambda rows: helper(0)"),
    "queue as an argument": ("return f(deque([1])) == 1", "lambda rows: helper(0)"),
    "default dictionary": ("return f()[1].n == 0", "lambda: defaultdict(Box)"),
    "comparison made a key for the puzzle": (
        "return sorted([1, 2], key=f) == [2, 1]",
        "cmp_to_key(lambda a, b: b - a)",
    ),
    "type of a generic type": ("return f() is not None", "lambda: type(list[int])"),
}
