"""The rules of each kind of phase, as lines of a nested list."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from itertools import product
from typing import Final, assert_never

from msgspec.structs import replace

from antemill.engine.rules import spec as rules
from antemill.engine.text.rulebook.betting import CORRECTED, fixed_lines, loop_lines, variable_lines
from antemill.engine.text.rulebook.conditions import clause
from antemill.engine.text.rulebook.graph import Graph
from antemill.engine.text.rulebook.showdown import showdown_lines
from antemill.engine.text.rulebook.steps import HIDDEN, INFERABLE, SUMMARIES, sentence, step_lines, trace
from antemill.engine.text.rulebook.wording import bold, bullet, chips, name, opponent, start


def summary(phase: rules.Phase) -> str:
    """The phase in a few words."""
    match phase:
        case rules.Steps():
            return ", ".join(dict.fromkeys(SUMMARIES[type(step)] for step in phase.steps)) or "nothing"
        case rules.FixedBetting():
            return "a betting round with fixed sizes"
        case rules.VariableBetting():
            return "a betting round with free sizes"
        case rules.BettingLoop():
            return "betting, in one or more rounds"
        case rules.ActionRound():
            return f"{name(phase.player)} picks from several options"
        case rules.Simultaneous():
            return "both players choose in secret"
        case rules.Auction():
            return "a sealed-bid auction"
        case rules.Observation():
            return f"{name(phase.viewer)} may observe something"
        case rules.Positions():
            return "leader and follower are assigned"
        case rules.SideBet():
            return f"a side bet is offered to {name(phase.player)}"
        case rules.Showdown():
            return "the hands are revealed and the pot is awarded"
        case _:
            assert_never(phase)


@singledispatch
def phase_lines(phase: rules.Phase, _graph: Graph) -> list[str]:
    """The phase's rules."""
    raise TypeError(f"no words for {phase!r}")


@phase_lines.register
def _(phase: rules.Steps, _graph: Graph) -> list[str]:
    return step_lines(phase.steps)


@phase_lines.register
def _(phase: rules.FixedBetting, _graph: Graph) -> list[str]:
    return fixed_lines(phase)


@phase_lines.register
def _(phase: rules.VariableBetting, _graph: Graph) -> list[str]:
    return variable_lines(phase)


@phase_lines.register
def _(phase: rules.BettingLoop, _graph: Graph) -> list[str]:
    return loop_lines(phase)


@phase_lines.register
def _(phase: rules.Showdown, graph: Graph) -> list[str]:
    return showdown_lines(phase, graph)


# ---------------------------------------------------------------------------------------------- action rounds


@phase_lines.register
def _(phase: rules.ActionRound, _graph: Graph) -> list[str]:
    who = name(phase.player)
    told = (
        "public: the choice is announced"
        if phase.public
        else f"private: only {who} is told the choice, {choice_note(phase)}"
    )
    lines = [bullet(f"{start(who)} picks {bold(option.name for option in phase.options)} ({told}).")]
    if phase.picks > 1:
        again = " and made by whoever holds the position then" if phase.player in ("leader", "follower") else ""
        lines.append(
            bullet(f"There are {phase.picks} picks in a row, each carried out before the next is offered{again}.")
        )
    for option in phase.options:
        lines += _option_lines(option, phase)
    return lines


def choice_note(phase: rules.ActionRound) -> str:
    """A note on what the other player can see of a private choice."""
    return HIDDEN if len({(option.cost, *trace(option.steps)) for option in phase.options}) == 1 else INFERABLE


def _option_lines(option: rules.Option, phase: rules.ActionRound) -> Iterator[str]:
    yield bullet(f"If {name(phase.player)} picks **{option.name}**:")
    if option.cost is not None:
        yield bullet(_cost(option.cost, phase), 1)
    yield from step_lines(option.steps, 1)


def _cost(cost: rules.Cost, phase: rules.ActionRound) -> str:
    who = name(phase.player)
    if cost.odds is None:
        return (
            f"First {who} pays a cost of {chips(cost.amount)} into the pot. "
            f"The option is offered only if {who} has at least {chips(cost.amount)}."
        )
    outcome = "Everyone" if phase.public else f"Only {who}"
    return (
        f"First a cost of {chips(cost.amount)} falls due with probability {cost.odds[0]}/{cost.odds[1]}, settled after "
        f"the choice is made. {outcome} is told how this comes out. If it is due, {who} pays it into the pot in full, "
        f"or, with fewer than {chips(cost.amount)}, pays nothing, and the pick is used up without its effect."
    )


# ---------------------------------------------------------------------------------------------- simultaneous rounds


@phase_lines.register
def _(phase: rules.Simultaneous, _graph: Graph) -> list[str]:
    lines = [
        bullet(
            "Both players choose in secret. Once both choices are locked, they are revealed to everyone at the same "
            "time, and then the outcome of the pair is carried out. A missing choice is replaced by a uniformly random "
            "one."
        ),
        bullet(f"Alice chooses {bold(phase.alice_options)}."),
        bullet(f"Bob chooses {bold(phase.bob_options)}."),
    ]
    for cell in phase.cells:
        lines.append(bullet(f"If Alice chooses **{cell.alice}** AND Bob chooses **{cell.bob}**:"))
        lines += step_lines(cell.steps, 1)
    own = {(cell.alice, cell.bob) for cell in phase.cells}
    rest = [f"{a}/{b}" for a, b in product(phase.alice_options, phase.bob_options) if (a, b) not in own]
    if rest:
        which = "all other combinations" if own else "every combination"
        lines.append(bullet(f"For {which}, Alice's choice first ({', '.join(rest)}):"))
        lines += step_lines(phase.others, 1)
    return lines


# ---------------------------------------------------------------------------------------------- auctions


@phase_lines.register
def _(phase: rules.Auction, graph: Graph) -> list[str]:
    prize = replace(phase.prize, player="winner")
    nothing = "the deck is empty" if isinstance(prize, rules.Draw) else "the loser's hand is empty"
    most = min(phase.max_bid, 2 * graph.spec.chips)
    return [
        bullet(
            f"Sealed-bid auction. Alice and Bob each choose in secret a bid **from 0 to {chips(most)}**. "
            f"{CORRECTED} A bid above the player's stack counts as the whole stack."
        ),
        bullet("Once both bids are locked, they are revealed to everyone at the same time."),
        bullet("If both bids are 0, nobody wins and no chips move."),
        bullet("Otherwise the higher bid wins; between equal bids a coin decides, and everyone is told."),
        bullet(
            f"If {nothing} at that moment, the auction is cancelled: everyone is told, nobody pays, nobody gets "
            "anything."
        ),
        bullet(
            "Otherwise everyone is told who won the prize. The winner pays their own bid into the pot, the loser pays "
            "nothing, and this follows:"
        ),
        bullet(sentence(prize), 1),
        bullet("The auction has no ante."),
    ]


# ---------------------------------------------------------------------------------------------- observations

_SUBJECTS: Final = {
    "opponent-card": "a random card of {other}'s hand",
    "deck-card": "a random card of the deck",
    "opponent-hand": "{other}'s hand",
}
_SIGNALS: Final = {
    "card": "which card it is",
    "suit": "the suit",
    "top-rank": "the highest rank",
    "size": "the number of cards",
}


@phase_lines.register
def _(phase: rules.Observation, _graph: Graph) -> list[str]:
    if phase.trigger is None:
        return [bullet(_signal(phase))]
    tag = "public"
    if not phase.trigger_public:
        who = f"only {name(phase.viewer)} can" if phase.visibility == "private" else "everyone can"
        tag = f"private: the outcome is not announced, but {who} tell from whether there is an observation"
    return [
        bullet(f"If {clause(phase.trigger)} ({tag}):"),
        bullet(_signal(phase), 1),
        bullet("Otherwise nothing is observed."),
    ]


def _signal(phase: rules.Observation) -> str:
    who = name(phase.viewer)
    subject = _SUBJECTS[phase.subject].format(other=opponent(phase.viewer))
    what = _SIGNALS[phase.signal]
    pile = "the deck" if phase.subject == "deck-card" else "the hand"
    empty = f"or that {pile} is empty"
    if phase.signal == "top-rank":
        empty = "which is 0 for an empty hand"
    elif phase.signal == "size":
        empty = "which may be 0"
    seen = f"{start(who)} observes {subject}, which stays as it is"
    learns = f"{what}, {empty}"
    if phase.visibility == "public":
        return f"{seen} (public observation: everyone learns {learns})."
    if phase.visibility == "occurrence":
        return f"{seen} (announced observation: everyone is told that {who} observes, only {who} learns {learns})."
    return f"{seen} (private observation: only {who} is told of it and learns {learns})."


# ---------------------------------------------------------------------------------------------- positions, side bets

_CRITERIA: Final = {
    "most-chips": "The player with more chips becomes the leader. If both have equally many, a coin decides.",
    "fewest-chips": "The player with fewer chips becomes the leader. If both have equally many, a coin decides.",
    "higher-card": "The player whose highest card has the higher rank becomes the leader. An empty hand is below every "
    "card. If the ranks are equal or both hands are empty, a coin decides.",
    "lower-card": "The player whose highest card has the lower rank becomes the leader. An empty hand is below every "
    "card. If the ranks are equal or both hands are empty, a coin decides.",
    "random": "A coin decides who becomes the leader.",
    "alternate": "The follower becomes the leader: the positions change hands.",
}


@phase_lines.register
def _(phase: rules.Positions, _graph: Graph) -> list[str]:
    return [
        bullet(_CRITERIA[phase.criterion]),
        bullet("The other player becomes the follower. Everyone is told who leads (public)."),
    ]


@phase_lines.register
def _(phase: rules.SideBet, _graph: Graph) -> list[str]:
    who = name(phase.player)
    return [
        bullet(f"{start(who)} chooses **take** or **pass** (public)."),
        bullet(
            f"**take**: {who} bets {chips(phase.amount)} against {opponent(phase.player)} that this will hold at the "
            f"showdown: {clause(phase.condition)}. No chips move before that. It is offered only if {who} has at least "
            f"{chips(phase.amount)}."
        ),
        bullet("**pass**: nothing happens."),
        bullet(
            "If this phase is played again, the choice is asked again, but a side bet that was taken stays with "
            "whoever took it first."
        ),
        bullet("A game that ends before the showdown voids the side bet."),
    ]
