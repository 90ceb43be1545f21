"""Whether a program's text shows that the order of its sets can not reach its output (see `set_order`)."""

import ast
import opcode
from collections.abc import Iterator
from types import CodeType

from . import scopes
from .set_order import METHODS, OPERATORS

_MAKERS = {
    *("set", "frozenset", "Set", "FrozenSet", "MutableSet", "AbstractSet", "literal_eval", "eval", "exec"),
    "__abstractmethods__",
}
_VIEWS = {"keys", "items"}  # of a dictionary: operators make sets of them
_MAKING = {opcode.opmap[name] for name in ("BUILD_SET", "SET_ADD", "SET_UPDATE")}
_UNORDERED = {"len", "bool", "isinstance"}  # functions whose result does not depend on an order


def matters(program: str, code: CodeType) -> bool:
    """Whether a set's order could reach the output of a program, which was compiled to `code`. False is a proof.

    Checking the bytecode is cheap and decides most programs; the tree decides the others.
    """
    parts = list(_parts(code))
    if not any(map(_touches_sets, parts)) and not (any(map(_views, parts)) and any(map(_combines, parts))):
        return False
    nodes = list(ast.walk(ast.parse(program)))
    own = {name for node in nodes for name in scopes.binds(node)}
    unordered = {child for node in nodes for child in _unordered_uses(node, own)}
    calls: dict[ast.AST, ast.expr] = {node.func: node for node in nodes if isinstance(node, ast.Call)}
    walked = {node.iter for node in nodes if isinstance(node, ast.For | ast.comprehension)}
    used = [node for node in nodes if node not in unordered and calls.get(node) not in unordered]
    if any(_makes_a_set(node) for node in used):
        return True
    views = {node for node in used if isinstance(node, ast.Attribute) and node.attr in _VIEWS}
    return any(calls.get(node) not in walked for node in views) and any(_operates(node) for node in nodes)


def _parts(code: CodeType) -> Iterator[CodeType]:
    """The code object and those nested in it."""
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
    named = "operator" in code.co_names or not METHODS.isdisjoint(code.co_names)
    return named or opcode.opmap["BINARY_OP"] in code.co_code[::2]


def _makes_a_set(node: ast.AST) -> bool:
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    return isinstance(node, ast.Name | ast.Attribute | ast.alias) and _name(node) in _MAKERS


def _operates(node: ast.AST) -> bool:
    """Whether the node could make a set of a dictionary's view."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return isinstance(node.op, OPERATORS)
    if isinstance(node, ast.Attribute):
        return node.attr in METHODS
    if isinstance(node, ast.ImportFrom):
        return node.module == "operator"
    return isinstance(node, ast.Name | ast.alias) and _name(node) == "operator"


def _unordered_uses(node: ast.AST, own: set[str]) -> list[ast.expr]:
    """The parts of a node whose order does not matter to it."""
    if isinstance(node, ast.Compare) and all(isinstance(one, ast.In | ast.NotIn) for one in node.ops):
        return node.comparators
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _UNORDERED - own:
        return node.args
    return []


def _name(node: ast.Name | ast.Attribute | ast.alias) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else node.name
