"""Digests of the meaning of source files: of their syntax trees, without docstrings, comments and layout.

    Sources().digest(["engine.builder.generate"])    changes with the code of this module and of all our modules that
    it imports

Modules have their names within `antemill`, in arguments and in the digested imports: the name of the outer package does
not change a digest. Names that begin with `antemill.` are also accepted.

A module's imports are read, not run. They count at any depth, also in functions, except imports for type checkers. The
packages that contain an imported module do not count. A package counts with all of its modules if it is itself imported
with all its contents, or finds its names at run time (`__getattr__`). Imports by computed names (importlib) are not
found, so digested code does not use them. Two things are omitted: the modules that decide where code is kept, and the
methods that show an object in a session (`SHOWN`). A test checks that no computation reads their results.

The digests are the same on every supported Python. This module writes the trees as text itself, since Python's own
output differs between versions (`ast.dump` shows new fields, `ast.unparse` quotes differently).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, cast

TOP = Path(__file__).resolve().parent.parent  # the checkout, or the installed package
PACKAGES = ("engine", "axes", "solver", "llm", "tournament")
SHOWN = ("__repr__", "_repr_html_", "_repr_svg_")
_OURS = "antemill"
_LEFT_OUT = frozenset(
    {
        "engine.digests",
        "engine.kernel_cache",
        "engine.kernel_forms",
        "engine.kernel_links",
        "engine.kernel_plain",
        "engine.wanted",
        "engine.cache_root",
    }
)
# Kept meanings belong to this reader and this version of Python, which may not know the syntax of another one.
_READER = blake2b(repr(sys.version_info[:2]).encode() + Path(__file__).read_bytes(), digest_size=16).digest()


class Meaning(NamedTuple):
    """The meaning of a module.

    digest: of its tree, 32 hexadecimal digits. imports: "module" for `import module`, "module:name" for `from module
    import name`. is_package: whether it is an `__init__.py`. names: of a package, the names that it defines or imports.
    """

    digest: str
    imports: tuple[str, ...]
    is_package: bool
    names: tuple[str, ...]


class _ByModule(dict[str, Meaning]):
    """Meanings by the modules' names within `antemill`; lookups by full names work too."""

    def __missing__(self, module: str) -> Meaning:
        if (name := within(module)) == module:
            raise KeyError(module)
        return self[name]


Known = MutableMapping[str, Meaning]  # by a digest of a module's name and bytes


class Sources:
    """The sources of our packages. Each is read when it is first needed, and not again."""

    def __init__(self, known: Known | None = None) -> None:
        """known: meanings of sources that were read earlier, which save work; new ones are added.

        The attribute `first`, if it is set, is called once, before the first source is read.
        """
        self.known: Known = {} if known is None else known
        self.first: Callable[[], None] | None = None
        self._read: dict[str, Meaning | None] = {}
        self._stamps: dict[str, tuple[Path, tuple[int, int]]] = {}
        self._below: dict[str, list[str]] = {}
        self._modules: dict[str, list[str]] = {}  # by imports, as `Meaning` has them

    def digest(self, modules: Iterable[str], size: int = 8) -> str:
        """2 `size` hexadecimal digits for the meaning of these modules and of all our modules that they import.

        Raises ModuleNotFoundError for a module without a source file in our packages.
        """
        found = self.reached(modules)
        lines = (f"{name} {found[name].digest}\n" for name in sorted(found))
        return blake2b("".join(lines).encode(), digest_size=size).hexdigest()

    def reached(self, modules: Iterable[str]) -> dict[str, Meaning]:
        """These modules and all our modules that they import, directly or not. Raises ModuleNotFoundError."""
        found = _ByModule()
        waiting = [within(module) for module in modules]
        while waiting:
            name = waiting.pop()
            if name in found or name in _LEFT_OUT:
                continue
            meaning = self.get(name)
            if meaning is None:
                raise ModuleNotFoundError(f"there is no source of {name} below {TOP}", name=name)
            found[name] = meaning
            for each in meaning.imports:
                if each not in self._modules:
                    self._modules[each] = self._meant(*each.split(":"))
                waiting += self._modules[each]
        return found

    def get(self, module: str) -> Meaning | None:
        """The meaning of one of our modules; None if it has no source file."""
        module = within(module)
        if (first := self.first) is not None:
            self.first = None
            first()
        if module not in self._read:
            path = source_of(module)
            self._read[module] = None if path is None else self._look(module, path)
        return self._read[module]

    def stamp(self, modules: Iterable[str]) -> None:
        """Record the times and sizes of these modules' source files, without reading them."""
        for module in modules:
            if (path := source_of(module)) is not None:
                self._stamps.setdefault(module, (path, _stamp(path)))

    def changed(self, modules: Iterable[str]) -> bool:
        """Whether a source file of these modules, or of their imports, has changed since it was stamped or read."""
        stamps = (self._stamps[name] for name in self.reached(modules))
        return any(not path.exists() or _stamp(path) != stamp for path, stamp in stamps)

    def _look(self, module: str, path: Path) -> Meaning:
        self._stamps.setdefault(module, (path, _stamp(path)))
        content, is_package = path.read_bytes(), path.name == "__init__.py"
        key = blake2b(_READER + f"{module} {is_package}\0".encode() + content, digest_size=16).hexdigest()
        if key not in self.known:
            self.known[key] = _meaning(module, is_package, content)
        return self.known[key]

    def _meant(self, base: str, name: str = "") -> list[str]:
        """The modules that an import refers to: `import base`, or `from base import name`."""
        found = self.get(base)
        if not name:
            return self._all_of(base) if found and found.is_package else [base] if found else []
        inside = self._meant(f"{base}.{name}")
        if not found or not found.is_package:
            return [base] if found else inside
        if {"__getattr__", "*"} & {*found.names, name}:
            return self._all_of(base)
        return [base, *inside] if not inside or name in found.names else inside

    def _all_of(self, package: str) -> list[str]:
        if package not in self._below:
            self._below[package] = modules_below(package)
        return self._below[package]


@cache
def shared() -> Sources:
    """The sources as this process finds them; each is read once for all digests."""
    return Sources()


def within(module: str) -> str:
    """The name of a module within `antemill`: `engine.kernel` for `antemill.engine.kernel`."""
    return module.removeprefix(f"{_OURS}.")


def source_of(module: str) -> Path | None:
    """The source file of one of our modules; None if there is none."""
    parts = within(module).split(".")
    if parts[0] not in PACKAGES:
        return None
    base = TOP.joinpath(*parts)
    return next((path for path in (base / "__init__.py", base.with_name(f"{base.name}.py")) if path.is_file()), None)


def modules_below(package: str) -> list[str]:
    """All modules of a package, including the package itself, by their names within `antemill`."""
    paths = (path.relative_to(TOP).with_suffix("").parts for path in TOP.joinpath(*package.split(".")).rglob("*.py"))
    return sorted(".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in paths)


def canonical(tree: ast.Module) -> str:
    """A syntax tree as text. Sources that differ only in docstrings, comments or layout give the same text."""
    text: list[str] = []
    _write(tree, text)
    return "".join(text)


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _meaning(module: str, is_package: bool, content: bytes) -> Meaning:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # it cannot be imported, so its bytes are its meaning
        return Meaning(blake2b(content, digest_size=16).hexdigest(), (), is_package, ())
    digest = blake2b(canonical(tree).encode(), digest_size=16).hexdigest()
    imports = dict.fromkeys(_imports(tree, module if is_package else module.rpartition(".")[0]))
    return Meaning(digest, tuple(imports), is_package, tuple(dict.fromkeys(_names(tree))) if is_package else ())


# ------------------------------------------------------------------------------------------------ trees as text


def _write(node: object, text: list[str]) -> None:
    """Append a node, or the value of a field, as text; different trees give different texts.

    Fields that are None or empty are omitted, since newer versions have more of them. Constants are written in ASCII,
    because the set of other characters that `repr` escapes depends on the version's Unicode tables.
    """
    if isinstance(node, ast.AST):
        text.append(f"{type(node).__name__}(")
        for field, value in ast.iter_fields(node):
            if value is not None and value != [] and field != "kind":  # the kind of a constant: u"" or ""
                text.append(f"{field}=")
                _write(_plain(node, field, value), text)
        text.append(")")
    elif isinstance(node, list):
        text.append("[")
        for item in node:
            if not _is_text(item):
                _write(item, text)
                text.append(",")
        text.append("]")
    else:
        text.append(ascii(node))


def _plain(node: ast.AST, field: str, value: object) -> object:
    """A field's value, without the parts that do not count: the division of an f-string, a class's methods of `SHOWN`,
    and the prefix `antemill.` of an import."""
    if isinstance(node, ast.ClassDef) and field == "body":
        return [item for item in cast(list[ast.stmt], value) if not _is_shown(item)]
    if isinstance(node, ast.JoinedStr):
        return _merged(cast(list[ast.expr], value))
    imported = (isinstance(node, ast.ImportFrom) and field == "module") or (
        isinstance(node, ast.alias) and field == "name"
    )
    return within(cast(str, value)) if imported else value


def _is_text(node: object) -> bool:
    """Whether the node is a statement that consists of a string, which has no effect, docstring or not."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_shown(node: ast.AST) -> bool:
    """Whether the statement of a class defines a method of `SHOWN`, and runs no code when the class is made."""
    if not isinstance(node, ast.FunctionDef) or node.name not in SHOWN:
        return False
    arguments = node.args
    runs = node.decorator_list or arguments.defaults or any(arguments.kw_defaults)
    plain = node.returns is None or isinstance(node.returns, ast.Name)
    return not runs and plain and all(each.annotation is None for each in (*arguments.posonlyargs, *arguments.args))


def _merged(values: list[ast.expr]) -> list[ast.expr]:
    """The parts of an f-string, with adjacent texts joined and empty ones omitted: versions divide it differently."""
    parts: list[ast.expr] = []
    for value in values:
        text = value.value if isinstance(value, ast.Constant) else None
        before = parts[-1].value if parts and isinstance(parts[-1], ast.Constant) else None
        if isinstance(text, str) and isinstance(before, str):
            parts[-1] = ast.Constant(before + text)
        elif text != "":
            parts.append(value)
    return parts


# ------------------------------------------------------------------------------------------------ imports


def _imports(tree: ast.Module, package: str) -> Iterator[str]:
    """What a module of this package imports from our packages, in the order of its text."""
    for node in _run(tree):
        if isinstance(node, ast.Import):
            # `import antemill.engine.machine.vm` gives access to `antemill.engine`, and so to all of its modules
            full = [item.name for item in node.names if item.name.startswith(f"{_OURS}.")]
            bound = {item.name for item in node.names if item.asname}
            names = [within(name) if name in bound else within(name).partition(".")[0] for name in full]
        elif isinstance(node, ast.ImportFrom) and (node.level or f"{node.module}.".startswith(f"{_OURS}.")):
            base = _absolute(package, within(node.module or ""), node.level)
            names = [item.name if base == _OURS else f"{base}:{item.name}" for item in node.names]
        else:
            continue
        yield from (name for name in names if name.replace(":", ".").partition(".")[0] in PACKAGES)


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes except those for type checkers and the methods of `SHOWN`."""
    yield node
    unseen: list[ast.stmt] = node.body if isinstance(node, ast.If) and _is_for_types(node.test) else []
    if isinstance(node, ast.ClassDef):
        unseen = [item for item in node.body if _is_shown(item)]
    for child in ast.iter_child_nodes(node):
        if child not in unseen:
            yield from _run(child)


def _is_for_types(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _absolute(package: str, module: str, level: int) -> str:
    """The full name of what `from ..module import` refers to inside `package`."""
    if level == 0:
        return module
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - level + 1], *([module] if module else [])])


def _names(tree: ast.Module) -> Iterator[str]:
    """The names that a module defines or imports."""
    for node in _run(tree):
        match node:
            case ast.alias():
                yield node.asname or node.name.partition(".")[0]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Name(ctx=ast.Store()):
                yield node.id
