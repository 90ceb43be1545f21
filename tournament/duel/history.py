"""The past turns as the proposer sees them (TTG section 3.1, T4 and T14).

Of its own puzzles the proposer sees everything: its explanation, its solution and the opponent's attempt. Of the
opponent's puzzles it sees the code, its own attempt and the outcome, never the explanation or the solution. The paper
does not print the format; this one is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from antemill.tournament.duel.rounds import UNREADABLE, Outcome, Turn, ended

VERSION = 3  # a reply without a puzzle has a line of its own
FIRST_TURN = "None, this is the first turn."  # our reading

_OUTCOMES = {
    Outcome.SOLVED: "Solved",
    Outcome.UNSOLVED: "Not solved",
    Outcome.PENALTY: "Sample solution wrong",
    UNREADABLE: "No puzzle could be read",
}


def past(turns: Sequence[Turn], viewer: str, attempts: bool = True, first: str | None = None) -> str:
    """The history that a player may see.

    attempts: whether the viewer sees attempts, as in the paper: its own on the opponent's puzzles, and the opponent's
    on its own. first: the text if there is no turn yet; None: FIRST_TURN.
    """
    if not turns:
        return FIRST_TURN if first is None else first
    return "\n\n".join(_entry(turn, turn["proposer"] == viewer, attempts) for turn in turns)


def _entry(turn: Turn, own: bool, attempts: bool) -> str:
    lines = [f"## Turn {turn['number']}: {'your puzzle' if own else 'the puzzle of your opponent'}"]
    lines += [f"```python\n{turn['code']}\n```"] if turn["code"] else []
    if own:
        lines += [f"Your explanation: {turn['explanation']}"] if turn["explanation"] else []
        lines += [f"Your sample solution: {turn['solution']}"] if turn["solution"] else []
    if attempts and turn["attempt"]:
        lines.append(f"{'The attempt of your opponent' if own else 'Your attempt'}: {turn['attempt']}")
    lines.append(f"Outcome: {_OUTCOMES[ended(turn)]}")
    return "\n".join(lines)
