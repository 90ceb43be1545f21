"""What a program may ask of its own things only, told apart when it runs (S3).

The static rule can not know whose dictionary `x.__dict__` is, nor what `hash(x)` is given. So a program with such a
name in it is rewritten (`rewritten`): it asks the `Guard`, which looks at the object. A program without any is compiled
as it stands.
"""

import ast
import builtins
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

from .listed import OF_OWN

Note = Callable[[str], None]
ASK, HASH = ".ask", ".hash"  # names of ours in the program: nobody can write them
_WORD = re.compile(rf"\b(?:hash|{'|'.join(sorted(OF_OWN))})\b")
_MODULE_OF, _DICT_OF = type.__dict__["__module__"].__get__, type.__dict__["__dict__"].__get__
_SMALL = 2**31 - 1  # hashes of numbers below are the numbers themselves, on machines with 32 bits, too
# What a hash may go through on its way to be returned by a __hash__.
_MIXES = {"hash", "int", "abs", "sum", "pow", "tuple", "frozenset", "divmod", "min", "max"}


def is_own(kind: Any) -> bool:
    """Whether a class is the program's."""
    return issubclass(type(kind), type) and _MODULE_OF(kind) == "__main__"


def objection(thing: Any, name: str) -> str:
    """Why one of `OF_OWN` must not be asked of a thing; empty if it may."""
    fine = True
    kind = type(thing)  # and not isinstance, which asks the thing itself for its class
    if name == "__self__":
        fine = kind is types.MethodType and (is_own(type(thing.__self__)) or is_own(thing.__self__))
    elif name == "__subclasses__":
        fine = is_own(thing)
    elif name == "__closure__":
        fine = kind is types.FunctionType and thing.__globals__.get("__name__") == "__main__"
    elif name == "__dict__":
        fine = not issubclass(kind, types.ModuleType)
    return "" if fine else f"it uses the attribute {name}"


def result(thing: Any, name: str, found: Any, note: Note, check: Callable[[Any, Any], None]) -> Any:
    """What the program gets for one of `OF_OWN`. check: looks at what is asked of a thing by a name."""
    if name == "__dict__" and issubclass(type(thing), type) and not is_own(thing):
        return types.MappingProxyType(_Names(thing, note, check))
    if name == "__hash__" and found is not None:
        return lambda *given: checked_hash(found(*given), given[0] if given else thing, note)
    if name == "__getattribute__":

        def ask(*given: Any) -> Any:
            owner, asked = (thing, *given)[-2:]
            check(owner, asked)
            value = found(*given)
            return result(owner, asked, value, note, check) if asked in OF_OWN else value

        return ask
    return found


def checked_hash(number: int, value: Any, note: Note) -> int:
    """The hash of a value, which is told if it is not the same everywhere."""
    if type(value) in (bool, int, float, complex):
        known = (value == number and abs(number) < _SMALL) or value in (-1, float("inf"), float("-inf"))
    else:
        code = getattr(type(value).__hash__, "__code__", None)  # of a method of the program's own
        known = code is not None and not {"hash", HASH, "__hash__", ASK} & set(code.co_names) and abs(number) < _SMALL
    if not known:
        note("it uses hash: it differs between runs and machines")
    return number


class _Names(Mapping[str, Any]):
    """The attributes of a class that is not the program's: what is asked for by name, and no list of them."""

    def __init__(self, kind: type, note: Note, check: Callable[[Any, Any], None]) -> None:
        self._kind, self._note, self._check = kind, note, check

    def __getitem__(self, name: str) -> Any:
        self._check(None if name in OF_OWN else self._kind, name)
        return _DICT_OF(self._kind)[name]

    def __iter__(self) -> Iterator[str]:
        self._tell()
        return iter(_DICT_OF(self._kind))

    def __len__(self) -> int:
        self._tell()
        return len(_DICT_OF(self._kind))

    def __contains__(self, name: object) -> bool:
        return name in _DICT_OF(self._kind)

    def __repr__(self) -> str:
        self._tell()
        return repr(dict(_DICT_OF(self._kind)))

    def _tell(self) -> None:
        self._note(f"it lists the attributes of {self._kind.__name__}, which differ between versions")


# ------------------------------------------------------------------------------------------------ the rewriting


def rewritten(program: str) -> ast.Module | None:
    """The program's tree, asking the guard; None if there is nothing to ask."""
    if program.isascii() and not _WORD.search(program):
        return None
    tree = ast.parse(program)
    changed: ast.Module = _Rewriter(set(_plain_hashes(tree))).visit(tree)
    return ast.fix_missing_locations(changed)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, plain: set[ast.expr]) -> None:
        self._plain = plain

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        kept = node in self._plain
        self.generic_visit(node)
        if node.attr not in OF_OWN or kept or not isinstance(node.ctx, ast.Load):
            return node
        name = ast.Name(ASK, ast.Load())
        return ast.copy_location(ast.Call(name, [node.value, ast.Constant(node.attr)], []), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(HASH, ast.Load()), node) if node in self._plain else node


def _plain_hashes(tree: ast.AST) -> Iterator[ast.expr]:
    """The uses of `hash` and `__hash__` that show no number: what a `__hash__` of the program's own returns, which
    decides the order of sets at most, hashes that are compared with each other, and what classes have at all."""
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and _has_hash(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__hash__":
            yield from _returned(node)
        elif isinstance(node, ast.ClassDef):
            yield from (part.value for part in node.body if isinstance(part, ast.Assign) and _is_hash(part.targets[0]))
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            both = [node.left, node.comparators[0]]
            if isinstance(node.ops[0], ast.Is | ast.IsNot):
                yield from (one for one in both if _is_hash(one))
            elif isinstance(node.ops[0], ast.Eq | ast.NotEq) and all(_is_lasting(one, classes) for one in both):
                yield from (one.func for one in both)  # type: ignore[attr-defined]


def _is_hash(node: ast.expr) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "__hash__") or (
        isinstance(node, ast.Name) and node.id == "__hash__"
    )


def _has_hash(node: ast.ClassDef) -> bool:
    named = any(isinstance(part, ast.FunctionDef) and part.name == "__hash__" for part in node.body)
    return named or any("dataclass" in ast.unparse(one) for one in node.decorator_list)


def _is_lasting(node: ast.expr, classes: set[str]) -> bool:
    """Whether it is the hash of what is there before and after, or of what has no address in its hash."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "hash":
        return False
    return len(node.args) == 1 and _lasts(node.args[0], classes)


def _lasts(node: ast.expr, classes: set[str]) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_lasts(part, classes) for part in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in classes
    if isinstance(node, ast.UnaryOp):
        return _lasts(node.operand, classes)
    if isinstance(node, ast.Attribute):
        return _lasts(node.value, classes)
    return isinstance(node, ast.Constant | ast.Name)


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The hashes that a function makes and does nothing with but return them."""
    parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    hashes = [child for child in ast.walk(function) if _hashes(child)]
    found = {child: top for child in hashes if (top := _goes(child, parents)) is not None}
    names = {name for top in found.values() if not isinstance(top, ast.Return) for name in _targets(top)}
    reads = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in names]
    shared = any(isinstance(node, ast.Global | ast.Nonlocal) for node in ast.walk(function))
    if not shared and all(isinstance(one.ctx, ast.Store) or _goes(one, parents) is not None for one in reads):
        yield from found


def _hashes(node: ast.AST) -> TypeGuard[ast.expr]:
    return (isinstance(node, ast.Name) and node.id == "hash") or (
        isinstance(node, ast.Attribute) and node.attr == "__hash__"
    )


def _goes(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.stmt | None:
    """The statement that returns what is made of a node, or gives it to a variable; None if anything else is done."""
    below, place = node, parents.get(node)
    while isinstance(place, ast.expr):
        through = isinstance(place, ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Tuple | ast.GeneratorExp | ast.ListComp)
        if isinstance(place, ast.Call):
            through = place.func is below or (isinstance(place.func, ast.Name) and place.func.id in _MIXES)
        if not through:
            return None
        below, place = place, parents.get(place)
    plain = isinstance(place, ast.Assign | ast.AugAssign | ast.AnnAssign) and bool(_targets(place))
    return place if isinstance(place, ast.Return) or plain else None  # type: ignore[return-value]


def _targets(statement: ast.AST) -> list[str]:
    """The variables that a statement sets, none if it sets anything else."""
    targets: list[Any] = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [one.id for one in targets] if all(isinstance(one, ast.Name) for one in targets) else []


# ------------------------------------------------------------------------------------------------ text and addresses


class Address:
    """What `id` gives a program: equal to that of the same object, and nothing else without being noticed."""

    __slots__ = ("_note", "_number")

    def __init__(self, number: int, note: Callable[[], None]) -> None:
        self._number, self._note = number, note

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return int

    def __eq__(self, other: object) -> bool:
        if type(other) is Address:
            return self._number == other._number
        if issubclass(type(other), int | float | complex):
            self._note()
        return self._number == other

    def __hash__(self) -> int:
        return builtins.hash(self._number)


def _noting(name: str) -> Callable[..., Any]:
    method = getattr(int, name)

    def call(self: Any, *others: Any) -> Any:
        self._note()
        return method(self._number, *(other._number if type(other) is Address else other for other in others))

    call.__name__ = name
    return call


for _name in dir(int):
    if (callable(getattr(int, _name)) and _name not in dir(object)) or _name in ("__repr__", "__str__", "__format__"):
        setattr(Address, _name, _noting(_name))
for _name in ("__lt__", "__le__", "__gt__", "__ge__"):
    setattr(Address, _name, _noting(_name))
Address.__name__ = Address.__qualname__ = "int"
Address.__module__ = "builtins"


def caller(depth: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The namespaces of whoever called the function that asks."""
    frame = sys._getframe(depth)
    inside = frame.f_locals
    return frame.f_globals, inside if type(inside) is dict else dict(inside)
