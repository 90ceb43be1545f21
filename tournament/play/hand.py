"""One hand: the cards are dealt, the person chooses, the opponent moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from antemill.engine.errors import UsageError
from antemill.engine.match import DecisionRecord, Game, Match, prompt
from antemill.engine.text.labels import SEATS
from antemill.tournament.cards.play import MatchRecord, reply_counts, result_row
from antemill.tournament.cards.replay import Frame, frames
from antemill.tournament.cards.seats import Move, Seat
from antemill.tournament.cards.slots import Slot
from antemill.tournament.play.coach import counted
from antemill.tournament.players import Choice
from antemill.tournament.players.consequences import in_words, question
from antemill.tournament.players.ending import ending
from antemill.tournament.players.terminal_table import hidden_lines
from antemill.tournament.runs import Access, Played


class Hand:
    """A match in which a person plays one seat. choices: the person's choices so far, in order."""

    def __init__(self, slot: Slot, game: Game, person: str) -> None:
        self.slot = slot
        self.seat = 0 if slot.alice == person else 1
        self.match = Match(game, slot.play_seed, (slot.alice, slot.bob))
        self.choices: list[Choice] = []
        self.kept = False  # whether it is over and recorded
        self._moves: list[Move] = []

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.match.over

    @property
    def yours(self) -> bool:
        """Whether the person is to choose."""
        return not self.over and self.match.seat == self.seat

    @property
    def turn(self) -> str:
        """The identifier of the current moment, different after every decision."""
        return f"{self.slot.key}#{self.match.ply}"

    def choose(self, choice: object) -> None:
        """Make the person's decision. Raises UsageError, and changes nothing, if it is illegal or not the person's."""
        if self.over:
            raise UsageError("this hand is over: deal the next one.")
        if not self.yours:
            raise UsageError(f"it is {SEATS[1 - self.seat]}'s turn: wait for the opponent.")
        self._require_legal(choice)
        self.choices.append(self.match.apply(choice).choice)
        self._moves.append(Move(self.seat))

    def _require_legal(self, choice: object) -> None:
        menu = question(self.match).menu
        if menu.amounts:
            if not isinstance(choice, int) or isinstance(choice, bool) or not menu.low <= choice <= menu.high:
                raise UsageError(f"that amount is not possible here: choose {menu.text()}.")
        elif not isinstance(choice, str) or choice not in menu.labels:
            raise UsageError(f"that is not possible here: choose {menu.text()}.")

    async def opponent(self, seat: Seat, access: Access) -> None:
        """One move of the opponent. Raises what asking a model raises; the hand is then unchanged."""
        self._moves.append(await seat.move(self.match, access, f"{self.slot.key}:{len(self._moves)}"))

    async def resume(self, choices: Sequence[Choice], seat: Seat, access: Access) -> None:
        """Replay the person's choices of an interrupted hand; the opponent's moves repeat and cost nothing.

        Raises UsageError if a choice does not fit, and what asking a model raises.
        """
        for choice in choices:
            while not self.over and not self.yours:
                await self.opponent(seat, access)
            self.choose(choice)

    def played(self) -> Played:
        """The finished hand, as a tournament records it."""
        record = MatchRecord(self.match.transcript(), tuple(self._moves), True, prompt.version())
        fallbacks = sum(move.cause is not None for move in self._moves)
        row = result_row(self.match, self._moves)
        counts = reply_counts(row, (self.slot.alice, self.slot.bob))
        return Played(row, msgspec.to_builtins(record), fallbacks, counts=counts)

    # ------------------------------------------------------------------------------------------ for the page

    def seen(self) -> dict[str, Any]:
        """What the person may know: the frames of the seat's view, the decision at hand, and at the end the result.

        Sentences, and the names of options under `labels`, are in the words of the game's prompts.
        """
        shown = frames(self.match.game, self.match.transcript().entries, viewer=self.seat)
        found: dict[str, Any] = {
            "item": self.slot.key,
            "turn": self.turn,
            "seat": self.seat,
            "frames": [_frame_in_words(frame, self.match.game) for frame in shown],
            "decision": self._decision() if self.yours else None,
            "result": None,
        }
        if self.over:
            hands = [list(hand) for hand in self.match.piles().hands]
            found["result"] = msgspec.to_builtins(ending(self.match, self.seat))
            found["result"] |= {"hands": hands, "hidden": self._hidden(), "said": self._said()}
        return found

    def _decision(self) -> dict[str, Any]:
        asked = question(self.match)
        shown = in_words(asked, self.match.game)
        return {
            "phase": shown.phase,
            "type": asked.move_type,
            "options": list(asked.menu.labels),
            "labels": list(shown.menu.labels),
            "prices": asked.prices,
            "consequences": shown.leads,
            "stake": shown.stake,
            "asks": shown.asks,
            "low": asked.menu.low,
            "high": asked.menu.high,
        }

    def _hidden(self) -> list[str]:
        """Events that the person did not observe, in the rulebook's words."""
        return hidden_lines(self.match, self.seat, self.match.game.wording)

    def _said(self) -> list[dict[str, Any]]:
        """A model's replies, move by move, each with the cause if a random action was played in its place."""
        game, transcript = self.match.game, self.match.transcript()
        said = zip(transcript.decisions, counted(transcript), self._moves, strict=True)
        return [
            {
                "phase": game.said(record.phase),
                "choice": _played(record, real, game),
                "text": move.text,
                "cause": move.cause,
            }
            for record, real, move in said
            if move.seat != self.seat and move.text is not None
        ]


def _played(record: DecisionRecord, real: DecisionRecord, game: Game) -> str | int:
    """The choice. real: with the amount of a bid that counted."""
    choice = game.option(record.choice) if isinstance(record.choice, str) else record.choice
    return choice if real.choice == record.choice else f"{choice}, which counts as {real.choice}"


def _frame_in_words(frame: Frame, game: Game) -> Frame:
    """A frame whose sentences are in the words of the game's prompts."""

    def said(text: str | None) -> str | None:
        return None if text is None else game.said(text)

    events = [one | {"both": said(one["both"]), "seats": [*map(said, one["seats"])]} for one in frame["events"]]
    return frame | {"events": events}
