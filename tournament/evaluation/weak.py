"""Weak opponents: bots whose rule is known, what they are called in a run, and their rule in plain words."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from antemill.engine.match import Game
from antemill.tournament.cards.config import Count
from antemill.tournament.cards.slots import Slot
from antemill.tournament.players import BOTS
from antemill.tournament.players.policy import mixed_policy

Condition = Literal["", "told", "rounds"]
PREFIX = "weak-"  # what the names of weak opponents begin with, and no player's does
_ROUNDED = 0.005  # a probability below it is left out of a rule


class WeakTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[weak]: matches against opponents that can be beaten.

    opponents: bots. matches_per_seat: of each player with each of them in each game. told: whether models also play
    them with the opponent's rule in the prompt. rounds: of the repeated condition, matches in a row in which models
    have the records of the earlier ones; 0 leaves it out. sequences: how often it is repeated in each seat.
    """

    opponents: tuple[str, ...] = ("passive", "mixed")
    matches_per_seat: Count = 10
    told: bool = True
    rounds: Annotated[int, Meta(ge=0, le=100)] = 0
    sequences: Count = 2


class Opponent(NamedTuple):
    """A weak opponent in a condition: its rule is not told (""), told, or it is met round after round."""

    bot: str
    condition: Condition = ""

    @property
    def name(self) -> str:
        """Its name in matches."""
        return f"{PREFIX}{self.bot}{f'-{self.condition}' if self.condition else ''}"


def check_weak(table: WeakTable) -> None:
    """Raise ValueError for opponents that do not exist, or that are named twice."""
    for bot in table.opponents:
        if bot not in BOTS:
            raise ValueError(f"[weak] names '{bot}', and opponents are bots: {', '.join(BOTS)}")
    if not table.opponents or len(set(table.opponents)) < len(table.opponents):
        raise ValueError("[weak] needs opponents, each of them once")


def conditions(table: WeakTable, model: bool) -> list[Opponent]:
    """The opponents of a player. model: whether it reads prompts; only then rules and records make a difference."""
    found = [Opponent(bot) for bot in table.opponents]
    if model and table.told:
        found += [Opponent(bot, "told") for bot in table.opponents]
    if model and table.rounds:
        found += [Opponent(bot, "rounds") for bot in table.opponents]
    return found


def opponent_in(slot: Slot) -> tuple[Opponent, int] | None:
    """The weak opponent of a match and the seat of the player that meets it; None in a match without one."""
    for seat, name in enumerate((slot.bob, slot.alice)):
        if name.startswith(PREFIX):
            bot, _, condition = name.removeprefix(PREFIX).partition("-")
            return Opponent(bot, condition), seat  # type: ignore[arg-type]  # made by `Opponent.name`
    return None


def rule(bot: str, game: Game, seat: int) -> str:
    """The rule that a bot plays by at a seat, in sentences."""
    return _odds(game, seat) if bot == "mixed" else _RULES[bot]


_RULES = {
    "random": "Your opponent draws each of its actions from the legal ones, all with the same probability, whatever it "
    "has seen.",
    "passive": "Your opponent commits as few chips as possible, but never folds, whatever cards it has. Where it can "
    "check or pass, it does; it calls every bet; where it chooses an amount, it takes the smallest one. Among other "
    "options it takes the one with the lowest cost, and the last of several.",
    "aggressive": "Your opponent commits as many chips as possible, whatever cards it has. Where it can raise, it "
    "does; else it bets, takes or calls; where it chooses an amount, it takes the largest one. Among other options it "
    "takes the one with the highest cost, and the first of several.",
    "l1": "Your opponent takes every action for which the average result is best against a player who draws from the "
    "legal actions with equal probabilities. It does not consider that you may play otherwise.",
}


def _odds(game: Game, seat: int) -> str:
    """The odds of `mixed`, decision by decision."""
    policy, lines = mixed_policy(game), []
    for number, kind in enumerate(game.names.decisions):
        if kind.seat != seat:
            continue
        first = int(policy.offsets[number])
        weights = np.array(policy.weights[first : first + kind.actions])
        weights[: 0 if kind.labels else kind.low] = 0.0
        names = kind.labels or tuple(map(str, range(kind.actions)))
        shares = zip(names, weights / weights.sum(), strict=True)
        odds = ", ".join(f"{name} {share:.0%}" for name, share in shares if share >= _ROUNDED)
        lines.append(f"\n- {kind.phase}, {kind.move_name}: {odds}")
    return (
        "Your opponent draws its actions with fixed odds, whatever it has seen. What is not legal is left out, and the "
        "odds of the others keep their proportions. An amount beyond what it can pay counts as all that it can pay."
        + "".join(lines)
    )
