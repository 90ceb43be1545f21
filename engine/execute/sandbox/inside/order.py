"""Whether the order of a program's sets reaches its output: the program runs again with that order changed (S3).

Sets of texts are ordered by a seed of the interpreter, sets of types, functions and plain objects by addresses. No
number of seeds turns every pair around, and no shift moves the address of `int`. So the program's tree is rewritten
(`rewrite`): all sets that it makes are of two classes that look like `set` and `frozenset`, and iterate as `arrange`
says if the hash of an element depends on a seed or an address, else as sets do. Three runs, in the order of the hashes,
turned around and rotated by one, differ wherever the order of a set of two is seen, and wherever any one place of a
larger set is. They are compared with each other, not with the run that counts.

`matters` says by the program's text whether any of this can make a difference.
"""

import ast
import builtins
import copy
import functools
import opcode
import operator
import reprlib
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from . import names
from .asked import Address

ARRANGEMENTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "by hash": lambda found: found,
    "turned": lambda found: found[::-1],
    "rotated": lambda found: found[1:] + found[:1],
}
# Names of ours in the program: nobody can write them.
_SET_OF, _SEEN, _REAL, _KEPT, _HASHED = (".set", ".seen", ".real", ".kept", ".hashed")
_MAKERS = {"set", "frozenset", "Set", "FrozenSet", "MutableSet", "AbstractSet", "literal_eval", "eval", "exec"}
_VIEWS = {"keys", "items"}  # of a dictionary: operators make sets of them
_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
_MAKING = {opcode.opmap[name] for name in ("BUILD_SET", "SET_ADD", "SET_UPDATE")}
_BLIND = {"len", "bool", "isinstance"}  # functions to which an order is nothing
_METHODS = {"__and__", "__or__", "__xor__", "__sub__", "__rand__", "__ror__", "__rxor__", "__rsub__"}
_OF_OPERATOR = """and_ or_ xor sub iand ior ixor isub __and__ __or__ __xor__ __sub__ __iand__ __ior__ __ixor__
    __isub__"""
_VIEW_TYPES: tuple[type, ...] = (type({}.keys()), type({}.items()))
_RESULTS = """__and__ __or__ __sub__ __xor__ __rand__ __ror__ __rsub__ __rxor__ union intersection difference
    symmetric_difference copy"""


# ------------------------------------------------------------------------------------------------ by the text


def matters(program: str, code: CodeType) -> bool:
    """Whether a set's order could reach the output of a program, which has been compiled to `code`; False is a proof.

    A look at the code is cheap, and enough for most programs; the tree shows more.
    """
    parts = list(_parts(code))
    if not any(map(_touches_sets, parts)) and not (any(map(_views, parts)) and any(map(_combines, parts))):
        return False
    nodes = list(ast.walk(ast.parse(program)))
    own = {name for node in nodes for name in names.binds(node)}
    blind = {child for node in nodes for child in _blind_to(node, own)}
    calls: dict[ast.AST, ast.expr] = {node.func: node for node in nodes if isinstance(node, ast.Call)}
    walked = {node.iter for node in nodes if isinstance(node, ast.For | ast.comprehension)}
    used = [node for node in nodes if node not in blind and calls.get(node) not in blind]
    if any(_makes_a_set(node) for node in used):
        return True
    views = {node for node in used if isinstance(node, ast.Attribute) and node.attr in _VIEWS}
    return any(calls.get(node) not in walked for node in views) and any(_operates(node) for node in nodes)


def _parts(code: CodeType) -> Iterator[CodeType]:
    """The code and what is nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)


def _touches_sets(code: CodeType) -> bool:
    made = not _MAKING.isdisjoint(code.co_code[::2]) or any(isinstance(one, frozenset) for one in code.co_consts)
    return made or not _MAKERS.isdisjoint(code.co_names)


def _views(code: CodeType) -> bool:
    return not _VIEWS.isdisjoint(code.co_names)


def _combines(code: CodeType) -> bool:
    named = "operator" in code.co_names or not _METHODS.isdisjoint(code.co_names)
    return named or opcode.opmap["BINARY_OP"] in code.co_code[::2]


def _makes_a_set(node: ast.AST) -> bool:
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    return isinstance(node, ast.Name | ast.Attribute | ast.alias) and _name(node) in _MAKERS


def _operates(node: ast.AST) -> bool:
    """Whether it could make a set of a dictionary's view."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return isinstance(node.op, _OPERATORS)
    if isinstance(node, ast.Attribute):
        return node.attr in _METHODS
    if isinstance(node, ast.ImportFrom):
        return node.module == "operator"
    return isinstance(node, ast.Name | ast.alias) and _name(node) == "operator"


def _blind_to(node: ast.AST, own: set[str]) -> list[ast.expr]:
    """The parts of a node whose order is nothing to it."""
    if isinstance(node, ast.Compare) and all(isinstance(one, ast.In | ast.NotIn) for one in node.ops):
        return node.comparators
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _BLIND - own:
        return node.args
    return []


def _name(node: ast.Name | ast.Attribute | ast.alias) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else node.name


# ------------------------------------------------------------------------------------------------ by running


def rewrite(tree: ast.AST) -> ast.AST:
    """The program with sets of our own, to be run where `install` has been called."""
    changed: ast.AST = _Rewriter().visit(tree)
    return ast.fix_missing_locations(changed)


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self._kept = 0  # how many temporary variables there are

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.generic_visit(node)
        return _call(_SET_OF, ast.List(node.elts, ast.Load()), node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return _call(_SET_OF, ast.ListComp(node.elt, node.generators), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call(_SEEN, node, node) if isinstance(node.op, _OPERATORS) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        hashes = isinstance(node.func, ast.Attribute) and node.func.attr == "__hash__"
        self.generic_visit(node)
        return _call(_HASHED if hashes else _SEEN, node, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return _call(_SEEN, node, node) if node.attr in _METHODS and isinstance(node.ctx, ast.Load) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        self.generic_visit(node)
        if not isinstance(node.op, _OPERATORS):
            return node
        before: list[ast.AST] = []
        target: Any = node.target
        if isinstance(target, ast.Attribute | ast.Subscript):
            target.value = self._keep(target.value, before)
        if isinstance(target, ast.Subscript):
            target.slice = self._keep(target.slice, before)
        read = copy.copy(target)
        read.ctx = ast.Load()
        again: list[ast.stmt] = [ast.Assign([target], _call(_SEEN, read, node))]
        return [*before, node, ast.copy_location(ast.If(_call(_REAL, read, node), again, []), node)]

    def _keep(self, value: ast.expr, before: list[ast.AST]) -> ast.expr:
        """A variable for what is evaluated once, and used to read and to write."""
        self._kept += 1
        name = f"{_KEPT}{self._kept}"
        before.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), value))
        return ast.copy_location(ast.Name(name, ast.Load()), value)


def _call(name: str, argument: ast.expr, place: ast.AST) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [argument], []), place)


def install(arrangement: str) -> dict[str, Any]:
    """Make `set`, `frozenset` and `hash` ours, everywhere; what a rewritten program needs in its namespace."""
    hashes = _Hashes()
    kinds = {kind: _kind(kind, hashes, ARRANGEMENTS[arrangement]) for kind in (set, frozenset)}

    def seen(value: Any) -> Any:
        if type(value) in _WRAPPERS and value.__name__ in _METHODS:
            return _through(seen, value) if _of_view(value) else value
        return kinds[type(value)](value) if type(value) in kinds else value

    def real(value: Any) -> bool:
        return type(value) in kinds

    needed = {_SET_OF: kinds[set], _SEEN: seen, _REAL: real, _HASHED: hashes.hashed}
    patched: Any = builtins
    patched.set, patched.frozenset, patched.hash = kinds[set], kinds[frozenset], hashes.hash
    for name in _OF_OPERATOR.split():
        setattr(operator, name, _through(seen, getattr(operator, name)))
    if (pprint := sys.modules.get("pprint")) is not None:
        shows = pprint.PrettyPrinter._dispatch  # its way to sort sets goes by their __repr__
        shows.update({kind.__repr__: shows[base.__repr__] for base, kind in kinds.items() if base.__repr__ in shows})
    return needed


_WRAPPERS = (type(int.__add__), type((1).__add__))  # of types, of objects


def _of_view(method: Any) -> bool:
    """Whether a method is of a dictionary's view: it makes real sets."""
    return issubclass(getattr(method, "__objclass__", None) or type(method.__self__), _VIEW_TYPES)


def _through(seen: Callable[[Any], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with what it makes seen."""

    @functools.wraps(function, updated=())
    def call(*arguments: Any) -> Any:
        return seen(function(*arguments))

    return call


class _Hashes:
    """Knows which hashes depend on a seed or on an address."""

    def __init__(self) -> None:
        from decimal import Decimal
        from fractions import Fraction

        fixed: list[type] = [int, float, complex, Decimal, Fraction]
        self._fixed = {kind.__hash__ for kind in fixed}
        self._nested = {tuple.__hash__, frozenset.__hash__}
        self._none = sys.version_info >= (3, 12)  # from there on the hash of None is a constant
        self.plain = builtins.hash  # the real one
        self._met = False  # an element of which hash() was asked whose hash is not fixed

    def hash(self, value: Any, /) -> int:
        """The built-in function, which remembers what it was asked."""
        if not self._met and not self.fixed(value):
            self._met = True
        return self.plain(value)

    def hashed(self, number: Any) -> Any:
        """What a `__hash__` of another class has said, whose ways are not known."""
        self._met = True
        return number

    def fixed(self, value: Any) -> bool:
        """Whether the hash of the value is the same everywhere."""
        kind = type(value)
        if kind is str or kind is Address:
            return False
        if value is None:
            return self._none
        method: Any = kind.__hash__
        if method in self._fixed:
            return True
        if method in self._nested:
            return all(map(self.fixed, value))
        if not hasattr(method, "__code__"):
            return False
        before, self._met = self._met, False
        try:
            method(value)
            return not self._met
        finally:
            self._met = before or self._met


def _kind(base: Any, hashes: _Hashes, arrange: Callable[[list[Any]], list[Any]]) -> Any:
    """A class like `set` or `frozenset` whose order is arranged."""

    class Kind(base):  # type: ignore[misc]
        __slots__ = ("_next",) if base is set else ()  # what `pop` takes, the last one first

        def __iter__(self) -> Iterator[Any]:
            size = len(self)
            for item in _arranged(self):
                if len(self) != size:
                    raise RuntimeError("Set changed size during iteration")
                yield item

        def __repr__(self) -> str:
            name = type(self).__name__
            items = ", ".join(map(repr, self))
            return f"{{{items}}}" if items and name == "set" else f"{name}({{{items}}})" if items else f"{name}()"

        def __reduce__(self) -> Any:
            return type(self), (list(self),)

    def _arranged(self: Any) -> list[Any]:
        items = list(base.__iter__(self))
        if all(map(hashes.fixed, items)):
            return items
        # By hash, and not by the table's places: those also tell in which order equal places were taken.
        return arrange(sorted(items, key=hashes.plain))

    def pop(self: Any) -> Any:
        if not self:
            raise KeyError("pop from an empty set")
        left = getattr(self, "_next", [])
        if len(left) != len(self) or not base.__contains__(self, left[-1]):
            left = self._next = _arranged(self)[::-1]
        item = left.pop()
        base.discard(self, item)
        return item

    def made(name: str) -> Callable[..., Any]:
        method = getattr(base, name)

        def make(self: Any, *others: Any) -> Any:
            found = method(self, *others)
            return Kind(found) if type(found) is base else found

        return make

    methods: Any = Kind
    methods.__repr__ = reprlib.recursive_repr(f"{base.__name__}(...)")(Kind.__repr__)
    for name in _RESULTS.split():
        setattr(Kind, name, made(name))
    if base is set:
        methods.pop = pop
    Kind.__name__ = Kind.__qualname__ = base.__name__
    Kind.__module__ = "builtins"
    return Kind
