"""A solution's text: one expression (T6), the names that it uses, and how its value reaches the puzzle.

Plain data travels as bytes (`plain`). Nothing in the expression matters then, because it ran in an interpreter of its
own. A value that can not travel is built of the puzzle's own things (`builder`), or contains code of the solution's
(`isolated`).
"""

import ast
import builtins
import symtable
from collections.abc import Iterator

from . import builder, isolated

FILE = "<solution>"
_LITERAL = (
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.UnaryOp,
    ast.BinOp,
    ast.operator,
    ast.unaryop,
    ast.Load,
)


def parse(text: str) -> ast.Expression:
    """The expression. Raises SyntaxError, ValueError, MemoryError or RecursionError if the text is not exactly one."""
    return ast.parse(text.strip(), FILE, "eval")


def is_literal(tree: ast.Expression) -> bool:
    """Whether the expression is a literal, so that evaluating it runs no code of the solution's."""
    return all(isinstance(node, _LITERAL) for node in ast.walk(tree.body)) and _evaluates(tree)


def _evaluates(tree: ast.Expression) -> bool:
    try:
        ast.literal_eval(tree)
    except ValueError:  # such as 1 + 2
        return False
    return True


def free_names(tree: ast.AST) -> set[str]:
    """The names that the expression takes from outside, or binds itself by `:=`.

    (Python's symbol tables describe the variables of comprehensions differently in each version.)
    """
    found: set[str] = set()
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while waiting:
        node, local = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in local:
            found.add(node.id)
        inside, outside = local | _bound_by(node), _evaluated_outside(node)
        waiting += [(part, local if part in outside else inside) for part in _parts(node)]
    return found


def _bound_by(node: ast.AST) -> set[str]:
    """The names that a lambda or a comprehension binds."""
    if isinstance(node, ast.Lambda):
        given = node.args
        return {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if a}
    targets = [part.target for part in getattr(node, "generators", ())]
    inner = [n for target in targets for n in ast.walk(target)]
    return {n.id for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension):
            yield from ast.iter_child_nodes(child)
        else:
            yield child


def _evaluated_outside(node: ast.AST) -> list[ast.AST]:
    """The parts of a lambda or a comprehension that are evaluated in the scope around it."""
    if isinstance(node, ast.Lambda):
        return [node.args]
    return [part.iter for part in getattr(node, "generators", ())[:1]]


def names_of(code: str) -> set[str]:
    """The names that a module's text binds at its top level."""
    tables = [symtable.symtable(code, "<puzzle>", "exec")]
    top = tables[0]
    found: set[str] = set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        found |= {
            s.get_name()
            for s in table.get_symbols()
            if (s.is_assigned() or s.is_imported() or s.is_namespace()) and (table is top or s.is_declared_global())
        }
    return found


def needs_puzzle(tree: ast.AST, code: str) -> bool:
    """Whether the expression uses a name that is not a builtin, or that the puzzle binds."""
    names = free_names(tree)
    unknown = any(not hasattr(builtins, name) for name in names)
    return unknown or bool(names and names & names_of(code))


def is_direct(tree: ast.Expression, code: str) -> bool:
    """Whether the expression consists of names and brackets, with a name of the puzzle's: identity may matter then."""
    return builder.is_direct(tree) and bool(free_names(tree) & names_of(code))


def is_of_puzzle(tree: ast.Expression, origins: isolated.Origins) -> bool:
    """Whether a value that can not travel is to be built of the puzzle's own things."""
    return builder.is_buildable(tree) and any(how == "own" for how, *_ in origins.values())
