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
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import names


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MODULES = _words(
    """__main__ _thread atexit asyncio builtins cProfile concurrent ctypes curses dbm dis distutils email ensurepip
    errno faulthandler fcntl filecmp fileinput ftplib gc getopt getpass gettext glob grp gzip http idlelib
    imaplib imp importlib inspect keyword lib2to3 linecache locale logging mailbox marshal mimetypes mmap
    modulefinder multiprocessing netrc nntplib ntpath opcode os pathlib pdb pickle pickletools pkgutil platform
    poplib posix posixpath profile pstats pty pwd py_compile pyclbr pydoc readline resource runpy sched secrets
    select selectors shelve shutil signal site smtplib socket socketserver sqlite3 ssl stat subprocess symtable
    sysconfig syslog tarfile tempfile termios test threading timeit tkinter token tokenize trace traceback
    tracemalloc tty turtle unittest venv weakref webbrowser wsgiref xmlrpc zipapp zipfile zipimport zoneinfo"""
)
_ONLY = {  # module: what of it depends on nothing but its arguments
    "ast": _words("literal_eval"),
    "sys": _words(
        """exit float_info getrecursionlimit intern maxunicode set_int_max_str_digits setrecursionlimit stderr stdin
        stdout"""
    ),
    "time": _words("sleep"),
    "urllib": _words("parse"),
    "uuid": _words("UUID uuid3 uuid5 NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500"),
}
_BUT = {  # module: what of it depends on more
    "hashlib": _words("algorithms_available file_digest"),
    "random": _words("SystemRandom"),
    "struct": _words("calcsize"),
    "unicodedata": _words("unidata_version"),
    "zlib": _words("ZLIB_RUNTIME_VERSION ZLIB_VERSION compress compressobj"),
}
_GATED = {*_MODULES, *_ONLY, *_BUT, "datetime"}  # the modules that another one's attribute must not lead to
_OF_MODULES = ("__doc__", "__name__")
_DATES = _words("astimezone ctime fromtimestamp now timestamp today utcnow")  # of datetime: clock, time zone
_TEXT = "what text would be executed can not be told beforehand"
_NAMES = {  # what is not the program's own, and why it must not be used
    **dict.fromkeys(_words("__builtins__ __cached__ __file__ __import__ __loader__ __spec__"), "it leads anywhere"),
    **dict.fromkeys(_words("compile eval exec"), _TEXT),
    **dict.fromkeys(
        _words("globals locals"), "they hold more than the program's names, unless one is asked for by name"
    ),
    **dict.fromkeys(_words("copyright credits help license"), "its text differs between versions"),
    **dict.fromkeys(_words("breakpoint input"), "nobody is there to type"),
    "dir": "which names there are differs between versions",
    "hash": "it differs between runs and machines",
    "id": "addresses differ between runs, unless two are compared",
    "open": "there are no files",
    "RecursionError": "how deep calls can be nested differs",
    "MemoryError": "how much memory there is differs",
}
_ATTRIBUTES = _words(
    """_getframe ag_code ag_frame cr_code cr_frame f_back f_builtins f_code f_globals f_locals gi_code gi_frame itemsize
    tb_frame tb_lasti tb_next"""
)
_SPECIAL = _words(
    """__abs__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ __annotations__ __args__ __await__ __bases__
    __bool__ __bytes__ __call__ __ceil__ __class__ __class_getitem__ __complex__ __contains__ __copy__
    __dataclass_fields__ __debug__ __deepcopy__ __delattr__ __delete__ __delitem__ __dict__ __divmod__ __doc__
    __enter__ __eq__ __exit__ __float__ __floor__ __floordiv__ __format__ __ge__ __get__ __getattr__ __getitem__
    __gt__ __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __index__ __init__
    __init_subclass__ __instancecheck__ __int__ __invert__ __ior__ __ipow__ __irshift__ __isub__ __iter__
    __itruediv__ __ixor__ __le__ __len__ __length_hint__ __lshift__ __lt__ __main__ __match_args__ __matmul__
    __members__ __missing__ __mod__ __module__ __mro__ __mul__ __name__ __ne__ __neg__ __new__ __next__ __or__
    __origin__ __pos__ __post_init__ __pow__ __prepare__ __qualname__ __radd__ __rand__ __rdivmod__ __repr__
    __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __round__ __rpow__ __rrshift__
    __rshift__ __rsub__ __rtruediv__ __rxor__ __set__ __set_name__ __setattr__ __setitem__ __slots__ __str__
    __sub__ __subclasscheck__ __total__ __truediv__ __trunc__ __wrapped__ __xor__"""
)
# Whatever is objected to needs one of these words in the text. Names that are no ASCII may be written in other ways.
_WORD = re.compile(rf"\b(?:import|getattr|hasattr|vars|__\w+__|{'|'.join(sorted({*_NAMES, *_ATTRIBUTES}))})\b")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{5,16}[>,;]")


@dataclass(frozen=True)
class _Program:
    tree: ast.Module
    modules: dict[str, str]  # what is imported, by its name here
    outside: set[ast.Name]  # reads of names that are not the program's own
    through: set[ast.expr]  # the module in `module.part`
    allowed: set[ast.expr]  # hash in a __hash__ of the program's own, which decides the order of sets at most; harmless
    asked: set[ast.expr]  # what getattr and hasattr look at

    def module(self, node: ast.AST) -> str:
        """The module, or its part, that a name stands for; empty if none."""
        return self.modules.get(node.id, "") if isinstance(node, ast.Name) and node in self.outside else ""

    def part(self, node: ast.AST, module: str) -> str:
        """`f` if the node is the module's `f`."""
        if isinstance(node, ast.Attribute) and self.module(node.value) == module:
            return node.attr
        return self.module(node).removeprefix(f"{module}.") if self.module(node).startswith(f"{module}.") else ""


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
    read = _Program(tree, names.imported(tree), names.outside(tree), through, allowed, asked)
    for node in nodes:
        allowed |= _harmless(node, read)
    for node in nodes:
        problem = _of_import(node) or _of_name(node, read) or _of_attribute(node, read) or _of_getter(node, read)
        problem = problem or _of_definition(node)
        if problem:
            return problem
    return _of_random(read)


def address(stdout: str) -> str:
    """Why the output can not be the same everywhere; empty if nothing is seen."""
    for line in stdout.splitlines():
        found = _ADDRESS.search(line, max(0, line.find("<"))) if "<" in line else None
        if found:
            return f"it prints an object's address ({found.group()[1:-1]})"
    return ""


def _of_import(node: ast.AST) -> str:
    if isinstance(node, ast.Import):
        found = next((alias.name for alias in node.names if alias.name.partition(".")[0] in _MODULES), "")
        return f"it imports {found}" if found else next(filter(None, map(_of_submodule, node.names)), "")
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        top = module.partition(".")[0]
        if node.level or top in _MODULES:
            return f"it imports from {module or '.'}"
        if any(alias.name == "*" for alias in node.names) and top in {*_ONLY, *_BUT, "datetime"}:
            return f"it imports all of {module}"
        if module == top:
            return next(filter(None, (_of_part(module, alias.name) for alias in node.names)), "")
        return _of_part(top, module.removeprefix(f"{top}."))
    return ""


def _of_submodule(alias: ast.alias) -> str:
    top, dot, rest = alias.name.partition(".")
    return _of_part(top, rest) if dot else ""


def _of_part(module: str, part: str) -> str:
    allowed = part in _ONLY[module] if module in _ONLY else part not in _BUT.get(module, ())
    private = bool(module) and part.startswith("_") and part not in _OF_MODULES
    leads = part in _GATED and part != module and module not in ("", "datetime", "collections")
    return f"it uses {module}.{part}" if not allowed or private or leads else ""


def _of_name(node: ast.AST, program: _Program) -> str:
    if not isinstance(node, ast.Name) or node not in program.outside:
        return ""
    module = program.module(node)
    seen = node in program.through or (node in program.asked and module not in {*_ONLY, *_BUT, "datetime"})
    if module and not seen and ("." not in module or module in {*_ONLY, *_BUT}):
        return f"it uses the module {module} as a value"
    if module or node.id not in _NAMES or (node in program.allowed and node.id in _IN_PART):
        return ""
    return f"it uses {node.id}: {_NAMES[node.id]}"


_GETTERS = ("attrgetter", "methodcaller")
_IN_PART = ("hash", "eval", "exec", "globals", "locals", "id")  # names with a use that is harmless


def _of_getter(node: ast.AST, program: _Program) -> str:
    part = program.part(node, "operator")
    if part not in _GETTERS or node in program.allowed:
        return ""
    return f"it uses operator.{part} with a name that is not written there, or must not be asked for"


def _harmless(node: ast.AST, program: _Program) -> set[ast.expr]:
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
        if isinstance(node.ops[0], ast.Eq | ast.NotEq) and all(map(_address_of_name, both)):
            return {call.func for call in both}  # type: ignore[attr-defined]
    return set()


def _known(text: ast.expr, program: _Program) -> bool:
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


def _variables(call: ast.expr, key: ast.expr, program: _Program) -> set[ast.expr]:
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        return set()
    name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else "__"
    fine = call.func.id in ("globals", "locals") and not name.startswith("__") and name not in program.modules
    return {call.func} if fine else set()


def _plain_name(node: ast.expr) -> bool:
    """Whether a name of an attribute, or several with dots between, is written there and may be asked for."""
    written = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return written and not any(map(_hidden, node.value.split(".")))  # type: ignore[attr-defined]


def _address_of_name(node: ast.expr) -> bool:
    call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "id"
    return call and len(node.args) == 1 and isinstance(node.args[0], ast.Name)  # type: ignore[attr-defined]


def _hidden(name: str) -> bool:
    """Whether an attribute leads to frames, or has two underscores at both ends and is none that may be asked for."""
    special = name.startswith("__") and name.endswith("__") and len(name) > 4 and name not in _SPECIAL
    return special or name in _ATTRIBUTES


class Guard:
    """Gives the program its getattr and hasattr, which remember in `problem` what was asked for and must not be."""

    def __init__(self) -> None:
        self.problem = ""

    def names(self) -> dict[str, Any]:
        """What to put into the program's namespace."""

        def ask(thing: object, name: str, *default: object) -> object:
            self._check(thing, name)
            return getattr(thing, name, *default)

        def has(thing: object, name: str) -> bool:
            self._check(thing, name)
            return hasattr(thing, name)

        return {"getattr": ask, "hasattr": has}

    def _check(self, thing: object, name: str) -> None:
        if isinstance(name, str):
            problem = f"it uses the attribute {name}" if _hidden(name) else ""
            if isinstance(thing, ModuleType):
                problem = problem or _of_part(thing.__name__.partition(".")[0], name)
            self.problem = self.problem or problem


def _of_attribute(node: ast.AST, program: _Program) -> str:
    name = _attribute(node, program)
    if _hidden(name):
        return f"it uses the attribute {name}"
    if isinstance(node, ast.MatchClass) and any(map(_hidden, node.kwd_attrs)):
        return f"it uses the attribute {next(filter(_hidden, node.kwd_attrs))}"
    if name in _DATES and any(module.partition(".")[0] == "datetime" for module in program.modules.values()):
        return "" if name == "fromtimestamp" and _has_zone(node, program) else f"it uses {name} and imports datetime"
    module = program.module(node.value) if isinstance(node, ast.Attribute) else ""
    return _of_part(module, name)


def _attribute(node: ast.AST, program: _Program) -> str:
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


def _has_zone(node: ast.AST, program: _Program) -> bool:
    """Whether all calls of `fromtimestamp` name a time zone, so that the machine's does not matter."""
    calls = [n for n in ast.walk(program.tree) if isinstance(n, ast.Call) and n.func is node]
    return bool(calls) and all(len(call.args) + len(call.keywords) == 2 for call in calls)


def _of_definition(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef) and node.name == "__del__":
        return "it defines __del__, which runs when objects are collected"
    bare = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    return "it uses vars without an object" if bare and not node.args else ""  # type: ignore[attr-defined]


# ------------------------------------------------------------------------------------------------ randomness


def _of_random(program: _Program) -> str:
    """Randomness needs a seed: `random.seed(x)` before any use, or a generator Random(x); x must not be None."""
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
    """Follows the statements in their order: is the shared generator used only after it is seeded?

    `waiting` are the functions and classes that use it and trust their callers to have seeded it.
    """

    def __init__(self, program: _Program, waiting: frozenset[str] = frozenset(), seeded: bool = False) -> None:
        self._program = program
        self._waiting = waiting
        self._seeded = seeded

    def seeded(self, body: list[ast.stmt]) -> bool:
        """Whether every use is after a seed."""
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
        """What is seeded in a block counts afterwards only if the block runs in any case."""
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
