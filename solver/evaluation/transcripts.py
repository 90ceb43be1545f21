"""Recorded matches as histories, and AIVAT from a transcript."""

from __future__ import annotations

from typing import Protocol

from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import Program
from antemill.engine.match import EventRecord, Game, MatchError, ReplayError, Transcript
from antemill.engine.text.describe import journal
from antemill.solver.evaluation.aivat_machine import MachineAivat
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.history import History, play_out
from antemill.solver.game import Array
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.policies.policy import Policy
from antemill.solver.trees.build import build_tree

TREE_LIMIT = 1_000_000  # nodes; AIVAT on a larger game uses no tree


class Aivat(Protocol):
    """An unbiased estimate from a match in which one seat's policy is known.

    `TreeAivat` or `MachineAivat`.
    """

    @property
    def kind(self) -> str:
        """What it computes with: "tree" or "machine"."""
        ...

    def estimate(self, seat: int, history: History) -> float:
        """Alice's payoff in chips without the luck; `seat` is the one whose policy is known."""
        ...


def aivat_for(program: Program, policy: Policy, limit: int = TREE_LIMIT) -> Aivat:
    """AIVAT on the game's tree if it has at most `limit` nodes, else on the machine."""
    if count_nodes(program, limit) > limit:
        return MachineAivat(program, policy)
    tree = build_tree(program, limit)
    return TreeAivat(tree, profile_on(program, tree, policy))


def aivat(method: Aivat, game: Game, seat: int, transcript: Transcript) -> float:
    """Alice's payoff of a recorded match without the luck, in chips, the policy of `seat` being known.

    Raises ReplayError if the transcript is of another game or was altered; UsageError if the match is not over, or if
    the known seat took an action of probability 0.
    """
    return method.estimate(seat, transcript_history(game, transcript))


def transcript_history(game: Game, transcript: Transcript) -> History:
    """The path of a finished match, replayed from its play seed and compared with the record event by event.

    Raises ReplayError if the transcript is of another game or the replay differs, UsageError if the match is not
    over.
    """
    if transcript.digest != game.digest:
        raise ReplayError(f"the transcript is of another game, {transcript.game}: name that one.")
    if transcript.payoffs is None:
        raise UsageError(f"the match of {transcript.game} is not over: play it to its end first.")
    events = [list(entry.row) for entry in transcript.entries if isinstance(entry, EventRecord)]
    records = iter(transcript.decisions)

    def answer(state: Array) -> int:
        record = next(records, None)
        if record is None or record.seat != state[at.SEAT]:
            raise ReplayError("the transcript was altered: a decision is missing, or of the wrong seat.")
        try:
            place = game.menu(state).resolve(record.choice).place
        except MatchError as error:
            raise ReplayError(f"the transcript was altered: {error}") from error
        if place is None:
            raise ReplayError(f"the transcript was altered: {record.choice} cannot have been played.")
        return place

    state = game.opening(len(events) + 1)
    history = play_out(game.program, state, transcript.play_seed, answer)
    if journal(state) != events or next(records, None) is not None or history.payoff != transcript.payoffs[0]:
        raise ReplayError("the transcript was altered, or its cards are not those of its play seed.")
    return history
