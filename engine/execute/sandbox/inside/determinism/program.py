"""A program's tree as the static rule reads it."""

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A program's tree, and what its names stand for."""

    tree: ast.Module
    modules: dict[str, str]  # what is imported, by its name here
    outside: set[ast.Name]  # reads of names that are not the program's own
    through: set[ast.expr]  # the module in `module.part`
    allowed: set[ast.expr]  # harmless uses of names that are otherwise refused
    asked: set[ast.expr]  # the first arguments of getattr and hasattr

    def module(self, node: ast.AST) -> str:
        """The module, or its part, that a name stands for; empty if none."""
        return self.modules.get(node.id, "") if isinstance(node, ast.Name) and node in self.outside else ""

    def part(self, node: ast.AST, module: str) -> str:
        """`f` if the node stands for the module's `f`; empty otherwise."""
        if isinstance(node, ast.Attribute) and self.module(node.value) == module:
            return node.attr
        return self.module(node).removeprefix(f"{module}.") if self.module(node).startswith(f"{module}.") else ""
