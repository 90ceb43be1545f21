"""Conditions on games: `state_space < 3 and has_auction`, as a mask over columns.

    condition    comparisons, columns of truth values, `and`, `or`, `not`, parentheses
    comparison   values with < <= > >= == != between them; several in a row hold together: 2 <= state_space < 3
    value        a column, a number with or without a sign, a text in quotes

Python's grammar reads the text, and nothing else of Python is understood: the condition is never executed.
"""

from __future__ import annotations

import ast
import difflib
import operator
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from antemill.engine.errors import UsageError

Columns = Mapping[str, npt.NDArray[Any]]
Mask = npt.NDArray[np.bool_]
_HOW = "write a condition like 'state_space < 3 and has_auction'"
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def matching(condition: str, columns: Columns) -> Mask:
    """bool[rows]: where the condition holds. A number that is missing (NaN) fulfils no comparison but !=.

    Raises UsageError for a condition that cannot be read, or that is about something that is no column.
    """
    try:
        tree = ast.parse(condition.strip(), mode="eval")
        return _Reader(condition, columns).mask(tree.body)
    except SyntaxError as error:
        raise UsageError(f"the condition '{condition}' cannot be read ({error.msg}): {_HOW}.") from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise UsageError(f"the condition cannot be read (it is too long or has odd characters): {_HOW}.") from error


class _Reader:
    """Reads one condition."""

    def __init__(self, condition: str, columns: Columns) -> None:
        self._condition, self._columns = condition, columns

    def mask(self, node: ast.expr) -> Mask:
        """Where a part of the condition holds."""
        if isinstance(node, ast.BoolOp):
            parts = [self.mask(part) for part in node.values]
            both = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            return np.asarray(both.reduce(parts), np.bool_)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.mask(node.operand)
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.Name):
            found = self._column(node)
            if found.dtype == np.bool_:
                return found
            self._wrong(f"{node.id} is not a column of truth values; compare it with something")
        self._wrong(f"'{self._said(node)}' is no condition")

    def _compared(self, node: ast.Compare) -> Mask:
        values = [self._value(part) for part in (node.left, *node.comparators)]
        found = np.ones(len(next(iter(self._columns.values()))), np.bool_)
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            if type(op) not in _COMPARED:
                self._wrong("'in' and 'is' are not understood")
            if _is_text(left) != _is_text(right):
                self._wrong(f"'{self._said(node)}' compares a text with a number")
            found &= np.broadcast_to(_COMPARED[type(op)](left, right), found.shape)
        return found

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return self._column(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            value = self._value(node.operand)
            if isinstance(value, float):
                return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return float(node.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        self._wrong(f"'{self._said(node)}' is neither a column nor a number nor a text in quotes")

    def _column(self, node: ast.Name) -> npt.NDArray[Any]:
        if node.id in self._columns:
            return self._columns[node.id]
        near = difflib.get_close_matches(node.id, self._columns, 1)
        hint = f"did you mean {near[0]}?" if near else f"the columns are {', '.join(self._columns)}."
        raise UsageError(f"the condition '{self._condition}' asks for {node.id}, which is no column: {hint}")

    def _said(self, node: ast.expr) -> str:
        return ast.get_source_segment(self._condition.strip(), node) or self._condition

    def _wrong(self, what: str) -> NoReturn:
        raise UsageError(f"the condition '{self._condition}' cannot be read ({what}): {_HOW}.")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, np.ndarray) and value.dtype.kind in "OUST")
