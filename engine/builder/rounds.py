"""Templates of rounds in which somebody chooses or observes (GENSTRAT appendix A's phase blocks).

Each draws a phase and the sub-phases that it performs, puts them into the graph, plays them, and returns the names of
what is played in turn: two phases if each player has one and `d.most` allows it, else one. A template must not be
called without `room` for a phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from engine.builder import names
from engine.builder.bounds import DECK, HAND, Bounds
from engine.builder.conditions import draw_card_condition, draw_condition
from engine.builder.dice import Weighted
from engine.builder.draft import OPPONENT, Draft, Template
from engine.builder.effects import VISIBILITIES, draw_cell, most_cards, most_chips, stir
from engine.builder.menus import draw_duel, draw_menu, draw_option
from engine.rules.spec import (
    ActionRound,
    Auction,
    Cell,
    Draw,
    NoAction,
    Observation,
    Peek,
    Player,
    Positions,
    SideBet,
    Simultaneous,
    Steal,
    Step,
)

TITLE: Final[dict[Player, str]] = {"alice": "Alice", "bob": "Bob", "leader": "Leader", "follower": "Follower"}
SIDE_BETS: Final = 4  # at most, in a game
SUB_ROUND: Final = " (sub-round)"
_Criterion = Literal["most-chips", "fewest-chips", "higher-card", "lower-card", "random", "alternate"]
_CRITERIA: Final[Sequence[_Criterion]] = (
    "most-chips",
    "fewest-chips",
    "higher-card",
    "lower-card",
    "random",
    "alternate",
)


def _players(d: Draft) -> tuple[Player, ...]:
    """Who has a round: often one player after the other, else one alone."""
    first = d.player()
    return (first, OPPONENT[first]) if d.most > 1 and d.room(2) and d.chance("p_both_act") else (first,)


def _may_perform(d: Draft) -> bool:
    return d.nests() and not d.secret and d.room(2) and d.chance("p_nest")


def action_round(d: Draft, where: str) -> tuple[str, ...]:
    """A menu for one player, or the same menu for one after the other."""
    players = _players(d)
    menu = draw_menu(d, players)
    public = not d.chance("p_private_action")
    picks = 2 if d.chance("p_pick_twice") else 1
    places = [d.begin() for _ in players]
    duel: tuple[Step, ...] = ()
    if _may_perform(d):
        duel = _side_line(d, simultaneous_round)
        menu = menu[:-1]
        public = True  # everyone sees the duel begin
    done: list[str] = []
    for player, place in zip(players, places):
        ends: list[Bounds] = []
        options = [draw_option(d, kind, cost, player, ends) for kind, cost in menu]
        if duel:
            options.append(draw_duel(d, duel, ends))
        phase = ActionRound(d.name(f"{TITLE[player]}'s Action Round{where}"), player, tuple(options), public, picks)
        d.bounds.become(ends)
        for _ in range(picks - 1):
            d.bounds.action(phase)
        done.append(d.add(phase, place + len(done), played=True))
    return tuple(done)


def _side_line(d: Draft, template: Template) -> tuple[Step, ...]:
    """Sub-phases that one choice out of several leads to."""
    return d.branch(lambda: d.perform(template, SUB_ROUND, d.caps.effects), [])


def simultaneous_round(d: Draft, where: str) -> tuple[str, ...]:
    """Two or three options each; some pairs have an outcome of their own, the others share one."""
    place = d.begin()
    options = (
        d.dice.choice(names.TRIPLES)
        if d.caps.simultaneous_options > 2 and d.chance("p_three_options")
        else d.dice.choice(names.PAIRS)
    )
    pairs = [(a, b) for a in options for b in options]
    own = d.dice.between(2, min(len(pairs), 5))
    chosen = d.dice.sample(pairs, own)
    ends: list[Bounds] = []
    cells: list[Cell] = []
    for a, b in pairs:
        if (a, b) in chosen:
            may_end = own < len(pairs) or len(cells) + 1 < own  # some pair lets the game go on
            cells.append(Cell(a, b, _cell(d, may_end, ends)))
    others: tuple[Step, ...] = ()
    if own < len(pairs):
        if d.dice.below(2):
            others = _cell(d, False, ends)
        else:
            others = (NoAction(),)
            ends.append(d.bounds.copy())
    d.bounds.become(ends)
    name = d.name(f"Simultaneous Round{where}")
    return (d.add(Simultaneous(name, options, options, tuple(cells), others), place, played=True),)


def _cell(d: Draft, may_end: bool, ends: list[Bounds]) -> tuple[Step, ...]:
    return d.branch(lambda: _outcome(d, may_end), ends) or (NoAction(),)


def _outcome(d: Draft, may_end: bool) -> tuple[Step, ...]:
    if _may_perform(d):
        return d.perform(d.dice.pick(_NESTED), SUB_ROUND, d.caps.effects)
    if d.theme is not None and d.dice.below(4) == 0:
        return stir(d)
    return draw_cell(d, may_end)


_Prize = tuple[str, Draw | Peek | Steal]


def auction_round(d: Draft, where: str) -> tuple[str, ...]:
    """A sealed-bid auction of a card, a look or a theft; a look at nothing is no prize, so cards come first."""
    hi = d.bounds.hi
    bid = min(d.caps.bid, max(hi[0], hi[1]))
    prizes: list[tuple[_Prize, float]] = []
    if hi[DECK]:
        count = 2 if hi[DECK] > 4 and d.dice.below(5) == 0 else 1
        prizes.append((("Card Draw", Draw("winner", count, "public" if d.dice.below(4) == 0 else "occurrence")), 3.0))
    if min(hi[HAND], hi[HAND + 1]):
        prizes.append((("Peek", Peek("winner", d.dice.pick(VISIBILITIES))), 1.5))
        # the theft of an only card decides the game: rarely
        prizes.append((("Steal", Steal("winner")), 0.7 if min(d.bounds.lo[HAND], d.bounds.lo[HAND + 1]) > 1 else 0.2))
    if not bid or not prizes:
        return simultaneous_round(d, where)
    title, prize = d.dice.pick(Weighted(prizes))
    place = d.begin()
    name = d.name(f"Auction Round: {title}{where}")
    return (d.add(Auction(name, d.size("bid", bid), prize), place),)


def observation_round(d: Draft, where: str) -> tuple[str, ...]:
    """A signal for one player, or for one after the other."""
    done = []
    visibility = d.dice.pick(VISIBILITIES)
    for viewer in _players(d):
        subjects = _subjects(d, viewer)
        if not subjects:
            continue
        subject, signal = d.dice.pick(Weighted(subjects))
        trigger = draw_condition(d) if d.chance("p_trigger") else None
        public = trigger is None or d.chance("p_public_check")
        place = d.begin()
        name = d.name(f"{TITLE[viewer]}'s Observation Round{where}")
        done.append(d.add(Observation(name, viewer, subject, signal, visibility, trigger, public), place))
    return tuple(done) or simultaneous_round(d, where)


_Subject = Literal["opponent-card", "deck-card", "opponent-hand"]
_Signal = Literal["card", "suit", "top-rank", "size"]


def _subjects(d: Draft, viewer: Player) -> list[tuple[tuple[_Subject, _Signal], float]]:
    """What there is to see, with weights: suits only if there are several, sizes only if they are not known."""
    subjects: list[tuple[tuple[_Subject, _Signal], float]] = []
    suits = len(d.deck.suits) > 1
    if most_cards(d, OPPONENT[viewer]):
        subjects += [(("opponent-card", "card"), 2.0), (("opponent-hand", "top-rank"), 1.5)]
        if suits:
            subjects.append((("opponent-card", "suit"), 1.0))
    if d.bounds.hi[DECK]:
        subjects.append((("deck-card", "card"), 1.0))
        if suits:
            subjects.append((("deck-card", "suit"), 0.4))
    if d.bounds.uncertain(HAND) or d.bounds.uncertain(HAND + 1):
        subjects.append((("opponent-hand", "size"), 1.0))
    return subjects


def positions_round(d: Draft, where: str) -> tuple[str, ...]:
    """Leader and follower are assigned; changing places needs an assignment before."""
    criterion = d.dice.choice(_CRITERIA if d.positions else _CRITERIA[:5])
    d.positions = True
    return (_positions(d, criterion, where),)


def rotation(d: Draft, where: str) -> tuple[str, ...]:
    """Leader and follower change places."""
    return (_positions(d, "alternate", where),)


def _positions(d: Draft, criterion: _Criterion, where: str) -> str:
    return d.add(Positions(d.name(f"Position Assignment{where}"), criterion), d.begin())


def side_bet_round(d: Draft, where: str) -> tuple[str, ...]:
    """A wager on the cards at the showdown for one player, or for one after the other."""
    done = []
    for player in _players(d):
        stack = most_chips(d, player)
        condition = draw_card_condition(d, player if d.dice.below(4) else None)
        if not stack or condition is None or len(d.side_bets) >= SIDE_BETS or (player, condition) in d.side_bets:
            continue
        d.side_bets.append((player, condition))
        place = d.begin()
        name = d.name(f"{TITLE[player]}'s Side Bet{where}")
        done.append(d.add(SideBet(name, player, d.size("payment", stack), condition), place))
    return tuple(done) or action_round(d, where)


# By the rows of the dial that weigh them.
ROUNDS: Final[dict[str, Template]] = {
    "w_action": action_round,
    "w_simultaneous": simultaneous_round,
    "w_auction": auction_round,
    "w_observation": observation_round,
    "w_side_bet": side_bet_round,
}
_NESTED: Final[Weighted[Template]] = Weighted(((auction_round, 1.0), (observation_round, 1.0), (action_round, 1.5)))
