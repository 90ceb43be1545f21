"""Imports to which the static rule objects (S3)."""

import ast
from collections.abc import Iterator

from . import module_paths, reachable, scopes
from .name_lists import EXCEPT, MODULES, ONLY, problem_of_part
from .program import Program

_PARTLY = {*ONLY, *EXCEPT, "datetime", "operator"}  # modules of which the program must not use everything


def spelled_out(tree: ast.Module) -> ast.Module:
    """The tree, with the names that the program uses in place of `from module import *`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and _top(node) in _PARTLY:
            found = module_paths.load(node.module or "")
            used = {*reachable.names(tree)}
            node.names = [ast.alias(name) for name in _public(found) if name in used] or node.names
    return tree


def _top(node: ast.ImportFrom) -> str:
    return (node.module or "").partition(".")[0]


def _public(module: object) -> list[str]:
    """The names that `from module import *` binds; none if the module is unknown."""
    return getattr(module, "__all__", None) or [name for name in getattr(module, "__dict__", ()) if name[0] != "_"]


def objection(node: ast.AST, read: Program) -> str:
    """Why the output may depend on more than the program's text because of an import; empty for anything else."""
    if node in read.unclear:
        return f"it imports {_module(node)} under a name that means something else, too"
    if isinstance(node, ast.Import):
        found = next((alias.name for alias in node.names if _is_closed(alias.name.partition(".")[0])), "")
        return f"it imports {found}" if found else next(filter(None, map(_of_submodule, node.names)), "")
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        top = _top(node)
        if node.level or _is_closed(top):
            return f"it imports from {module or '.'}"
        if node.names[0].name == "*" and top in _PARTLY:
            return f"it imports all of {module}"
        if module == top or module in ONLY:
            return next(filter(None, (problem_of_part(module, alias.name) for alias in node.names)), "")
        return problem_of_part(top, module.removeprefix(f"{top}."))
    return ""


def unclear(tree: ast.Module, nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Imports of modules of which a part is allowed, where the text does not show which names stand for them: in a
    class, or under a name that is bound in another way, too."""
    classes = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
    inside = {node for body in classes for node in scopes.same_scope(body)}
    bound = {name for node in nodes for name in scopes.binds(node)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom) and _module(node) in ONLY:
            names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            module = isinstance(node, ast.Import) or "path" in [alias.name for alias in node.names]
            if module and (node in inside or names & bound):
                yield node


def _module(node: ast.AST) -> str:
    """The first module that a statement imports, without its parts."""
    name = node.names[0].name if isinstance(node, ast.Import) else getattr(node, "module", "") or ""
    return name.partition(".")[0]


def _is_closed(top: str) -> bool:
    return top in MODULES or (top.startswith("_") and top != "__future__")


def _of_submodule(alias: ast.alias) -> str:
    top, dot, rest = alias.name.partition(".")
    return problem_of_part(top, rest) if dot else ""
