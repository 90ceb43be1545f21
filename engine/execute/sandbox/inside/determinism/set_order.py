"""Whether the order of a program's sets reaches its output: the program runs again with that order changed (S3).

Sets of texts are ordered by a seed of the interpreter; sets of types, functions and plain objects by addresses. No
number of seeds reverses every pair, and no shift moves the address of `int`. So `rewrite` changes the program's tree:
all sets that it makes are of two classes that look like `set` and `frozenset`. If the hash of an element depends on a
seed or an address, they iterate in the order of the hashes, in reverse, or rotated by one; otherwise as sets do. The
three runs differ wherever the order of two elements is seen, and wherever one place of a larger set is seen. They are
compared with each other, not with the run whose output counts.

`set_use.matters` says by the program's text whether these runs are needed.

Where hashes have 32 bits, the order of large numbers, fractions and tuples is another one than elsewhere. The real sets
of the run whose output counts have that order, too. So it is changed like that of texts, and `unknown` tells that it
was.
"""

import ast
import builtins
import copy
import functools
import operator
import reprlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import address

ARRANGEMENTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "by hash": lambda found: found,
    "reversed": lambda found: found[::-1],
    "rotated": lambda found: found[1:] + found[:1],
}
# Our names in the program; with a dot, so that no program can contain them.
_SET_OF, _SEEN, _REAL, _KEPT, _HASHED = (".set", ".seen", ".real", ".kept", ".hashed")
OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
METHODS = {"__and__", "__or__", "__xor__", "__sub__", "__rand__", "__ror__", "__rxor__", "__rsub__"}
_OF_OPERATOR = """and_ or_ xor sub iand ior ixor isub __and__ __or__ __xor__ __sub__ __iand__ __ior__ __ixor__
    __isub__"""
_SMALL = 2**31 - 1  # whole numbers below it have the same hashes on 32 and on 64 bits
_VIEW_TYPES: tuple[type, ...] = (type({}.keys()), type({}.items()))
_RESULTS = """__and__ __or__ __sub__ __xor__ __rand__ __ror__ __rsub__ __rxor__ union intersection difference
    symmetric_difference copy"""


def rewrite(tree: ast.AST) -> ast.AST:
    """The program with sets of our own; it runs where `install` has been called."""
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
        return _call(_SEEN, node, node) if isinstance(node.op, OPERATORS) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        hashes = isinstance(node.func, ast.Attribute) and node.func.attr == "__hash__"
        self.generic_visit(node)
        return _call(_HASHED if hashes else _SEEN, node, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        makes = node.attr in METHODS or node.attr == "__abstractmethods__"
        return _call(_SEEN, node, node) if makes and isinstance(node.ctx, ast.Load) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        self.generic_visit(node)
        if not isinstance(node.op, OPERATORS):
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
        """A variable for a value that is evaluated once, and used to read and to write."""
        self._kept += 1
        name = f"{_KEPT}{self._kept}"
        before.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), value))
        return ast.copy_location(ast.Name(name, ast.Load()), value)


def _call(name: str, argument: ast.expr, place: ast.AST) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [argument], []), place)


def install(arrangement: str) -> dict[str, Any]:
    """Replace `set`, `frozenset` and `hash` everywhere. Returns what a rewritten program needs in its namespace."""
    hashes = _Hashes()
    _installed.append(hashes)
    kinds = {kind: _kind(kind, hashes, ARRANGEMENTS[arrangement]) for kind in (set, frozenset)}

    def seen(value: Any) -> Any:
        if type(value) in _WRAPPERS and value.__name__ in METHODS:
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
        shows = pprint.PrettyPrinter._dispatch  # it finds the function that shows a set by the set's __repr__
        shows.update({kind.__repr__: shows[base.__repr__] for base, kind in kinds.items() if base.__repr__ in shows})
    return needed


_installed: "list[_Hashes]" = []


def unknown() -> bool:
    """Whether an order was changed because this interpreter does not know it: its hashes are too short."""
    return any(hashes.lacking for hashes in _installed)


_WRAPPERS = (type(int.__add__), type((1).__add__))  # of types, of objects


def _of_view(method: Any) -> bool:
    """Whether it is a method of a dictionary's view, which makes real sets."""
    return issubclass(getattr(method, "__objclass__", None) or type(method.__self__), _VIEW_TYPES)


def _through(seen: Callable[[Any], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with `seen` applied to its result."""

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
        self._none = sys.version_info >= (3, 12)  # from this version on the hash of None is a constant
        self._narrow = sys.hash_info.width == 32  # other numbers and tuples have other hashes than on 64 bits
        self.plain = builtins.hash  # the real one
        self._met = False  # whether hash() was called with a value whose hash is not fixed
        self.lacking = False  # whether there was a set whose order is fixed, but for the length of hashes

    def order_is_fixed(self, items: list[Any]) -> bool:
        """Whether the order of a set with these elements is the same everywhere."""
        if all(map(self.fixed, items)):
            return True
        if self._narrow and not self.lacking:
            self._narrow = False
            self.lacking = all(map(self.fixed, items))
            self._narrow = True
        return False

    def hash(self, value: Any, /) -> int:
        """The built-in function; remembers whether a value without a fixed hash was passed."""
        if not self._met and not self.fixed(value):
            self._met = True
        return self.plain(value)

    def hashed(self, number: Any) -> Any:
        """The result of another class's `__hash__`, which may depend on anything."""
        self._met = True
        return number

    def fixed(self, value: Any) -> bool:
        """Whether the hash of the value is the same everywhere."""
        kind = type(value)
        if kind is str or (kind is int and value in address.issued):
            return False
        if value is None:
            return self._none
        method: Any = kind.__hash__
        if method in self._fixed:
            return not self._narrow or (self.plain(value) == value and abs(value) < _SMALL)
        if method in self._nested:
            return not self._narrow and all(map(self.fixed, value))
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
        __slots__ = ("_next",) if base is set else ()  # what `pop` takes next, from the end

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
        if hashes.order_is_fixed(items):
            return items
        # By hash, not by place in the table: places also depend on the order in which collisions were inserted.
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
