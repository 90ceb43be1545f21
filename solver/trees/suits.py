"""Suits that no rule names are interchangeable: branches, or information sets, that differ only in their names are
merged.

A rule that names hearts distinguishes hearts from all other suits, and then the machine's keys distinguish all cards.
The other suits of such a game can be renamed, together with everything that follows. So of histories that differ only
in names the tree keeps one, with the weight of all, and of such information sets one (Gilpin and Sandholm, "Lossless
abstraction of imperfect information games", J. ACM 54(5), 2007). In a zero-sum game some equilibrium treats them
equally. So the value is exact, and so is the exploitability of every policy that treats them equally.

What may be renamed depends on how a game reads suits:

by cards   Rules read suits only as in "holds a heart". Within each rank, the cards of the other suits can be renamed
           among themselves. For each seat every card has a colour: at first that of its rank, or of its rank and suit
           if a rule names the suit. An event that shows cards to a seat adds the sum of their colours to the seat's
           digest, and changes these colours. So the key tells that a card was seen before, and when, but not its name.
by suits   An observation shows a suit, or suits are counted at the showdown, so a suit can only be renamed as a whole.
           For each seat there is a digest for each way to rename, and the key is the smallest digest.

Two cards in the deck are one outcome if both seats have seen them in the same events, which mostly means in none; by
suits, if nothing was seen of the suit of either. Cards in a hand are never one outcome, because they have places there.

All of this is a function of what a seat was told, so the key can be computed from a seat's log without the machine.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import chain, mix64, plus
from antemill.engine.machine.events import EVENT_WIDTH, Event
from antemill.engine.machine.observe import token
from antemill.engine.machine.opcodes import WIDTH, Look, Metric, Op
from antemill.engine.machine.program import Program
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.seeding import derive
from antemill.solver.game import Array

NONE, BY_CARDS, BY_SUITS = 0, 1, 2  # what may be renamed
_DOMAIN = 0x5_017_5
_SIGNAL = int(Event.SIGNAL)
_SHOWING_CARDS = (
    *(Event.DEAL, Event.BOARD, Event.DRAW, Event.DISCARD),
    *(Event.PEEK, Event.MOVE, Event.REVEAL, Event.SHOW),
)
_NUMBER, _CARDS, _SUIT = 0, 1, 2  # what the content of an event is
_LOOKS = {Look.OPPONENT_CARD: _CARDS, Look.DECK_CARD: _CARDS, Look.OPPONENT_SUIT: _SUIT, Look.DECK_SUIT: _SUIT}


class Suits(NamedTuple):
    """How the suits of a game can be renamed, in the form for kernels."""

    kind: int  # NONE, BY_CARDS or BY_SUITS
    merging: bool  # whether cards that differ in their names alone are one outcome of chance
    suits: int  # number of suits
    cards: int  # number of cards
    free: int  # bit mask of the suits that can be renamed
    renamed: Array  # int64[ways, suits] the new number of each suit; by cards only the way that renames nothing
    colour: Array  # int64[cards] by cards: the first colour of a card. By suits: a random word for each card
    word: Array  # int64[cards] a random word for each card, none of which is a colour
    content: Array  # int64[events] what the content of an event is, by its kind
    look: Array  # int64[phases] what the content of a signal is, by its phase

    @property
    def words(self) -> int:
        """How many words the observations of both seats take, see `opened`."""
        return 2 * (len(self.renamed) + self.cards)


def suits_of(program: Program) -> Suits:
    """How the suits of a game can be renamed."""
    rows = program.code[: program.rows * WIDTH].reshape(-1, WIDTH)
    suits, cards = len(program.names.suits), program.cards
    named = {int(row[2]) for row in rows[rows[:, 0] == Op.TEST_SUIT]}
    free = [suit for suit in range(suits) if suit not in named]
    looks = rows[rows[:, 0] == Op.OBSERVE]
    whole = bool(np.any(rows[rows[:, 0] == Op.AWARD][:, 1] == Metric.SUITS)) or bool(
        np.isin(looks[:, 3], (Look.OPPONENT_SUIT, Look.DECK_SUIT)).any()
    )
    kind = NONE if not program.suited or len(free) < 2 else BY_SUITS if whole else BY_CARDS
    words = _words()
    card = np.arange(cards)
    like = np.where(np.isin(card % suits, free), card // suits * suits + (free or [0])[0], card)
    content = np.zeros(len(Event), np.int64)
    content[list(_SHOWING_CARDS)] = _CARDS
    look = np.zeros(max(1, len(program.names.phases)), np.int64)
    for row in looks[looks[:, 3] != Look.NOTHING]:
        look[row[2]] = _LOOKS.get(Look(int(row[3])), _NUMBER)
    return Suits(
        kind=kind,
        merging=True,
        suits=suits,
        cards=cards,
        free=sum(1 << suit for suit in free),
        renamed=_renamed(suits, free if kind == BY_SUITS else []),
        colour=words[like] if kind == BY_CARDS else words[card],
        word=words[MAX_CARDS + card],
        content=content,
        look=look,
    )


@cache
def _words() -> Array:
    """int64[2 * MAX_CARDS]: a random word for each card as a colour, then another word for each card."""
    return np.array([derive(_DOMAIN, i) for i in range(2 * MAX_CARDS)], np.uint64).view(np.int64)


def _renamed(suits: int, free: list[int]) -> Array:
    """int64[ways, suits]: all ways to rename the free suits."""
    ways = []
    for order in permutations(free):
        way = np.arange(suits)
        way[free] = order
        ways.append(way)
    return np.array(ways, np.int64)


def opened(suits: Suits) -> Array:
    """int64[suits.words]: what both seats have observed before the first event.

    First a digest per seat and way to rename, then by cards a colour per seat and card; by suits the first of these
    words is the bit mask of the suits of which anything was seen.
    """
    ways = len(suits.renamed)
    observed = np.zeros(suits.words, np.int64)
    observed[: 2 * ways] = derive(_DOMAIN) >> 1  # an empty digest must differ from one that has taken in a zero
    if suits.kind == BY_CARDS:
        observed[2 * ways :] = np.tile(suits.colour, 2)
    return observed


@kernel
def _content_key(suits: Suits, observed: np.ndarray, seat: int, way: int, what: int, content: int) -> int:
    """The value that the content of an event adds to the digest of a seat that sees it."""
    ways = len(suits.renamed)
    if what == _SUIT and content > 0:
        return int(suits.renamed[way, content - 1] + 1)
    if what != _CARDS:
        return int(content)
    key = 0
    for card in range(suits.cards):
        if (content >> card) & 1:
            if suits.kind == BY_CARDS:
                key = plus(key, observed[2 * ways + seat * suits.cards + card])
            else:
                suit = card % suits.suits
                key = plus(key, suits.colour[card - suit + suits.renamed[way, suit]])
    return key


@kernel
def observe_row(suits: Suits, observed: np.ndarray, row: np.ndarray) -> None:
    """Take in one event of the journal, int64[EVENT_WIDTH], for all seats that were told of it.

    A seat that saw the content also learns which seats saw it, as in the machine's own keys.
    """
    kind, content, ways = row[0], row[5], len(suits.renamed)
    what = suits.look[row[2]] if kind == _SIGNAL else suits.content[kind]
    word = token(kind, row[1], row[2], row[3], row[4])
    for seat in range(2):
        if (row[6] >> seat) & 1 == 0:
            continue
        shown = (row[7] >> seat) & 1 == 1
        seen = word | (row[6] << 48) | (row[7] << 50 if shown else 0)  # above the token's bits
        for way in range(ways):
            place = seat * ways + way
            digest = chain(observed[place], seen)
            if shown:
                digest = chain(digest, _content_key(suits, observed, seat, way, what, content))
            observed[place] = digest
        if shown and what == _CARDS and suits.kind == BY_CARDS:
            first = 2 * ways + seat * suits.cards
            for card in range(suits.cards):
                if (content >> card) & 1:
                    observed[first + card] = chain(observed[first + card], observed[seat])
    if suits.kind == BY_SUITS:
        if what == _SUIT and content > 0:
            observed[2 * ways] |= 1 << (content - 1)
        if what == _CARDS:
            for card in range(suits.cards):
                if (content >> card) & 1:
                    observed[2 * ways] |= 1 << (card % suits.suits)


@kernel
def observe_rows(suits: Suits, observed: np.ndarray, rows: np.ndarray) -> None:
    """Take in events of the journal, int64[events, EVENT_WIDTH]."""
    for i in range(len(rows)):
        observe_row(suits, observed, rows[i])


@kernel
def observe_new(suits: Suits, observed: np.ndarray, state: np.ndarray) -> bool:
    """Take in the journal of a state and empty it; then, if merging, say in CARD_KEY which cards are one outcome.

    The machine's own keys mean nothing after that. Returns False and changes nothing if the journal may have been too
    small.
    """
    events = state[at.JOURNAL_N]
    if at.JOURNAL + (events + 1) * EVENT_WIDTH > len(state):
        return False
    for i in range(events):
        place = at.JOURNAL + i * EVENT_WIDTH
        observe_row(suits, observed, state[place : place + EVENT_WIDTH])
    state[at.JOURNAL_N] = 0
    if not suits.merging:
        return True
    for card in range(suits.cards):
        state[at.CARD_KEY + card] = suits.word[card]
    new = _unseen_suits(suits, observed, state) if suits.kind == BY_SUITS else 0
    for i in range(state[at.DECK_N]):
        card = state[at.DECK + i]
        if suits.kind == BY_CARDS:
            colour = 2 * len(suits.renamed) + card
            first, second = observed[colour], observed[colour + suits.cards]
            state[at.CARD_KEY + card] = chain(mix64(first), second)  # chain(x, x) is 0
        elif (new >> (card % suits.suits)) & 1:
            state[at.CARD_KEY + card] = suits.colour[card // suits.suits * suits.suits]
    return True


@kernel
def _unseen_suits(suits: Suits, observed: np.ndarray, state: np.ndarray) -> int:
    """Bit mask of the suits that can be renamed and that no seat has seen or is about to see."""
    new = suits.free & ~observed[2 * len(suits.renamed)]
    deck = 0
    for i in range(state[at.DECK_N]):
        deck |= 1 << state[at.DECK + i]
    for card in range(suits.cards):
        if (deck >> card) & 1 == 0:
            new &= ~(1 << (card % suits.suits))
    return int(new)


@kernel
def observed_key(suits: Suits, observed: np.ndarray, seat: int, menu: int, decision: int) -> int:
    """Key of everything that the seat was told, except names of suits, and of its decision.

    menu: how many entries the menu has.
    """
    ways = len(suits.renamed)
    digest = observed[seat * ways]
    for way in range(1, ways):
        digest = min(digest, observed[seat * ways + way])
    return int(mix64(chain(digest, (menu << 16) | decision)))
