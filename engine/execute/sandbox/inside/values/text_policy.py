"""What the text of a solution must not contain if its code runs in the puzzle's interpreter (see `isolated`).

Syntax is allowed by a list, so new syntax of a later Python is refused. Refused attributes are private ones, those that
lead to frames, those that change a class without an assignment, and formats that read attributes, which this rule could
not see.
"""

import ast
import string

HOLDS = ("_", "gi_", "cr_", "ag_", "tb_", "co_", "f_")  # how attributes begin that are private, or lead to frames
_OF_CLASSES = ("mro", "register")  # the public attributes of `type` and of abstract classes
_CLOCK = ("now", "today", "utcnow")  # of datetime: reading moves the clock, which the puzzle shares
_ENDS = ("send",)  # may raise StopIteration (see `safe_library.next_of`)
_OPERATORS = """abs add and bool call ceil complex contains divmod doc eq float floor floordiv format ge getitem gt hash
    index int invert iter le len length_hint lshift lt matmul mod mul name ne neg or pos pow radd rand rdivmod
    repr reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift rsub rtruediv rxor str sub truediv
    trunc xor"""
_HARMLESS = frozenset(f"__{name}__" for name in _OPERATORS.split())  # operators and built-in functions reach these, too
NAMED = ("_fields", "_replace", "_asdict", "_make")  # of named tuples
_SYNTAX = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred, ast.Call),
    *(ast.keyword, ast.BoolOp, ast.boolop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.Compare, ast.cmpop),
    *(ast.IfExp, ast.NamedExpr, ast.Lambda, ast.arguments, ast.arg, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.JoinedStr, ast.FormattedValue),
    ast.expr_context,
)


class RefusedError(Exception):
    """The solution asks for something that is not allowed in the puzzle's interpreter."""

    def __init__(self, what: str) -> None:
        super().__init__(f"a solution that is not plain data must not {what}")


def check(tree: ast.AST) -> None:
    """Raise RefusedError if the expression's text breaks the policy."""
    for node in ast.walk(tree):
        if not isinstance(node, _SYNTAX) or getattr(node, "is_async", False):
            raise RefusedError("await or yield" if _waits(node) else f"use the syntax {type(node).__name__}")
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            raise RefusedError("assign to an attribute or an item")
        if isinstance(node, ast.Attribute) and not (is_harmless(node.attr) and _formats(node)):
            raise RefusedError(f"use the attribute {node.attr!r} like that")
        if isinstance(node, ast.Name) and node.id.startswith("__") and node.id != "__import__":
            raise RefusedError(f"use the name {node.id!r}")


def _waits(node: ast.AST) -> bool:
    return isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.comprehension)


def is_harmless(name: str) -> bool:
    return name in _HARMLESS or name in NAMED or not (name.startswith(HOLDS) or name in (*_OF_CLASSES, *_CLOCK, *_ENDS))


def _formats(node: ast.Attribute) -> bool:
    """Whether the attribute is not str.format, or is that of a text without attributes in it."""
    if node.attr not in ("format", "format_map"):
        return True
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    return isinstance(text, str) and node.attr == "format" and not reads_attributes(text)


def reads_attributes(text: str) -> bool:
    """Whether a format has a field that reads an attribute, or can not be parsed."""
    try:
        fields = [(name, form) for _, name, form, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return True
    return any("." in name or ("{" in (form or "") and reads_attributes(form or "")) for name, form in fields)
