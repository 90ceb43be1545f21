"""A program rewritten so that it asks the `Guard` where only a run can show what it asks for (S3).

The static rule can not know whose dictionary `x.__dict__` is, what `hash(x)` is called with, whether `x.format` is the
method of a text, or which attributes a class pattern reads: `case A(b)` reads the one that `A.__match_args__` names.
The guard looks at the object when the program runs. A program without any of this is compiled unchanged.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from . import calls, scopes
from .name_lists import ASKED
from .reached import Reasons, place

# Our names in the program; with a dot, so that no program can contain them.
ASK, CALLED, AUGMENTED, HASH, SITE, OWN, GLOBALS, REACHED = (
    *(".ask", ".called", ".augmented", ".hash", ".site", ".own", ".globals", ".reached"),
)
_KEPT = ".kept"  # and a number: temporary variables
_WORD = re.compile(rf"\b(?:hash|globals|{'|'.join(sorted(ASKED))})\b|^[ \t\f]*match\b", re.MULTILINE)
# Functions through which a hash may pass on its way to be returned by a __hash__.
_VALUES = {"Decimal", "Fraction", "bool", "bytes", "complex", "float", "int", "str"}  # equal ones have equal hashes
_MIXES = {"hash", "int", "abs", "sum", "pow", "tuple", "frozenset", "divmod", "min", "max"}


def rewritten(program: str, reasons: Reasons | None = None) -> ast.Module | None:
    """The program's tree with calls to the guard; None if it needs none. reasons: the parts that the program must not
    reach, and why."""
    if program.isascii() and not _WORD.search(program) and not reasons:
        return None
    tree = ast.parse(program)
    if reasons:
        tree = _Reporting(reasons).visit(tree)
    own = {name for node in ast.walk(tree) for name in scopes.binds(node)}
    rewriter = _Rewriter(set(_plain_uses(tree, own)), calls.only_called(tree, own))
    changed: ast.Module = rewriter.visit(tree)
    if rewriter.kept:
        changed = _Hiding().visit(changed)
    return ast.fix_missing_locations(changed)


class _Reporting(ast.NodeTransformer):
    """Lets statements and lambdas tell the guard that they are reached."""

    def __init__(self, reasons: Reasons) -> None:
        self._reasons = reasons

    def visit(self, node: ast.AST) -> Any:
        visited: Any = super().visit(node)
        if not isinstance(node, ast.stmt | ast.Lambda) or place(node) not in self._reasons:
            return visited
        report = ast.copy_location(_call(REACHED, ast.Constant(self._reasons[place(node)])), node)
        if isinstance(node, ast.stmt):
            return [ast.copy_location(ast.Expr(report), node), visited]
        node.body = ast.copy_location(ast.BoolOp(ast.Or(), [report, node.body]), node)
        return node


class _Rewriter(ast.NodeTransformer):
    """plain: the uses that are left as they are. called: the attributes that are only called. kept: how many temporary
    variables there are."""

    def __init__(self, plain: set[ast.expr], called: set[ast.expr]) -> None:
        self._plain, self._called = plain, called
        self._before: list[ast.stmt] = []  # goes before the statement that is being rewritten
        self._in_class = False
        self.kept = 0

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        kept, by = node in self._plain, CALLED if node in self._called else ASK
        self.generic_visit(node)
        if node.attr not in ASKED or kept or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(_call(by, node.value, ast.Constant(node.attr)), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node not in self._plain:
            return node
        return ast.copy_location(ast.Name(GLOBALS if node.id == "globals" else HASH, ast.Load()), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """`x.__dict__ |= y` reads the attribute, although its node says that it is written."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Attribute) or node.target.attr not in ASKED:
            return node
        name, put = self._keep(node.target.value)
        ask = ast.Expr(_call(AUGMENTED, ast.Name(name, ast.Load()), ast.Constant(node.target.attr)))
        node.target.value = ast.Name(name, ast.Load())
        return [ast.copy_location(one, node) for one in (put, ask)] + [node]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._within(node, True)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._within(node, False)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._within(node, False)

    def _within(self, node: ast.AST, in_class: bool) -> ast.AST:
        before, self._in_class = self._in_class, in_class
        self.generic_visit(node)
        self._in_class = before
        return node

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        before, self._before = self._before, []
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.pattern = self.visit(case.pattern)
            case.guard = case.guard and self.visit(case.guard)
        sites, self._before = self._before, before
        for case in node.cases:
            case.body = _flat(self.visit(statement) for statement in case.body)
        return [*(ast.copy_location(site, node) for site in sites), node]

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        names = sorted(ASKED.intersection(node.kwd_attrs))
        if node.patterns or names or _asks(node.cls):
            node.cls = self._site(node.cls, "kind", names)
        node.patterns = [self.visit(one) for one in node.patterns]
        node.kwd_patterns = [self.visit(one) for one in node.kwd_patterns]
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        if _asks(node.value):
            node.value = self._site(node.value, "value", [])
        return node

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        node.keys = [self._site(one, "value", []) if _asks(one) else one for one in node.keys]
        node.patterns = [self.visit(one) for one in node.patterns]
        return node

    def _site(self, value: ast.expr, what: str, names: list[str]) -> ast.expr:
        """`.kept.what`, since a pattern may contain names and attributes only. The guard gets the expression as a
        function, and calls it where Python would evaluate the expression."""
        place = value
        nothing = ast.arguments([], [], None, [], [], None, [])
        given: ast.expr = ast.Lambda(nothing, self.visit(value))
        if self._in_class:  # the function would not see the class's names
            given = ast.Constant(None)
        name, put = self._keep(_call(SITE, given, ast.Tuple([ast.Constant(one) for one in names], ast.Load())))
        self._before.append(put)
        return ast.copy_location(ast.Attribute(ast.Name(name, ast.Load()), what, ast.Load()), place)

    def _keep(self, value: ast.expr) -> tuple[str, ast.stmt]:
        """A new temporary variable, and the statement that sets it."""
        self.kept += 1
        name = f"{_KEPT}{self.kept}"
        return name, ast.Assign([ast.Name(name, ast.Store())], value)


class _Hiding(ast.NodeTransformer):
    """Keeps our variables out of `locals()`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        local = isinstance(node.func, ast.Name) and node.func.id == "locals" and not node.args
        return ast.copy_location(_call(OWN, node), node) if local else node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _flat(found: Iterator[Any]) -> list[ast.stmt]:
    return [one for part in found for one in (part if isinstance(part, list) else [part])]


def _asks(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in ASKED for part in ast.walk(node))


def _plain_uses(tree: ast.AST, own: set[str]) -> Iterator[ast.expr]:
    """The uses of `hash` and `__hash__` that show no number; of `__repr__` that do not look at it; and of `globals`,
    which the static rule has seen.

    Hashes that show no number are what a `__hash__` of the program's own returns (it decides at most the order of
    sets), hashes that are compared with each other, and questions whether a class has a hash.
    """
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and _has_hash(node)}
    classes |= _VALUES - own
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "globals" and isinstance(node.ctx, ast.Load):
            yield node
        elif isinstance(node, ast.FunctionDef) and node.name == "__hash__":
            yield from _returned(node)
        elif isinstance(node, ast.ClassDef):
            yield from (part.value for part in node.body if isinstance(part, ast.Assign) and _is_hash(part.targets[0]))
            yield from (part.value for part in node.body if isinstance(part, ast.Assign) and _is_text(part.value))
        elif isinstance(node, ast.Call) and _is_text(node.func):
            yield node.func
        elif isinstance(node, ast.Compare):
            compared = [node.left, *node.comparators]
            if all(isinstance(one, ast.Is | ast.IsNot) for one in node.ops):
                yield from (one for one in compared if _is_hash(one))
            equal = all(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops)
            if equal and all(_is_lasting(one, classes) for one in compared):
                yield from (one.func for one in compared)  # type: ignore[attr-defined]
            yield from (one for one in compared if _is_text(one))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "__repr__"


def _is_hash(node: ast.expr) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "__hash__") or (
        isinstance(node, ast.Name) and node.id == "__hash__"
    )


def _has_hash(node: ast.ClassDef) -> bool:
    named = any(isinstance(part, ast.FunctionDef) and part.name == "__hash__" for part in node.body)
    return named or any("dataclass" in ast.unparse(one) for one in node.decorator_list)


def _is_lasting(node: ast.expr, classes: set[str]) -> bool:
    """Whether it is the hash of a thing that exists before and afterwards, or whose hash contains no address."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "__hash__" and not node.args and _lasts(node.func.value, classes)
    if not isinstance(node.func, ast.Name) or node.func.id != "hash":
        return False
    return len(node.args) == 1 and _lasts(node.args[0], classes)


def _lasts(node: ast.expr, classes: set[str]) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_lasts(part, classes) for part in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in classes
    if isinstance(node, ast.UnaryOp):
        return _lasts(node.operand, classes)
    if isinstance(node, ast.Attribute):
        return _lasts(node.value, classes)
    return isinstance(node, ast.Constant | ast.Name)


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The hashes that a function computes and only returns."""
    parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    hashes = [child for child in ast.walk(function) if _hashes(child)]
    found = {child: top for child in hashes if (top := _goes(child, parents)) is not None}
    names = {name for top in found.values() if not isinstance(top, ast.Return) for name in _targets(top)}
    reads = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in names]
    shared = any(isinstance(node, ast.Global | ast.Nonlocal) for node in ast.walk(function))
    if not shared and all(isinstance(one.ctx, ast.Store) or _goes(one, parents) is not None for one in reads):
        yield from found


def _hashes(node: ast.AST) -> TypeGuard[ast.expr]:
    return (isinstance(node, ast.Name) and node.id == "hash") or (
        isinstance(node, ast.Attribute) and node.attr == "__hash__"
    )


def _goes(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.stmt | None:
    """The statement that returns what is made of a node, or assigns it to a variable; None for any other use."""
    below, place = node, parents.get(node)
    while isinstance(place, ast.expr):
        through = isinstance(place, ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Tuple | ast.GeneratorExp | ast.ListComp)
        if isinstance(place, ast.Call):
            through = place.func is below or (isinstance(place.func, ast.Name) and place.func.id in _MIXES)
        if not through:
            return None
        below, place = place, parents.get(place)
    plain = isinstance(place, ast.Assign | ast.AugAssign | ast.AnnAssign) and bool(_targets(place))
    return place if isinstance(place, ast.Return) or plain else None  # type: ignore[return-value]


def _targets(statement: ast.AST) -> list[str]:
    """The variables that a statement sets; none if it sets anything else."""
    targets: list[Any] = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [one.id for one in targets] if all(isinstance(one, ast.Name) for one in targets) else []
