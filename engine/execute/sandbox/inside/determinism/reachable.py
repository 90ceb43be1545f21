"""The part of a program that can run: bodies of functions that nothing calls are left out (S3).

A function's body is left out only if its name occurs nowhere in the code that can run: not as a name or an attribute,
and not as a word in a text. The function must stand at the top level, without decorators. A program that can reach
functions in other ways (`eval`, `vars`, `__dict__`, the library's own execution of text) is kept whole. So is every
class.
"""

import ast
import re
from collections.abc import Iterator

_NAME = re.compile(r"\w+")
# With these a program, or the library for it, may find a function by a name that is computed. (The rule refuses the
# other modules that could, such as inspect, wherever they are used.)
_FINDERS = {
    *("eval", "exec", "compile", "globals", "locals", "vars", "dir", "__import__", "__builtins__", "__dict__"),
    *("__globals__", "__getattribute__", "__main__", "annotationlib", "doctest"),
}
PRINTING = {"this", "antigravity", "__hello__"}  # modules that do something when they are imported
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def reachable(tree: ast.Module) -> ast.Module:
    """The program's tree without what can not run, and without imports that only this would use."""
    idle = [node for node in tree.body if isinstance(node, _Function) and _may_be_idle(node)]
    if not idle:
        return tree
    seen: set[str] = set()
    waiting: list[ast.AST] = [node for node in tree.body if node not in idle]
    waiting += [part for function in idle for part in _of_definition(function)]
    while waiting:
        seen.update(name for node in waiting for name in names(node))
        waiting = [part for function in idle if function.name in seen for part in function.body]
        idle = [function for function in idle if function.name not in seen]
    if not idle or seen & _FINDERS:
        return tree
    unused = {name for function in idle for part in function.body for name in names(part)} - seen
    body = [_emptied(node) if node in idle else _without(node, unused) for node in tree.body]
    return ast.Module([node for node in body if node is not None], [])


def _may_be_idle(function: _Function) -> bool:
    """Whether only calls by name can run its body. Python itself may call a function with a special name."""
    special = function.name.startswith("__") and function.name.endswith("__")
    return not special and not function.decorator_list and not getattr(function, "type_params", None)


def _of_definition(function: _Function) -> list[ast.AST]:
    """What runs where the function is defined: defaults and annotations."""
    return [function.args, *([function.returns] if function.returns else [])]


def names(node: ast.AST) -> Iterator[str]:
    """The names in a node, and the words of its texts. Imports only bind names, so they are left out."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Constant) and isinstance(part.value, str | bytes):
            text = part.value if isinstance(part.value, str) else part.value.decode("latin-1")
            yield from _NAME.findall(text)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            yield from _FINDERS.intersection(_modules(part))
        elif isinstance(part, ast.Global | ast.Nonlocal):
            yield from part.names


def _emptied(function: _Function) -> _Function:
    """The function's definition with an empty body."""
    kind = type(function)
    made = kind(function.name, function.args, [ast.Pass()], [], function.returns)
    return ast.fix_missing_locations(ast.copy_location(made, function))


def _without(node: ast.stmt, unused: set[str]) -> ast.stmt | None:
    """The statement; an import without the names that are not used, None if none is left."""
    if not isinstance(node, ast.Import | ast.ImportFrom) or not PRINTING.isdisjoint(_modules(node)):
        return node
    kept = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) not in unused]
    if isinstance(node, ast.Import):
        made: ast.stmt = ast.Import(kept)
    else:
        made = ast.ImportFrom(node.module, kept, node.level)
    return ast.copy_location(made, node) if kept else None


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
