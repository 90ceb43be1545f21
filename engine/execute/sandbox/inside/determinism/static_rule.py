"""The static rule for programs whose output is to be predicted (S3).

Two runs show what changes from run to run on one machine, such as the order of sets. They can not show what changes
between machines, versions or days: time, processes and threads, platform, version, paths and environment, numbers and
addresses of objects, garbage collection, randomness without a seed. This rule refuses these by the program's text, and
addresses also in what it prints. The rule is strict where it can not see (a module as a value, text that is executed).
It is no part of the protection: the sandbox holds whatever the program does.

Functions that nothing calls are left out (see `reachable`). If the rule objects only to parts of functions, the program
runs, and is refused if it reaches one of them (see `judged`). Randomness without a seed is noticed there, too.

A program's own names are allowed (see `scopes`): a parameter `input`, a variable `time`, a method `id`. Of the special
attributes, with two underscores at both ends, only those in a list may be asked for, in the text or, where the name is
computed, when the program runs (`Guard`). So no object leads to one that the program was not given.
"""

import ast
import re
from collections.abc import Iterator

from . import module_paths, reachable, scopes
from .name_lists import (
    ADDRESS,
    ASKED,
    ATTRIBUTES,
    DATES,
    EXCEPT,
    LOGGED,
    MODULES,
    MOMENTS,
    NAMES,
    OF_CODE,
    OF_LIBRARY,
    OF_OWN,
    ONLY,
    RECORDED,
    TEXT,
    hidden,
    problem_of_part,
)
from .program import Program, is_import

Place = tuple[str, int, int]  # of a statement or a lambda: kind, line, column
Reasons = dict[Place, str]
# A program without these words is never refused. Names beyond ASCII can be written in several ways, so they are parsed.
_WORD = re.compile(rf"\b(?:import|getattr|hasattr|vars|__\w+__|{'|'.join(sorted({*NAMES, *ATTRIBUTES}))})\b")


def objection(program: str) -> str:
    """Why the program's output may depend on more than its text; empty if it does not.

    Raises SyntaxError and the other exceptions of `ast.parse`.
    """
    if program.isascii() and not _WORD.search(program):
        return ""
    tree = ast.parse(program)
    problem = _of_tree(tree)
    if problem and (running := reachable.reachable(tree)) is not tree:
        return _of_tree(running)
    return problem


def judged(program: str) -> tuple[str, Reasons]:
    """Why the output may depend on more than the text, and what only a run can show: the parts of functions to which
    the rule objects, with the reasons. The output depends on them only if they are reached."""
    problem = objection(program)
    found = _in_functions(reachable.reachable(ast.parse(program))) if problem else {}
    return (problem, {}) if found is None else ("", found)


def place(part: ast.AST) -> Place:
    """What tells a statement or a lambda of a program's from its others."""
    return type(part).__name__, part.lineno, part.col_offset  # type: ignore[attr-defined]


def _in_functions(tree: ast.Module) -> Reasons | None:
    """The statements and lambdas in functions to which the rule objects; None if it objects to anything outside. An
    import may stand outside, if what it imports is used in such parts only."""
    read, owner = _read(tree), dict(_owners(tree, None))
    reasons: Reasons = {}
    for node, part in owner.items():
        problem = _of_node(node, read)
        if not problem:
            continue
        parts = [part]
        if part is None and isinstance(node, ast.Import | ast.ImportFrom):
            names = _names_of(node, tree)
            uses = (owner[one] for one in owner if isinstance(one, ast.Name) and one.id in names)
            parts = [*uses] if names else [None]
        for each in parts:
            if each is None:
                return None
            reasons[place(each)] = problem
    return reasons


def _owners(node: ast.AST, part: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Each node with the innermost statement of a function, or lambda, in whose run it takes part."""
    yield node, part
    within = part is not None or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.Lambda) and child is node.body:
            yield from _owners(child, node)
        else:
            yield from _owners(child, child if within and isinstance(child, ast.stmt) else part)


def _names_of(statement: ast.Import | ast.ImportFrom, tree: ast.Module) -> set[str]:
    """The names that an import binds and that the rule objects to; none if it does more, or if they are a class's."""
    modules = {alias.name for alias in statement.names} | {getattr(statement, "module", "")}
    more = "*" in modules or not reachable.PRINTING.isdisjoint(modules)
    if more or statement not in scopes.same_scope(tree.body):
        return set()
    return {alias.asname or alias.name.partition(".")[0] for alias in statement.names if _objects(statement, alias)}


def _objects(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether the rule objects to one of the names that are imported."""
    if isinstance(statement, ast.Import):
        one: ast.stmt = ast.Import([alias])
    else:
        one = ast.ImportFrom(statement.module, [alias], statement.level)
    return bool(_of_node(one, _read(ast.Module([one], []))))


def _of_tree(tree: ast.Module) -> str:
    read = _read(tree)
    return next(filter(None, (_of_node(node, read) for node in ast.walk(tree))), "")


def _read(tree: ast.Module) -> Program:
    nodes = list(ast.walk(tree))
    through = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    allowed = {part for node in nodes for part in _of_function(node)}
    allowed |= {node.func for node in through if isinstance(node, ast.Call) and is_import(node)}
    if any(_sets_input(node) for node in nodes):
        allowed |= {node for node in nodes if isinstance(node, ast.Name) and node.id == "input"}
    asked = {node.args[0] for node in nodes if _asks(node)}  # type: ignore[attr-defined]
    unclear = set(_unclear(tree, nodes))
    read = Program(tree, scopes.imported(tree), scopes.outside(tree), through, allowed, asked, unclear)
    for node in nodes:
        allowed |= _harmless(node, read)
    return read


def _of_node(node: ast.AST, read: Program) -> str:
    """Why the program's output may depend on more than its text because of this node."""
    return (
        module_paths.objection(node, read)
        or _of_import(node, read)
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


def _of_import(node: ast.AST, read: Program) -> str:
    if node in read.unclear:
        return f"it imports {_module(node)} under a name that means something else, too"
    if isinstance(node, ast.Import):
        found = next((alias.name for alias in node.names if _is_closed(alias.name.partition(".")[0])), "")
        return f"it imports {found}" if found else next(filter(None, map(_of_submodule, node.names)), "")
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        top = module.partition(".")[0]
        if node.level or _is_closed(top):
            return f"it imports from {module or '.'}"
        if any(alias.name == "*" for alias in node.names) and top in {*ONLY, *EXCEPT, "datetime", "operator"}:
            return f"it imports all of {module}"
        if module == top or module in ONLY:
            return next(filter(None, (problem_of_part(module, alias.name) for alias in node.names)), "")
        return problem_of_part(top, module.removeprefix(f"{top}."))
    return ""


def _unclear(tree: ast.Module, nodes: list[ast.AST]) -> Iterator[ast.AST]:
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


_GETTERS = ("attrgetter", "methodcaller")
_IN_PART = ("__import__", "dir", "globals", "input", "locals")  # names that have a harmless use


def _of_getter(node: ast.AST, program: Program) -> str:
    part = program.part(node, "operator")
    if part not in _GETTERS or node in program.allowed:
        return ""
    return f"it uses operator.{part} with a name that is not written there, or must not be asked for"


def _harmless(node: ast.AST, program: Program) -> set[ast.expr]:
    """The parts of a node that are harmless in that use: one variable asked for by its name, a getter of known names,
    the names in a function's code."""
    if isinstance(node, ast.Attribute) and node.attr in OF_CODE:
        return {node.value}
    if isinstance(node, ast.Call) and program.part(node.func, "operator") in _GETTERS:
        names_asked = node.args if program.part(node.func, "operator") == "attrgetter" else node.args[:1]
        return {node.func} if names_asked and all(_plain_name(one, program) for one in names_asked) else set()
    if isinstance(node, ast.Call) and (_is_same_everywhere(node, program) or _lists_names(node, program)):
        return {node.func}
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not node.value.args:
        return {node.value.func} if program.part(node.value.func, "gc") == "collect" else set()
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Del):
        return _variables(node.value, node.slice, program) | _last_line(node, program)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        return _variables(node.comparators[0], node.left, program)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        return _variables(node.func.value, node.args[0], program)
    return set()


def _is_same_everywhere(call: ast.Call, program: Program) -> bool:
    """Whether it asks for the size of a format whose sizes are fixed, or prints an exception where it is not seen."""
    if program.part(call.func, "traceback") == "print_exc":
        names = (node.attr for node in ast.walk(program.tree) if isinstance(node, ast.Attribute))
        return not call.args and not call.keywords and not any("stderr" in name for name in names)
    form = call.args[0] if program.part(call.func, "struct") == "calcsize" and call.args else None
    return isinstance(form, ast.Constant) and isinstance(form.value, str) and form.value[:1] in (*"<>!=",)


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


_SPECIAL = re.compile(r"__\w+__$")
_LINES = ("split", "splitlines", "strip", "rstrip")
_SPLIT = (".splitlines()", ".split('\\n')")


def _sets_input(node: ast.AST) -> bool:
    """Whether it is a `stdin` that the program sets."""
    return isinstance(node, ast.Attribute) and node.attr == "stdin" and isinstance(node.ctx, ast.Store)


def _of_function(node: ast.AST) -> Iterator[ast.expr]:
    """The name `locals` in calls `locals()` inside a function: all that it returns is the program's."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = [part for statement in node.body for part in ast.walk(statement)]
        within = {part for one in inside if isinstance(one, ast.ClassDef) for part in ast.walk(one)}
        for part in inside:
            bare = isinstance(part, ast.Call) and not part.args and part not in within
            if bare and isinstance(part.func, ast.Name) and part.func.id == "locals":  # type: ignore[attr-defined]
                yield part.func  # type: ignore[attr-defined]


def of_text(text: str, program: str) -> str:
    """Why the output may depend on more if the program executes this text; empty if it does not."""
    around = ast.walk(ast.parse(program))
    imports = [ast.unparse(node) for node in around if isinstance(node, ast.Import | ast.ImportFrom)]
    try:
        inside = ast.parse(text.strip())
        if any(isinstance(node, ast.Delete | ast.Import | ast.ImportFrom) for node in ast.walk(inside)):
            return f"it has text executed that imports or deletes: {TEXT}"
        return _of_tree(ast.parse("\n".join([*imports, ast.unparse(inside)])))
    except (SyntaxError, ValueError, RecursionError):
        return f"it has text executed: {TEXT}"


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
    return fine and (DATES.isdisjoint(parts) or not _has_dates(program))


def _has_dates(program: Program) -> bool:
    return _imports("datetime", program)


def _imports(module: str, program: Program) -> bool:
    return any(each.partition(".")[0] == module for each in program.modules.values())


def _of_attribute(node: ast.AST, program: Program) -> str:
    name = _attribute(node, program)
    if hidden(name) and name not in OF_OWN and node not in program.allowed:
        return f"it uses the attribute {name}"
    if isinstance(node, ast.MatchClass):
        strange = [one for one in node.kwd_attrs if hidden(one) or (one in DATES and _has_dates(program))]
        return f"it uses the attribute {strange[0]}" if strange else ""
    if isinstance(node, ast.Attribute) and (node in program.allowed or name in MOMENTS):
        return ""
    if name in DATES and _has_dates(program):
        return "" if name == "fromtimestamp" and _has_zone(node, program) else f"it uses {name} and imports datetime"
    module = program.module(node.value) if isinstance(node, ast.Attribute) else ""
    return problem_of_part(module, name)


def _of_record(node: ast.AST, program: Program) -> str:
    """What is logged has a time and a process, and syntax trees have other fields in other versions."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (found := _RECORDED.search(node.value)):
        return f"it logs {found.group(1)}" if _imports("logging", program) else ""
    name = _attribute(node, program)
    module = "logging" if name in LOGGED else "ast" if name in _OF_TREES else ""
    return f"it uses {name} and imports {module}" if module and _imports(module, program) else ""


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


def _has_zone(node: ast.AST, program: Program) -> bool:
    """Whether all calls of this `fromtimestamp` name a time zone, so that the machine's does not matter."""
    calls = [n for n in ast.walk(program.tree) if isinstance(n, ast.Call) and n.func is node]
    return bool(calls) and all(len(call.args) + len(call.keywords) == 2 for call in calls)


def _of_definition(node: ast.AST) -> str:
    bare = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    return "it uses vars without an object" if bare and not node.args else ""  # type: ignore[attr-defined]
