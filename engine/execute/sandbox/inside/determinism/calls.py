"""Attributes with which a program does nothing but call them (S3).

The guard may then give it a function of its own that looks at what it is called with: the program can not tell. That
is so where the attribute is called at once, where `map` and its like call it, and where it has a name that is used in
no other way. `str.format` may be put anywhere by a program that does not ask what type a thing has.
"""

import ast
from collections.abc import Iterator

from . import scopes
from .name_lists import ASKED, FORMATS

_CALLING = {"map", "starmap", "filter", "reduce", "itertools.starmap", "functools.reduce"}  # their first argument
_BY_KEY = {"sorted", "min", "max"}  # what is given as `key`
# With these a program may look at a variable that its text does not show.
_LOOKING = {
    *("globals", "locals", "vars", "dir", "eval", "exec", "compile", "inspect", "pickle"),
    *("__closure__", "__dict__", "__main__"),
}
_OF_TYPES = {*("type", "types", "inspect", "__class__", "__module__", "__call__"), "__defaults__", "__kwdefaults__"}


def only_called(tree: ast.Module, own: set[str]) -> set[ast.expr]:
    """The attributes of `ASKED` that are only called. own: the names that the program binds."""
    called = {one for node in ast.walk(tree) if isinstance(node, ast.Call) for one in _called_by(node, own)}
    found = {one for one in called if _is_asked(one)}
    words = {name for node in ast.walk(tree) for name in _words(node)}
    if words.isdisjoint(_LOOKING):
        found.update(_named(tree, called))
    if words.isdisjoint(_LOOKING | _OF_TYPES):
        found.update(node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in FORMATS)
    return found


def _called_by(call: ast.Call, own: set[str]) -> Iterator[ast.expr]:
    """The expressions whose values a call calls."""
    yield call.func
    name = _dotted(call.func)
    name = "" if name.partition(".")[0] in own else name
    if name in _CALLING and call.args:
        yield call.args[0]
    if name in _BY_KEY:
        yield from (given.value for given in call.keywords if given.arg == "key")


def _named(tree: ast.Module, called: set[ast.expr]) -> Iterator[ast.expr]:
    """The attributes that are given to a variable which is bound once and only called."""
    nodes = list(ast.walk(tree))
    in_classes = {one for node in nodes if isinstance(node, ast.ClassDef) for one in scopes.same_scope(node.body)}
    bound = [name for node in nodes for name in _binds(node)]
    seen = {node.id for node in nodes if isinstance(node, ast.Name) and node not in called and not _is_stored(node)}
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_asked(node.value) and node not in in_classes and len(node.targets) == 1:
            (target,) = node.targets
            if isinstance(target, ast.Name) and bound.count(target.id) == 1 and target.id not in seen:
                yield node.value


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, or declares to be another scope's."""
    yield from scopes.binds(node)
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]


def _words(node: ast.AST) -> Iterator[str]:
    """The names in a node itself, and its text."""
    if isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    else:
        yield _dotted(node).rpartition(".")[2]


def _dotted(node: ast.AST) -> str:
    """`name`, or `name.attribute`; `.attribute` of anything else."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}" if isinstance(node.value, ast.Name) else f".{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_asked(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ASKED
