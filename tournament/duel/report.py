"""The report of a set of duels: its tables, and every duel turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antemill.llm import Totals
from antemill.tournament.costs import headline
from antemill.tournament.duel.analyze import load, sheets
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.duel.figures import BESIDE, charts_of
from antemill.tournament.duel.findings import TOTAL
from antemill.tournament.duel.items import turned_as
from antemill.tournament.duel.results import Results
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.duel.tables import STATISTICS
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.evidence import Behind, Evidence, item, listed
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.page import tiles
from antemill.tournament.pages.run import Example, RunOverview, overview_with, page_with_items, verdict
from antemill.tournament.runs import RunFolder, read_config
from antemill.tournament.runs.paper import FOLLOWED
from antemill.tournament.runs.status import spending
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet
from antemill.tournament.statistics.statistic import on_page

POINTS = "Rating: 400 points are odds of ten to one in a duel, or in a round"
BEYOND = (
    "; \N{INFINITY} above a player: no duel lost to that player or one below; "
    "\N{INFINITY} below: none won against that player or one above"
)
BRACKETS = ". In brackets: the 95% interval over resampled duels."
INTERVALS = (
    (
        "Low and high of a rating",
        "The duels are resampled with replacement many times; 95% of the resulting ratings lie between the two. "
        "The interval is widened to Student's t where duels are few.",
    ),
)


def _with(outcome: str, role: str) -> Behind:
    """The duels that have a turn with this outcome: that of the row's number, or one with its player in this role."""

    def of(row: Mapping[str, Any]) -> str:
        if "turn" in row:
            return listed(("turned", turned_as(f"turn {row['turn']}", outcome)))
        if row["player"] == TOTAL:
            return listed(("outcomes", outcome))
        return listed(("turned", turned_as(f"{row['player']} as {role}", outcome)))

    return of


def _tagged(tag: str) -> Behind:
    """The duels with such puzzles of the row's proposer. tag: the column that names it."""
    return lambda row: listed(("turned", turned_as(f"{row['proposer']} as proposer", str(row[tag]))))


def _again(player: str = "", *more: tuple[str, str]) -> Behind:
    """A player's attempts on the puzzles of the row's proposer, outside of duels; without a name, on its own."""

    def of(row: Mapping[str, Any]) -> str:
        proposer = str(row["proposer"] if player else row["player"])
        mine = [("proposer", proposer)] if proposer != TOTAL else []
        return listed(("what", "solve"), ("players", player or proposer), *mine, *more) if player or mine else ""

    return of


def _cells(results: Results) -> dict[str, Behind]:
    """What is behind the cells of some columns."""
    found = {
        "solved": _with("solved", "solver"),
        "failed": _with("unsolved", "solver"),
        "unsolved": _with("unsolved", "solver"),
        "spared": _with("penalty", "solver"),
        "proposed_solved": _with("solved", "proposer"),
        "proposed_unsolved": _with("unsolved", "proposer"),
        "penalties": _with("penalty", "proposer"),
        "tag": lambda row: listed(("what", "tag"), ("tags", str(row["tag"]))),
    }
    for name in ("top", "distinctive", "exclusive"):
        found |= {name: _tagged(name), f"{name}_count": _tagged(name)}
    for player in results.references:
        found |= {f"{player}_solved": _again(player, ("outcome", "solved")), f"{player}_of": _again(player)}
    return found | ({"self_rate": _again()} if results.own else {})


def report(folder: Path, replicates: int = 2000) -> str:
    """The page as HTML. Raises UsageError if no duel is finished."""
    return page_with_items(overview_of(folder, replicates), folder)


def overview_of(folder: Path, replicates: int = 2000) -> RunOverview:
    """The page without its duels. Raises UsageError if no duel is finished."""
    results = load(folder)
    found = sheets(folder, results, replicates=replicates)
    rated = next(sheet for sheet in found if sheet.name == "ratings")
    charts, evidence = charts_of(results, rated), Evidence(results.players, cells=_cells(results))
    tables, first = on_page(STATISTICS), STATISTICS.printed
    groups = arranged(tables, found, charts, BESIDE, {}, INTERVALS, first=first, evidence=evidence)
    paper = read_config(RunFolder(folder).config, DuelConfig).paper
    players = [str(row[0]) for row in rated.rows]
    said = result_of(rated)
    explained = POINTS + (BEYOND if "\N{INFINITY}" in said else "") + (BRACKETS if " [" in said else ".")
    head = verdict(said, explained, example=example_of(results, players)) + _headline(results, spending(folder))
    return overview_with(
        folder, f"Duels of The Token Games{FOLLOWED if paper else ''}", players, overview(head, groups)
    )


def result_of(rated: Sheet) -> str:
    """Who is first by the rating of duels, and whether its interval reaches that of the next player.

    rated: the table of ratings, the best first.
    """
    lines = [dict(zip((column.key for column in rated.columns), row, strict=True)) for row in rated.rows[:2]]
    said = [f"{line['player']} ({_rating(line)})" for line in lines]
    if len(lines) < 2:
        return f"{said[0]} is the only player."
    low, high = lines[0]["duel_low"], lines[1]["duel_high"]
    rounds, told = [_rating(line, "round") for line in lines], ""
    if isinstance(low, float) and isinstance(high, float):
        told = f"; their intervals {'overlap' if low <= high else 'do not overlap'}"
    elif all("[" in one for one in rounds):  # infinite by duels, the two may have intervals by rounds
        low, high = (f(float(str(line[f"round_{end}"])) for line in lines) for f, end in ((max, "low"), (min, "high")))
        told = f". By rounds the two have {' and '.join(rounds)}; these intervals "
        told += "overlap" if low <= high else "do not overlap"
    return f"{said[0]} is first by its duels, {said[1]} is second{told}."


def example_of(results: Results, players: Sequence[str]) -> Example | None:
    """The turn that decided a duel of the first two of the players, which are the best first; if none is decided, their
    duels, and None without any.
    """
    pair = {*players[:2]}
    duels = [one for one in results.duels[results.earlier :] if {one.first, one.second} == pair]
    if not duels:
        return None
    decided = [(one, *found) for one in duels if (found := one.decided) is not None]
    if not decided:
        to = listed(("what", "duel"), *(("players", name) for name in players[:2]))
        return Example(to, f"The duels of {players[0]} and {players[1]}", ", turn by turn.")
    duel, winner, turn = min(decided, key=lambda one: one[1] != players[0])
    number, proposer, solver = (turn[name] for name in ("number", "proposer", "solver"))
    why = f"{solver} did not solve {proposer}'s puzzle"
    if turn["outcome"] == Outcome.PENALTY:
        why = f"{proposer} set no puzzle that its own solution solves"
    points = "{} to {}".format(*sorted(duel.points, reverse=True))
    said = f" in turn {number} {why}, and {winner} stayed ahead to the end, {points}."
    return Example(item(duel.key, str(number)), f"The turn that decided a duel of {players[0]} and {players[1]}:", said)


def _rating(line: Mapping[str, Cell], unit: str = "duel") -> str:
    value, low, high = (line[f"{unit}_{name}"] for name in ("rating", "low", "high"))
    if isinstance(value, Missing):
        return value.reason
    around = f" [{low:.0f}, {high:.0f}]" if isinstance(low, float) and isinstance(high, float) else ""
    return f"{value:.0f}{around}"


def _headline(results: Results, totals: Sequence[Totals]) -> str:
    outcomes = [str(turn.outcome) for turn in results.turns]
    beside = f"; {results.beside:,} attempts and tags beside them" if results.beside else ""
    return tiles(
        (
            ("Duels", f"{len(results.duels):,}", f"of {len(results.players)} players{beside}"),
            ("Solved", f"{outcomes.count('solved'):,}", f"of {len(outcomes):,} turns"),
            ("Unsolved", f"{outcomes.count('unsolved'):,}", "a point for the proposer"),
            ("Penalties", f"{outcomes.count('penalty'):,}", "a point for the solver"),
            headline(totals),
        )
    )
