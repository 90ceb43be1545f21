"""Whether an attribute in a program's text leads from one module to another (S3).

The library's modules import each other, so `json.codecs.sys` would lead to everything. The attribute is looked up in
the module itself.
"""

import ast
import importlib
import os
import sys
from types import ModuleType
from typing import Any

from .name_lists import MODULES, OF_MODULES, problem_of_part
from .program import Program

_UNLOADED = {*MODULES, "antigravity", "this"}  # not imported to look something up


def objection(node: ast.AST, program: Program) -> str:
    """Why the node leads out of its module; empty if it does not."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            load(alias.name)
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        found = {name.name: load(f"{node.module}.{name.name}") for name in node.names}
        strange = [name for name, thing in found.items() if _is_strange(thing, node.module)]
        return f"it uses {node.module}.{strange[0]}" if strange else ""
    return _of_module(node, program) if isinstance(node, ast.Attribute | ast.Name) else ""


def _of_module(node: ast.Attribute | ast.Name, program: Program) -> str:
    found, base = _find(node, program), _find(node.value, program) if isinstance(node, ast.Attribute) else None
    if isinstance(node, ast.Attribute) and isinstance(base, ModuleType):
        private = node.attr.startswith("_") and node.attr not in OF_MODULES
        if private or _is_strange(found, base.__name__):
            return f"it uses {base.__name__}.{node.attr}"
        if base is os.path and (problem := problem_of_part("os.path", node.attr)):
            return problem
    dotted = isinstance(found, ModuleType) and ("." in found.__name__ or found is os.path)
    if dotted and node not in program.through and node not in program.asked:
        return f"it uses the module {found.__name__} as a value"
    return ""


def _find(node: ast.expr, program: Program) -> Any:
    """What a name or an attribute of a module stands for; None if that is unknown."""
    if isinstance(node, ast.Name | ast.Call):
        return load(name) if (name := program.module(node)) else None
    if isinstance(node, ast.Attribute):
        base = _find(node.value, program)
        return getattr(base, node.attr, None) if isinstance(base, ModuleType) else None
    return None


def load(name: str) -> Any:
    """A module of the library, or a part of one; None for anything else."""
    top, *parts = name.split(".")
    if top not in sys.stdlib_module_names or top in _UNLOADED:
        return None
    try:
        found: Any = importlib.import_module(top)
        for number, part in enumerate(parts, 1):
            if not hasattr(found, part):
                importlib.import_module(".".join([top, *parts[:number]]))
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found


def _is_strange(thing: Any, module: str) -> bool:
    """Whether it is a module of another package."""
    if thing is os.path and module == "os":
        return False
    return isinstance(thing, ModuleType) and thing.__name__.partition(".")[0] != module.partition(".")[0]
