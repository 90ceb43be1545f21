"""A solution: the text of one expression (T6).

Plain data travels (see `value`), and nothing in the expression matters then: it ran in an interpreter of its own. A
value that can not travel, a lambda above all, has to be made and used beside the puzzle's code, so there the expression
is held to a policy: no attributes that begin with an underscore, none that lead to frames or to state that the puzzle
keeps in its functions and classes, no way to import, to execute text, to set attributes or to make classes, and of the
puzzle's names only functions, classes, constants and harmless parts of the standard library. What the puzzle's own
functions do for it is the puzzle's affair.
"""

import ast
import builtins
import importlib
import string
import symtable
from types import FunctionType, ModuleType
from typing import Any

FILE = "<solution>"
_HOLDS = ("_", "gi_", "cr_", "ag_", "tb_", "co_", "f_")  # how attributes begin that are private, or lead to frames
_BUILTINS = [
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "complex",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "frozenset",
    "hash",
    "hex",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "oct",
    "ord",
    "pow",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "slice",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
    "Ellipsis",
    "NotImplemented",
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "Exception",
    "IndexError",
    "KeyError",
    "LookupError",
    "NameError",
    "NotImplementedError",
    "OverflowError",
    "RecursionError",
    "RuntimeError",
    "StopIteration",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
]
SAFE_BUILTINS = {name: getattr(builtins, name) for name in _BUILTINS}
_MODULES: dict[str, str] = {  # module: the attributes that a solution may use, all public ones if empty
    **dict.fromkeys(["binascii", "bisect", "cmath", "datetime", "heapq", "itertools", "math", "struct"], ""),
    **dict.fromkeys(["unicodedata", "zlib"], ""),
    "base64": """b64encode b64decode standard_b64encode standard_b64decode urlsafe_b64encode urlsafe_b64decode b32encode
        b32decode b16encode b16decode a85encode a85decode b85encode b85decode encodebytes decodebytes""",
    "textwrap": "wrap fill dedent indent shorten",
    "collections": "Counter OrderedDict defaultdict deque ChainMap",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "functools": "reduce partial cmp_to_key lru_cache cache",
    "hashlib": "md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s sha3_224 sha3_256 sha3_384 sha3_512",
    "operator": """abs add and_ concat contains countOf eq floordiv ge getitem gt index indexOf inv invert is_ is_not
        itemgetter le lshift lt matmul mod mul ne neg not_ or_ pos pow rshift sub truediv truth xor""",
    "re": "match search fullmatch findall finditer sub split compile escape IGNORECASE MULTILINE DOTALL",
    "statistics": "mean median mode stdev variance pstdev pvariance fmean",
    "string": """ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable
        whitespace capwords""",
}
_LITERAL = (
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.UnaryOp,
    ast.BinOp,
    ast.operator,
    ast.unaryop,
    ast.Load,
)
_CONSTANTS = (int, float, complex, str, bytes, bool, type(None), range)


class RefusedError(Exception):
    """The text asks for something that is not allowed where it would have to run."""


def parse(text: str) -> ast.Expression:
    """The expression. Raises SyntaxError, ValueError, MemoryError or RecursionError if the text is not exactly one."""
    return ast.parse(text.strip(), FILE, "eval")


def is_literal(tree: ast.Expression) -> bool:
    """Whether the expression is plain data as it stands, so that evaluating it runs nobody's code."""
    return all(isinstance(node, _LITERAL) for node in ast.walk(tree.body)) and _evaluates(tree)


def _evaluates(tree: ast.Expression) -> bool:
    try:
        ast.literal_eval(tree)
    except ValueError:  # 1 + 2, say
        return False
    return True


def free_names(text: str) -> set[str]:
    """The names that the expression takes from outside."""
    found: set[str] = set()
    tables = [symtable.symtable(text.strip(), FILE, "eval")]
    top = tables[0]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        found |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (table is top or s.is_global())}
    return found


def names_of(code: str) -> set[str]:
    """The names that a module's code binds at its top level, as far as its text shows."""
    tables = [symtable.symtable(code, "<puzzle>", "exec")]
    top = tables[0]
    found: set[str] = set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        found |= {
            s.get_name()
            for s in table.get_symbols()
            if (s.is_assigned() or s.is_imported() or s.is_namespace()) and (table is top or s.is_declared_global())
        }
    return found


def needs_puzzle(text: str, code: str) -> bool:
    """Whether the expression has a name that is the puzzle's, or may be: one that is no builtin, or that it binds."""
    names = free_names(text)
    unknown = any(not hasattr(builtins, name) for name in names)
    return unknown or bool(names and names & names_of(code))


def check_policy(tree: ast.AST) -> None:
    """Raises RefusedError if the expression breaks the policy by its text alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (
            node.attr.startswith(_HOLDS) or node.attr == "mro" or not _formats(node)
        ):
            raise RefusedError(f"a solution that is not plain data must not use the attribute {node.attr!r} like that")
        if isinstance(node, ast.Name) and node.id.startswith("__"):
            raise RefusedError(f"a solution that is not plain data must not use the name {node.id!r}")
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom):
            raise RefusedError("a solution that is not plain data must not await or yield")


def _formats(node: ast.Attribute) -> bool:
    """Whether the attribute is not str.format, or is that of a text without attributes in it."""
    if node.attr not in ("format", "format_map"):
        return True
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    if not isinstance(text, str) or node.attr == "format_map":
        return False
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return False
    return not any("." in (name or "") or "{" in (form or "") for _, name, form, _ in fields)


def namespace(tree: ast.AST, names: set[str], puzzle: dict[str, Any]) -> dict[str, Any]:
    """The namespace to evaluate the expression in, beside the puzzle whose namespace is given: it shares only names
    that give no hold on the puzzle. Raises RefusedError for another one, NameError for one that nobody has."""
    scope: dict[str, Any] = {"__builtins__": dict(SAFE_BUILTINS)}
    for name in names & puzzle.keys():
        scope[name] = _shown(name, puzzle[name])
    bound = {node.target.id for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)}
    for name in names - puzzle.keys() - SAFE_BUILTINS.keys() - bound:
        if hasattr(builtins, name):
            raise RefusedError(f"a solution that is not plain data must not use {name!r}")
        raise NameError(f"name {name!r} is not defined")
    state: set[str] = set().union(*(_state(value) for value in scope.values()))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in state:
            raise RefusedError(f"a solution that is not plain data must not use the puzzle's attribute {node.attr!r}")
    return scope


class _Part:
    """Stands for a module of the standard library: has what a solution may use of it."""


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, ModuleType) and value.__name__ in _MODULES:
        part = _Part()
        part.__dict__.update(_allowed(value.__name__))
        return part
    own = isinstance(value, FunctionType | type) and value.__module__ == "__main__"
    if own or _constant(value) or any(value is thing for thing in SAFE_BUILTINS.values()) or _is_allowed(value):
        return value
    raise RefusedError(f"a solution that is not plain data must not use the puzzle's {name!r}")


def _constant(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(_constant(item) for item in value)
    return type(value) in _CONSTANTS


def _allowed(module: str) -> dict[str, Any]:
    everything = vars(importlib.import_module(module))
    names = _MODULES[module].split() or [n for n in everything if not n.startswith("_")]
    parts = {name: everything[name] for name in names if name in everything}
    return {name: part for name, part in parts.items() if not isinstance(part, ModuleType)}


def _is_allowed(value: Any) -> bool:
    home = getattr(value, "__module__", None) or ""
    homes = [home, home.removeprefix("_")] if isinstance(home, str) else []
    return any(value is thing for name in homes if name in _MODULES for thing in _allowed(name).values())


def _state(value: Any) -> set[str]:
    """The attributes by which one of the puzzle's functions or classes gives a hold on something that may change."""
    if isinstance(value, FunctionType):
        return set(value.__dict__)
    found: set[str] = set()
    for kind in type.mro(value) if isinstance(value, type) else ():
        for name, part in vars(kind).items() if kind.__module__ == "__main__" else ():
            if isinstance(part, type) and part is not value:
                found |= _state(part)
            elif not (hasattr(type(part), "__get__") or isinstance(part, kind) or _constant(part)):
                found.add(name)
    return found
