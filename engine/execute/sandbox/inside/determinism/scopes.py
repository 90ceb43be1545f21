"""Which names of a program are its own, and which come from outside: modules and Python's built-in names.

A parameter called `id`, a loop over `input` or a function `hash` of the program's own are allowed. The text decides: a
name that is bound in a function, a comprehension or a class is local to it; a name that is bound at the top level is
the program's own from there on, and in all functions.
"""

import ast
from collections.abc import Iterable, Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED = (*_FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Position = tuple[int, int]
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def outside(tree: ast.Module) -> set[ast.Name]:
    """The nodes that read a name which is not the program's own. Imported names are among them."""
    own = _first_bindings(tree)
    deleted = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
    return {
        node
        for node, later in _reads(tree, frozenset(), False)
        if node.id not in own or node.id in deleted or not (later or _start(node) >= own[node.id])
    }


def imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for: `module`, or `module.part`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _reads(node: ast.AST, local: frozenset[str], later: bool) -> Iterator[tuple[ast.Name, bool]]:
    """The reads of names that are bound neither in `local` nor in an inner scope, and whether each happens only when a
    function is called."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in local:
            yield node, later
    elif isinstance(node, (*_FUNCTIONS, ast.Lambda)):
        yield from _reads_of_function(node, local, local, later)
    elif isinstance(node, _COMPREHENSIONS):
        targets = frozenset(_stored([generator.target for generator in node.generators]))
        for child in ast.iter_child_nodes(node):
            yield from _reads(child, local | targets, later)
    elif isinstance(node, ast.ClassDef):
        inside = frozenset(_stored(node.body))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _FUNCTIONS):
                yield from _reads_of_function(child, local, local | inside, later)
            else:
                yield from _reads(child, local | inside, later)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _reads(child, local, later)


def _reads_of_function(
    node: _Function,
    local: frozenset[str],
    around: frozenset[str],
    later: bool,
) -> Iterator[tuple[ast.Name, bool]]:
    """As `_reads`. around: the names that are local to the function's decorators, defaults and annotations."""
    body: list[ast.AST] = [*node.body] if isinstance(node.body, list) else [node.body]
    for child in ast.iter_child_nodes(node):
        if child not in body:
            yield from _reads(child, around, later)
    inside = local | bound_in(node, body)
    for child in body:
        yield from _reads(child, inside, True)


def bound_in(function: _Function, body: list[ast.AST]) -> frozenset[str]:
    """The names that are local to a function."""
    arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    shared = {name for node in same_scope(body) if isinstance(node, ast.Global) for name in node.names}
    return frozenset((arguments | set(_stored(body))) - shared)


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that are bound in these nodes' own scope, without imports, which keep their meaning."""
    for node in same_scope(nodes):
        yield from binds(node)


def binds(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, _NAMED) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def same_scope(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes and their descendants, without the insides of functions, classes and comprehensions."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda, *_COMPREHENSIONS)):
            waiting += ast.iter_child_nodes(node)


def _first_bindings(tree: ast.Module) -> dict[str, Position]:
    """Where each name of the top level is bound first: a read from there on is of the program's own name."""
    first: dict[str, Position] = {}
    for statement in [node for node in same_scope(tree.body) if isinstance(node, ast.stmt | ast.ExceptHandler)]:
        inner = statement.cases[0] if isinstance(statement, ast.Match) else statement
        nested = [child for child in ast.iter_child_nodes(inner) if isinstance(child, ast.stmt)]
        where = _start(nested[0]) if nested and not isinstance(statement, ast.ClassDef) else _end(statement)
        for name in _own_bindings(statement):
            first[name] = min(where, first.get(name, where))
    return first


def _own_bindings(statement: ast.AST) -> list[str]:
    """The names that a statement binds itself, not those of the statements in it."""
    found = list(binds(statement))
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        return found
    parts = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt | ast.ExceptHandler)]
    return found + list(_stored(parts))


def _start(node: ast.AST) -> Position:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> Position:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
