"""Random expressions over a puzzle in which every operator, property and constructor that is not its own function
changes something: none is ever run."""

import ast
import builtins
import random
import re
import sys
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from antemill.engine.execute.sandbox.inside.values import builder, expression, safe_library
from antemill.engine.execute.sandbox.inside.values.text_policy import RefusedError

PUZZLE = """
import collections, dataclasses, enum, functools, itertools, heapq, math, operator, sys
hits, log = [], [5, 6]
push = hits.append
class Meta(type):
    bad = property(push)
class All:
    bad, cached, stat = property(push), functools.cached_property(push), staticmethod(push)
    part, run, kept = functools.partial(push, 1), itertools.count(), hits
    def __init__(self, n=0):
        self.m = n
    def own(self, *more):
        return self
    @property
    def gives(self):
        return push
class Cls(metaclass=Meta):
    x = 1
class Stack(list): pass
class Table(dict): pass
class Number(int): pass
class Color(enum.Enum):
    A = 1
    X = [1]
class Flag(enum.Flag):
    A = 1
    B = 2
Pair = collections.namedtuple("Pair", "a b")
@dataclasses.dataclass(frozen=True, order=True)
class Point:
    a: object = 0
al, cl, stack = All(), Cls(), Stack([1])
names = '''abs add and bool bytes call ceil class_getitem complex contains copy deepcopy delete delitem dir divmod
    enter eq exit float floordiv format fspath ge get getattribute getitem getstate gt hash index instancecheck int
    invert iter le len length_hint lshift lt matmul missing mod mul ne neg next or pos pow radd rand reduce_ex repr
    reversed rmod rmul ror round rsub set setattr setitem str sub subclasscheck trunc xor'''.split()
for name in names:
    setattr(Meta, f"__{name}__", push) if name not in ("call", "setattr", "getattribute") else None
for name in names:
    setattr(All, f"__{name}__", push) if name not in ("setattr", "getattribute") else None
    type.__setattr__(Cls, f"__{name}__", push)
RUN, QUEUE, DEFAULTS = (i for i in range(3)), collections.deque([1]), collections.defaultdict(int)
TABLE, ROWS = {1: al, "k": cl, 3: log}, [al, cl, [al]]
def ident(x=None, *rest, **named):
    return x
del hits[:]
"""


def _words(text: str) -> list[str]:
    return text.split()


NAMES = _words(
    """log hits push al cl All Cls Stack Table Number Color Flag Pair Point stack RUN QUEUE DEFAULTS TABLE ROWS ident
    heapq math operator sys x y"""
)
WORDS = {
    "V": NAMES,
    "F": NAMES
    + _words(
        """all any list tuple dict set frozenset len max min sum sorted zip enumerate reversed map str repr int bool
        format range slice next type getattr print"""
    ),
    "N": _words(
        """own gives bad cached stat part run kept m x append pop update items values get A B X a b name value join
        count index setdefault sqrt heappush setitem clear"""
    ),
    "O": _words("+ - * / % | & == != < > in is and or"),
}
CONSTANTS = ["1", "2", "'a'", "[]", "0", "None", "'{0.bad}'", "'%s'"]
# A is an expression, the others as above.
SHAPES = """[A, A];(A, A);{A: A};{A, A};F(A);F(A, *A);F(k=A);A.N;A.N(A);A.N();A[A];A[A:];A O A;A O A;not A;-A;[*A, A]
    ;[A for x in A];{A: A for x, y in A if A};A if A else A;f'{V}';list(map(F, A));F(A for n in A);al.N;cl.N;F(al)"""


def random_text(dice: random.Random, depth: int) -> str:
    if depth <= 0:
        return dice.choice([*NAMES, *CONSTANTS])

    def word(found: re.Match[str]) -> str:
        if found[0] == "A":
            return f"({random_text(dice, depth - 1)})"
        return dice.choice(WORDS[found[0]])

    return re.sub("[AVFNO]", word, dice.choice(SHAPES.split(";")).strip())


def state(puzzle: dict[str, Any]) -> list[Any]:
    """What the puzzle keeps, without asking its objects."""
    enumerations = [len(puzzle[name]._value2member_map_) for name in ("Color", "Flag")]
    kept = [list(map(id, puzzle[name])) for name in ("hits", "log", "QUEUE", "ROWS", "stack", "TABLE", "DEFAULTS")]
    own = sorted(object.__getattribute__(puzzle["al"], "__dict__"))
    return [*enumerations, *kept, own, puzzle["RUN"].gi_frame.f_lasti, repr(puzzle["All"].run)]


@pytest.mark.parametrize("seed", range(4))
def test_no_code_but_the_puzzles_own_runs(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    safe_library.remember()
    module = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    module.__dict__["__builtins__"] = builtins
    exec(PUZZLE, module.__dict__)
    before, dice, ended = state(module.__dict__), random.Random(seed), Counter[str]()
    for _ in range(2_000):
        text = random_text(dice, dice.randrange(1, 4))
        tree = expression.parse(text)
        if not builder.is_buildable(tree):
            continue
        try:
            builder.build(tree, module.__dict__)
            ended["whole"] += 1
        except RefusedError:
            ended["refused"] += 1
        except Exception:
            ended["error"] += 1
        assert state(module.__dict__) == before, text
    assert min(ended[how] for how in ("whole", "refused", "error")) > 50, ended


def test_what_is_built_has_no_code_that_could_run_later() -> None:
    texts = [
        "lambda: A",
        "[lambda: 1, A]",
        "(yield)",
        "[await A]",
        "[A async for n in A]",
        "sorted(A, key=lambda n: 1)",
    ]
    assert not any(builder.is_buildable(ast.parse(text, mode="eval")) for text in texts)
