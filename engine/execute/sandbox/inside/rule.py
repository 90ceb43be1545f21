"""The static rule for programs whose output is to be predicted (S3).

Two runs show what changes from run to run on one machine, the order of sets for one. They can not show what changes
between machines, versions or days: time, processes and threads, platform, version, paths and environment, numbers and
addresses of objects, garbage collection, randomness without a seed. This rule refuses them by the program's text, and
addresses also in what it prints. It is a rule against accidents and tricks, strict where it can not see (a module as a
value, text that is executed), and no part of the protection: the sandbox holds whatever the program does.

The program's own names are its own (see `names`): a parameter `input`, a variable `time`, a method `id`. Of names with
two underscores at both ends only those of `_SPECIAL` may be asked for, by the text or, where a name is computed, when
the program runs (`Guard`): so no object leads to another one that nobody gave to the program.
"""

import ast
import re

from . import chance, leads, names
from .chance import Program
from .guard import Guard
from .listed import ADDRESS, ATTRIBUTES, BUT, DATES, MODULES, NAMES, ONLY, hidden, of_part

__all__ = ["Guard", "address", "objection"]


# Whatever is objected to needs one of these words in the text. Names that are no ASCII may be written in other ways.
_WORD = re.compile(rf"\b(?:import|getattr|hasattr|vars|__\w+__|{'|'.join(sorted({*NAMES, *ATTRIBUTES}))})\b")


def objection(program: str) -> str:
    """Why the program's output may depend on more than its text; empty if it does not. May raise SyntaxError etc."""
    if program.isascii() and not _WORD.search(program):
        return ""
    tree = ast.parse(program)
    nodes = list(ast.walk(tree))
    through = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    hashes = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == "__hash__"]
    allowed = {inner.func for node in hashes for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    asked = {node.args[0] for node in nodes if _asks(node)}  # type: ignore[attr-defined]
    read = Program(tree, names.imported(tree), names.outside(tree), through, allowed, asked)
    for node in nodes:
        allowed |= _harmless(node, read)
    for node in nodes:
        problem = (
            leads.objection(node, read)
            or _of_import(node)
            or _of_name(node, read)
            or _of_attribute(node, read)
            or _of_getter(node, read)
        )
        problem = problem or _of_definition(node)
        if problem:
            return problem
    return chance.objection(read)


def address(stdout: str) -> str:
    """Why the output can not be the same everywhere; empty if nothing is seen."""
    for line in stdout.splitlines():
        found = ADDRESS.search(line, max(0, line.find("<"))) if "<" in line else None
        if found:
            return f"it prints an object's address ({found.group()[1:-1]})"
    return ""


def _of_import(node: ast.AST) -> str:
    if isinstance(node, ast.Import):
        found = next((alias.name for alias in node.names if _is_closed(alias.name.partition(".")[0])), "")
        return f"it imports {found}" if found else next(filter(None, map(_of_submodule, node.names)), "")
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        top = module.partition(".")[0]
        if node.level or _is_closed(top):
            return f"it imports from {module or '.'}"
        if any(alias.name == "*" for alias in node.names) and top in {*ONLY, *BUT, "datetime"}:
            return f"it imports all of {module}"
        if module == top:
            return next(filter(None, (of_part(module, alias.name) for alias in node.names)), "")
        return of_part(top, module.removeprefix(f"{top}."))
    return ""


def _is_closed(top: str) -> bool:
    return top in MODULES or (top.startswith("_") and top != "__future__")


def _of_submodule(alias: ast.alias) -> str:
    top, dot, rest = alias.name.partition(".")
    return of_part(top, rest) if dot else ""


def _of_name(node: ast.AST, program: Program) -> str:
    if not isinstance(node, ast.Name) or node not in program.outside:
        return ""
    module = program.module(node)
    seen = node in program.through or (node in program.asked and module not in {*ONLY, *BUT, "datetime"})
    if module and not seen and ("." not in module or module in {*ONLY, *BUT}):
        return f"it uses the module {module} as a value"
    if module or node.id not in NAMES or (node in program.allowed and node.id in _IN_PART):
        return ""
    return f"it uses {node.id}: {NAMES[node.id]}"


_GETTERS = ("attrgetter", "methodcaller")
_IN_PART = ("hash", "eval", "exec", "globals", "locals", "id")  # names with a use that is harmless


def _of_getter(node: ast.AST, program: Program) -> str:
    part = program.part(node, "operator")
    if part not in _GETTERS or node in program.allowed:
        return ""
    return f"it uses operator.{part} with a name that is not written there, or must not be asked for"


def _harmless(node: ast.AST, program: Program) -> set[ast.expr]:
    """The functions in a node that depend on nothing, used as they are there: text that is executed and known, one
    variable asked for by its name, addresses that are compared with each other."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
        return {node.func} if len(node.args) == 1 and not node.keywords and _known(node.args[0], program) else set()
    if isinstance(node, ast.Call) and program.part(node.func, "operator") in _GETTERS:
        names_asked = node.args if program.part(node.func, "operator") == "attrgetter" else node.args[:1]
        return {node.func} if names_asked and all(map(_plain_name, names_asked)) else set()
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return _variables(node.value, node.slice, program)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            return _variables(node.comparators[0], node.left, program)
        both = [node.left, node.comparators[0]]
        if isinstance(node.ops[0], ast.Eq | ast.NotEq) and all(map(_is_of_name, both)):
            return {call.func for call in both}  # type: ignore[attr-defined]
    return set()


def _known(text: ast.expr, program: Program) -> bool:
    """Whether text that is executed is written there, and has nothing to object to where these imports are made."""
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return False
    imports = [ast.unparse(node) for node in ast.walk(program.tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    try:
        inside = ast.parse(text.value.strip())
        if any(isinstance(node, ast.Delete | ast.Import | ast.ImportFrom) for node in ast.walk(inside)):
            return False
        return not objection("\n".join([*imports, ast.unparse(inside)]))
    except (SyntaxError, ValueError, RecursionError):
        return False


def _variables(call: ast.expr, key: ast.expr, program: Program) -> set[ast.expr]:
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        return set()
    name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else "__"
    fine = call.func.id in ("globals", "locals") and not name.startswith("__") and name not in program.modules
    return {call.func} if fine else set()


def _plain_name(node: ast.expr) -> bool:
    """Whether a name of an attribute, or several with dots between, is written there and may be asked for."""
    written = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return written and not any(map(hidden, node.value.split(".")))  # type: ignore[attr-defined]


def _is_of_name(node: ast.expr) -> bool:
    """Whether it is the address of a variable, or the hash of one or of a number."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
        return False
    kinds = {"id": (ast.Name,), "hash": (ast.Name, ast.Constant)}.get(node.func.id, ())
    return isinstance(node.args[0], kinds)


def _of_attribute(node: ast.AST, program: Program) -> str:
    name = _attribute(node, program)
    if hidden(name):
        return f"it uses the attribute {name}"
    if isinstance(node, ast.MatchClass) and any(map(hidden, node.kwd_attrs)):
        return f"it uses the attribute {next(filter(hidden, node.kwd_attrs))}"
    if name in DATES and any(module.partition(".")[0] == "datetime" for module in program.modules.values()):
        if name == "timestamp" and _is_in_zone(node):
            return ""
        return "" if name == "fromtimestamp" and _has_zone(node, program) else f"it uses {name} and imports datetime"
    module = program.module(node.value) if isinstance(node, ast.Attribute) else ""
    return of_part(module, name)


def _attribute(node: ast.AST, program: Program) -> str:
    """The attribute that a node asks for by its name, in a way that can be read."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if _asks(node) and node.func in program.outside:  # type: ignore[attr-defined]
        asked = node.args[1]  # type: ignore[attr-defined]
        return str(asked.value) if isinstance(asked, ast.Constant) else ""
    return ""


def _asks(node: ast.AST) -> bool:
    call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1
    return call and node.func.id in ("getattr", "hasattr")  # type: ignore[attr-defined]


def _has_zone(node: ast.AST, program: Program) -> bool:
    """Whether all calls of `fromtimestamp` name a time zone, so that the machine's does not matter."""
    calls = [n for n in ast.walk(program.tree) if isinstance(n, ast.Call) and n.func is node]
    return bool(calls) and all(len(call.args) + len(call.keywords) == 2 for call in calls)


def _is_in_zone(node: ast.AST) -> bool:
    """Whether it is asked of a moment that is made there with a time zone."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Call):
        return False
    zones = [keyword.value for keyword in node.value.keywords if keyword.arg == "tzinfo"]
    return bool(zones) and not isinstance(zones[0], ast.Constant | ast.Name)


def _of_definition(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef) and node.name == "__del__":
        return "it defines __del__, which runs when objects are collected"
    bare = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    return "it uses vars without an object" if bare and not node.args else ""  # type: ignore[attr-defined]
