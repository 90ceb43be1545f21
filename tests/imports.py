"""Reads what a module imports, without running it. The tests of the project's structure stand on this."""

import ast
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "axes", "solver", "llm", "tournament")
_HOLDING = (ast.stmt, ast.excepthandler, ast.match_case)  # what can hold a statement; a lambda holds expressions only


@dataclass(frozen=True)
class Source:
    """A module's dotted name and its text."""

    module: str
    text: str
    is_package: bool = False


@dataclass(frozen=True)
class Import:
    """`from module import name as alias`, or `import module as alias` with an empty name; `module` is absolute."""

    module: str
    name: str
    alias: str
    line: int
    in_function: bool
    for_typing: bool  # under `if TYPE_CHECKING:`

    @property
    def target(self) -> str:
        """The dotted name of what is imported; its last part may be a module or something inside one."""
        return f"{self.module}.{self.name}" if self.name else self.module


def sources(folder: Path, root: Path = ROOT) -> list[Source]:
    """All modules below `folder`, by name."""
    return [_source(path, root) for path in sorted(folder.rglob("*.py"))]


def copy_packages(target: Path) -> None:
    """A copy of the five packages in `target`, where they can be edited and imported as `antemill`."""
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "antemill", target / "antemill", ignore=left_out)


@cache
def project_sources() -> tuple[Source, ...]:
    """All modules of the five packages, by their full names. A package without any module is an error."""
    found = {package: sources(ROOT / package) for package in PACKAGES}
    empty = [package for package, modules in found.items() if not modules]
    if empty:
        raise FileNotFoundError(f"no Python files in {', '.join(empty)} below {ROOT}")
    return tuple(source for modules in found.values() for source in modules)


@cache
def imports(source: Source) -> tuple[Import, ...]:
    """Every import statement, and every `import_module` or `__import__` of a literal name, at any depth."""
    called = "import_module" in source.text or "__import__" in source.text
    below = (ast.AST,) if called else _HOLDING
    return tuple(_walk(ast.parse(source.text), source, below, in_function=False, for_typing=False))


def _source(path: Path, root: Path) -> Source:
    parts = path.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    parts = ("antemill", *parts) if parts[0] in PACKAGES else parts
    return Source(".".join(parts[:-1] if is_package else parts), path.read_text(encoding="utf-8"), is_package)


def _walk(
    node: ast.AST, source: Source, below: tuple[type[ast.AST], ...], in_function: bool, for_typing: bool
) -> Iterator[Import]:
    """below: what is looked into."""
    for module, name, alias in _imported(node, source):
        yield Import(module, name, alias, node.lineno, in_function, for_typing)  # type: ignore[attr-defined]
    inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    guarded = node.body if isinstance(node, ast.If) and "TYPE_CHECKING" in _names(node.test) else []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, below):
            yield from _walk(child, source, below, inside, for_typing or child in guarded)


def _imported(node: ast.AST, source: Source) -> Iterator[tuple[str, str, str]]:
    match node:
        case ast.Import(names=names):
            for item in names:
                yield item.name, "", item.asname or item.name.partition(".")[0]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _absolute(source, module or "", level)
            for item in names:
                yield base, item.name, item.asname or item.name
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
            if ".".join(_names(function)) in ("__import__", "import_module", "importlib.import_module"):
                yield name, "", ""


def _names(expression: ast.expr) -> list[str]:
    """The names in an expression, and behind each those of its attributes."""
    found = []
    for node in ast.walk(expression):
        if isinstance(node, ast.Name | ast.Attribute):
            found.append(node.id if isinstance(node, ast.Name) else node.attr)
    return found[::-1]


def _absolute(source: Source, module: str, level: int) -> str:
    if level == 0:
        return module
    package = source.module.split(".") if source.is_package else source.module.split(".")[:-1]
    base = package[: len(package) - level + 1]
    return ".".join([*base, module] if module else base)
