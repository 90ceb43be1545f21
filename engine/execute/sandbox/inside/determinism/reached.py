"""Statements and lambdas to which the static rule objects, but which a program need not reach (S3).

A program whose output depends on more only there runs, and is refused when it reaches one of them.
"""

import ast
from collections.abc import Callable, Iterator

from . import reachable, scopes
from .program import Program

Place = tuple[str, int, int]  # of a statement or a lambda: kind, line, column
Reasons = dict[Place, str]
Objection = Callable[[ast.AST, Program], str]  # why a node must not be reached; empty if it may
_SOMETIMES = (  # statements whose inner statements need not run
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar),
    *(ast.ExceptHandler, ast.match_case),
)


def place(part: ast.AST) -> Place:
    """What tells a statement or a lambda of a program's from its others."""
    return type(part).__name__, part.lineno, part.col_offset  # type: ignore[attr-defined]


def reasons(tree: ast.Module, read: Callable[[ast.Module], Program], objection: Objection) -> Reasons | None:
    """The parts to which the rule objects; None if it objects to anything that runs in any case. An import may run, if
    what it imports is used in such parts only."""
    program, owner = read(tree), dict(_owners(tree, None))
    found: Reasons = {}
    for node, part in owner.items():
        problem = objection(node, program)
        if not problem:
            continue
        parts = [part]
        if part is None and isinstance(node, ast.Import | ast.ImportFrom):
            names = _names_of(node, tree, lambda one: bool(objection(one, read(ast.Module([one], [])))))
            uses = (owner[one] for one in owner if isinstance(one, ast.Name) and one.id in names)
            parts = [*uses] if names else [None]
        for each in parts:
            if each is None:
                return None
            found[place(each)] = problem
    return found


def _owners(node: ast.AST, part: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Each node with the innermost part in whose run it takes part: a statement in another one, or a lambda."""
    yield node, part
    within = part is not None or isinstance(node, _SOMETIMES)
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.Lambda) and child is node.body:
            yield from _owners(child, node)
        else:
            yield from _owners(child, child if within and isinstance(child, ast.stmt) else part)


def _names_of(
    statement: ast.Import | ast.ImportFrom, tree: ast.Module, objects: Callable[[ast.stmt], bool]
) -> set[str]:
    """The names that an import binds and that the rule objects to; none if it does more, or if they are a class's."""
    modules = {alias.name for alias in statement.names} | {getattr(statement, "module", "")}
    more = "*" in modules or not reachable.PRINTING.isdisjoint(modules)
    if more or statement not in scopes.same_scope(tree.body):
        return set()
    found = (alias for alias in statement.names if objects(_single(statement, alias)))
    return {alias.asname or alias.name.partition(".")[0] for alias in found}


def _single(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    """The import of one of the names."""
    if isinstance(statement, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(statement.module, [alias], statement.level)
