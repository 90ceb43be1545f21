"""The world of a solution whose code runs in the puzzle's interpreter: it can reach nothing that the puzzle keeps.

The code gets a namespace of its own, built of three things:

* built-in functions and parts of the standard library, none of which keeps a state that it could change (`library`);
* copies of the puzzle's plain data, as it is when its name is read;
* views of the puzzle's functions, classes and objects (see `views`). A `View` gives plain data as copies and everything
  else as further views, and takes nothing but plain data and views: code of the solution never gets into the puzzle's
  functions that way, and no object that the puzzle keeps gets out to the code. It offers no way to change what it
  shows, but to call the puzzle's functions.

Code that names nothing of the third kind never sees a view. It meets what the puzzle hands to it as arguments of a
call, and the puzzle meets what it returns. Code that does is behind a `border`. `policy` refuses texts that could step
outside.
"""

import ast
import builtins
import marshal
from types import ModuleType
from typing import Any

from . import kinds, operate, value
from .border import hand_over
from .library import MODULES, SAFE_BUILTINS, Kind, instead, is_part, part_of, throw
from .policy import RefusedError
from .views import View, bare, show

_OWN: dict[str, Any] = {**SAFE_BUILTINS, "type": Kind, "__import__": lambda name, *_: part_of(name), "__throw__": throw}
assert operate  # it is what makes views work


class Scope(dict[str, Any]):
    """The solution's own names; the puzzle's are looked up when they are read, and shown as they are then."""

    def __init__(self, names: set[str], puzzle: dict[str, Any]) -> None:
        super().__init__({"__name__": "<solution>", "__builtins__": dict(_OWN)})
        self._names, self._puzzle = names, puzzle
        self._copies: dict[str, tuple[bytes, Any]] = {}  # by name: what it was, and the copy of that
        self.has_views = any(not _is_plain(_shown(name, puzzle[name])) for name in names)

    def __missing__(self, name: str) -> Any:
        if name not in self._names or name not in self._puzzle:
            raise KeyError(name)
        thing = self._puzzle[name]
        if type(thing) not in kinds.DATA:
            return self._seen(name, thing)
        try:
            was = marshal.dumps(thing, 2)
        except ValueError:  # there is more in it than data
            return self._seen(name, thing)
        if name not in self._copies or self._copies[name][0] != was:
            self._copies[name] = was, _shown(name, thing)
        return self._copies[name][1]

    def _seen(self, name: str, thing: Any) -> Any:
        found = _shown(name, thing)
        if not self.has_views and not _is_plain(found):  # there is no border
            raise RefusedError(f"use the puzzle's {name!r}, which was plain data before")
        return found


def namespace(names: set[str], bound: set[str], puzzle: dict[str, Any]) -> Scope:
    """What the solution's code sees: of the puzzle's namespace, the `names` that it uses; `bound` are its own. Raises
    RefusedError for a name that can not be shown, NameError for one that nobody has."""
    kinds.enter(puzzle)
    for name in names - puzzle.keys() - _OWN.keys() - bound:
        if hasattr(builtins, name):
            raise RefusedError(f"use {name!r}")
        raise NameError(f"name {name!r} is not defined")
    return Scope(names & puzzle.keys(), puzzle)


class _Throws(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "throw":
            return node
        function = ast.copy_location(ast.Name("__throw__", ast.Load()), node)
        return ast.copy_location(ast.Call(function, [node.func.value, *node.args], node.keywords), node)


def made_beside(tree: ast.Expression, names: set[str], puzzle: dict[str, Any]) -> Any:
    """The value of an expression that uses these names. Raises RefusedError, NameError, and what it raises."""
    bound = {node.target.id for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)}
    scope = namespace(names, bound, puzzle)
    code = compile(_Throws().visit(tree) if scope.has_views else tree, "<solution>", "eval", dont_inherit=True)
    return finish(eval(code, scope), scope)


def finish(made: Any, scope: Scope) -> Any:
    """The value as the puzzle gets it."""
    if scope.has_views:
        return hand_over(made)
    try:
        return value.copy(made, lambda part: part is Kind or kinds.is_frozen(part), lambda p: type if p is Kind else p)
    except value.NotPlainError:
        return made


def _shown(name: str, thing: Any) -> Any:
    if type(thing) is ModuleType and thing.__name__ in MODULES:
        return part_of(thing.__name__)
    if is_part(thing):
        return instead(thing)
    if thing is type:
        return Kind
    try:
        return show(thing)
    except RefusedError:
        raise RefusedError(f"use the puzzle's {name!r}") from None


def _is_plain(thing: Any) -> bool:
    """Whether there is no view in what a name shows."""
    if type(thing) in kinds.ITERATORS:
        return False
    seen = [False]

    def keep(part: Any) -> bool:
        seen[0] = seen[0] or type(part) is View
        return True

    value.copy(thing, keep, bare)
    return not seen[0]
