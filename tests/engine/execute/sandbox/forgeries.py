"""Forgeries: puzzles that nothing solves, and solutions that change what the puzzle looks at instead.

Each is a shape of its own, by the way that it takes to what the puzzle keeps. In a world without walls nearly all of
them would be true: `mystery` looks at the state only. Most are written as a lambda, and with them stands the same code
as an expression of the puzzle's own things, which is done at once (`at_once`).
"""

# Behind a puzzle: one of the same names that evaluates the solution itself, with all of Python. Nothing protects it.
EVALUATES = "\ninside = mystery\ndef mystery(text):\n    return inside(eval(text, globals()))\n"
KEEPER = """
import abc, collections, datetime, decimal, enum, functools, itertools, json, math, operator, random, re, sys
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from fractions import Fraction
STATE = {"solved": False}
ROWS = [[1], [2]]
BYTES = bytearray(b"no")
FOUND = set()
DEFAULTS = defaultdict(int)
QUEUE = deque([1])
RUN = iter([1, 2, 3])
LAZY = (n for n in [1, 2, 3])
CHAIN = ChainMap({})
RNG = random.Random(7)
NEST = ({"deep": [0]},)
class Meta(type):
    registry = []
    def __getitem__(cls, name):
        return cls.kept
class Inner:
    calls = []
class Box(metaclass=Meta):
    kept = [1]
    table = {}
    module = sys
    context = decimal.getcontext()
    roll = random.random
    Inner = Inner
    count = itertools.count()
    def __init__(self, n=0):
        self.n = n
    def method(self):
        return self.n
    method.calls = []
    @property
    def size(self):
        return len(Box.kept)
    size.fget.calls = []
    @classmethod
    def make(cls):
        return cls.single
    @staticmethod
    def names():
        return Box.table
    def __getitem__(self, key):
        return Box.kept
    def __iter__(self):
        return iter([Box.kept, Box.table])
    def __enter__(self):
        return Box.kept
    def __add__(self, other):
        return Box.kept
    __radd__ = __add__
    def __call__(self):
        return Box.kept
    def __getattr__(self, name):
        return Box.kept
Box.single = Box(1)
Box.single.items = []
Box.single.next = Box(2)
class Color(enum.Enum):
    RED = [255, 0, 0]
    BLUE = {"blue": 1}
class Zone(datetime.tzinfo):
    kept = []
class Text(str):
    kept = []
MOMENT, PATTERN = datetime.datetime(2000, 1, 1, tzinfo=Zone()), re.compile(Text("a"))
class Stack(list):
    pass
class Missing(defaultdict):
    pass
STACK, MISSING = Stack(), Missing(int)
@dataclass
class Point:
    x: int = 0
    tags: list = field(default_factory=list)
ORIGIN = Point()
Pair = namedtuple("Pair", "a b")
PAIR = Pair([1], {})
def helper(n, memo={}):
    return memo
helper.calls = []
helper.inner = lambda: helper.calls
def handed():
    return STATE
def apply(function, *args):
    return function(*args)
def each(function):
    return [function(row) for row in ROWS]
def lazily():
    yield STATE
def clock():
    return decimal.getcontext()
@functools.lru_cache
def primes(n):
    return [2, 3, 5]
primes(9)
@functools.singledispatch
def shown(x):
    return "any"
PART = functools.partial(helper, 1)
APPEND = ROWS.append
COUNTED = Counter("a")
before = Counter.update, dict(vars(Box)), random.getstate()
def changed():
    parts = [STATE != {"solved": False}, ROWS != [[1], [2]], BYTES != b"no", FOUND, DEFAULTS, len(QUEUE) != 1]
    parts += [CHAIN, NEST[0]["deep"] != [0], Meta.registry, Inner.calls, Box.kept != [1], Box.table, Box.single.items]
    parts += [Box.method.calls, vars(Box)["size"].fget.calls, Color.RED.value != [255, 0, 0], Zone.kept, Text.kept]
    parts += [len(Color.BLUE.value) != 1, STACK, MISSING, ORIGIN != Point(), PAIR != ([1], {}), helper(0), helper.calls]
    parts += [primes(9) != [2, 3, 5], shown("") != "any", COUNTED != Counter("a"), Counter.update is not before[0]]
    parts += [dict(vars(Box)) != before[1], random.getstate() != before[2], isinstance("a", Fraction)]
    parts += [len(sys.modules["__main__"].__dict__) != SIZE, isinstance(1.5, ChainMap), mystery.__dict__]
    parts += [decimal.getcontext().prec != 28, not decimal.getcontext().traps[decimal.DivisionByZero]]
    parts += [RNG.getstate() != random.Random(7).getstate(), next(RUN) != 1, next(LAZY) != 1, next(Box.count) != 0]
    parts += [Counter("aa")["a"] != 2, hasattr(helper, "solved"), hasattr(Box, "solved"), hasattr(ORIGIN, "solved")]
    parts += [len(object.__subclasses__()) == 0, callable(STATE), len([1, 2]) != 2, sorted([2, 1]) != [1, 2]]
    return any(map(bool, parts))
def mystery(f):
    if callable(f):
        try:
            f(1)
        except TypeError:
            f()
    return changed()
SIZE = len(globals()) + 1
"""
FORGERIES = {
    # --- assignments that are no statements
    "attribute target": "([0 for Counter.update in [lambda *a, **k: None]], lambda x: 1)[1]",
    "attribute target later": "lambda x: [0 for Counter.update in [lambda *a, **k: None]]",
    "iterator trick": "[iter('a' * 12) for Counter.update in [lambda *a, **k: None]][0]",
    "new attribute of a function": "lambda x: [0 for helper.solved in [1]]",
    "new attribute of a class": "lambda x: [0 for Box.solved in [1]]",
    "new attribute of an object": "lambda x: [0 for ORIGIN.solved in [1]]",
    "attribute of mystery": "lambda x: {0 for mystery.solved in [1]}",
    "subscript target": "lambda x: [0 for STATE['solved'] in [True]]",
    "slice target": "lambda x: [0 for ROWS[:] in [[]]]",
    "nested tuple target": "lambda x: [0 for (a, (STATE['solved'], helper.solved)) in [(1, (2, 3))]]",
    "starred target": "lambda x: [0 for [a, *STATE['solved']] in [(1, 2)]]",
    "target in a generator": "lambda x: list(0 for Box.kept in [[]])",
    "target in a dictionary": "lambda x: {1: 2 for ROWS[0] in [[]]}",
    "target in a default": "lambda x=[0 for Box.kept in [[]]]: x",
    "target behind a call": "lambda x: [0 for handed()['solved'] in [1]]",
    "walrus over a name": "(STATE := {'solved': True}, lambda x: 1)[1]",
    "walrus over the puzzle": "[(mystery := (lambda f: True)), (changed := (lambda: True)), lambda x: 1][2]",
    # --- objects that are reached by name
    "dictionary": "lambda x: STATE.update(solved=True)",
    "list of lists": "lambda x: ROWS[0].append(2)",
    "byte array": "lambda x: BYTES.extend(b'!')",
    "set": "lambda x: FOUND.add(1)",
    "default dictionary": "lambda x: DEFAULTS['new']",
    "default dictionary alone": "DEFAULTS['new'] or (lambda x: 1)",
    "deque": "lambda x: QUEUE.append(1)",
    "iterator": "lambda x: next(RUN)",
    "generator": "lambda x: next(LAZY)",
    "chain map": "lambda x: CHAIN.maps[0].update(a=1)",
    "random numbers": "lambda x: RNG.random()",
    "counter": "lambda x: COUNTED.update('b')",
    "nested data": "lambda x: NEST[0]['deep'].append(1)",
    "list subclass": "lambda x: STACK.append(1)",
    "list subclass by its base": "lambda x: list.append(STACK, 1)",
    "default dictionary subclass": "lambda x: MISSING['new']",
    "object's list": "lambda x: ORIGIN.tags.append(1)",
    "named tuple's list": "lambda x: PAIR.a.append(1)",
    "named tuple's list by its place": "lambda x: PAIR[1].update(a=1)",
    "method of a list": "lambda x: APPEND(3)",
    "partial": "lambda x: PART().update(a=1)",
    "heap": "lambda x: __import__('heapq').heappush(ROWS, [0])",
    "bisect": "lambda x: __import__('bisect').insort(ROWS, [0])",
    "map over it": "lambda x: list(map(lambda row: row.clear(), ROWS))",
    "sorted with a key": "lambda x: sorted(ROWS, key=lambda row: row.append(1) or 0)",
    "unbound method": "lambda x: dict.update(STATE, solved=True)",
    "reduce": "lambda x: functools.reduce(lambda a, b: a.append(b) or a, [ROWS, 1])",
    "captured by a default": "lambda x, state=STATE: state.update(solved=True)",
    "captured by a closure": "(lambda state: lambda x: state.update(solved=True))(STATE)",
    "captured by a partial": "functools.partial(lambda state, x: state.update(solved=True), STATE)",
    "captured by an iterator": "lambda x: next(iter(lambda: STATE.update(solved=True), 1))",
    "captured by a class": "type('C', (), {'state': STATE, '__call__': lambda s, x: s.state.update(solved=True)})()",
    "while it is built": "(STATE.update(solved=True), lambda x: 1)[1]",
    # --- what classes and functions keep
    "class attribute": "lambda x: Box.kept.append(2)",
    "class attribute while it is built": "(Box.kept.append(2), lambda x: 1)[1]",
    "class attribute of an object": "lambda x: Box(1).kept.append(2)",
    "attribute of a function": "lambda x: helper.calls.append(1)",
    "attribute of a method": "lambda x: Box.method.calls.append(1)",
    "attribute of a bound method": "lambda x: Box(1).method.calls.append(1)",
    "function behind a property": "lambda x: Box.size.fget.calls.append(1)",
    "value of an enumeration": "lambda x: Color.RED.value.append(0)",
    "value of an enumeration by its name": "lambda x: Color['BLUE'].value.update(b=1)",
    "member of an enumeration": "lambda x: [c.value.clear() for c in Color]",
    "attribute of a metaclass": "lambda x: type(Box).registry.append(1)",
    "attribute of a metaclass by the class": "lambda x: Box.registry.append(1)",
    "subscript of a class": "lambda x: Box['kept'].append(1)",
    "class in a class": "lambda x: Box.Inner.calls.append(1)",
    "singleton": "lambda x: Box.single.items.append(1)",
    "singleton's singleton": "lambda x: Box.single.next.anything.append(1)",
    "singleton by a class method": "lambda x: Box.make().items.append(1)",
    "table by a static method": "lambda x: Box.names().update(a=1)",
    "module in a class": "lambda x: Box.module.modules['__main__'].STATE.update(solved=True)",
    "context in a class": "lambda x: Box.context.clear_traps()",
    "context by a function": "lambda x: clock().clear_traps()",
    "built-in function in a class": "lambda x: Box.roll()",
    "iterator in a class": "lambda x: next(Box.count)",
    "function in a function": "lambda x: helper.inner().append(1)",
    "type of a value": "lambda x: type(Box(1)).kept.append(2)",
    "type of an enumeration": "lambda x: type(Color.RED).RED.value.append(1)",
    "time zone of a moment": "lambda x: MOMENT.tzinfo.kept.append(1)",
    "text of a pattern": "lambda x: type(PATTERN.pattern).kept.append(1)",
    # --- what functions and operators of the puzzle give
    "result of a function": "lambda x: handed().update(solved=True)",
    "mutable default": "lambda x: helper(1).update(a=1)",
    "cached result": "lambda x: primes(9).append(9)",
    "result of a generator": "lambda x: [state.update(solved=True) for state in lazily()]",
    "subscript of an object": "lambda x: Box(1)[0].append(1)",
    "iteration of an object": "lambda x: [kept.clear() for kept in Box(1)]",
    "unpacking of an object": "lambda x: [*Box(1)][0].append(1)",
    "sum of an object": "lambda x: (Box(1) + 1).append(1)",
    "sum of an object by its right": "lambda x: (1 + Box(1)).append(1)",
    "call of an object": "lambda x: Box(1)().append(1)",
    "attribute of an object without it": "lambda x: Box(1).whatever.append(1)",
    "callback": "lambda x: apply(lambda kept: kept.append(2), Box.kept)",
    "callback with an object": "lambda x: apply(lambda box: box.kept.append(2), Box(1))",
    "callback with rows": "lambda x: each(lambda row: row.append(2))",
    "callback in a list": "lambda x: apply(Box.kept.append, 2)",
    "callback while it is built": "[apply(lambda kept: kept.append(2), Box.kept), Box(1)]",
    # --- what the library keeps
    "registration of a class": "lambda x: Fraction.register(str)",
    "registration by a mapping": "lambda x: ChainMap.register(float)",
    "registration by a function": "lambda x: shown.register(str, lambda s: 'text')",
    "seed": "lambda x: random.seed(1)",
    "modules": "lambda x: sys.modules['__main__'].STATE.update(solved=True)",
    "imported module": "lambda x: __import__('sys').modules['__main__'].STATE.update(solved=True)",
    "imported puzzle": "lambda x: __import__('__main__').STATE.update(solved=True)",
    "attribute getter": "lambda x: operator.attrgetter('__globals__')(mystery)['STATE'].update(solved=True)",
    "method caller": "lambda x: operator.methodcaller('update', solved=True)(STATE)",
    "set item": "lambda x: operator.setitem(STATE, 'solved', True)",
    # --- out of the world
    "globals of a function": "lambda x: mystery.__globals__['STATE'].update(solved=True)",
    "globals of its own": "(lambda f: lambda x: f.__globals__['STATE'].update(solved=True))(lambda: 1)",
    "frames of a generator": (
        "lambda x: (lambda g: g.append((g[0].gi_frame.f_back.f_globals['STATE'].update(solved=True) for _ in [1]))"
        " or next(g[0]))([])"
    ),
    "class of a class": (
        "lambda x: [c for c in x.__class__.__base__.__subclasses__() if c.__name__ == 'Inner'][0].calls.append(1)"
    ),
    "dictionary of a class": "lambda x: Box.__dict__['kept'].append(1)",
    "defaults": "lambda x: helper.__defaults__[0].update(a=1)",
    "getattr": "lambda x: getattr(mystery, '__glo' + 'bals__')['STATE'].update(solved=True)",
    "setattr": "lambda x: setattr(helper, 'solved', 1)",
    "vars": "lambda x: vars(Box)['kept'].append(1)",
    "exec": "lambda x: exec('STATE[0] = 1')",
    "eval": "lambda x: eval('STATE').update(solved=True)",
    # --- classes of its own
    "subclass": "lambda x: type('Sub', (Box,), {})(1).kept.append(2)",
    "destructor": "(type('C', (), {'__del__': lambda s: STATE.update(solved=True)})(), lambda x: 1)[1]",
}
# What leads there, or could: refused by itself.
STEPS = {
    "cleared cache": "lambda x: primes.cache_clear() or primes.__wrapped__(1)",
    "frames of an asynchronous generator": "lambda x: [g.ag_frame.f_back for g in [(i async for i in x)]]",
    "traceback": "lambda x: Exception().with_traceback(None).__traceback__.tb_frame",
    "format": "lambda x: '{0.__globals__[STATE]}'.format(mystery)",
    "format that is made up": "lambda x: str.format('{0.__globals__}', mystery)",
    "format map": "lambda x: '{m.__globals__}'.format_map({'m': mystery})",
    "super": "lambda x: super(Box, Box(1)).kept.append(1)",
    "builtins": "lambda x: __builtins__['len']",
    "function type": "lambda x: type(lambda: 0)(mystery.__code__, {})",
    "metaclass": "type('M', (type,), {'__call__': lambda s, x: 1})('C', (), {})",
    "type of a class": "type(int)('C', (), {'__eq__': lambda s, o: True})()",
    "initialized subclass": "type('C', (), {'__init_subclass__': lambda **k: None})",
    "named attribute": "type('C', (), {'a': type('D', (), {'__set_name__': lambda s, o, n: 1})()})",
    "descriptor": "type('C', (), {'__get__': lambda s, o, k: o})()",
    "reduction": "type('C', (), {'__reduce__': lambda s: (apply, (len, []))})()",
}
# Solutions that pass themselves off as data, each with a puzzle that no data solves.
_LIKES = "lambda: (d[0].clear(), d[1].reverse(), d[1][0])[2]"
_LIAR = "(lambda d: d.append({}({})) or d.append([0, 1]) or d[0])([])"
_COLORS = "isinstance(x, dict) and all(x[a] != x[b] and x[a] in (0, 1) for a in 'abc' for b in 'abc' if a < b)"
_TESTED = "all(map(lambda n: x(n) != x(n) and x(n) == n, range(5)))"
_CHAIN = "(lambda c, m: c.ChainMap(c.Counter(), m))(__import__('collections'), map(lambda n: n or {}, [1, 0, 2, 0]))"
_AT_END = "next(iter(()))"
LIARS = {
    "dictionary that makes items as it likes": (_COLORS, _LIAR.format("__import__('collections').defaultdict", _LIKES)),
    "such a dictionary by its type": (
        _COLORS,
        _LIAR.format("type(__import__('collections').defaultdict())", _LIKES),
    ),
    "end of the tests": (_TESTED, f"lambda n: {_AT_END}"),
    "end of the tests by a method": (_TESTED.replace("(n)", "()"), "iter(()).__next__"),
    "end of the tests by a generator": (_TESTED, "lambda n: (i for i in ()).send(None)"),
    "end of the tests by a generator at its end": (
        _TESTED,
        "(lambda g: lambda n: list(g) or g.throw(StopIteration))(i for i in ())",
    ),
    "end of the tests in a partial": (_TESTED.replace("(n)", "()"), "__import__('functools').partial(next, iter(()))"),
    "iterator that begins again": (
        "list(x) == [1] and list(x) == [2]",
        f"map(lambda n: n or {_AT_END}, [1, 0, 2, 0])",
    ),
    "equal to two dictionaries": ("x == {1: 0} and x == {2: 0}", _CHAIN.format(_AT_END)),
    "equal to everything": ("x == 1 and x == 2", "type('E', (), {'__eq__': lambda s, o: True})()"),
    "equal to everything, as a number": ("x == 5 and x > 9", "type('E', (int,), {'__eq__': lambda s, o: True})(10)"),
    "equal at first": (
        "x == 1 and not x == 1",
        "type('E', (), {'__eq__': lambda s, o, c=[]: not (c.append(1) or len(c) > 1)})()",
    ),
    "not where it is": ("x == 1 and len({x, 1}) == 2", "type('E', (int,), {'__hash__': lambda s: 5})(1)"),
    "between numbers": ("x < 1 and x > 2", "type('E', (), {'__lt__': lambda s, o: 1, '__gt__': lambda s, o: 1})()"),
    "long and empty": ("len(x) == 3 and not list(x)", "type('E', (list,), {'__len__': lambda s: 3})()"),
    "text that counts": ("len(x) == 0 and x.count('a') == 3", "type('E', (str,), {'count': lambda s, c: 3})()"),
    "every attribute": ("x.upper() == x.lower() == 1", "type('E', (), {'__getattr__': lambda s, n: lambda: 1})()"),
    "instance of everything": (
        "isinstance(x, int) and isinstance(x, str)",
        "type('E', (str,), {'__class__': int})()",
    ),
    "contains and does not": ("1 in x and x == []", "type('E', (list,), {'__contains__': lambda s, o: True})()"),
    "by its base": ("x == 1 and x == 2", "type('F', (type('E', (), {'__eq__': lambda s, o: True}),), {})()"),
    "by unpacked arguments": ("x == 1 and x == 2", "type(*['E', (), {'__eq__': lambda s, o: True}])()"),
    "by a name that is made up": ("x == 1 and x == 2", "type('E', (), {'__' + 'eq__': lambda s, o: True})()"),
    "by another way to type": ("x == 1 and x == 2", "type(int)('E', (), {'__eq__': lambda s, o: True})()"),
    "by the library's metaclass": (
        "x == 1 and x == 2",
        "type(__import__('fractions').Fraction)('E', (), {'__eq__': lambda s, o: True})()",
    ),
    "smaller and greater by a key": (
        "x[0] < x[1] and x[1] < x[0]",
        "[__import__('functools').cmp_to_key(lambda a, b: -1)(n) for n in [1, 2]]",
    ),
    "equal and not by a key": (
        "x[0] == x[1] and not x[0] == x[1]",
        "[__import__('functools').cmp_to_key(lambda a, b, c=[]: c.append(1) or len(c) % 2 - 1)(n) for n in [1, 2]]",
    ),
    "anything of a mock": ("x == 1 and x == 2", "__import__('unittest.mock').mock.ANY"),
}
# Each with a puzzle of its own, which is true only if the solution changes what the puzzle looks at: by code of the
# library's that Python would run on the puzzle's objects.
_KEEPS = """
import abc, collections, contextlib, dataclasses, enum, functools, io, itertools, operator, types, typing, weakref
log, data, texts, bools, words = [1, 2, 3], {"a": 1}, ["a", "b"], [False, True], {"": "c", "x": "d", 1: "e"}
"""
_CHANGED = "log != [1, 2, 3] or data != {'a': 1} or len(texts) + len(bools) + len(words) != 7"
_READS = "{}\ndef mystery(x):\n    try:\n        x()\n    except Exception:\n        pass\n    return {}"
_CLASS = "class Box:\n    def __init__(self):\n        self.v = 1\n    {}\nb = Box()"


def _leak(before: str, question: str, solution: str) -> tuple[str, str]:
    """The puzzle, and what a lambda reaches: while it is made, and when it is called."""
    return _KEEPS + _READS.format(before, question), solution


def _in_class(line: str, solution: str, question: str = "log != [1, 2, 3] or data != {'a': 1}") -> tuple[str, str]:
    return _leak(_CLASS.format(line), question, solution)


_KEPT = {
    "generator": "(i for i in range(10))",
    "list iterator": "None",
    "map": "map(abs, range(10))",
    "zip": "zip(range(10))",
    "enumeration": "enumerate(range(10))",
    "count": "itertools.count()",
    "cycle": "itertools.cycle(range(10))",
    "chain": "itertools.chain(range(10))",
    "text file": "io.StringIO('1\\n2\\n')",
    "iterator of a list": "iter([1, 2])",
    "iterator of a list, backwards": "reversed([1, 2])",
    "iterator of a tuple, backwards": "reversed((1, 2))",
    "iterator of a dictionary": "iter({1: 2, 3: 4})",
    "iterator of a set": "iter({1, 2})",
    "iterator of a text": "iter('ab')",
    "iterator of a range": "iter(range(9))",
    "iterator of a function": "iter(log.pop, 0)",
}
_FIRST = "FIRST = {}\nIT = {}\ndef get():\n    return IT\nclass Box:\n    def __iter__(self):\n        return IT\n"
_FIRST += "b = Box()\nb.it = IT"
LEAKS: dict[str, tuple[str, str]] = {}
for _name, _made in _KEPT.items():
    _made = "iter(log)" if _made == "None" else _made
    _before = _FIRST.format(f"next({_made.replace('log.pop', '[3].pop')})", _made)
    for _way, _text in {
        "kept by a function": "lambda: next(iter(get()))",
        "kept by __iter__": "lambda: next(iter(b))",
        "kept by an attribute": "lambda: next(b.it)",
    }.items():
        LEAKS[f"{_name}, {_way}"] = _leak(_before, "next(IT) != FIRST", _text)
LEAKS |= {
    "generator that is read out while it is made": (
        "GEN = (i for i in range(10))\ndef get():\n    return GEN\n"
        "def mystery(x):\n    return x() == 1 and sum(GEN) == 0",
        "(lambda n: lambda: 1)(list(get()))",
    ),
    "generator of a method": _leak(
        "class Box:\n    def all(self):\n        yield from range(3)\nb = Box()\nKEPT = b.all()\n"
        "def get():\n    return KEPT",
        "list(KEPT) == []",
        "lambda: list(get())",
    ),
    "generator behind a memory": _leak(
        "@functools.lru_cache\ndef all():\n    return (n for n in range(3))\nKEPT = all()",
        "list(KEPT) == []",
        "lambda: list(all())",
    ),
    "generator of a generator's function": _leak(
        "def each():\n    yield 1\nKEPT = each()\ndef outer():\n    yield KEPT",
        "list(KEPT) == []",
        "lambda: [list(one) for one in outer()]",
    ),
    "cached property": (
        "import functools\nclass Box:\n    v = 1\n    @functools.cached_property\n    def total(self):\n"
        "        return self.v\nb = Box()\ndef mystery(x):\n    b.v = 5\n    return x() == 1 and b.total == 1",
        "(lambda n: lambda: 1)(b.total)",
    ),
    "memory of a function": (
        "import functools\nv = [1]\n@functools.lru_cache\ndef total():\n    return v[0]\ndef mystery(x):\n"
        "    v[0] = 5\n    return x() == 1 and total() == 1",
        "(lambda n: lambda: 1)(total())",
    ),
    "memory of a method": (
        "import functools\nclass Box:\n    v = 1\n    @functools.lru_cache\n    def total(self):\n"
        "        return self.v\nb = Box()\ndef mystery(x):\n    b.v = 5\n    return x() == 1 and b.total() == 1",
        "(lambda n: lambda: 1)(b.total())",
    ),
    "flag by its value": _leak(
        "class P(enum.Flag):\n    A = 1\n    B = 2", "len(P._value2member_map_) > 2", "lambda: P(3)"
    ),
    "flag by an operator": _leak(
        "class P(enum.Flag):\n    A = 1\n    B = 2", "len(P._value2member_map_) > 2", "lambda: P.A | P.B"
    ),
    "flag of numbers": _leak(
        "class P(enum.IntFlag):\n    A = 1\n    B = 2", "len(P._value2member_map_) > 2", "lambda: P.A | P.B"
    ),
    "flag turned around": _leak(
        "class P(enum.Flag):\n    A = 1\n    B = 2\n    C = 4", "len(P._value2member_map_) > 3", "lambda: ~P.A"
    ),
    "call": _in_class("__call__ = log.append", "lambda: b(1)"),
    "subscript": _in_class("__getitem__ = log.pop", "lambda: b[0]"),
    "subscript by iteration": _in_class("__getitem__ = log.pop", "lambda: next(iter(b))"),
    "subscript of the class": _in_class("__class_getitem__ = log.append", "lambda: Box[1]"),
    "subscript of the class by a class method": _in_class(
        "__class_getitem__ = classmethod(types.MethodType(lambda f, c, n: f(n), log.append))", "lambda: Box[1]"
    ),
    "subscript that is missing": _in_class(
        "pass\nclass D(dict):\n    __missing__ = log.append\nd = D()", "lambda: d[1]"
    ),
    "addition": _in_class("__add__ = data.setdefault", "lambda: b + 'k'"),
    "addition from the right": _in_class("__radd__ = data.setdefault", "lambda: 'k' + b"),
    "addition of two": _in_class("pass\nclass R:\n    __radd__ = log.append\nr = R()", "lambda: b + r"),
    "equality": _in_class("__eq__ = log.append", "lambda: b == 1"),
    "inequality": _in_class("__ne__ = log.append", "lambda: b != 1"),
    "equality in a list": _in_class(
        "__eq__ = log.append\nclass L(list): pass\nl = L([b for b in [Box()]])", "lambda: l == [1]"
    ),
    "comparison": _in_class("__lt__ = log.append", "lambda: b < 1"),
    "comparison from the right": _in_class("__gt__ = log.append", "lambda: 1 < b"),
    "hash": _in_class("__hash__ = log.pop", "lambda: {b: 1}"),
    "hash of a key that is only named": (
        f"{_KEEPS}class Box:\n    __hash__ = log.pop\nb = Box()\ndef mystery(x):\n    return log != [1, 2, 3]",
        "{b: 1}",
    ),
    "hash of an element that is only named": (
        f"{_KEEPS}class Box:\n    __hash__ = log.pop\nb = Box()\ndef mystery(x):\n    return log != [1, 2, 3]",
        "[{b}]",
    ),
    "hash in a function that only names": _in_class("__hash__ = log.pop", "lambda: {b: 1}"),
    "hash in a set": _in_class("__hash__ = log.pop", "lambda: {b}"),
    "length": _in_class("__len__ = log.pop", "lambda: len(b)"),
    "truth": _in_class("__bool__ = log.clear", "lambda: 1 if b else 2"),
    "truth by length": _in_class("__len__ = log.pop", "lambda: not b"),
    "contents": _in_class("__contains__ = log.append", "lambda: 1 in b"),
    "contents by iteration": _in_class("__iter__ = log.pop", "lambda: 1 in b"),
    "iteration": _in_class("__iter__ = log.pop", "lambda: list(b)"),
    "iteration by a constructor": _in_class("__iter__ = log.pop\nclass L(list): pass", "lambda: L(b)"),
    "keys by a constructor": _in_class("keys = log.pop\nclass D(dict): pass", "lambda: D(b)"),
    "number by a constructor": _in_class("__int__ = log.pop\nclass N(int): pass", "lambda: N(b)"),
    "next": _in_class("__next__ = log.pop", "lambda: next(b)"),
    "text": _in_class("__str__ = log.pop", "lambda: str(b)"),
    "text by its representation": _in_class("__repr__ = log.pop", "lambda: f'{b}'"),
    "format": _in_class("__format__ = log.append", "lambda: format(b, '!')"),
    "absolute value": _in_class("__abs__ = log.pop", "lambda: abs(b)"),
    "rounding": _in_class("__round__ = log.pop", "lambda: round(b, 0)"),
    "division with a rest": _in_class("__divmod__ = log.append", "lambda: divmod(b, 1)"),
    "backwards": _in_class("__reversed__ = log.reverse", "lambda: reversed(b)"),
    "index": _in_class("__index__ = log.pop", "lambda: [1][b]"),
    "attribute": _in_class("__getattr__ = log.append", "lambda: b.anything"),
    "every attribute": _in_class("__getattribute__ = log.append", "lambda: b.anything"),
    "property": _in_class("size = property(log.append)", "lambda: b.size"),
    "property by a partial": _in_class("size = property(functools.partial(log.append))", "lambda: b.size"),
    "cached property of the library's": _in_class("size = functools.cached_property(log.append)", "lambda: b.size"),
    "static method": _in_class("add = staticmethod(log.append)", "lambda: b.add(1)"),
    "class method": _in_class("add = classmethod(log.append)", "lambda: b.add()"),
    "method of a list": _in_class("add = log.append", "lambda: b.add(1)"),
    "partial in a class": _in_class("add = staticmethod(functools.partial(log.append, 4))", "lambda: b.add()"),
    "partial method": _in_class("add = functools.partialmethod(data.setdefault, 4)", "lambda: b.add()"),
    "single dispatch": _leak(
        "@functools.singledispatch\ndef f(n):\n    return 1\nf.register(int, log.append)",
        "log != [1, 2, 3]",
        "lambda: f(5)",
    ),
    "context manager": _leak(
        "@contextlib.contextmanager\ndef f():\n    yield log.append(1)",
        "log != [1, 2, 3]",
        "lambda: f().gen.send(None)",
    ),
    "wrapped function of the library's": _leak(
        "@functools.wraps(mystery_of := lambda: 1)\ndef f():\n    return 1\ng = functools.update_wrapper("
        "functools.partial(log.append, 1), f)",
        "log != [1, 2, 3]",
        "lambda: g()",
    ),
    "construction": _leak("class Box:\n    __new__ = log.append", "log != [1, 2, 3]", "lambda: Box()"),
    "initialization": _leak("class Box:\n    __init__ = log.append", "log != [1, 2, 3]", "lambda: Box(1)"),
    "call of the class's class": _leak(
        "class M(type):\n    __call__ = log.append\nclass Box(metaclass=M):\n    pass",
        "log != [1, 2, 3]",
        "lambda: Box(1)",
    ),
    "subscript of the class's class": _leak(
        "class M(type):\n    __getitem__ = log.pop\nclass Box(metaclass=M):\n    pass",
        "log != [1, 2, 3]",
        "lambda: Box[0]",
    ),
    "instance of the class's class": _leak(
        "class M(type):\n    __instancecheck__ = log.append\nclass Box(metaclass=M):\n    pass",
        "log != [1, 2, 3]",
        "lambda: isinstance(1, Box)",
    ),
    "instance of an abstract class": _leak(
        "class Box(abc.ABC):\n    __subclasshook__ = log.append", "log != [1, 2, 3]", "lambda: isinstance(1, Box)"
    ),
    "default of a data class": _leak(
        "@dataclasses.dataclass\nclass D:\n    n: int = dataclasses.field(default_factory=log.pop)",
        "log != [1, 2, 3]",
        "lambda: D()",
    ),
    "operator of a data class": _leak(
        "class B:\n    __eq__ = log.append\n@dataclasses.dataclass\nclass D:\n    b: object\nd = D(B())",
        "log != [1, 2, 3]",
        "lambda: d == D(1)",
    ),
    "text of a data class": _leak(
        "class B:\n    __repr__ = log.pop\n@dataclasses.dataclass\nclass D:\n    b: object\nd = D(B())",
        "log != [1, 2, 3]",
        "lambda: repr(d)",
    ),
    "end of a data class's construction": _leak(
        "@dataclasses.dataclass\nclass D:\n    b: dataclasses.InitVar[int]\n    __post_init__ = log.append",
        "log != [1, 2, 3]",
        "lambda: D(1)",
    ),
    "class that a class pretends to be": _in_class("__class__ = property(log.append)", "lambda: isinstance(b, int)"),
    "elements of a list of its own class": _leak(
        "class B:\n    __eq__ = log.append\nclass L(list): pass\nl = L([B()])", "log != [1, 2, 3]", "lambda: 5 in l"
    ),
    "missing member": _leak(
        "class C(enum.Enum):\n    A = 1\n    _missing_ = log.append", "log != [1, 2, 3]", "lambda: C(5)"
    ),
    "default dictionary in a class": _in_class("d = collections.defaultdict(log.pop)", "lambda: b.d[1]"),
    "attribute getter": _in_class(
        "get = operator.attrgetter('v')\n    call = operator.methodcaller('pop')", "lambda: b.call(log)"
    ),
    "method of an abstract base": _leak(
        "import collections.abc\nclass R(collections.abc.Sequence):\n    __getitem__ = log.pop\n"
        "    def __len__(self):\n        return 3\nr = R()",
        "log != [1, 2, 3]",
        "lambda: list(r)",
    ),
}


def at_once(text: str, beside: str) -> str:
    """The code of a lambda as an expression, which can not travel, since something of the puzzle's is beside it."""
    return f"[{text.partition(':')[2].strip()}, {beside}]"


_HOOKS = """
class Meta(type):
    __eq__ = __hash__ = __call__ = __getattr__ = __getitem__ = __iter__ = __bool__ = __instancecheck__ = log.append
class Box(metaclass=Meta):
    pass
class All:
    def __init__(self, n=0):
        self.n = n
names = "add radd mul rmul sub mod eq ne lt gt le ge hash bool len iter next contains getitem setitem call index int "
names += "float str repr format missing reversed abs neg round enter fspath copy instancecheck class_getitem"
for name in names.split():
    setattr(All, f"__{name}__", log.append)
b = All()
FIRST = len(log)
"""


def _built(before: str, solution: str, question: str = _CHANGED) -> tuple[str, str]:
    return f"{_KEEPS}{before}\ndef mystery(x):\n    return {question}", solution


_TRAMPOLINE = "def apply(f, *args, **named):\n    return f(*args, **named)\nclass Box:\n    n = 1\n"
_PARTS = "K = [log.append]\ndef call(parts):\n    return parts[0](*parts[1:])\n"
_RUN = "RUN = (n for n in [(1, 2), (3, 4)])\nclass Box:\n    def __init__(self, *n):\n        pass\n"
_RUN += "def f(*n):\n    return n\n"
_USED = "list(RUN) != [(1, 2), (3, 4)]"


def _operator(name: str, function: str, solution: str, more: str = "") -> tuple[str, str]:
    """An object with such an operator, in front of what it might come to."""
    before = f"class B:\n    {name} = {function}\nb = B()\nPLAIN, TABLE = [1, 2, 3, 4], {{3: 2}}\n{more}"
    return _built(before, f"[{solution}, b]")


_BASED = (
    "class Stack(list):\n    pass\nS = Stack()\nclass Box:\n    push = property(lambda self: S.append)\nb = Box()\n"
)
# Made of the puzzle's own things; each would be true if Python evaluated it among them.
_WAY = ".__class__.__base__.__repr__.__globals__[__spec__].__init__.__globals__[sys].modules[__main__].TABLE[k]}"
_GROWS = "TABLE = collections.defaultdict(int)\nclass Box: pass\n"
MADE: dict[str, tuple[str, str]] = {
    "format": _built(_GROWS, f"['{{0{_WAY}'.format(1), Box]", "TABLE"),
    "format that is put together": _built(_GROWS, f"[('{{0' + '{_WAY}').format(1), Box]", "TABLE"),
    "format by a dictionary": _built(_GROWS, f"['{{a{_WAY}'.format_map({{'a': 1}}), Box]", "TABLE"),
    "format by map": _built(_GROWS, f"[list(map('{{0{_WAY}'.format, [1])), Box]", "TABLE"),
    "format in a format": _built(_GROWS, f"['{{0:{{1{_WAY}}}'.format('', ''), Box]", "TABLE"),
    "initialization of a class below": _built(
        "class Base:\n    def __new__(cls, *args):\n        return object.__new__(Last)\n"
        "class Sub(Base): pass\nclass Last(Sub):\n    __init__ = log.append",
        "[Base(1), Base]",
    ),
    "method of a property": _built(_BASED, "[b.push(1), b]", "S"),
    "method of a property by a name": _built(_BASED, "[p := b.push, p(1)]", "S"),
    "inherited method": _built(_BASED, "[S.append(1), b]", "S"),
    "inherited method of the class": _built(_BASED, "[Stack.append(S, 1), b]", "S"),
    "method of a list's type": _built(_BASED, "[list.append(S, 1), b]", "S"),
    "inherited method as a key": _built(_BASED, "[sorted([1], key=S.append), b]", "S"),
    "inherited method by map": _built(_BASED, "[list(map(S.append, [1])), b]", "S"),
    "inherited sum": _built(_BASED, "[S.__iadd__([1]), b]", "S"),
    "method by a trampoline": _built(_TRAMPOLINE, "[apply(log.append, 4), Box]"),
    "named method by a trampoline": _built(_TRAMPOLINE + "push = log.append", "[apply(push, 4), Box]"),
    "named method": _built(_TRAMPOLINE + "push = log.append", "[push(4), Box]"),
    "named method as a key": _built(_TRAMPOLINE + "push = log.append", "[sorted([4], key=push), Box]"),
    "method in its list": _built(_TRAMPOLINE + "K = [log.append]", "[K[0](4), Box]"),
    "method in its list by a star": _built(_TRAMPOLINE + "K = [log.append]", "[apply(*K, 4), Box]"),
    "method in its list, put together": _built(_TRAMPOLINE + _PARTS, "[call(K + [4]), Box]"),
    "method in its list, taken apart": _built(_TRAMPOLINE + _PARTS, "[call([*K, 4]), Box]"),
    "method in its list, cut": _built(_TRAMPOLINE + _PARTS, "[call([*K[:], 4]), Box]"),
    "method in its list, in a list": _built(_TRAMPOLINE + _PARTS, "[call(list(K) + [4]), Box]"),
    "method in its list, in pairs": _built(_TRAMPOLINE + _PARTS, "[call(*zip(K, [4])), Box]"),
    "method in its list, one by one": _built(_TRAMPOLINE + _PARTS, "[call([k for k in K] + [4]), Box]"),
    "method in its dictionary": _built(_TRAMPOLINE + _PARTS, "[call([*{'k': K[0]}.values(), 4]), Box]"),
    "method in its dictionary, by stars": _built(
        _TRAMPOLINE + "D = {'f': log.append}", "[apply(**D, **{}) if 0 else apply(*D.values(), 4), Box]"
    ),
    "method by a name of its argument": _built(
        "D = {'f': log.append}\ndef call(f, n):\n    f(n)\nclass Box: pass", "[call(n=4, **D), Box]"
    ),
    "named partial": _built(_TRAMPOLINE + "push = functools.partial(log.append, 4)", "[push(), Box]"),
    "named partial by a trampoline": _built(
        _TRAMPOLINE + "push = functools.partial(log.append, 4)", "[apply(push), Box]"
    ),
    "named partial of its method": _built(
        _TRAMPOLINE + "class C:\n    def m(self, n):\n        log.append(n)\npush = functools.partial(C().m, 4)",
        "[push(), Box]",
    ),
    "function of the library's by a trampoline": _built(
        _TRAMPOLINE + "from operator import setitem", "[apply(setitem, log, 0, 9), Box]"
    ),
    "function of a module by a trampoline": _built(_TRAMPOLINE, "[apply(operator.setitem, log, 0, 9), Box]"),
    "function of the library's": _built(_TRAMPOLINE + "import heapq", "[heapq.heappush(log, 0), Box]"),
    "function of the library's by its name": _built(_TRAMPOLINE + "from bisect import insort", "[insort(log, 0), Box]"),
    "evaluation by a trampoline": _built(_TRAMPOLINE + "run = eval", "[apply(run, 'log.append(4)'), Box]"),
    "evaluation": _built(_TRAMPOLINE + "run = exec", "[run('log.append(4)', {'log': log}), Box]"),
    "attribute by a trampoline": _built(_TRAMPOLINE + "get = getattr", "[apply(get, log, 'append')(4), Box]"),
    "attribute by its own function": _built(
        _TRAMPOLINE + "def get(o, n):\n    return getattr(o, n)", "[get(log, 'append')(4), Box]"
    ),
    "attribute by its own function, given on": _built(
        _TRAMPOLINE + "def get(o, n):\n    return getattr(o, n)", "[apply(get(log, 'append'), 4), Box]"
    ),
    "a lambda by a trampoline": _built(_TRAMPOLINE, "[apply(lambda: log.append(4)), Box]"),
    "a lambda as a key": _built(_TRAMPOLINE, "[sorted([1], key=lambda n: log.append(n) or 1), Box]"),
    "a generator by a trampoline": _built(_TRAMPOLINE, "[apply(list, (log.append(n) for n in [1])), Box]"),
    "a class by a trampoline": _built(
        _TRAMPOLINE, "[apply(type('C', (Box,), {'__init__': lambda s: log.append(1)})), Box]"
    ),
    "module by its name": _built(_TRAMPOLINE + "import sys", "[sys.modules['__main__'].log.append(1), Box]"),
    "module by a trampoline": _built(
        _TRAMPOLINE + "import sys", "[apply(vars, sys)['modules'].update(mark=1), Box]", "'mark' in sys.modules"
    ),
    "random numbers of a module": _built(
        _TRAMPOLINE + "import random\nwas = random.getstate()", "[random.random(), Box]", "random.getstate() != was"
    ),
    "item of a default dictionary": _built(_TRAMPOLINE + "D = collections.defaultdict(int)", "[D[1], Box]", "D"),
    "list of a default dictionary": _built(
        _TRAMPOLINE + "D = {'k': collections.deque()}", "[D['k'].append(1), Box]", "D['k']"
    ),
    "queue": _built(_TRAMPOLINE + "Q = collections.deque()", "[Q.append(1), Box]", "Q"),
    "queue by a trampoline": _built(_TRAMPOLINE + "Q = collections.deque()", "[apply(Q.append, 1), Box]", "Q"),
    "globals of a function": _built(_TRAMPOLINE, "[apply.__globals__['log'].append(1), Box]"),
    "dictionary of a class": _built(_TRAMPOLINE, "[Box.__dict__['n'], apply.__defaults__, log.append(1)]"),
    "item that is assigned to": _built(_TRAMPOLINE, "[[0 for log[0] in [9]], Box]"),
    "attribute that is assigned to": _built(_TRAMPOLINE, "[[0 for Box.n in [9]], Box]", "Box.n != 1"),
    "name that is assigned to": _built(_TRAMPOLINE + "n = 1", "[[n := 5], Box]", "n != 1"),
    "iterator in a comprehension": _built(_RUN, "[[n for n in RUN], Box]", _USED),
    "iterator in a generator": _built(_RUN, "[list(n for n in RUN), Box]", _USED),
    "iterator in a dictionary's comprehension": _built(_RUN, "[{a: b for a, b in RUN}, Box]", _USED),
    "iterator by a star": _built(_RUN, "[*RUN, Box]", _USED),
    "iterator by a star in a call": _built(_RUN, "[f(*RUN), Box]", _USED),
    "iterator by a star in a class's call": _built(_RUN, "Box(*RUN)", _USED),
    "iterator by a star in a call of Python's": _built(_RUN, "[max(*RUN), Box]", _USED),
    "iterator by a target": _built(_RUN, "[[a for a, b in [RUN]], Box]", _USED),
    "iterator by contents": _built(_RUN, "[1 in RUN, Box]", _USED),
    "iterator by absence": _built(_RUN, "[1 not in RUN, Box]", _USED),
    "iterator by list": _built(_RUN, "[list(RUN), Box]", _USED),
    "iterator by dict": _built(_RUN, "[dict(RUN), Box]", _USED),
    "iterator by set": _built(_RUN, "[set(RUN), Box]", _USED),
    "iterator by zip": _built(_RUN, "[list(zip(RUN)), Box]", _USED),
    "iterator by enumerate": _built(_RUN, "[list(enumerate(RUN)), Box]", _USED),
    "iterator by map": _built(_RUN, "[list(map(f, RUN)), Box]", _USED),
    "iterator by sorted": _built(_RUN, "[sorted(RUN), Box]", _USED),
    "iterator by next": _built(_RUN, "[next(RUN), Box]", _USED),
    "iterator by a trampoline": _built(_TRAMPOLINE + _RUN, "[apply(list, RUN), Box]", _USED),
    "iterator by a text's method": _built(_RUN + "RUN = iter('ab')", "[''.join(RUN), Box]", "list(RUN) != ['a', 'b']"),
    "iterator in its own attribute": _built(_RUN + "Box.run = RUN", "[list(Box.run), Box]", _USED),
    "iterator in its own list": _built(_RUN + "K = [RUN]", "[list(K[0]), Box]", _USED),
    "iterator that its function gives": _built(_RUN + "def g():\n    return RUN", "[list(g()), Box]", _USED),
    "order of sorted": _operator("__lt__", "log.append", "sorted([1, b])"),
    "order of min": _operator("__lt__", "log.append", "min(1, b)"),
    "order of max": _operator("__gt__", "log.append", "max([1, b])"),
    "sum": _operator("__radd__", "log.append", "sum([b])"),
    "sum from the left": _operator("__add__", "log.append", "b + 1"),
    "repetition of a list": _operator("__index__", "log.pop", "[1] * b"),
    "formatted text": _operator("__format__", "words.pop", "f'{b:x}'"),
    "formatted text in a format": _operator("__str__", "texts.pop", "f'{1:{b}}'"),
    "text by the operator": _operator("__str__", "texts.pop", "'%s' % b"),
    "text by format": _operator("__format__", "words.pop", "'{:x}'.format(b)"),
    "text by an attribute in a format": _operator("x", "property(log.append)", "'{0.x}'.format(b)"),
    "text": _operator("__str__", "texts.pop", "str(b)"),
    "text by repr": _operator("__repr__", "texts.pop", "repr([b])"),
    "key": _operator("__hash__", "log.pop", "{b: 1}"),
    "key in a tuple": _operator("__hash__", "log.pop", "{(1, (b,)): 1}"),
    "key in a set": _operator("__hash__", "log.pop", "{b}"),
    "key by a comprehension": _operator("__hash__", "log.pop", "{n: 1 for n in [b]}"),
    "key by a constructor": _operator("__hash__", "log.pop", "dict([(b, 1)])"),
    "key by a constructor of sets": _operator("__hash__", "log.pop", "frozenset([b])"),
    "key that is asked for": _operator("__hash__", "log.pop", "TABLE[b]", "B.__eq__ = lambda self, other: True"),
    "key that is asked for by get": _operator("__hash__", "log.pop", "TABLE.get(b)"),
    "key that is compared": _built(
        "class B:\n    __hash__ = lambda self: 1\n    __eq__ = log.append\nb = B()", "[{1: 2, b: 3}, b]"
    ),
    "comparison": _operator("__eq__", "log.append", "b == 1"),
    "comparison in a list": _operator("__eq__", "log.append", "b in PLAIN"),
    "comparison by a method": _operator("__eq__", "log.append", "PLAIN.count(b)"),
    "comparison of lists": _operator("__eq__", "log.append", "[b] == [1]"),
    "truth by not": _operator("__bool__", "bools.pop", "not b"),
    "truth by or": _operator("__len__", "log.pop", "b or 1"),
    "truth by a choice": _operator("__len__", "log.pop", "1 if b else 2"),
    "truth by a condition": _operator("__len__", "log.pop", "[1 for n in [1] if b]"),
    "number by range": _operator("__index__", "log.pop", "range(b)"),
    "number by int": _operator("__int__", "log.pop", "int(b)"),
    "place": _operator("__index__", "log.pop", "PLAIN[b]"),
    "slice": _operator("__index__", "log.pop", "PLAIN[b:]"),
    "call of its class's class": _built(
        "class M(type):\n    __call__ = log.append\nclass Box(metaclass=M):\n    pass", "[Box(1), Box]"
    ),
    "attribute of its class's class": _built(
        "class M(type):\n    __getattr__ = log.append\nclass Box(metaclass=M):\n    pass", "[Box.x, Box]"
    ),
    "property of its class's class": _built(
        "class M(type):\n    x = property(log.append)\nclass Box(metaclass=M):\n    pass", "[Box.x, Box]"
    ),
    "descriptor": _built(
        "class P:\n    __get__ = lambda self, *a: log\nclass Box:\n    x = P()", "[Box().x.append(1), Box]"
    ),
    "subscript of its class": _built("class Box:\n    __class_getitem__ = log.append", "[Box[1], Box]"),
    "base that is initialized": _built(
        "K = [iter('a'), iter('b')]\nclass Box(list): pass\nclass B:\n    __iter__ = K.pop\nb = B()",
        "[Box(b), Box]",
        "len(K) != 2",
    ),
    "base that is asked for its number": _operator("__int__", "log.pop", "N(b)", "class N(int): pass"),
    "member by a value that is compared": _operator("__eq__", "words.pop", "C(b)", "class C(enum.Enum):\n    A = 1"),
    "member that is missing": _built(
        "K = {}\nclass C(enum.Enum):\n    A = 1\nC._missing_, K[5] = K.pop, C.A", "[C(5), C]", "not K"
    ),
    "combination of flags": _built(
        "class C(enum.Flag):\n    A = 1\n    B = 2", "[C.A | C.B, C]", "len(C._value2member_map_) > 2"
    ),
    "object that goes away": _built("class Box:\n    __del__ = log.pop", "[[Box(), 1][1], Box]"),
    "class by its metaclass": _built(
        "class Meta(type):\n    pass\nclass Box(metaclass=Meta):\n    n = 1",
        "Meta('Box', (), {'__module__': '__main__', 'n': 2})",
        "type(x) is Meta and x.n != 1",
    ),
    "class of a class": _built("T = type\nclass Box:\n    pass", "[T(Box).mro(Box).append(1), log.append(1)]"),
}
SHARED = """
import collections, decimal, fractions, math, random, re, string, struct, sys
STATE, ROWS = {"solved": False}, [[1], [2]]
class Box:
    kept = []
def helper():
    return Box
kept = re.compile("zz"), struct.calcsize("5h")
def shared():
    parts = [len(re.RegexFlag._value2member_map_), len(re._cache), hasattr(collections.Counter, "__orig_class__")]
    parts += [len(sys.modules), sys.getrecursionlimit(), math.pi, dict(vars(string.Template)), random.getstate()]
    parts += [isinstance("", fractions.Fraction), decimal.getcontext().prec, decimal.getcontext().traps.copy()]
    parts += [dict(vars(collections.Counter)), dict(vars(helper)), dict(vars(fractions.Fraction)), sorted([2, 1])]
    return parts + [repr(STATE), repr(ROWS), repr(Box.kept), len("abc")]
before = shared()
def mystery(f):
    try:
        f()
    except Exception:
        pass
    return shared() != before
"""
_OF = "lambda: __import__('{}').{}"
# Code of the solution's own, without the puzzle's names, or with its data only: what it shares with the puzzle.
ALONE: dict[str, str] = {
    "data": "lambda: STATE.update(solved=True)",
    "data in data": "lambda: ROWS[0].append(2)",
    "data in a closure": "(lambda rows: lambda: rows.append(1))(ROWS)",
    "data in a default": "lambda rows=ROWS: rows.clear()",
    "data by the library": "lambda: __import__('heapq').heappush(ROWS, [0])",
    "data by sorting": "lambda: ROWS.sort(key=lambda row: row.append(1) or 1)",
    "attribute by a generic type": "lambda: type(list[int])(lambda: __import__('collections').Counter, int)()",
    "attribute by a target": "lambda: [0 for __import__('math').pi in [3]]",
    "attribute of a class by a target": "lambda: [0 for __import__('collections').Counter.update in [len]]",
    "combination of flags": ("lambda: [r.DOTALL | r.IGNORECASE | r.MULTILINE | r.VERBOSE for r in [__import__('re')]]"),
    "cache of patterns": _OF.format("re", "purge()"),
    "registration": _OF.format("fractions", "Fraction.register(str)"),
    "context": _OF.format("decimal", "getcontext().clear_traps()"),
    "context's precision": _OF.format("decimal", "setcontext(__import__('decimal').Context(prec=2))"),
    "modules": _OF.format("sys", "modules.update(mark=1)"),
    "limit of calls": _OF.format("sys", "setrecursionlimit(500)"),
    "seed": _OF.format("random", "seed(5)"),
    "names of a module": _OF.format("math", "__dict__.update(pi=3)"),
    "names of a module by vars": "lambda: vars(__import__('math')).update(pi=3)",
    "attribute of the library's class": "lambda: setattr(__import__('string').Template, 'delimiter', '!')",
    "wrapper of the library's": _OF.format("functools", "update_wrapper(__import__('string').Template, len)"),
    "puzzle by its module": _OF.format("__main__", "STATE.update(solved=True)"),
    "puzzle by its frame": _OF.format("sys", "_getframe().f_back.f_globals['STATE'].update(solved=True)"),
    "puzzle by a generator's frame": (
        "lambda: (lambda g: g.append((g[0].gi_frame.f_back.f_globals['STATE'].update(solved=True) for _ in [1]))"
        " or next(g[0]))([])"
    ),
    "puzzle by a traceback": _OF.format("inspect", "currentframe().f_back.f_globals['ROWS'].clear()"),
    "class of the puzzle's by its base": (
        "lambda: [k for k in object.__subclasses__() if k.__name__ == 'Box'][0].kept.append(1)"
    ),
    "function of the puzzle's": "lambda: helper().kept.append(1)",
    "attribute of the puzzle's": "lambda: [0 for helper.solved in [1]]",
}
# Of LEAKS: what does not come to its end at once, since what the method gives is of the wrong type; and what the
# puzzle's own constructor does.
FAILING = """truth|contents by iteration|iteration|iteration by a constructor|keys by a constructor|text
    text by its representation|format|index|instance of an abstract class|text of a data class|missing member
    default of a data class|end of a data class's construction""".replace("\n    ", "|").split("|")
# Nothing of this runs any code, though everything has some.
QUIET = _KEEPS + _HOOKS + "def mystery(x):\n    return len(log) == FIRST\n"
IN_QUIET = [
    *("b", "Box", "[b, Box]", "(b, [Box], {'k': b})", "[b] * 2", "[b] + [Box]", "[n for n in [b, Box]]", "b is Box"),
    *("[b is not None, Box]", "[x := b, x]", "[All(b), b]", "[*[b, Box]]", "tuple([b])", "list(zip([b], [Box]))"),
    *(
        "[n for m, n in enumerate([b])]",
        "list(reversed([b, Box]))",
        "[len([b]), b]",
        "{1: b}[1]",
        "[b][0]",
        "(b, Box)[::-1]",
    ),
    *("[[] or b]", "[1 and Box]", "[b if [Box] else 1]", "dict(a=b)", "list({'k': b}.values())", "[All(n=Box).n, b]"),
]
