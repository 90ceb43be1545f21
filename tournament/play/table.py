"""The table at which a person sits: a game, an opponent, the hand that is being played, and the score."""

from __future__ import annotations

import time
from typing import Any, Literal

import msgspec

from antemill.engine.match import Game
from antemill.tournament.cards.pinned_games import PinnedGame
from antemill.tournament.cards.replay import table_names
from antemill.tournament.play.coach import Coach, Review
from antemill.tournament.play.hand import Hand
from antemill.tournament.play.opponents import Opponent, Seated
from antemill.tournament.play.tally import Tally

SeatRule = Literal["turns", "alice", "bob"]
RULES: tuple[SeatRule, ...] = ("turns", "alice", "bob")


class Table:
    """A game, an opponent, and the hand that is being played."""

    def __init__(self, pinned: PinnedGame, game: Game, opponent: Opponent, rule: SeatRule) -> None:
        self.pinned, self.game, self.opponent, self.rule = pinned, game, opponent, rule
        self.seated: Seated | None = None
        self.coach: Coach | None = None
        self.coach_failed = ""
        self.tally: Tally | None = None
        self.hand: Hand | None = None
        self.review: Review | None = None
        self.began = time.monotonic()

    def next_seat(self) -> int:
        """The person's seat in the next hand: the other than in the last, if players take turns."""
        if self.rule != "turns":
            return 0 if self.rule == "alice" else 1
        assert self.tally is not None
        return 1 - self.tally.lines[-1].seat if self.tally.lines else 0

    def shown(self) -> dict[str, Any]:
        """The table's part of the state."""
        review = None if self.review is None else msgspec.to_builtins(self.review)
        return {
            "game": self.pinned.label,
            "title": self.game.names.game,
            "names": table_names(self.game) | {"pot": self.game.said("Pot")},
            "opponent": {"name": self.opponent.name, "title": self.opponent.title, "note": self.opponent.note},
            "rule": self.rule,
            "hand": None if self.hand is None else self.hand.seen(),
            "score": None if self.tally is None else self.tally.shown(),
            "review": review,
            "coach": "failed" if self.coach_failed else "ready" if self.coach is not None else "at work",
            "coach_failed": self.coach_failed,
        }
