"""Mutants: product lines with one change each (`tests/data/mutants.jsonl`), the yardstick of the quick tests.

    python -m tests.mutants draw           fill the list up to COUNT; a mutant whose line is gone leaves it
    python -m tests.mutants reject ID…     these change nothing that can be seen: others are drawn in their place
    python -m tests.mutant_runs …          which tests reach them, and which one fails first

A mutant is one changed operator, constant, comparison or condition, or a dropped statement. The order of the draw is
that of digests, so it depends on the code alone; each package has as many as its share of the lines of Python, and each
kind of change as many as the others. A mutant is found again by its function and by its line as text.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data" / "mutants.jsonl"
PACKAGES = ("engine", "axes", "solver", "llm", "tournament")
COMPILED = ("engine", "axes", "solver")  # packages with kernels
COUNT = 200
SEED = "antemill"
SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
    ast.Pow: ("**", "*"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
DROPPED = (ast.AugAssign, ast.Continue, ast.Break, ast.Raise, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """A changed line. function: its qualified name, "" at the top of a module. nth: which of such lines in it.

    status: "", "killed" or "survived". killer: the first test that failed. equivalent: it changes nothing to be seen.
    """

    id: str
    file: str
    function: str
    nth: int
    before: str
    after: str
    change: str
    kernel: bool  # or a line outside of functions, whose value kernels may hold
    status: str = ""
    killer: str = ""
    equivalent: bool = False


# ------------------------------------------------------------------------------------------------ drawing


def mutants_of(path: Path, root: Path = ROOT) -> Iterator[Mutant]:
    """All mutants of a module, as they stand in its text."""
    source = path.read_text(encoding="utf-8")
    tree, rows = ast.parse(source), source.splitlines()
    file, scopes = str(path.relative_to(root)), scopes_of(tree)
    for line, start, stop, text, change in changes(tree, rows):
        name, kernel, first = scope_at(scopes, line)
        row = rows[line - 1]
        before, changed = row.strip(), (row[:start] + text + row[stop:]).strip()
        nth = sum(
            other.strip() == before and scope_at(scopes, at)[0] == name
            for at, other in enumerate(rows[first - 1 : line - 1], first)
        )
        key = "\0".join((SEED, file, name, str(nth), before, changed))
        digest = blake2b(key.encode(), digest_size=6).hexdigest()
        yield Mutant(
            digest, file, name, nth, before, changed, change, kernel or (not name and file.startswith(COMPILED))
        )


def changes(tree: ast.AST, rows: Sequence[str]) -> Iterator[tuple[int, int, int, str, str]]:
    """Line, first and last column, the text in their place, and what kind of change it is; on one line each."""
    for node in nodes(tree):
        match node:
            case ast.Compare(ops=[op], left=left, comparators=[right]) if type(op) in SWAPS:
                yield from swapped(rows, left, right, op, "comparison")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SWAPS and not is_text(left, right):
                yield from swapped(rows, left, right, op, "operator")
            case ast.BoolOp(op=op, values=[left, right, *_]):
                yield from swapped(rows, left, right, op, "operator")
            case ast.Constant(value=bool() as value):
                yield node.lineno, *columns(rows, node), str(not value), "constant"
            case ast.Constant(value=int() | float() as value):
                yield node.lineno, *columns(rows, node), repr(value + 1), "constant"
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if is_condition(test):
                start, stop = columns(rows, test)
                yield test.lineno, start, stop, f"not ({rows[test.lineno - 1][start:stop]})", "condition"
            case ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield from dropped(rows, node)
            case ast.stmt() if isinstance(node, DROPPED):
                yield from dropped(rows, node)


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that a mutant may change: no types, no decorators, no texts, nothing for type checkers."""
    yield tree
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr) and not for_types(child):
                yield from nodes(child)


def for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def is_text(*sides: ast.expr) -> bool:
    return any(isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", 0), str) for side in sides)


def is_condition(test: ast.expr) -> bool:
    return test.lineno == test.end_lineno and not isinstance(test, ast.Constant | ast.Compare | ast.BoolOp)


def swapped(rows: Sequence[str], left: ast.expr, right: ast.expr, op: ast.AST, change: str) -> Iterator[Any]:
    old, new = SWAPS[type(op)]
    if left.end_lineno != right.lineno:
        return
    start, stop = columns(rows, left)[1], columns(rows, right)[0]
    between = rows[right.lineno - 1][start:stop]
    if between.count(old) == 1:
        yield right.lineno, start, stop, between.replace(old, new), change


def dropped(rows: Sequence[str], node: Any) -> Iterator[Any]:
    if node.lineno == node.end_lineno:
        yield node.lineno, *columns(rows, node), "pass", "statement"


def columns(rows: Sequence[str], node: Any) -> tuple[int, int]:
    """Where a node begins and ends in its lines, in letters; the syntax tree counts bytes."""
    first, last = rows[node.lineno - 1].encode(), rows[node.end_lineno - 1].encode()
    return len(first[: node.col_offset].decode()), len(last[: node.end_col_offset].decode())


Scope = tuple[int, int, str, bool]  # first and last line, qualified name, whether it is compiled


def scopes_of(tree: ast.AST, prefix: str = "", compiled: bool = False) -> list[Scope]:
    found: list[Scope] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            here = compiled or any("kernel" in ast.unparse(one) for one in node.decorator_list)
            if not isinstance(node, ast.ClassDef):
                found.append((node.lineno, node.end_lineno or node.lineno, name, here))
            found += scopes_of(node, f"{name}.", here)
        elif not isinstance(node, ast.expr):
            found += scopes_of(node, prefix, compiled)
    return found


def scope_at(scopes: Sequence[Scope], line: int) -> tuple[str, bool, int]:
    """Qualified name of the innermost function around a line, whether it is a kernel, and its first line."""
    around = [one for one in scopes if one[0] <= line <= one[1]]
    if not around:
        return "", False, 1
    first, _, name, compiled = max(around, key=lambda one: one[0])
    return name, compiled, first


def modules(root: Path, package: str) -> list[Path]:
    return sorted((root / package).rglob("*.py"))


def draw(kept: Sequence[Mutant], root: Path = ROOT) -> list[Mutant]:
    """The mutants that are still there, with others in place of those whose line is gone or that change nothing."""
    sizes = {name: sum(len(path.read_text().splitlines()) for path in modules(root, name)) for name in PACKAGES}
    found = [one for one in kept if one.equivalent or place(one, root) is not None]
    for package, quota in quotas(sizes).items():
        mine = [one for one in found if one.file.startswith(f"{package}/")]
        taken = {(one.file, one.function, one.nth, one.before) for one in mine}
        missing = quota - sum(not one.equivalent for one in mine)
        every = (one for path in modules(root, package) for one in mutants_of(path, root))
        for one in in_turn(every):
            if missing > 0 and (where := (one.file, one.function, one.nth, one.before)) not in taken:
                taken.add(where)
                found.append(one)
                missing -= 1
    return sorted(found, key=lambda one: (PACKAGES.index(one.file.partition("/")[0]), one.id))


def in_turn(every: Iterable[Mutant]) -> Iterator[Mutant]:
    """By their digests, one of each kind of change in turn."""
    kinds: dict[str, list[Mutant]] = {}
    for one in sorted(every, key=lambda one: one.id):
        kinds.setdefault(one.change, []).append(one)
    for row in zip_longest(*(kinds[name] for name in sorted(kinds))):
        yield from filter(None, row)


def quotas(sizes: dict[str, int]) -> dict[str, int]:
    """COUNT in proportion to the sizes, by largest remainders."""
    shares = {name: COUNT * size / sum(sizes.values()) for name, size in sizes.items()}
    found = {name: int(share) for name, share in shares.items()}
    for name in sorted(shares, key=lambda name: found[name] - shares[name])[: COUNT - sum(found.values())]:
        found[name] += 1
    return found


def place(one: Mutant, root: Path) -> tuple[Path, int] | None:
    """The file and the line, counted from 1: in its function, or in a function of this name that has moved."""
    own = root / one.file
    moved = modules(root, one.file.partition("/")[0])
    for path in [own, *moved] if own.exists() else moved:
        source = path.read_text(encoding="utf-8")
        if one.before in source:
            scopes = scopes_of(ast.parse(source))
            rows = [
                line
                for line, row in enumerate(source.splitlines(), 1)
                if row.strip() == one.before and scope_at(scopes, line)[0] == one.function
            ]
            if len(rows) > one.nth:
                return path, rows[one.nth]
    return None


def read() -> list[Mutant]:
    """The list."""
    return [Mutant(**json.loads(line)) for line in DATA.read_text().splitlines()] if DATA.exists() else []


def write(found: Iterable[Mutant]) -> None:
    """The list, a line each, so that differences can be read."""
    DATA.write_text("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in found), encoding="utf-8")


def main(what: str, *names: str) -> None:
    """`draw`, or `reject ID…`."""
    found = read()
    if unknown := set(names) - {one.id for one in found}:
        sys.exit(f"there is no mutant {', '.join(unknown)}")
    write(draw([replace(one, equivalent=True) if what == "reject" and one.id in names else one for one in found]))


if __name__ == "__main__":
    main(*sys.argv[1:])
