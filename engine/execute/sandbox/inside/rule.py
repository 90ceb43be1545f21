"""The static rule for programs whose output is to be predicted (S3).

Two runs show what changes from run to run on one machine, the order of sets for one. They can not show what changes
between machines, versions or days: time, processes and threads, platform, version, paths and environment, numbers and
addresses of objects, garbage collection, randomness without a seed. This rule refuses them by the program's text, and
addresses also in what it prints. It is a rule against accidents and obvious tricks, strict where it can not see
(`eval`, a module as a value), and no part of the protection: the sandbox holds whatever the program does.

The program's own names are its own (see `names`): a parameter `input`, a variable `time`, a method `id`.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

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
_DATES = _words("astimezone ctime fromtimestamp now timestamp today utcnow")  # of datetime: clock, time zone
_NAMES = {
    **dict.fromkeys(_words("__builtins__ __cached__ __file__ __import__ __loader__ __spec__"), ""),
    **dict.fromkeys(_words("breakpoint compile copyright credits dir eval exec globals hash help id"), ""),
    **dict.fromkeys(_words("input license locals open"), ""),
    "RecursionError": "how deep calls can be nested differs",
    "MemoryError": "how much memory there is differs",
}
_ATTRIBUTES = _words(
    """__builtins__ __cached__ __code__ __file__ __getattribute__ __globals__ __hash__ __loader__ __path__ __sizeof__
    __spec__ __subclasses__ __version__ _getframe cr_frame f_back f_globals f_locals gi_frame itemsize tb_frame
    tb_lasti"""
)
# Whatever is objected to needs one of these words in the text. Names that are no ASCII may be written in other ways.
_WORD = re.compile(rf"\b(?:import|getattr|hasattr|vars|__del__|{'|'.join(sorted({*_NAMES, *_ATTRIBUTES}))})\b")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{5,16}[>,;]")


@dataclass(frozen=True)
class _Program:
    tree: ast.Module
    modules: dict[str, str]  # what is imported, by its name here
    outside: set[ast.Name]  # reads of names that are not the program's own
    through: set[ast.expr]  # the module in `module.part`
    allowed: set[ast.expr]  # hash in a __hash__ of the program's own, which decides the order of sets at most

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
    read = _Program(tree, names.imported(tree), names.outside(tree), through, allowed)
    for node in nodes:
        problem = _of_import(node) or _of_name(node, read) or _of_attribute(node, read) or _of_definition(node)
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
    return "" if allowed else f"it uses {module}.{part}"


def _of_name(node: ast.AST, program: _Program) -> str:
    if not isinstance(node, ast.Name) or node not in program.outside:
        return ""
    module = program.module(node)
    if module in {*_ONLY, *_BUT, "datetime"} and node not in program.through:
        return f"it uses the module {module} as a value"
    if module or node.id not in _NAMES or (node.id == "hash" and node in program.allowed):
        return ""
    reason = _NAMES[node.id]
    return f"it uses {node.id}{reason and ': '}{reason}"


def _of_attribute(node: ast.AST, program: _Program) -> str:
    name = _attribute(node, program)
    if name in _ATTRIBUTES:
        return f"it uses the attribute {name}"
    if name in _DATES and any(module.partition(".")[0] == "datetime" for module in program.modules.values()):
        return "" if name == "fromtimestamp" and _has_zone(node, program) else f"it uses {name} and imports datetime"
    module = program.module(node.value) if isinstance(node, ast.Attribute) else ""
    return _of_part(module, name)


def _attribute(node: ast.AST, program: _Program) -> str:
    """The attribute that a node asks for by its name, in a way that can be read."""
    if isinstance(node, ast.Attribute):
        return node.attr
    asks = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func in program.outside
    if asks and node.func.id in ("getattr", "hasattr") and len(node.args) > 1:  # type: ignore[attr-defined]
        asked = node.args[1]  # type: ignore[attr-defined]
        return str(asked.value) if isinstance(asked, ast.Constant) else ""
    return ""


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
