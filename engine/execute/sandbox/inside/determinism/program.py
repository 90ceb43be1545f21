"""A program's tree as the static rule reads it."""

import ast
from dataclasses import dataclass

from .name_lists import MODULES


@dataclass(frozen=True)
class Program:
    """A program's tree, and what its names stand for."""

    tree: ast.Module
    modules: dict[str, str]  # what is imported, by its name here
    outside: set[ast.Name]  # reads of names that are not the program's own
    through: set[ast.expr]  # the module in `module.part`
    allowed: set[ast.expr]  # harmless uses of names that are otherwise refused
    asked: set[ast.expr]  # the first arguments of getattr and hasattr
    unclear: set[ast.AST]  # imports of which the text does not show the uses

    def module(self, node: ast.AST) -> str:
        """The module, or its part, that a name or `__import__("name")` stands for; empty if none."""
        if isinstance(node, ast.Call) and is_import(node) and node.func in self.outside:
            return node.args[0].value  # type: ignore[attr-defined,no-any-return]
        return self.modules.get(node.id, "") if isinstance(node, ast.Name) and node in self.outside else ""

    def imports(self, module: str) -> bool:
        """Whether it imports the module or a part of it."""
        return any(each.partition(".")[0] == module for each in self.modules.values())

    def part(self, node: ast.AST, module: str) -> str:
        """`f` if the node stands for the module's `f`; empty otherwise."""
        if isinstance(node, ast.Attribute) and self.module(node.value) == module:
            return node.attr
        return self.module(node).removeprefix(f"{module}.") if self.module(node).startswith(f"{module}.") else ""


def is_import(call: ast.Call) -> bool:
    """Whether it is `__import__` with the name of a module that programs may use."""
    named = isinstance(call.func, ast.Name) and call.func.id == "__import__" and len(call.args) == 1
    name = call.args[0].value if named and isinstance(call.args[0], ast.Constant) else None
    return isinstance(name, str) and name.isidentifier() and name not in MODULES and name[:1] != "_"
