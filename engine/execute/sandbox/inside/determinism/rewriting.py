"""A program rewritten so that it asks the `Guard` where it uses `hash` or one of `OF_OWN` (S3).

The static rule can not know whose dictionary `x.__dict__` is, nor what `hash(x)` is called with. The guard looks at the
object when the program runs. A program without such a name is compiled unchanged.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from .name_lists import OF_OWN

ASK, HASH = ".ask", ".hash"  # our names in the program; with a dot, so that no program can contain them
_WORD = re.compile(rf"\b(?:hash|{'|'.join(sorted(OF_OWN))})\b")
# Functions through which a hash may pass on its way to be returned by a __hash__.
_MIXES = {"hash", "int", "abs", "sum", "pow", "tuple", "frozenset", "divmod", "min", "max"}


def rewritten(program: str) -> ast.Module | None:
    """The program's tree with calls to the guard; None if it needs none."""
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
    """The uses of `hash` and `__hash__` that show no number.

    These are what a `__hash__` of the program's own returns (it decides at most the order of sets), hashes that are
    compared with each other, and questions whether a class has a hash.
    """
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
    """Whether it is the hash of a thing that exists before and afterwards, or whose hash contains no address."""
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
    """The hashes that a function computes and only returns."""
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
    """The statement that returns what is made of a node, or assigns it to a variable; None for any other use."""
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
    """The variables that a statement sets; none if it sets anything else."""
    targets: list[Any] = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [one.id for one in targets] if all(isinstance(one, ast.Name) for one in targets) else []
