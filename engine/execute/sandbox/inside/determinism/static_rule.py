"""The static rule for programs whose output is to be predicted (S3).

Two runs show what changes from run to run on one machine, such as the order of sets. They can not show what changes
between machines, versions or days: time, processes and threads, platform, version, paths and environment, numbers and
addresses of objects, garbage collection, randomness without a seed. This rule refuses these by the program's text, and
addresses also in what it prints. The rule is strict where it can not see (a module as a value, text that is executed).
It is no part of the protection: the sandbox holds whatever the program does.

Functions that nothing calls are left out (see `reachable`). If the rule objects only to statements in others, the
program runs, and is refused if it reaches one of them (see `reached`). Randomness without a seed is noticed there, too.

A program's own names are allowed (see `scopes`): a parameter `input`, a variable `time`, a method `id`. Of the special
attributes, with two underscores at both ends, only those in a list may be asked for, in the text or, where the name is
computed, when the program runs (`Guard`). So no object leads to one that the program was not given.
"""

import ast
import re

from . import harmless, imports, module_paths, reachable, reached, scopes
from .name_lists import (
    ADDRESS,
    ATTRIBUTES,
    DATES,
    EXCEPT,
    LOGGED,
    MOMENTS,
    NAMES,
    OF_LIBRARY,
    OF_OWN,
    ONLY,
    RECORDED,
    TEXT,
    hidden,
    problem_of_part,
)
from .program import Program, is_import
from .reached import Reasons

# A program without these words is never refused. Names beyond ASCII can be written in several ways, so they are parsed.
_WORD = re.compile(rf"\b(?:import|getattr|hasattr|vars|__\w+__|{'|'.join(sorted({*NAMES, *ATTRIBUTES}))})\b")


def objection(program: str) -> str:
    """Why the program's output may depend on more than its text; empty if it does not.

    Raises SyntaxError and the other exceptions of `ast.parse`.
    """
    if program.isascii() and not _WORD.search(program):
        return ""
    tree = imports.spelled_out(ast.parse(program))
    problem = _of_tree(tree)
    if problem and (running := reachable.reachable(tree)) is not tree:
        return _of_tree(running)
    return problem


def judged(program: str) -> tuple[str, Reasons]:
    """Why the output may depend on more than the text, and what only a run can show: the parts to which the rule
    objects, with the reasons. The output depends on them only if they are reached."""
    problem = objection(program)
    if not problem:
        return "", {}
    tree = reachable.reachable(imports.spelled_out(ast.parse(program)))
    found = reached.reasons(tree, _read, _of_node)
    return (problem, {}) if found is None else ("", found)


def _of_tree(tree: ast.Module) -> str:
    read = _read(tree)
    return next(filter(None, (_of_node(node, read) for node in ast.walk(tree))), "")


def _read(tree: ast.Module) -> Program:
    nodes = list(ast.walk(tree))
    outside = scopes.outside(tree)
    through = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    through |= {node.args[0] for node in nodes if _names_a_part(node, outside)}  # type: ignore[attr-defined]
    allowed = {part for node in nodes for part in harmless.of_function(node)}
    allowed |= {node.func for node in through if isinstance(node, ast.Call) and is_import(node)}
    if any(harmless.sets_input(node) for node in nodes):
        allowed |= {node for node in nodes if isinstance(node, ast.Name) and node.id == "input"}
    asked = {node.args[0] for node in nodes if _asks(node)}  # type: ignore[attr-defined]
    unclear = set(imports.unclear(tree, nodes))
    read = Program(tree, scopes.imported(tree), outside, through, allowed, asked, unclear)
    for node in nodes:
        allowed |= harmless.harmless(node, read)
    return read


def _of_node(node: ast.AST, read: Program) -> str:
    """Why the program's output may depend on more than its text because of this node."""
    return (
        module_paths.objection(node, read)
        or imports.objection(node, read)
        or _of_name(node, read)
        or _of_attribute(node, read)
        or _of_getter(node, read)
        or _of_record(node, read)
        or _of_definition(node)
    )


def shown(stdout: str) -> str:
    """Why the output can not be the same everywhere; empty if it shows no address and no words of the C library."""
    for line in stdout.splitlines():
        found = ADDRESS.search(line, max(0, line.find("<"))) if "<" in line else None
        if found:
            return f"it prints an object's address ({found.group()[1:-1]})"
    words = next((one for one in OF_LIBRARY if one in stdout), "")
    return f"it prints what the C library says ({words})" if words else ""


def _of_name(node: ast.AST, program: Program) -> str:
    if not isinstance(node, ast.Name) or node not in program.outside:
        return ""
    module = program.module(node)
    seen = node in program.through or (node in program.asked and module not in {*ONLY, *EXCEPT, "datetime"})
    if module and not seen and ("." not in module or module in {*ONLY, *EXCEPT}):
        return f"it uses the module {module} as a value"
    if module or node.id not in NAMES or (node in program.allowed and node.id in _IN_PART):
        return ""
    return f"it uses {node.id}: {NAMES[node.id]}"


_IN_PART = ("__import__", "dir", "globals", "input", "locals")  # names that have a harmless use


def _of_getter(node: ast.AST, program: Program) -> str:
    part = program.part(node, "operator")
    if part not in harmless.GETTERS or node in program.allowed:
        return ""
    return f"it uses operator.{part} with a name that is not written there, or must not be asked for"


def of_text(text: str, program: str) -> str:
    """Why the output may depend on more if the program executes this text; empty if it does not."""
    around = ast.walk(ast.parse(program))
    known = [ast.unparse(node) for node in around if isinstance(node, ast.Import | ast.ImportFrom)]
    try:
        inside = ast.parse(text.strip())
        if any(isinstance(node, ast.Delete | ast.Import | ast.ImportFrom) for node in ast.walk(inside)):
            return f"it has text executed that imports or deletes: {TEXT}"
        return _of_tree(imports.spelled_out(ast.parse("\n".join([*known, ast.unparse(inside)]))))
    except (SyntaxError, ValueError, RecursionError):
        return f"it has text executed: {TEXT}"


def _of_attribute(node: ast.AST, program: Program) -> str:
    name = _attribute(node, program)
    if hidden(name) and name not in OF_OWN and node not in program.allowed:
        return f"it uses the attribute {name}"
    if isinstance(node, ast.MatchClass):
        strange = [one for one in node.kwd_attrs if hidden(one) or (one in DATES and program.imports("datetime"))]
        return f"it uses the attribute {strange[0]}" if strange else ""
    if isinstance(node, ast.Attribute) and (node in program.allowed or name in MOMENTS):
        return ""
    if name in DATES and program.imports("datetime"):
        return "" if name == "fromtimestamp" and _has_zone(node, program) else f"it uses {name} and imports datetime"
    named = _names_a_part(node, program.outside)
    thing = node.value if isinstance(node, ast.Attribute) else node.args[0] if named else node  # type: ignore[attr-defined]
    module = program.module(thing) if thing is not node else ""
    if module == "builtins" and not isinstance(getattr(node, "ctx", None), ast.Load | None):
        return f"it sets builtins.{name}"
    return problem_of_part(module, name)


def _of_record(node: ast.AST, program: Program) -> str:
    """What is logged has a time and a process, and syntax trees have other fields in other versions."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (found := _RECORDED.search(node.value)):
        return f"it logs {found.group(1)}" if program.imports("logging") else ""
    name = _attribute(node, program)
    module = "logging" if name in LOGGED else "ast" if name in _OF_TREES else ""
    return f"it uses {name} and imports {module}" if module and program.imports(module) else ""


_OF_TREES = ("_attributes", "_field_types", "_fields")  # they differ between versions
_RECORDED = re.compile(rf"(?:%\(|\{{|\$\{{?)({'|'.join(sorted(RECORDED))})")


def _attribute(node: ast.AST, program: Program) -> str:
    """The attribute that a node asks for, if its text shows the name; empty otherwise."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if _asks(node) and node.func in program.outside:  # type: ignore[attr-defined]
        asked = node.args[1]  # type: ignore[attr-defined]
        return str(asked.value) if isinstance(asked, ast.Constant) else ""
    return ""


def _asks(node: ast.AST) -> bool:
    call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1
    return call and node.func.id in ("getattr", "hasattr")  # type: ignore[attr-defined]


def _names_a_part(node: ast.AST, outside: set[ast.Name]) -> bool:
    """Whether it is `getattr(thing, "name")`, which is `thing.name`."""
    asks = _asks(node) and node.func in outside  # type: ignore[attr-defined]
    return asks and isinstance(node.args[1], ast.Constant) and isinstance(node.args[1].value, str)  # type: ignore[attr-defined]


def _has_zone(node: ast.AST, program: Program) -> bool:
    """Whether all calls of this `fromtimestamp` name a time zone, so that the machine's does not matter."""
    calls = [n for n in ast.walk(program.tree) if isinstance(n, ast.Call) and n.func is node]
    return bool(calls) and all(len(call.args) + len(call.keywords) == 2 for call in calls)


def _of_definition(node: ast.AST) -> str:
    bare = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    return "it uses vars without an object" if bare and not node.args else ""  # type: ignore[attr-defined]
