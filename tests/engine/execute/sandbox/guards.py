"""Puzzles that guard what they keep by Python's own rules, as players write them: by a decorator, a memory, a
descriptor, a dictionary's missing key. In plain Python none of the solutions gets past the guard.
"""

from tests.engine.execute.sandbox.borders import puzzle

_NAMES = "import enum, functools\nfrom functools import cached_property, lru_cache, wraps\n"


def _guarded(before: str, question: str, *solutions: str) -> list[tuple[str, str]]:
    ask = f"\ndef mystery(f):\n    try:\n        f()\n    except Exception:\n        pass\n    return {question}"
    return [(_NAMES + before + ask, solution) for solution in solutions]


_DECORATED = """
def guarded(function):
    @wraps(function)
    def inner(self, *args):
        if not self.open:
            raise PermissionError
        return function(self, *args)
    return inner
class Vault:
    def __init__(self, open=False):
        self.open, self.gold = open, 0
    @guarded
    def take(self, n=1):
        self.gold += n
vault, other = Vault(), Vault(True)
"""
_LOCKED = """
class Locked:
    def __set_name__(self, owner, name):
        self.name = name
    def __get__(self, thing, kind=None):
        if not thing.open:
            raise PermissionError
        return thing.__dict__[self.name]
    def __set__(self, thing, value):
        thing.__dict__[self.name] = value
class Purse:
    n = 0
    def take(self):
        self.n += 1
class Vault:
    gold = Locked()
    def __init__(self, open=False):
        self.open, self.gold = open, Purse()
vault, other = Vault(), Vault(True)
"""
_LOCKED_CLASS = """
class Purse:
    n = 0
    def take(self):
        self.n += 1
class Meta(type):
    @property
    def gold(cls):
        raise PermissionError
class Vault(metaclass=Meta):
    gold = Purse()
"""
_MISSING = """
class Store(dict):
    def __getitem__(self, key):
        if key not in self:
            raise KeyError(key)
        return dict.__getitem__(self, key)
    def __missing__(self, key):
        self[key] = 1
store = Store()
"""
_PURSE = "class Purse:\n    coins = 0\n    {}\n    def bonus(self):\n        self.coins += 1\npurse = Purse()"
_COUNTED = "state = [0]\n@lru_cache\ndef claim(who=1):\n    {}\n    return state[0]\nclaim('a')\n"
_THROWN = """
KEPT = []
class Calls(Exception):
    def __init__(self, function):
        function(KEPT)
class Logs(Exception):
    __init__ = KEPT.append
"""
_THROW = "lambda: (_ for _ in ()).throw({})"
_SEEN = "try:\n    {}\nexcept Exception as e:\n    return {} == Color.RED and {} is not Color.RED"


def _seen(call: str, part: str, solution: str) -> list[tuple[str, str]]:
    return [(puzzle(_SEEN.format(call, part, part)), solution)]


# What gets past none of them, and what plain Python says is not true.
GUARDED = {
    "decorated method": _guarded(
        _DECORATED,
        "vault.gold",
        "lambda: vault.take()",
        "lambda: list(map(vault.take, [1]))",
        "lambda: Vault.take(vault)",
    ),
    "descriptor before the object's own": _guarded(_LOCKED, "vars(vault)['gold'].n", "lambda: vault.gold.take()"),
    "property of a class's class": _guarded(_LOCKED_CLASS, "vars(Vault)['gold'].n", "lambda: Vault.gold.take()"),
    "missing key": _guarded(_MISSING, "len(store)", "lambda: store[1]"),
    "function that runs once": _guarded(
        _COUNTED.format("state[0] += 1"), "state[0] > 2", "lambda: claim('a') or claim('b') or claim('b')"
    )
    + _guarded(_COUNTED.format("state.append(1)"), "len(state) > 2", "lambda: claim('a')")
    + _guarded(_COUNTED.format("[one := claim.__wrapped__, state.append(1)]"), "len(state) > 2", "lambda: claim('a')"),
    "method that runs once": _guarded(
        _PURSE.format("@lru_cache"), "purse.coins > 1", "lambda: [purse.bonus() for _ in 'ab']"
    )
    + _guarded(_PURSE.format("@lru_cache"), "purse.coins > 1", "lambda: [Purse.bonus(purse) for _ in 'ab']"),
    "property that is computed once": _guarded(
        _PURSE.format("@cached_property"), "purse.coins > 1", "lambda: [purse.bonus for _ in 'ab']"
    ),
    "operator that is none": _guarded(
        "N = []\nclass Box:\n    __iter__ = __contains__ = __bool__ = __reversed__ = None\n"
        "    def __getitem__(self, n):\n        N.append(n)\n        return [0][n]\n"
        "    def __len__(self):\n        N.append(1)\n        return 1\nbox = Box()",
        "N",
        *("lambda: list(box)", "lambda: 0 in box", "lambda: not box", "lambda: list(reversed(box))"),
    ),
    "exception of Python's": _seen("f()", "e.args[0]", _THROW.format("ValueError(Color.RED)"))
    + _seen("f()", "e.args[0]", "lambda: {}[Color.RED]")
    + _seen("f()", "e.args[0]", "lambda: set().remove(Color.RED)"),
    "exception in an exception": _seen(
        "f()", "getattr(e.__cause__, 'value', 0)", _THROW.format("StopIteration(Color.RED)")
    ),
    "object without an attribute": _seen("f()", "e.obj", "lambda: Color.RED.nothing"),
    "exception of an iterator": _seen("list(f)", "e.args[0]", "({}[c] for c in Color)")
    + _seen("list(f)", "e.args[0]", "map({}.pop, Color)"),
}
# A function of the solution's that an exception takes along, or that one is made with: plain Python would call it.
THROWN = [
    *_guarded(_THROWN, "KEPT", _THROW.format("Calls, lambda kept: kept.append(1)")),
    *_guarded(_THROWN, "KEPT", _THROW.format("Logs, 1"), _THROW.format("Logs(1)")),
    (
        puzzle(
            "try:\n    f[0]()\nexcept ValueError as e:\n    e.args[0].append(f[1]())\nf[2]()\nreturn Box.kept != [1]"
        ),
        f"(lambda rows: [{_THROW.format('ValueError(rows)')}, lambda: Box, lambda: rows[0].kept.append(1)])([])",
    ),
]
# What the puzzle lets through, and what has nothing to guard.
OPEN = [
    *_guarded(
        "KEPT = []\ndef two(a, b):\n    KEPT.append(a is b)\nclass Two:\n    __init__ = lambda self, a, b: two(a, b)",
        "KEPT == [True, True]",
        "lambda: (lambda rows: [two(rows, b=rows), Two(rows, rows)])([])",
    ),
    *_guarded(_DECORATED, "other.gold == 2", "lambda: other.take(2)"),
    *_guarded(_LOCKED, "vars(other)['gold'].n == 1", "lambda: other.gold.take()"),
    (
        f"{_NAMES}import math\n@lru_cache\ndef ways(n):\n    return 1 if n < 2 else sum(ways(n - k) for k in (1, 2))\n"
        "@lru_cache\ndef root(n):\n    rows = [math.isqrt(n)]\n    rows.append(half(n))\n    return tuple(rows)\n"
        "def half(n):\n    return n // LIMIT\nLIMIT = 2\ndef mystery(f):\n    return f(9) == (55, (3, 4))",
        "lambda n: (ways(n), root(n))",
    ),
    (
        puzzle("try:\n    f()\nexcept KeyError as e:\n    return e.args[0] is Color.RED"),
        "lambda: {}[Color.RED]",
    ),
    (
        puzzle("try:\n    f()\nexcept ValueError as e:\n    return e.args == (1, [2]) and e.__context__ is None"),
        _THROW.format("ValueError(1, [helper(1)])"),
    ),
    (
        "KEPT = ValueError([1])\ndef fail():\n    raise KEPT\ndef mystery(f):\n    try:\n        f()\n"
        "    except ValueError as e:\n        return e is KEPT",
        "lambda: fail()",
    ),
    (
        "KEPT = ValueError([1])\ndef fail():\n    yield 1\n    raise KEPT\ndef mystery(f):\n    try:\n        list(f)\n"
        "    except ValueError as e:\n        return e is KEPT and e.args[0] is KEPT.args[0]",
        "(n for n in fail())",
    ),
]
