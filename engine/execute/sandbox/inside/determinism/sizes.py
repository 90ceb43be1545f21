"""Formats of `struct`, `array` and `memoryview.cast` whose items have other sizes on other machines (S3)."""

import ast
import re

from .program import Program

# A whole format, or a piece of one, that begins with no order of bytes, with `long`, `size_t` or a pointer in it.
_FORMAT = re.compile(r"@?[\d\sxcbBhHiIlLqQnNefdspP?]*[lLnNP][\d\sxcbBhHiIlLqQnNefdspP?]*")
_SEEING = {"tobytes", "frombytes", "byteswap", "memoryview", "bytes", "bytearray"}  # what shows an array's bytes


def objection(node: ast.AST, program: Program) -> str:
    """Why the output may depend on the machine because of this text; empty if it does not."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str | bytes):
        return ""
    text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
    if not _FORMAT.fullmatch(text) or not _matters(program):
        return ""
    return f"it uses the format {text!r}, whose size differs between machines"


def _matters(program: Program) -> bool:
    """Whether the program may use a text as a format, and see the size."""
    names = {node.id if isinstance(node, ast.Name) else node.attr for node in _names(program.tree)}
    return program.imports("struct") or "cast" in names or (program.imports("array") and not _SEEING.isdisjoint(names))


def _names(tree: ast.Module) -> list[ast.Name | ast.Attribute]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)]
