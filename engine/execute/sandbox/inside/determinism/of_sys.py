"""Uses of `sys.version_info` and `sys.argv` that say the same in every version and under every script's name (S3)."""

import ast
import operator
from typing import Any

from .program import Program

_VERSIONS = [(3, 11, 0), *((3, minor, 99) for minor in range(11, 100))]
_COMPARING = {
    **{ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge},
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne},
}


def harmless(node: ast.expr, program: Program) -> set[ast.expr]:
    """The parts of a node that are such uses: versions compared with one that is written there, where all versions from
    3.11 on give one result, and the 3 in it; the number of arguments, and those behind the script's name."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _version(node.left, program) if _version(node.left, program) and _is_known(node) else set()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        counts = node.func in program.outside and program.part(node.args[0], "sys") == "argv"
        return {node.args[0]} if counts else set()
    if isinstance(node, ast.Attribute) and node.attr == "major":
        return _version(node, program)
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return set()
    if isinstance(node.slice, ast.Constant) and node.slice.value == 0:
        return _version(node, program)
    first = node.slice.lower if isinstance(node.slice, ast.Slice) else node.slice
    behind = isinstance(first, ast.Constant) and isinstance(first.value, int) and first.value > 0
    return {node.value} if behind and program.part(node.value, "sys") == "argv" else set()


def _version(node: ast.expr, program: Program) -> set[ast.expr]:
    """The `sys.version_info` of which this is the whole or a part."""
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr in ("major", "minor")):
        node = node.value
    return {node} if program.part(node, "sys") == "version_info" else set()


def _is_known(node: ast.Compare) -> bool:
    """Whether a comparison with a version that is written there has one result in all versions."""
    try:
        bound = _literal(node.comparators[0])
        return len({_compared(version, node, bound) for version in _VERSIONS}) == 1
    except (ValueError, TypeError, IndexError, KeyError):
        return False


def _compared(version: tuple[int, ...], node: ast.Compare, bound: Any) -> bool:
    part: Any = version
    if isinstance(node.left, ast.Subscript):
        whole = isinstance(node.left.slice, ast.Slice)
        part = part[_cut(node.left.slice)] if whole else part[_literal(node.left.slice)]  # type: ignore[arg-type]
    elif isinstance(node.left, ast.Attribute) and node.left.attr in ("major", "minor"):
        part = part[("major", "minor").index(node.left.attr)]
    return bool(_COMPARING[type(node.ops[0])](part, bound))


def _literal(node: ast.expr) -> Any:
    """A number, or a tuple of them, that is written there. (`ast.literal_eval` shows a tree in its error.)"""
    if isinstance(node, ast.Tuple):
        return tuple(map(_literal, node.elts))
    if isinstance(node, ast.Constant):
        return node.value
    raise ValueError


def _cut(node: ast.Slice) -> slice:
    return slice(*(part and _literal(part) for part in (node.lower, node.upper, node.step)))
