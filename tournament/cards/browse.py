"""Matches, one by one."""

from __future__ import annotations

from typing import Any

from antemill.engine.match import DecisionRecord, Game
from antemill.engine.text.describe import entry as event_line
from antemill.engine.text.labels import SEATS
from antemill.tournament.answers import CAUSES
from antemill.tournament.cards.kind import read_games
from antemill.tournament.cards.play import SIDES, read_match
from antemill.tournament.cards.seats import Move
from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.browse import Calls, Decision, Entry, Passage


class MatchBrowser:
    """See `antemill.tournament.runs.browse.Browser`."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._games: dict[str, Game] = {}

    def entry(self, record: Record) -> Entry:
        """A match: its outcome is the name of who won."""
        data, row = record.item.data, record.row
        payoff = row.get("payoff")
        winner = "draw" if not payoff else data["alice"] if payoff > 0 else data["bob"]
        counts = {cause: sum(row.get(f"{cause}_{side}", 0) for side in SIDES) for cause in CAUSES}
        return Entry(
            item=record.item.key,
            what="match",
            players=(data["alice"], data["bob"]),
            about=data["game"],
            outcome=winner if payoff is not None else record.status,
            score="" if payoff is None else f"{payoff:+d}",
            causes={cause: count for cause, count in counts.items() if count},
            cost=record.cost,
            seconds=record.seconds,
            figures={} if payoff is None else {"alice": float(payoff), "bob": float(-payoff)},
        )

    def passages(self, record: Record, transcript: Any) -> list[Passage]:
        """Every event with whom it was told, every decision with its menu."""
        match = read_match(transcript)
        played, moves = match.transcript, iter(match.moves)
        program = self._game(record.item.data["game"]).program
        found: list[Passage] = [f"{record.item.key}: Alice is {played.seats[0]}, Bob is {played.seats[1]}", ""]
        for one in played.entries:
            if isinstance(one, DecisionRecord):
                menu = ", ".join(one.options) or f"{one.low} to {one.high}"
                found.append(f"?     {SEATS[one.seat]}, {one.phase}: {menu} -> {one.choice}")
                found.append(_decision(one, next(moves), played.seats[one.seat]))
            else:
                found.append(str(event_line(program, one.row)))
        assert played.payoffs is not None
        found.append("payoff: Alice {:+d}, Bob {:+d}".format(*played.payoffs))
        return found

    def _game(self, label: str) -> Game:
        if not self._games:
            self._games = read_games(self._store.materials())
        return self._games[label]


def _decision(record: DecisionRecord, move: Move, player: str) -> Decision:
    notes = []
    if move.cause is not None:
        notes.append(f"fallback: {move.cause}; a random legal action was played")
    if move.clamped:
        notes.append("the amount was lowered to the most that is allowed")
    if move.taken:
        notes.append(f"taken off before it was read: {move.taken}")
    data = {
        "seat": SIDES[move.seat],
        "phase": record.phase,
        "menu": record.options or {"low": record.low, "high": record.high},
        "submitted": record.submitted,
        "choice": record.choice,
        "fallback": move.cause,
        "clamped": move.clamped,
        "lenient": move.lenient,
        "taken": move.taken,
    }
    return Decision(player=player, purpose="move", call=move.call, text=move.text, data=data, notes=tuple(notes))


def browser(store: RunStore, _calls: Calls) -> MatchBrowser:
    """The matches of a tournament."""
    return MatchBrowser(store)
