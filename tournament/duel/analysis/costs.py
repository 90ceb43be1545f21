"""Tokens and dollars per model (T12; TTG appendix B, table 7)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What a model took in and gave out. Prices in dollars per million tokens; cost in dollars."""

    model: str
    input_price: float
    output_price: float
    input_tokens: int
    output_tokens: int
    calls: int

    @property
    def cost(self) -> float:
        """Tokens at their prices."""
        return (self.input_tokens * self.input_price + self.output_tokens * self.output_price) / 1e6


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """The sum."""

    input_tokens: int
    output_tokens: int
    calls: int
    cost: float


def bill(rows: Iterable[Spent]) -> Bill:
    """All models together."""
    spent = list(rows)
    return Bill(
        input_tokens=sum(row.input_tokens for row in spent),
        output_tokens=sum(row.output_tokens for row in spent),
        calls=sum(row.calls for row in spent),
        cost=sum(row.cost for row in spent),
    )
