"""The order in which functions release their variables (S3).

Up to Python 3.13 a function that ends releases its variables from the first to the last, from 3.14 on from the last to
the first. Where objects print when they are released, this is seen. So where the newer Python judges, a program's
second run has the older order, and its output differs from that of the first one. Left out are variables that inner
functions use, and functions that an exception ends: it holds their variables.
"""

import ast
import re
import sys
from collections.abc import Iterator
from types import CodeType

from . import scopes

NOW = ".now"  # our name of `sys.exception` in the program
_BEFORE = ".before"  # a variable: the exception that was being handled when the function began
_PRINTS = re.compile(r"del__|weakref")  # a program without these words has no object that does more than to go
_LISTS = {"dir", "eval", "exec", "locals", "vars"}  # with these a function may see that variable
_NEWER = sys.version_info >= (3, 14)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def reordered(program: str, tree: ast.Module | None, compiled: CodeType) -> ast.Module | None:
    """The program's tree, or what it was rewritten to, with the older order; unchanged if that is not needed.

    compiled: the program as it was written.
    """
    if not _NEWER or not _PRINTS.search(program):
        return tree
    released: ast.Module = _Releasing(compiled).visit(tree or ast.parse(program))
    return ast.fix_missing_locations(released)


class _Releasing(ast.NodeTransformer):
    """Lets functions release their variables themselves."""

    def __init__(self, compiled: CodeType) -> None:
        self._variables = dict(_variables(compiled))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._released(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._released(node)

    def _released(self, node: _Function) -> ast.AST:
        own = scopes.bound_in(node, [*node.body])
        self.generic_visit(node)
        first = min(part.lineno for part in (node, *node.decorator_list))
        names = [name for name in self._variables.get((node.name, first), ()) if name in own]
        parts = [part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Nonlocal)]
        if len(names) < 2 or any(isinstance(part, ast.Nonlocal) or part.id in _LISTS for part in parts):
            return node
        said = [node.body.pop(0)] if ast.get_docstring(node, clean=False) is not None else []
        node.body = [*said, *_releasing(node.body or [ast.Pass()], names)]
        return node


def _releasing(body: list[ast.stmt], names: list[str]) -> list[ast.stmt]:
    """The body, and then, unless an exception ends it, the release of the variables."""
    begin = ast.Assign([ast.Name(_BEFORE, ast.Store())], _now())
    quiet = ast.Compare(_now(), [ast.Is()], [ast.Name(_BEFORE, ast.Load())])
    gone: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in names]
    return [begin, ast.Try(body, [], [], [ast.If(quiet, gone, [])])]


def _now() -> ast.Call:
    return ast.Call(ast.Name(NOW, ast.Load()), [], [])


def _variables(code: CodeType) -> Iterator[tuple[tuple[str, int], list[str]]]:
    """Each function's name and first line, and its variables that no inner function uses, in Python's order."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names = [name for name in inner.co_varnames if name not in inner.co_cellvars]
            yield (inner.co_name, inner.co_firstlineno), names
            yield from _variables(inner)
