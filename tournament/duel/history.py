"""The past turns as the proposer sees them (TTG section 3.1, T4 and T14).

Of its own puzzles the proposer sees everything, including its explanation. Of the opponent's puzzles it sees the code,
its own attempt and the outcome, never the explanation or the solution. The paper does not print the format; this one
is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from antemill.tournament.duel.rounds import Outcome, Turn

VERSION = 1
FIRST_TURN = "None, this is the first turn."  # our reading

_OUTCOMES = {
    Outcome.SOLVED: "Solved",
    Outcome.UNSOLVED: "Not solved",
    Outcome.PENALTY: "Sample solution wrong",
}


def past(turns: Sequence[Turn], viewer: int, attempts: bool = True) -> str:
    """The history that `viewer`, 0 or 1, may see.

    attempts: whether the viewer sees its own attempts on the opponent's puzzles, as in the paper.
    """
    if not turns:
        return FIRST_TURN
    return "\n\n".join(_entry(turn, viewer, attempts) for turn in turns)


def _entry(turn: Turn, viewer: int, attempts: bool) -> str:
    own = turn.proposer == viewer
    lines = [f"## Turn {turn.number}: {'your puzzle' if own else 'the puzzle of your opponent'}"]
    lines += [f"```python\n{turn.puzzle}\n```" if turn.puzzle else "(no valid puzzle was given)"]
    if own:
        lines += [f"Your explanation: {turn.explanation}"] if turn.explanation else []
        lines += [f"Your sample solution: {turn.solution}"] if turn.solution else []
    elif attempts and turn.attempt:
        lines.append(f"Your attempt: {turn.attempt}")
    lines.append(f"Outcome: {_OUTCOMES[turn.outcome]}")
    return "\n".join(lines)
