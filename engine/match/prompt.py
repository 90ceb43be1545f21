"""The prompts for a language model (GENSTRAT, "Per-turn observation prompt"; N3).

The system prompt is the rulebook with fixed instructions. Each decision is one user message of three parts in the
paper's order: the state, the log of all events that the player was informed of, then the decision. Everything in a
message is either in the seat's view or a public number.

The paper's system prompt is the rulebook alone (appendix B: "verbatim"), and its list of the state's parts has no size
of the deck. Our reading adds "How to Play" to the former, and the deck's size and the line of an empty board to the
latter. With `paper` they are omitted.
"""

from __future__ import annotations

from antemill.engine.disguise.themes import words_of
from antemill.engine.machine.opcodes import Op
from antemill.engine.match.match import Match
from antemill.engine.match.menu import Menu
from antemill.engine.match.view import View
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import SEATS, exchanged
from antemill.engine.text.rulebook import rulebook
from antemill.engine.text.rulebook.wording import cards, chips
from antemill.engine.text.vocabulary import Vocabulary, said

# The version of the texts below, of the log's and of the rulebook's. 1 did not say that the expected number of chips
# counts; 2 named the reader of the log in checks, who is "you" elsewhere; 3 told of a score only which player gains.
VERSION = 4

_GOAL = """
## How to Play

You play this game against one opponent. Maximize the expected number of chips that you win, not how often you win: your
result at the end of the game is all that counts.

Each time you have to decide, you get one message with three parts: the state of the game; the log of everything that
you have been told so far, oldest first; and your decision.
"""

_ANSWER = """
Reply with a single line of JSON and nothing else:

{"action": CHOICE}

CHOICE is the name of one of the options as a string in quotes, such as {"action": "check"}, or, where an amount is
asked for, a whole number, such as {"action": 2}. An amount above the maximum is lowered to it. If your reply can not be
read, or is not legal, a random legal action is played for you.
"""

_ANSWER_MIX = """
Reply with a single line of JSON and nothing else:

{"mix": {OPTION: PROBABILITY, ...}}

OPTION is the name of one of the options, or, where an amount is asked for, an amount, as a string in quotes;
PROBABILITY is a number from 0 to 1, such as {"mix": {"check": 0.75, "bet": 0.25}} or {"mix": {"0": 0.5, "2": 0.5}}. The
probabilities add up to 1; what you leave out has probability 0. One option is drawn with your probabilities and played
for you. Your opponent sees what was drawn, never your probabilities. If your reply can not be read, or names what is
not legal, a random legal action is played for you.
"""


def version(paper: bool = False) -> str:
    """The record of a match's prompts: their version, and ".paper" if they are the paper's."""
    return f"{VERSION}{'.paper' if paper else ''}"


def system(
    spec: GameSpec, paper: bool = False, mix: bool = False, turned: bool = False, words: Vocabulary | None = None
) -> str:
    """The system prompt, the same for every decision of every match of the game, in both seats.

    paper: whether it is the rulebook alone. mix: whether answers give a probability for each option. turned: whether
    Alice is called Bob, and Bob Alice (`Game.turned`). words: as for `Game`.
    """
    text = rulebook(spec) + ("" if paper else _GOAL + (_ANSWER_MIX if mix else _ANSWER))
    return said(exchanged(text) if turned else text, words_of(spec) if words is None else words)


def turn(match: Match, seat: int | None = None, moves: bool = True, paper: bool = False, mix: bool = False) -> str:
    """The user message of the current decision.

    seat: the seat that must be to move; None: either. moves: whether the legal actions are listed. paper: whether the
    state has only the parts that the paper lists. mix: whether the answer gives probabilities. Raises MatchOverError if
    the match is over, and MatchError if it keeps no log or it is the other seat's turn.
    """
    match.require_turn(seat)
    view = match.view(match.seat)
    text = f"{_state_text(match, view, paper)}\n{log_text(view)}\n{_decision_text(match, moves, mix)}"
    return match.game.said(text)


def log_text(view: View) -> str:
    """The log so far. A later log of the same match begins with an earlier one."""
    return "## Log\n" + "".join(f"{i}. {line}\n" for i, line in enumerate(view.lines, 1))


def _state_text(match: Match, view: View, paper: bool) -> str:
    me, numbers, names = view.seat, match.numbers, match.game.names
    lines = [
        f"Phase: {match.decision_type.phase}",
        f"Your hand: {view.wording.cards(view.hand) or 'empty'}",
        *([] if paper and not view.board else [f"Board: {view.wording.cards(view.board) or 'empty'}"]),
        f"Your stack: {chips(numbers.stacks[me])}",
        f"{SEATS[1 - me]}'s stack: {chips(numbers.stacks[1 - me])}",
        f"Pot: {chips(numbers.pot)}",
        *([] if paper else [f"Deck: {cards(numbers.deck)}"]),
    ]
    if Op.LEAD in match.game.ops:
        mine, other = ("leader", "follower") if numbers.leader == me else ("follower", "leader")
        lines.append(f"Positions: you are the {mine}, {SEATS[1 - me]} is the {other}")
    if Op.SCORE in match.game.ops:
        lines.append(f"Your score: {numbers.score if me == 0 else -numbers.score}")
    lines += [f"«{name}»: {value}" for name, value in zip(names.variables, numbers.variables, strict=True)]
    who = f"You are {SEATS[me]}. Your opponent is {SEATS[1 - me]}."
    return f"{who}\n\n## State\n" + "".join(f"- {line}\n" for line in lines)


def _decision_text(match: Match, moves: bool, mix: bool) -> str:
    kind, menu = match.decision_type, match.menu
    lines = [f"- Phase: {kind.phase}", f"- Type: {kind.move_type}"]
    if moves:
        lines.append(f"- Legal actions: {_menu_text(menu)}")
    if kind.move_type == "bid":
        lines.append("- A bid above your stack counts as your whole stack.")
    return (
        "## Your Decision\n"
        + "\n".join(lines)
        + f"\n\nReply with one line: {_mix_format(menu) if mix else _answer_format(menu, moves)}\n"
    )


def _menu_text(menu: Menu) -> str:
    return menu.text() if menu.amounts else ", ".join(f'"{label}"' for label in menu.labels)


def _answer_format(menu: Menu, moves: bool) -> str:
    if menu.amounts:
        return f'{{"action": <a whole number{f" from {menu.low} to {menu.high}" if moves else ""}>}}'
    return '{"action": "<the name of one legal action>"}'


def _mix_format(menu: Menu) -> str:
    what = "amount" if menu.amounts else "the name of a legal action"
    return f'{{"mix": {{"<{what}>": <its probability>, ...}}}}'
