"""Betting rounds and loops: the effect of each choice, and the decisions in order, by their names in logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from antemill.engine.rules.spec import BettingLoop, FixedBetting, Player, VariableBetting
from antemill.engine.rules.walk import FALLBACK
from antemill.engine.text.rulebook.steps import step_lines
from antemill.engine.text.rulebook.wording import bold, bullet, chips, listing, name, opponent, start, times, variable

AMOUNTS: Final = (
    "an amount above the maximum is lowered to it, and a malformed amount or one below the minimum is replaced by a "
    "uniformly random legal one; only the player who submitted it is told of such a correction"
)


CORRECTED: Final = (
    "A larger amount is lowered to the maximum, and a malformed or smaller one is replaced by a uniformly random legal "
    "amount; only that player is told."
)
# The parts that the names of a round's decisions add to its own name.
DECISIONS: Final = ("", ": fold or call", ": bet or check", ": fold or call, responding")


def fixed_lines(phase: FixedBetting) -> list[str]:
    """A betting round with one size."""
    raising = f" and every raise adds {chips(phase.amount)}" if phase.raises else ""
    opening = (
        f"One betting round with fixed sizes: every bet is {chips(phase.amount)}{raising}. "
        f"{start(name(phase.opener))} acts first."
    )
    return [bullet(opening), *_round(phase.name, phase.opener, phase.amount, phase.raises, 0)]


def variable_lines(phase: VariableBetting) -> list[str]:
    """A betting round with free sizes, and its fallback."""
    fallback = phase.name + FALLBACK
    most = "" if phase.cap is None else f" up to {chips(phase.cap)}"
    return [
        bullet("If Alice has at least 1 chip AND Bob has at least 1 chip when the round starts (public):"),
        bullet(f"One betting round with free sizes{most}. {start(name(phase.opener))} acts first.", 1),
        *_round(phase.name, phase.opener, None, 0, 1, phase.cap),
        bullet("Otherwise:"),
        bullet(
            f"Free sizes are not possible. A round with fixed sizes takes their place: every bet is "
            f"{chips(phase.fallback)}. {start(name(phase.opener))} acts first.",
            1,
        ),
        bullet(f"{_fixed_bet(phase.fallback)} **check**, **fold** and **call** are as above, and announced too.", 1),
        bullet(
            "The same decisions are taken in the same order, under the names "
            f"{listing([f'**{fallback}{part}**' for part in DECISIONS])}.",
            1,
        ),
    ]


def _round(
    label: str, opener: Player, amount: int | None, raises: int, depth: int, cap: int | None = None
) -> Iterator[str]:
    yield bullet("The choices, all of them announced (public):", depth)
    for text in _choices(amount, raises, cap):
        yield bullet(text, depth + 1)
    yield bullet("The decisions:", depth)
    for number, text in enumerate(_decisions(label, opener, raises), start=1):
        yield f"{'  ' * (depth + 1)}{number}. {text}"


def _choices(amount: int | None, raises: int, cap: int | None) -> Iterator[str]:
    if amount is None:
        most = "their whole stack" if cap is None else f"{cap}, or to their whole stack if that is less"
        yield (
            f"**bet**: the player then chooses a wager, a whole number of chips from 1 to {most}, and pays it into the "
            f"pot. {CORRECTED}"
        )
    else:
        yield _fixed_bet(amount)
    yield "**check**: no chips move."
    yield "**fold**: the game ends at once, and the opponent takes the whole pot."
    owed = "the opponent's bet or what the opponent's raise added" if raises else "the amount of the opponent's bet"
    yield (
        f"**call**: the player pays into the pot what they owe, that is {owed} (at most what they have). Somebody who "
        "cannot pay it all is all-in, and the part that is not matched goes back from the pot to the opponent. "
        "The round ends."
    )
    if raises and amount is not None:
        yield (
            f"**raise**: the player pays into the pot what they owe and {chips(amount)} more (at most what they have), "
            "and the opponent then owes what was paid beyond the debt. It is offered only to a player who has more "
            f"chips than they owe, and at most {times(raises)} in a round by both players together. "
            "It is also offered against an opponent who has no chips left: then their **call** costs nothing and what "
            "was added goes back, while by a **fold** they give up the pot."
        )


def _fixed_bet(amount: int) -> str:
    return (
        f"**bet**: the player pays a bet of {chips(amount)} into the pot (at most what they have). "
        "It is offered only to a player who has at least 1 chip."
    )


def _decisions(label: str, opener: Player, raises: int) -> Iterator[str]:
    first, second = name(opener), opponent(opener)
    answer = bold(("fold", "call", "raise") if raises else ("fold", "call"))
    opening, facing, checked, responding = (f"**{label}{part}**" for part in DECISIONS)
    yield f"{opening}: {first} chooses **bet** or **check**."
    yield f"{facing}, after a bet by {first}: {second} chooses {answer}."
    yield (
        f"{checked}, after a check by {first}: {second} chooses **bet** or **check**. "
        f"If {second} checks too, the round ends."
    )
    yield f"{responding}, after a bet by {second}: {first} chooses {answer}."
    for made in range(1, raises + 1):
        answer = bold(("fold", "call", "raise") if made < raises else ("fold", "call"))
        yield f"**{label}: raise {made}**, after raise {made} of the round: the player who faces it chooses {answer}."


def loop_lines(phase: BettingLoop) -> list[str]:
    """The rounds, the rules that stop them, and the steps between them."""
    counter = variable(phase.counter)
    short = "no chips left" if phase.stop_at == 0 else f"{chips(phase.stop_at)} or fewer"
    lines = [
        bullet(f"{counter} is set to 0 (public)."),
        bullet(f"Up to {phase.cap} betting round{'s' if phase.cap > 1 else ''} follow{'s' if phase.cap == 1 else ''}."),
        bullet(
            f"Before every round, the first one included: if {counter} has reached {phase.cap}, or if either player "
            f"has {short}, no more rounds are played and this phase is over."
        ),
    ]
    if phase.between:
        lines.append(bullet("Then, before every round but the first (and without testing for the end again):"))
        lines += step_lines(phase.between, 1)
    lines.append(bullet("Then the round is played:"))
    for number, round_name in enumerate(phase.rounds, start=1):
        last = number == len(phase.rounds) < phase.cap
        which = "Every round" if last and number == 1 else f"Round {number}{' and all later rounds' if last else ''}"
        lines.append(bullet(f"{which}: **{round_name}**.", 1))
    return [*lines, bullet(f"After each round {counter} rises by 1 (public).")]
