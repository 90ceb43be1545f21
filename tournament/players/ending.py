"""The end of a match to one of its players: the result, the reason, and the sum of the chips."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVERYONE, ChipReason, EndReason, Event
from antemill.engine.match import Match
from antemill.engine.rules.spec import Showdown
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook.showdown import COMPARED
from antemill.engine.text.rulebook.wording import chips, listing
from antemill.engine.text.wording import Seen

_LEADS_TO_AN_END = (Event.CHECK, Event.CHOICE)
_POT = 2  # the account of the pot in an event
_MINUS = "\N{MINUS SIGN}"


class Ending(Struct, frozen=True):
    """Sentences to a player. payoff: chips won."""

    payoff: int
    result: str
    reason: str
    sum: str


def ending(match: Match, seat: int) -> Ending:
    """The end of a finished match to a seat, in the words of the game's prompts. Raises MatchError without a log."""
    payoff, said = match.result.payoffs[seat], match.game.said
    return Ending(payoff, result_of(payoff), said(_reason(match, seat)), said(_sum(match, seat)))


def result_of(payoff: int, who: str = "You") -> str:
    """ "You win 2 chips." who: another name than "You" is in the third person."""
    if payoff == 0:
        return "A draw: neither player wins."
    verb = ("win" if payoff > 0 else "lose") + ("" if who == "You" else "s")
    return f"{who} {verb} {chips(abs(payoff))}."


def _reason(match: Match, seat: int) -> str:
    """How the game ended, and the side bets with what they moved.

    A showdown names what it compares, if the rules are known. Before an end by a rule stands what the rule followed: a
    condition or a choice.
    """
    wording, spec = match.game.wording, match.game.spec
    phase, end, bets, before = 0, "", list[str](), list[str]()
    for kind, actor, x, y, z, content, *_ in match.events():
        if kind == Event.PHASE:
            phase = x
        line = wording.line(Seen(kind, actor, x, y, z, content, EVERYONE), seat)
        if kind == Event.SIDE_BET or (kind == Event.CHIPS and z == ChipReason.SIDE_BET):
            bets.append(line)
        elif kind == Event.RESULT:
            showdown = None if spec is None else spec.phases[phase]
            compared = f" ({COMPARED[showdown.metric]})" if isinstance(showdown, Showdown) else ""
            led = before if x == EndReason.ENDED else []
            end = " ".join((*led, line.replace("by showdown", f"by showdown{compared}")))
        before = [*before, line][-2:] if kind == Event.REVEALED else [line] if kind in _LEADS_TO_AN_END else []
    return " ".join((end, *bets))


def _sum(match: Match, seat: int) -> str:
    """What the payoff is made of: the chips at the beginning, those put into the pot (less what came back unmatched)
    and won from it, what the players paid each other, the chips at the end, and the score.
    """
    me, other, opponent = seat, 1 - seat, SEATS[1 - seat]
    moved = [row for row in match.events() if row[0] == Event.CHIPS]
    back = _moved(moved, _POT, me, lambda reason: reason == ChipReason.REFUND)
    won = _moved(moved, _POT, me, lambda reason: reason != ChipReason.REFUND)
    beside = _moved(moved, other, me) - _moved(moved, me, other)
    parts = [f"put {_moved(moved, me, _POT) - back} into the pot", f"took {won} from it"]
    if beside:
        parts.append(f"got {beside} from {opponent} besides" if beside > 0 else f"paid {-beside} to {opponent} besides")
    begun, ended = int(match.game.program.initial_state()[at.CHIPS + me]), match.result.stacks[me]
    return f"You began with {chips(begun)}, {listing(parts)}: you end with {ended}.{_scored(match, seat, ended, begun)}"


def _scored(match: Match, seat: int, ended: int, begun: int) -> str:
    """How the score enters the result; "" without one."""
    score = match.result.score if seat == 0 else -match.result.score
    if not score:
        return ""
    sign, left = "-" if score < 0 else "+", f"{ended + score - begun:+d}".replace("+0", "0")
    text = f" With a score of {score:+d} that makes {ended} {sign} {abs(score)} - {begun} = {left}."
    return text.replace("-", _MINUS)


def _moved(
    rows: Sequence[Sequence[int]], payer: int, receiver: int, why: Callable[[int], bool] = lambda _: True
) -> int:
    """The chips that an account paid to another, for some reasons. rows: events of chips."""
    return sum(amount for _, seat, amount, to, reason, *_ in rows if (seat, to) == (payer, receiver) and why(reason))
