"""Whether a program's text seeds randomness before it uses it (S3)."""

import ast
from collections.abc import Iterator
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


def objection(program: Program) -> str:
    """Why the program's randomness is not the same everywhere; empty if it is.

    Needed is `random.seed(x)` before any use, or a generator `Random(x)`; x must not be None.
    """
    nothing = set(_may_be_none(program.tree))
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Call) and (name := program.part(node.func, "random")) in ("seed", "Random"):
            given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg in ("a", "x"))]
            if len(given) != 1 or any(_is_none(part, nothing) for part in ast.walk(given[0])):
                return f"it uses random.{name} without a seed that is known"
    return "" if _Order(program).seeded(program.tree.body) else "it uses random before random.seed"


def _is_none(node: ast.AST, nothing: set[str]) -> bool:
    none = isinstance(node, ast.Constant) and node.value is None
    return none or isinstance(node, ast.Starred) or (isinstance(node, ast.Name) and node.id in nothing)


def _may_be_none(tree: ast.AST) -> Iterator[str]:
    """Variables that are set to None, and parameters that are None by default."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            pairs = [*zip(positional[::-1], node.defaults[::-1]), *zip(node.kwonlyargs, node.kw_defaults)]
            yield from (a.arg for a, default in pairs if isinstance(default, ast.Constant) and default.value is None)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Order:
    """Follows the statements in order: is the shared generator used only after it was seeded?

    waiting: the functions and classes that use it and rely on their callers to have seeded it.
    """

    def __init__(self, program: Program, waiting: frozenset[str] = frozenset(), seeded: bool = False) -> None:
        self._program = program
        self._waiting = waiting
        self._seeded = seeded

    def seeded(self, body: list[ast.stmt]) -> bool:
        """Whether every use comes after a seed."""
        before = None
        while before != self._waiting:
            before = self._waiting
            self._waiting |= {node.name for node in body if isinstance(node, _DEFINITIONS) and self._waits(node)}
        return all(self._follow(statement) for statement in body)

    def _waits(self, definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        if isinstance(definition, ast.ClassDef):
            return any(self._waits(node) for node in definition.body if isinstance(node, _DEFINITIONS))
        inside = _Order(self._program, self._waiting)
        fine = inside.seeded(definition.body)
        return not fine or (inside._waiting != self._waiting and not inside._seeded)

    def _follow(self, statement: ast.stmt) -> bool:
        if self._seeded or isinstance(statement, ast.Import | ast.ImportFrom):
            return True
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            return not any(map(self._uses, [*statement.decorator_list, statement.args]))
        if isinstance(statement, ast.Expr) and self._seeds(statement.value):
            self._seeded = True
            return True
        blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        inner = {node for block in blocks for node in block}
        fine = not any(self._uses(node) for node in ast.iter_child_nodes(statement) if node not in inner)
        return fine and all(self._block(block, statement) for block in blocks if block)

    def _block(self, block: list[ast.stmt], statement: ast.stmt) -> bool:
        """A seed inside a block counts afterwards only if the block always runs."""
        order = _Order(self._program, self._waiting)
        fine = order.seeded(block)
        self._seeded = self._seeded or (order._seeded and isinstance(statement, ast.With | ast.ClassDef))
        return fine

    def _seeds(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self._program.part(node.func, "random") == "seed"

    def _uses(self, part: ast.AST) -> bool:
        for node in ast.walk(part):
            if self._program.part(node, "random") not in ("", "Random", "seed"):
                return True
            if isinstance(node, ast.Name) and node.id in self._waiting:
                return True
        return False
