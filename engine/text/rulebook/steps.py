"""Steps as lines of a nested list, one sentence or more each, and what the other player sees of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Final, TypeAlias, assert_never

from antemill.engine.rules import spec as rules
from antemill.engine.text.rulebook.conditions import clause
from antemill.engine.text.rulebook.wording import bullet, cards, chips, name, opponent, start, variable

NO_EFFECT: Final = "No effect."
INFERABLE: Final = "but the cases differ in what everyone sees, so that it may be inferred"
HIDDEN: Final = (
    "and everyone sees the same in all cases, but somebody who is shown a card in private may learn from that"
)
SPLIT: Final = "each player receives half of the pot, rounded down, and an odd chip goes to a random player"

Trace: TypeAlias = tuple[object, ...]

SUMMARIES: Final[dict[type, str]] = {
    rules.Shuffle: "shuffle the deck",
    rules.Deal: "deal cards",
    rules.DealBoard: "turn up cards",
    rules.Draw: "draw cards",
    rules.Discard: "discard cards",
    rules.Ante: "pay antes",
    rules.Transfer: "move chips",
    rules.TakePot: "take the pot",
    rules.Score: "change the scores",
    rules.Peek: "peek at cards",
    rules.Swap: "swap cards",
    rules.Steal: "steal cards",
    rules.Reveal: "reveal cards",
    rules.Announce: "announcements",
    rules.AddToVariable: "change a variable",
    rules.If: "conditional events",
    rules.Perform: "further rounds",
    rules.EndGame: "end the game",
    rules.NoAction: "nothing",
}


def step_lines(steps: Sequence[rules.Step], depth: int = 0) -> list[str]:
    """The steps as list items at a depth; without steps, a line that says that nothing happens."""
    if not steps:
        return [bullet(NO_EFFECT, depth)]
    lines: list[str] = []
    for step in steps:
        lines += _if_lines(step, depth) if isinstance(step, rules.If) else [bullet(sentence(step), depth)]
    return lines


def _if_lines(step: rules.If, depth: int) -> list[str]:
    tag = "public" if step.public else f"private: {check_note(step)}"
    lines = [bullet(f"If {clause(step.condition)} ({tag}):", depth), *step_lines(step.then, depth + 1)]
    if step.otherwise:
        lines += [bullet("Otherwise:", depth), *step_lines(step.otherwise, depth + 1)]
    return lines


@singledispatch
def sentence(step: rules.Step) -> str:
    """The effect of a step of any kind except `If`."""
    raise TypeError(f"no words for {step!r}")


@sentence.register
def _(step: rules.Shuffle) -> str:
    if step.discard_pile:
        return "The discard pile is put back into the deck, and the deck is shuffled (public)."
    return "The deck is shuffled (public)."


@sentence.register
def _(step: rules.Deal) -> str:
    does = "Alice and then Bob are each dealt" if step.player == "both" else f"{start(name(step.player))} is dealt"
    which = "the card" if step.count == 1 else "which"
    return (
        f"{does} {cards(step.count)} face down{_short(step.count)}. "
        f"Everyone sees how many cards a player receives; only that player sees {which}."
    )


def _short(count: int) -> str:
    """The rule for a deck with too few cards."""
    return " (none if the deck is empty)" if count == 1 else " (as many as remain if the deck has fewer)"


@sentence.register
def _(step: rules.DealBoard) -> str:
    turned = "is turned" if step.count == 1 else "are turned"
    short = "none" if step.count == 1 else "as many as remain"
    scarce = "the deck is empty" if step.count == 1 else "the deck has fewer"
    return f"{cards(step.count)} from the deck {turned} face up onto the board (public; {short} if {scarce})."


@sentence.register
def _(step: rules.Draw) -> str:
    many = step.count > 1
    what = f"{cards(step.count)}{', or as many as remain,' if many else ''} from the deck"
    does = f"Alice and then Bob each draw {what}"
    drawer = "the drawer"
    if step.player != "both":
        drawer = name(step.player)
        does = f"{start(drawer)} draws {what}"
    it = "the cards" if many else "the card"
    if step.visibility == "public":
        return f"{does} (public draw: everyone sees {it}). If the deck is empty, nothing is drawn and everyone is told."
    if step.visibility == "occurrence":
        return (
            f"{does} (announced draw: everyone is told who draws how many, only {drawer} sees {it}). "
            "If the deck is empty, nothing is drawn and everyone is told."
        )
    return (
        f"{does} (private draw: only {drawer} is told and sees {it}, but the deck's new size is announced). "
        f"If the deck is empty, nothing is drawn and only {drawer} is told."
    )


@sentence.register
def _(step: rules.Discard) -> str:
    owner = name(step.player)
    which = {
        "random": "a random card of their hand",
        "lowest": "the lowest-ranked card of their hand",
        "highest": "the highest-ranked card of their hand",
    }[step.which]
    seen = "everyone sees the card" if step.face_up else f"everyone is told, but only {owner} sees the card"
    way = "face up" if step.face_up else "face down"
    return f"{start(owner)} discards {which} {way}: {seen}. With an empty hand nothing happens and nobody is told."


@sentence.register
def _(step: rules.Ante) -> str:
    if step.player == "both":
        return f"Alice and then Bob each pay an ante of {chips(step.amount)} into the pot (at most what they have)."
    payer = name(step.player)
    return f"{start(payer)} pays an ante of {chips(step.amount)} into the pot (at most what {payer} has)."


@sentence.register
def _(step: rules.Transfer) -> str:
    source, target = name(step.source), name(step.target)
    if step.source == "pot":
        return f"{start(target)} receives {chips(step.amount)} from the pot (at most what the pot holds)."
    way = "into" if step.target == "pot" else "to"
    return f"{start(source)} pays {chips(step.amount)} {way} {target} (at most what {source} has)."


@sentence.register
def _(step: rules.TakePot) -> str:
    return f"{start(name(step.player))} takes the whole pot; the game goes on."


@sentence.register
def _(step: rules.Score) -> str:
    who, other = name(step.player), opponent(step.player)
    return f"{start(who)}'s score rises by {step.amount}, and {other}'s falls by {step.amount} (public)."


@sentence.register
def _(step: rules.Peek) -> str:
    who, other = name(step.player), opponent(step.player)
    does = f"{start(who)} peeks at a random card of {other}'s hand, and the card stays there"
    if step.visibility == "public":
        return f"{does} (public peek: everyone sees the card, or that the hand is empty)."
    if step.visibility == "occurrence":
        return (
            f"{does} (announced peek: everyone is told that {who} peeks, only {who} sees the card, "
            "or that the hand is empty)."
        )
    return f"{does} (private peek: only {who} is told of it and sees the card, or that the hand is empty)."


@sentence.register
def _(step: rules.Swap) -> str:
    who, other = name(step.player), opponent(step.player)
    return (
        f"{start(who)} swaps cards with {other}: first a random card of {who}'s hand and then a random card of "
        f"{other}'s hand is picked, and they change places. Both players see both cards. "
        "If either hand is empty, nothing happens and everyone is told."
    )


@sentence.register
def _(step: rules.Steal) -> str:
    who, other = name(step.player), opponent(step.player)
    return (
        f"{start(who)} steals a random card from {other}'s hand into their own. Both players see the card. "
        "If that hand is empty, nothing happens and everyone is told."
    )


@sentence.register
def _(step: rules.Reveal) -> str:
    which = {"random": "a random card", "highest": "the highest-ranked card", "all": "all cards"}[step.which]
    stay = "they stay" if step.which == "all" else "it stays"
    return (
        f"{start(name(step.player))} reveals {which} of their hand to everyone; {stay} in the hand. "
        "With an empty hand nothing is shown and everyone is told."
    )


@sentence.register
def _(step: rules.Announce) -> str:
    return f'Everyone is told: "{step.text}"'


@sentence.register
def _(step: rules.AddToVariable) -> str:
    way = f"falls by {-step.amount}" if step.amount < 0 else f"rises by {step.amount}"
    return f"{variable(step.variable)} {way} (public)."


@sentence.register
def _(step: rules.Perform) -> str:
    return f"Play **{step.phase}**, then continue here."


@sentence.register
def _(step: rules.EndGame) -> str:
    if step.winner is None:
        return f"The game ends at once without a winner: {SPLIT}."
    return f"The game ends at once: {name(step.winner)} takes the whole pot."


@sentence.register
def _(_step: rules.NoAction) -> str:
    return "No action."


# ---------------------------------------------------------------------------------------------- what others see (G36)


def trace(steps: Sequence[rules.Step]) -> Trace:
    """What everyone sees of the steps, apart from chance and short piles."""
    return tuple(seen for step in steps for seen in _seen(step))


def _seen(step: rules.Step) -> Trace:
    match step:
        case rules.NoAction():
            return ()
        case rules.Peek():
            return () if step.visibility == "private" else (step,)
        case rules.Draw():
            decks = (("deck", step.count),) * (2 if step.player == "both" else 1)
            return decks if step.visibility == "private" else (step,)
        case rules.Discard():
            return (step,) if step.face_up else (("discard", step.player),)
        case rules.If():
            then, otherwise = trace(step.then), trace(step.otherwise)
            either = then if then == otherwise else (("either", then, otherwise),)
            return (step,) if step.public else either
        case (
            rules.Shuffle()
            | rules.Deal()
            | rules.DealBoard()
            | rules.Ante()
            | rules.Transfer()
            | rules.TakePot()
            | rules.Score()
            | rules.Swap()
            | rules.Steal()
            | rules.Reveal()
        ):
            return (step,)
        case rules.Announce() | rules.AddToVariable() | rules.Perform() | rules.EndGame():
            return (step,)
        case _:
            assert_never(step)


def check_note(step: rules.If) -> str:
    """A note on what the other player can see of a private check."""
    said = HIDDEN if trace(step.then) == trace(step.otherwise) else INFERABLE
    return f"the outcome is not announced, {said}"
