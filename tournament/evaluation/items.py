"""The matches of an evaluation: those of a card tournament, whose moves are judged by the run's own equilibria."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from msgspec.structs import replace

from antemill.engine.match import Game
from antemill.tournament.cards.equilibrium import Judge, Judges
from antemill.tournament.cards.items import MatchItems
from antemill.tournament.cards.judgements import Judgements
from antemill.tournament.evaluation.ask import is_question
from antemill.tournament.evaluation.references import Reference, read_references
from antemill.tournament.runs import Record
from antemill.tournament.runs.items import Entry, Event, Row


class References(Judges):
    """The equilibria of a run."""

    def __init__(self, references: dict[str, Reference], games: dict[str, Game]) -> None:
        super().__init__(())
        self._saved_by_digest = {games[label].digest: one.saved for label, one in references.items()}

    def of(self, game: Game) -> Judge:
        """The judge of one of the run's games."""
        if game.digest not in self._found:
            self._found[game.digest] = Judge(game, self._saved_by_digest[game.digest])
        found = self._found[game.digest]
        assert found is not None
        return found


class EvalItems(MatchItems):
    """Matches and questions."""

    def columns(self, record: Record) -> Row:
        """Of a question: whether its reply could be read; of a match see `MatchItems.columns`."""
        if not is_question(record.item.data):
            return super().columns(record)
        found = self.named(record)
        if record.status != "done":
            return found
        return found | {"moves": 1, "fallbacks": record.fallbacks, "interest": float(record.fallbacks)}

    def entry(self, record: Record) -> Entry:
        """A match, or a question."""
        found = super().entry(record)
        return replace(found, what="question") if is_question(record.item.data) else found

    def events(self, record: Record, transcript: Any) -> list[Event]:
        """The events, and the decisions with their menus; a question ends with the one that is asked for."""
        found = super().events(record, transcript)
        return found[:-1] if is_question(record.item.data) else found

    @cached_property
    def _judgements(self) -> Judgements:
        return Judgements(References(read_references(self._store.materials(), self._games), self._games))
