"""Which kernels Python calls, by the sources of the packages: those that code outside of kernels names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from antemill.engine.digests import TOP, modules_below

PACKAGES = ("engine", "axes", "solver", "tournament")


def called_kernels() -> set[str]:
    """The kernels, as MODULE.NAME."""
    texts = {f"antemill.{name}": _text(name) for package in PACKAGES for name in modules_below(package)}
    trees = {name: ast.parse(text) for name, text in texts.items() if "engine.kernel import" in text}
    homes = tuple(trees)
    made = [f"{name}.{kernel}" for name in homes for kernel in _kernels(trees[name])]
    kernels = dict(zip(made, made, strict=True))
    kernels |= {f"{name}.{new}": kernels[old] for name in homes for new, old in _imports(trees[name]) if old in kernels}
    trees |= {name: ast.parse(text) for name, text in texts.items() if name not in trees and _mentions(text, homes)}
    return {called for name in trees for called in _called(name, trees[name], kernels)}


def _text(name: str) -> str:
    path = TOP.joinpath(*name.split("."))
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()


def _mentions(text: str, homes: tuple[str, ...]) -> bool:
    return any(f"from {home} import" in text or f"from {home.rpartition('.')[0]} import" in text for home in homes)


def _kernels(tree: ast.Module) -> Iterator[str]:
    yield from (node.name for node in tree.body if isinstance(node, ast.FunctionDef) and _is_kernel(node))


def _is_kernel(node: ast.stmt) -> bool:
    found = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any(ast.unparse(one).partition("(")[0] == "kernel" for one in found)


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What is imported from modules: the name here, and the whole name."""
    for each in ast.walk(node):
        if isinstance(each, ast.ImportFrom):
            yield from ((one.asname or one.name, f"{each.module}.{one.name}") for one in each.names)


def _called(module: str, tree: ast.Module, kernels: dict[str, str]) -> Iterator[str]:
    known = {name.rpartition(".")[2]: name for name in kernels if name.rpartition(".")[0] == module}
    known |= dict(_imports(tree))
    for part in _parts(tree.body):
        own = set() if isinstance(part, ast.ClassDef) else set(_variables(part))
        for node in ast.walk(part):
            head, tail = (node.value, f".{node.attr}") if isinstance(node, ast.Attribute) else (node, "")
            if isinstance(head, ast.Name) and head.id not in own:
                name = known.get(head.id, "") + tail
                yield from {kernels[name]} if name in kernels else ()


def _parts(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The functions, methods and other statements of a module, without kernels."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _parts(node.body)
        elif not _is_kernel(node):
            yield node


def _variables(function: ast.stmt) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
