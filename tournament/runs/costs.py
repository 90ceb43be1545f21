"""The cost of a run by purpose and model (T12; TTG appendix B, table 7), and its uncertainty.

Two parts are uncertain. For answers without usable token counts the largest possible charge is assumed; it is part of
the cost. Attempts without an answer may have been charged; this possible cost is shown beside the cost. A budget counts
both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from antemill.engine.errors import StorageError
from antemill.llm import LLMError, Prices, Totals, dollar_text, read_models
from antemill.llm.records import StageTotals
from antemill.tournament.runs import wording
from antemill.tournament.runs.folder import RunFolder
from antemill.tournament.runs.status import spending, stages
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet

TOTAL = "total"
_ALL = "all"
_TEXT: Final = "text"
_SUMMED = ("input_tokens", "output_tokens", "calls", "cost", "assumed", "assumed_cost")


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a model, in and out, reasoning included, and their cost. Prices in dollars per million tokens, None if
    there are none; cost in dollars, as it was billed; assumed_cost: the part of it for `assumed` answers without usable
    counts.
    """

    model: str
    input_price: float | None
    output_price: float | None
    input_tokens: int
    output_tokens: int
    calls: int
    cost: float
    assumed: int = 0
    assumed_cost: float = 0.0


def by_purpose(
    stages: Iterable[StageTotals], prices: Mapping[str, Prices], purposes: Mapping[str, str]
) -> list[tuple[str, list[Spent]]]:
    """What each purpose cost, by model, and all of it under "all". Purposes in their order, without those unused.

    purposes: names of the stages, in their order.
    """
    found: dict[str, dict[str, Spent]] = {name: {} for name in purposes.values()}
    for one in stages:
        for purpose in (purposes.get(one.stage, one.stage), _ALL):
            models = found.setdefault(purpose, {})
            parts = [models[one.model]] if one.model in models else []
            models[one.model] = _sum([*parts, _spent(one, prices.get(one.model))], one.model)
    order = [*(name for name in found if name != _ALL), _ALL]
    return [(purpose, list(found[purpose].values())) for purpose in order if found.get(purpose)]


def bill(spent: Sequence[Spent]) -> Spent:
    """The sums over all models."""
    return msgspec.structs.replace(_sum(spent, TOTAL), input_price=None, output_price=None)


def _spent(one: StageTotals, price: Prices | None) -> Spent:
    return Spent(
        model=one.model,
        input_price=price.input if price else None,
        output_price=price.output if price else None,
        **{name: getattr(one, name) for name in _SUMMED},
    )


def _sum(spent: Sequence[Spent], model: str) -> Spent:
    return Spent(
        model=model,
        input_price=spent[0].input_price if spent else None,
        output_price=spent[0].output_price if spent else None,
        **{name: sum(getattr(one, name) for one in spent) for name in _SUMMED},
    )


def costs_of(folders: Sequence[Path], purposes: Mapping[str, str], note: str = "") -> Sheet:
    """The table of some runs; no rows if no model was asked. purposes: by the first part of a call's sample, or, if
    that names none of them, by the call's own purpose. note: the text before the table.

    Raises StorageError.
    """
    found = [stages(folder, list(purposes)) for folder in folders]
    prices = {name: price for folder in folders for name, price in _prices(folder).items()}
    totals = [total for folder in folders for total in spending(folder)]
    return sheet([one for some in found for one in some], prices, totals, purposes, note)


def _prices(folder: Path) -> dict[str, Prices]:
    models = RunFolder(folder).models
    try:
        listed = read_models(models) if models.exists() else {}
    except LLMError as error:
        raise StorageError(f"{str(error).rstrip('.')}: put the file back as it was when the run began.") from error
    return {name: model.prices for name, model in listed.items() if model.prices}


def sheet(
    stages: Sequence[StageTotals],
    prices: Mapping[str, Prices],
    totals: Iterable[Totals],
    purposes: Mapping[str, str],
    note: str = "",
) -> Sheet:
    """The table. prices: by model, where known. totals: of the models, for their uncertain parts."""
    columns = [Column("purpose", "Purpose", _TEXT), Column("model", "Model", _TEXT)]
    columns += [Column("input_price", "In $/M"), Column("output_price", "Out $/M")]
    columns += [Column("input_tokens", "In tokens", "count"), Column("output_tokens", "Out tokens", "count")]
    columns += [Column("calls", "Calls", "count"), Column("dollars", "Cost (USD)", "dollars", digits=4)]
    columns += [
        Column("assumed", "Calls without counts", "count"),
        Column("assumed_dollars", "Of it assumed", "dollars", digits=4),
    ]
    rows: list[list[Cell]] = []
    for purpose, spent in by_purpose(stages, prices, purposes):
        rows += [_row(purpose, one) for one in spent]
        rows.append(_row(purpose, bill(spent)))
    said = [note, "Cost as it was billed: cached tokens are cheaper than In $/M.", *uncertain(totals)]
    return Sheet("costs", "Cost", columns, rows, " ".join(filter(None, said)))


def uncertain(totals: Iterable[Totals]) -> list[str]:
    """The uncertain parts of the models' costs, one sentence each."""
    return [
        f"{one.model}: {text}."
        for one in totals
        for text in (
            wording.assumed(one.assumed_cost, one.assumed),
            wording.possible(one.possible, one.possible_attempts),
        )
        if text
    ]


def headline(totals: Sequence[Totals]) -> tuple[str, str, str]:
    """The cost of a run as the headline of a page: what it is, the dollars, and how much of it is not certain."""
    cost, assumed, possible, unpriced = (
        sum(getattr(one, name) for one in totals) for name in ("cost", "assumed_cost", "possible", "unpriced")
    )
    parts = [f"*{dollar_text(assumed)} of it assumed"] if assumed else []
    parts += [f"{dollar_text(possible)} more possibly charged"] if possible else []
    parts += [f"without {unpriced:,} answer{'s' * (unpriced != 1)} of unknown price"] if unpriced else []
    return "Cost", f"{dollar_text(cost) if cost else '$0'}{'*' if assumed else ''}", ", ".join(parts)


def _row(purpose: str, one: Spent) -> list[Cell]:
    known = one.model != TOTAL
    prices: list[Cell] = [
        Missing("no price") if known and price is None else price for price in (one.input_price, one.output_price)
    ]
    tokens = one.input_tokens, one.output_tokens, one.calls
    return [purpose, one.model, *prices, *tokens, one.cost, one.assumed, one.assumed_cost]
