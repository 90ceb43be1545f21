"""Uses of a name or an attribute that are harmless, although the static rule objects to the name itself (S3)."""

import ast
import re
from collections.abc import Iterator

from . import of_sys
from .name_lists import ASKED, DATES, MOMENTS, OF_CODE, hidden
from .program import Program

GETTERS = ("attrgetter", "methodcaller")
_SPECIAL = re.compile(r"__\w+__$")
_EMPTIED = ("__traceback__", "ag_frame", "cr_frame", "gi_frame")  # whether they are None is the same everywhere
_LINES = ("split", "splitlines", "strip", "rstrip")
_SPLIT = (".splitlines()", ".split('\\n')")


def harmless(node: ast.AST, program: Program) -> set[ast.expr]:
    """The parts of a node that are harmless in that use: one variable asked for by its name, a getter of known names,
    the names in a function's code."""
    if isinstance(node, ast.Attribute) and node.attr in OF_CODE:
        return {node.value}
    if isinstance(node, ast.expr) and (found := of_sys.harmless(node, program)):
        return found
    if isinstance(node, ast.Call) and program.part(node.func, "operator") in GETTERS:
        names_asked = node.args if program.part(node.func, "operator") == "attrgetter" else node.args[:1]
        return {node.func} if names_asked and all(_plain_name(one, program) for one in names_asked) else set()
    if isinstance(node, ast.Call) and (_is_unseen(node, program) or _lists_names(node, program)):
        return {node.func}
    if isinstance(node, ast.Call) and (inner := _unpacked(node, program)):
        return inner
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not node.value.args:
        return {node.value.func} if program.part(node.value.func, "gc") == "collect" else set()
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Del):
        return _variables(node.value, node.slice, program) | _last_line(node, program)
    if isinstance(node, ast.Compare) and (found := _compared_with_none(node)):
        return found
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        return _variables(node.comparators[0], node.left, program)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        return _variables(node.func.value, node.args[0], program)
    return set()


def _compared_with_none(node: ast.Compare) -> set[ast.expr]:
    """The attribute in `x.gi_frame is None`."""
    asks = all(isinstance(one, ast.Is | ast.IsNot) for one in node.ops)
    nothing = all(isinstance(one, ast.Constant) and one.value is None for one in node.comparators)
    left = node.left
    return {left} if asks and nothing and isinstance(left, ast.Attribute) and left.attr in _EMPTIED else set()


def _unpacked(call: ast.Call, program: Program) -> set[ast.expr]:
    """`compress` in `decompress(compress(x))`: how it packs, which differs between machines, is not seen."""
    inner = call.args[0] if call.args else None
    if not isinstance(inner, ast.Call):
        return set()
    through = any(
        program.part(call.func, module) == "decompress" and program.part(inner.func, module) == "compress"
        for module in ("gzip", "zlib")
    )
    return {inner.func} if through else set()


def _is_unseen(call: ast.Call, program: Program) -> bool:
    """Whether it prints an exception where it is not seen."""
    if program.part(call.func, "traceback") != "print_exc":
        return False
    names = (node.attr for node in ast.walk(program.tree) if isinstance(node, ast.Attribute))
    return not call.args and not call.keywords and not any("stderr" in name for name in names)


def _lists_names(call: ast.Call, program: Program) -> bool:
    """Whether it asks for the names of one object, which may be the program's own: the guard sees that. A program that
    has a special name as a text may look for it, and it differs between versions which of these names there are."""
    if any(isinstance(node, ast.Constant) and _SPECIAL.match(str(node.value)) for node in ast.walk(program.tree)):
        return False
    plain = isinstance(call.func, ast.Name) and call.func.id == "dir" and len(call.args) == 1 and not call.keywords
    return plain and isinstance(call.args[0], ast.Name | ast.Attribute | ast.Call)


def _last_line(node: ast.Subscript, program: Program) -> set[ast.expr]:
    """`traceback.format_exc` where only the last line is looked at, which is the exception's."""
    if ast.unparse(node.slice) != "-1":
        return set()
    found: ast.expr = node.value
    while isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute) and found.func.attr in _LINES:
        found = found.func.value
    split = isinstance(node.value, ast.Call) and ast.unparse(node.value).endswith(_SPLIT)
    fine = split and isinstance(found, ast.Call) and program.part(found.func, "traceback") == "format_exc"
    return {found.func} if fine else set()  # type: ignore[attr-defined]


def sets_input(node: ast.AST) -> bool:
    """Whether it is a `stdin` that the program sets."""
    return isinstance(node, ast.Attribute) and node.attr == "stdin" and isinstance(node.ctx, ast.Store)


def of_function(node: ast.AST) -> Iterator[ast.expr]:
    """The name `locals` in calls `locals()` inside a function: all that it returns is the program's."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = [part for statement in node.body for part in ast.walk(statement)]
        within = {part for one in inside if isinstance(one, ast.ClassDef) for part in ast.walk(one)}
        for part in inside:
            bare = isinstance(part, ast.Call) and not part.args and part not in within
            if bare and isinstance(part.func, ast.Name) and part.func.id == "locals":  # type: ignore[attr-defined]
                yield part.func  # type: ignore[attr-defined]


def _variables(call: ast.expr, key: ast.expr, program: Program) -> set[ast.expr]:
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        return set()
    name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else "__"
    fine = call.func.id in ("globals", "locals") and not name.startswith("__") and name not in program.modules
    return {call.func} if fine else set()


def _plain_name(node: ast.expr, program: Program) -> bool:
    """Whether the node is a literal name of an attribute, or several with dots between, that may be asked for."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    parts = node.value.split(".")
    fine = not any(map(hidden, parts)) and (ASKED - MOMENTS).isdisjoint(parts)
    return fine and (DATES.isdisjoint(parts) or not program.imports("datetime"))
