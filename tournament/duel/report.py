"""The report of a set of duels: its tables, and every puzzle with its solution, attempt, verdicts and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from llm import Totals
from tournament.costs import headline
from tournament.duel.analyze import load, sheets
from tournament.duel.results import Duel, Results
from tournament.pages.browser import Entry, browser, text_part
from tournament.pages.page import page, section, sheet_section, tiles
from tournament.runs import RunFolder, RunStore
from tournament.runs.status import spending


def report(folder: Path, replicates: int = 2000, prior: str = "none") -> str:
    """The page as HTML. prior: of the ratings, as of `analyze`. Raises UsageError if no duel is finished."""
    results = load(folder)
    with RunStore(RunFolder(folder).database, read_only=True) as store:
        entries = [entry for duel in results.duels for entry in _entries(duel, store.transcript(duel.key))]
    found = sheets(folder, results, replicates=replicates, prior=prior)
    tables = [sheet_section(sheet) for sheet in found if sheet.rows]
    note = "Every turn. Explanations are private: no opponent was shown one. Seconds are those of the checks."
    parts = [_headline(results, spending(folder)), *tables, section("Puzzles", browser(entries), note=note)]
    return page("Antemill: duels", f"{', '.join(results.players)}: puzzles set and solved, judged by execution.", parts)


def _headline(results: Results, totals: Sequence[Totals]) -> str:
    outcomes = [str(turn.outcome) for turn in results.turns]
    return tiles(
        (
            ("Duels", f"{len(results.duels):,}", f"of {len(results.players)} players"),
            ("Solved", f"{outcomes.count('solved'):,}", f"of {len(outcomes):,} turns"),
            ("Unsolved", f"{outcomes.count('unsolved'):,}", "a point for the proposer"),
            ("Penalties", f"{outcomes.count('penalty'):,}", "a point for the solver"),
            headline(totals),
        )
    )


def _entries(duel: Duel, transcript: Any) -> list[Entry]:
    return [_entry(duel, turn, spoken) for turn, spoken in zip(duel.turns, transcript, strict=True)]


def _entry(duel: Duel, turn: Mapping[str, Any], spoken: Mapping[str, Any]) -> Entry:
    heading = f"{duel.first} : {duel.second}, turn {turn['number']}: {turn['proposer']} sets, {turn['outcome']}"
    choices = {"proposer": turn["proposer"], "solver": turn["solver"], "outcome": turn["outcome"]}
    problems = [heard["problem"] for heard in spoken["proposed"] if heard["problem"]]
    unread = [heard["problem"] for heard in spoken["solved"] if heard["problem"]]
    parts = (
        text_part("Puzzle", turn["code"], code=True),
        text_part("Sample solution", turn["solution"], code=True),
        text_part("Its verdict", _verdict(spoken["sample"])),
        text_part("Explanation", turn["explanation"]),
        text_part(f"Attempt by {turn['solver']}", turn["attempt"], code=True),
        text_part("Its verdict", _verdict(spoken["attempt"])),
        text_part("Replies of the proposer that could not be read", "; ".join(problems)),
        text_part("Replies of the solver that could not be read", "; ".join(unread)),
    )
    return Entry(heading, choices, parts)


def _verdict(verdict: Mapping[str, Any] | None) -> str:
    if verdict is None:
        return ""
    detail = f" ({verdict['detail']})" if verdict["detail"] else ""
    return f"{verdict['verdict']}{detail}, {verdict['seconds']:.3f} s, {verdict['backend']}"
