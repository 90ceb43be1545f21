"""What disguises show, as tables: of margins in a tournament, of losses in an evaluation.

Gains are {player: {game: {form: {run: chips a match}}}}; form 0 is the game itself. Losses come with their games' units
and the largest possible loss in chips, {game: (unit, most)}: they are never below zero. Margins and differences may be
negative, so their intervals are Student's; where no pair differs there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from antemill.tournament.statistics.disguises import (
    Advantage,
    advantage,
    holm,
    table_of,
)
from antemill.tournament.statistics.intervals import LEVEL, Floats
from antemill.tournament.statistics.losses import SLIGHT, Loss, faultless, mean_loss, mean_of
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, count, number, text

Runs: TypeAlias = Mapping[int, float]
Gains: TypeAlias = Mapping[str, Mapping[str, Mapping[int, Runs]]]
Units: TypeAlias = Mapping[str, tuple[float, float]]
ALL_GAMES = "all games"


class Words(Struct, frozen=True):
    """What is measured. sign: of the figure for one chip of gain. note: what a match's figure is, as a sentence."""

    head: str
    sign: int
    note: str


LOSS = Words("Loss", -1, "Chips won a match less than by perfect play, in the game's own chips.")
MARGIN = Words(
    "Margin", 1, "The player's chips less the opponent's at the end of a match (margin), in the game's own chips."
)


def form_name(number: int) -> str:
    """What a form of a game is called. number: of the disguise, 0 for the game itself."""
    return f"disguise {number}" if number else "itself"


def by_disguise(
    gains: Gains, seeds: Mapping[str, Mapping[int, int]], words: Words, units: Units | None = None
) -> Sheet | None:
    """The figure in each form of each game; None if no game was played in disguise. seeds: {game: {form: seed}}."""
    if not _any(gains):
        return None
    columns = [text("player", "Player"), text("game", "Game"), text("form", "Form"), text("seed", "Seed")]
    columns += [count("runs", "Pairs"), number("figure", words.head, 3), number("low", "low", 3)]
    columns += [number("high", "high", 3), Column("more", "more", "number", 3, True, "Than as itself")]
    columns += [Column(f"more_{key}", key, "number", 3, True, "Than as itself") for key in ("low", "high")]
    rows: list[list[Cell]] = []
    for player, game, forms in _each(gains):
        for form, runs in forms.items():
            seed: Cell = None if form == 0 else str(seeds[game][form])
            rows.append([player, game, form_name(form), seed, len(runs)])
            unit = None if units is None else units[game]
            rows[-1] += _figure([words.sign * gain for gain in runs.values()], unit)
            own = forms.get(0, {})
            both = [] if form == 0 else [words.sign * (gain - own[run]) for run, gain in runs.items() if run in own]
            rows[-1] += _difference(both, unit)
    note = f"{words.note} With 95% intervals over pairs of matches; differences are between matches on the same cards."
    return Sheet("disguises", f"{words.head} by disguise", columns, rows, note)


def recognised(gains: Gains, words: Words, units: Units | None = None) -> Sheet | None:
    """Whether players play games as themselves better than in disguise; None if nothing can be compared."""
    columns = [text("player", "Player"), text("game", "Game"), count("runs", "Pairs")]
    columns += [number("itself", "As itself", 3), number("disguised", "In disguise", 3)]
    columns += [number("advantage", "Better by", 3), number("low", "low", 3), number("high", "high", 3)]
    columns += [number("p", "p", 4, False), number("corrected", "Corrected", 4, False), text("known", "Recognised")]
    rows: list[list[Cell]] = []
    for player, games in gains.items():
        tables = {game: found for game, forms in games.items() if (found := _comparable(forms)) is not None}
        if not tables:
            continue
        single = [_told(advantage([table]), {game: table}, units) for game, table in tables.items()]
        corrected = holm([one.p for one in single])
        if len(single) > 1:
            whole = _told(advantage(list(tables.values())), tables, units)
            rows.append(_compared(player, ALL_GAMES, whole, whole.p, words.sign))
        rows += [
            _compared(player, game, one, p, words.sign) for game, one, p in zip(tables, single, corrected, strict=True)
        ]
    if not rows:
        return None
    note = (
        f"{words.note} Better by: how much better the player does in the game as itself than in its disguises on the "
        "same cards. p: of no advantage, by exchanging the forms within pairs of matches; corrected (Holm) for the "
        f"number of games. Recognised: corrected p below {1 - LEVEL:.2g}."
    )
    return Sheet("recognised", "Games as themselves and in disguise", columns, rows, note)


def _any(gains: Gains) -> bool:
    return any(form for _, _, forms in _each(gains) for form in forms)


def _each(gains: Gains) -> Iterator[tuple[str, str, Mapping[int, Runs]]]:
    for player, games in gains.items():
        for game, forms in games.items():
            yield player, game, forms


def _comparable(forms: Mapping[int, Runs]) -> Floats | None:
    """The table of a game that was played as itself and in disguise."""
    table = table_of(forms)
    return table if 0 in forms and table.shape[1] > 1 and len(table) else None


def _told(found: Advantage, tables: Mapping[str, Floats], units: Units | None) -> Advantage:
    """An advantage, without its interval if each pair was played alike in all forms."""
    if units is None:
        return found
    alike = all(float(np.ptp(table, axis=1).max()) <= SLIGHT * units[game][0] for game, table in tables.items())
    return replace(found, low=None, high=None) if alike else found


def _figure(values: Sequence[float], unit: tuple[float, float] | None) -> list[Cell]:
    """The mean with its interval as cells. unit: of losses in this game, with the largest; None for margins."""
    if not values:
        return [None] * 3
    return _cells(mean_of(values) if unit is None else mean_loss(values, *unit))


def _difference(values: Sequence[float], unit: tuple[float, float] | None) -> list[Cell]:
    """The mean of differences on the same cards as cells. unit: as for `_figure`."""
    if not values:
        return [None] * 3
    found = mean_of(values)
    return [found.mean, None, None] if faultless(values, 1.0 if unit is None else unit[0]) else _cells(found)


def _cells(found: Loss) -> list[Cell]:
    return [found.mean, found.low, found.high]


def _compared(player: str, game: str, found: Advantage, corrected: float, sign: int) -> list[Cell]:
    figures: list[Cell] = [found.runs, sign * found.itself, sign * found.disguised]
    figures += [found.difference, found.low, found.high]
    known = "yes" if corrected < 1 - LEVEL else "no"
    return [player, game, *figures, found.p, corrected, known]
