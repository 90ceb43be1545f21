"""The solver's review of a finished hand: the solver's mix at each of the person's decisions, what each choice cost,
and the result without luck.

mix       If the game's tree fits: the mix of its solution, with what each action gives away
          (`solver/evaluation/regret.py`). Otherwise, if the opponent plays a saved policy: the mix of that policy,
          without costs.
luckless  AIVAT, which is unbiased. It removes the luck of the cards. It also removes the luck of the opponent's own
          draws if the opponent plays a saved policy, or if its policy is known and the tree fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Literal, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import UsageError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.match import DecisionRecord, EventRecord, Game, Match, Transcript
from antemill.solver.evaluation.aivat_machine import NEITHER, MachineAivat
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.off_path import RARE
from antemill.solver.evaluation.regret import Adviser
from antemill.solver.evaluation.transcripts import Aivat, aivat_for, transcript_history
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.tournament.play.opponents import Seated
from antemill.tournament.players import Observation
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.players.solver_players import LIMIT, known_policy

Without = Literal["cards and opponent", "cards"]
_DOUBT = 0.1  # chips; a mix that gives away more by its own values is not shown: its opponent almost never leads there
_EXACT = 1e-4  # smallest distance from an equilibrium that is printed, chips
_NEVER = "The solver never comes here, so its mix would mean nothing."
_UNLED = (
    "An opponent who plays the solution never leads here, so nothing says which cards it would hold, and no choice is "
    "known to be the best."
)
_MOST = 12  # entries listed of a mix: the likeliest ones


class Option(Struct, frozen=True):
    """One action of a decision. probability: of the solver's mix. gives_away: chips less than the best action brings;
    None if unknown."""

    label: str
    probability: float
    gives_away: float | None


class Reviewed(Struct, frozen=True):
    """One decision of the person. options: empty if it is not known, for the reason in `note`. chosen: the action
    played, or the bid that counted. cost: chips that it gave away; None if unknown."""

    phase: str
    options: tuple[Option, ...]
    chosen: str
    cost: float | None
    note: str = ""


class Review(Struct, frozen=True):
    """The review of a hand. decisions: empty if no policy of the game is known. note: how reliable the review is.
    luckless: the person's chips without the luck of `without`."""

    decisions: tuple[Reviewed, ...]
    note: str
    luckless: float
    without: Without


class Coach:
    """Reviews hands of one game against one opponent. Construction and reviews are slow.

    solve: solves the game; called if the tree fits and the opponent has no solution of the whole game. Raises
    UsageError or StorageError.
    """

    def __init__(self, game: Game, seated: Seated, solve: Callable[[], SavedPolicy]) -> None:
        program = game.program
        self._game = game
        self.exact = count_nodes(program, LIMIT) <= LIMIT
        own = seated.solved
        self.saved = own if own is not None and not self._lacking(own) else solve() if self.exact else own
        self._adviser: Adviser | None = None
        if self.exact and self.saved is not None:
            tree = build_tree(program, LIMIT)
            self._adviser = Adviser(tree, profile_on(program, tree, self.saved.table))
        self._known = self._methods(seated)
        self._chance = MachineAivat(program, _nothing() if self.saved is None else self.saved.table)

    def _lacking(self, saved: SavedPolicy) -> bool:
        """Whether a policy is over an abstraction although the whole game can be solved."""
        return self.exact and saved.table.abstraction != Abstraction.NONE

    def _methods(self, seated: Seated) -> dict[int, Aivat]:
        """AIVAT by the opponent's seat; no entry where the opponent's policy is unknown. Without a tree, only saved
        policies are known.

        It assumes that the person plays the solution: the closer that is to the truth, the smaller the variance.
        """
        player, program = seated.player, self._game.program
        if self._adviser is None:
            if not isinstance(player, SolvedPlayer):
                return {}
            method = aivat_for(program, player.saved.table, LIMIT)
            return {0: method, 1: method}
        tree, (alice, bob) = self._adviser.tree, self._adviser.profile
        found: dict[int, Aivat] = {}
        for seat in (0, 1):
            theirs = None if player is None else known_policy(program, tree, player, seat)
            if theirs is not None:
                found[seat] = TreeAivat(tree, (theirs, bob) if seat == 0 else (alice, theirs))
        return found

    def review(self, transcript: Transcript, seat: int) -> Review:
        """The review of a finished hand for the person at `seat`, in the words of the game's prompts."""
        luckless, without = self.luckless(transcript, seat)
        mine = [record for record in counted(transcript) if record.seat == seat]
        if self._adviser is not None:
            history = transcript_history(self._game, transcript)
            found = self._adviser.review(seat, history)
            decisions = tuple(
                _reviewed(record, advice.probabilities, advice.gains, advice.cost)
                for record, advice in zip(mine, found, strict=True)
            )
            assert self.saved is not None
            note = _trust(self.saved) if any(one.options for one in decisions) else ""
        elif self.saved is not None:
            mixes = self._mixes(self.saved, transcript, seat)
            decisions = tuple(_reviewed(record, mix, None, None) for record, mix in zip(mine, mixes, strict=True))
            note = (
                "The tree of this game is too large to be solved here: this is the mix of your opponent's saved "
                "policy, and the cost of your choices is unknown."
            )
        else:
            decisions = ()
            note = (
                f"The tree of this game has more than {LIMIT:,} nodes, too many to be solved while you wait: "
                "play against CFR+ to see the mix of an approximate solution."
            )
        decisions = tuple(map(self._in_words, decisions))
        return Review(decisions, note if mine else "You had nothing to decide in this hand.", luckless, without)

    def _in_words(self, one: Reviewed) -> Reviewed:
        said, named = self._game.said, self._game.option
        options = tuple(replace(option, label=named(option.label)) for option in one.options)
        return replace(one, phase=said(one.phase), options=options, chosen=named(one.chosen))

    def luckless(self, transcript: Transcript, seat: int) -> tuple[float, Without]:
        """The person's chips in a finished hand without luck, and which luck is removed."""
        history = transcript_history(self._game, transcript)
        alice, without = 0.0, cast(Without | None, None)
        if 1 - seat in self._known:
            with suppress(UsageError):  # the policy has changed since and never plays its recorded moves
                alice, without = self._known[1 - seat].estimate(1 - seat, history), "cards and opponent"
        if without is None:
            alice, without = self._chance.estimate(NEITHER, history), "cards"
        return (alice if seat == 0 else -alice), without

    def _mixes(self, saved: SavedPolicy, transcript: Transcript, seat: int) -> list[np.ndarray | None]:
        """float64[menu entries] for each decision of the seat: the policy's probabilities there; None where the policy
        never goes by its own choices."""
        policy, found, own = SolvedPlayer("coach", saved, self._game), cast(list[np.ndarray | None], []), 1.0
        match = Match(self._game, transcript.play_seed, transcript.seats)
        for record in transcript.decisions:
            if record.seat == seat:
                mix = policy.probabilities(Observation(match))
                found.append(mix if own > RARE else None)
                place = match.menu.resolve(record.choice).place
                own *= 0.0 if place is None else float(mix[place])
            if record.substitution == "no-choice":
                match.apply_random(record.submitted)
            else:
                match.apply(record.submitted)
        return found


def _nothing() -> Policy:
    """A table without decisions: every decision is played uniformly."""
    ids, numbers = np.zeros(0, np.int64), np.zeros(0, np.int32)
    seats, decisions = np.zeros(0, np.int8), np.zeros(0, np.int16)
    return Policy(Abstraction.NONE, ids, seats, decisions, np.zeros(1, np.int64), numbers, np.zeros(0))


def _trust(saved: SavedPolicy) -> str:
    far = saved.solution.exploitability
    if far is None:
        return "This is the mix of a saved policy, whose distance from an equilibrium is unknown."
    return (
        "This is the mix of a solution of the whole game, which no opponent can beat by more than "
        f"{max(far, _EXACT):.2g} chips a hand. After choices that it would not make, it is the best answer to its "
        "opponent."
    )


def counted(transcript: Transcript) -> Iterator[DecisionRecord]:
    """The decisions. The choice of a bid is the amount that counted: the event after it has at most the stack."""
    for entry, after in zip(transcript.entries, transcript.entries[1:], strict=False):
        if isinstance(entry, DecisionRecord):
            counts = entry.move_type == "bid" and isinstance(after, EventRecord) and after.row[3]
            yield entry if counts is False else replace(entry, choice=counts)


def _reviewed(record: DecisionRecord, mix: np.ndarray | None, gains: np.ndarray | None, cost: float | None) -> Reviewed:
    """A decision with its most likely actions and the one that was chosen."""
    chosen = str(record.choice)
    best = None if gains is None or np.isnan(gains).all() else float(np.nanmax(gains))
    if mix is None:
        return Reviewed(record.phase, (), chosen, None, _NEVER)
    if gains is not None and (best is None or float(np.dot(mix, best - gains)) > _DOUBT):
        return Reviewed(record.phase, (), chosen, None, _UNLED)
    labels = list(record.options) or [str(amount) for amount in range(record.low, record.high + 1)]
    labels = labels[: len(mix)]  # the tree's bids end at the stack
    options = [
        Option(
            label,
            float(share),
            None if gains is None or best is None else max(0.0, best - float(gains[i])),
        )
        for i, (label, share) in enumerate(zip(labels, mix, strict=True))
    ]
    if len(options) > _MOST:
        likely = sorted(options, key=lambda one: -one.probability)[:_MOST]
        options = [one for one in options if one in likely or one.label == chosen]
    return Reviewed(record.phase, tuple(options), chosen, cost)
