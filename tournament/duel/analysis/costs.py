"""Tokens and dollars by purpose and model (T12; TTG appendix B, table 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from llm import Prices
from llm.store import StageTotals

TOTAL = "total"
PURPOSES = {"duel": "duel", "solve": "re-solve", "tag": "tags"}  # by the first part of the sample that was asked for


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What a model took in and gave out, reasoning included. Prices in dollars per million tokens, None if there are
    none; cost in dollars, as it was billed.
    """

    model: str
    input_price: float | None
    output_price: float | None
    input_tokens: int
    output_tokens: int
    calls: int
    cost: float


def by_purpose(stages: Iterable[StageTotals], prices: Mapping[str, Prices]) -> list[tuple[str, list[Spent]]]:
    """What each purpose cost, by model, and all of it under "all". Purposes in their order, without those unused."""
    found: dict[str, dict[str, Spent]] = {name: {} for name in (*PURPOSES.values(), "all")}
    for one in stages:
        for purpose in (PURPOSES.get(one.stage, one.stage), "all"):
            models = found.setdefault(purpose, {})
            parts = [models[one.model]] if one.model in models else []
            models[one.model] = _sum([*parts, _spent(one, prices.get(one.model))], one.model)
    return [(purpose, list(models.values())) for purpose, models in found.items() if models]


def bill(spent: Sequence[Spent]) -> Spent:
    """All models together."""
    whole = _sum(spent, TOTAL)
    return msgspec.structs.replace(whole, input_price=None, output_price=None)


def _spent(one: StageTotals, price: Prices | None) -> Spent:
    return Spent(
        model=one.model,
        input_price=price.input if price else None,
        output_price=price.output if price else None,
        input_tokens=one.input_tokens,
        output_tokens=one.output_tokens,
        calls=one.calls,
        cost=one.cost,
    )


def _sum(spent: Sequence[Spent], model: str) -> Spent:
    return Spent(
        model=model,
        input_price=spent[0].input_price if spent else None,
        output_price=spent[0].output_price if spent else None,
        input_tokens=sum(one.input_tokens for one in spent),
        output_tokens=sum(one.output_tokens for one in spent),
        calls=sum(one.calls for one in spent),
        cost=sum(one.cost for one in spent),
    )
