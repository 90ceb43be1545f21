"""The steps that change cards, each for one seat."""

from __future__ import annotations

from antemill.engine.machine.events import EVERYONE, NOBODY, Chance, Event

from .state import Table, mask


def masks(visibility: str, seat: int) -> tuple[int, int]:
    """Who is told of, and who is shown, something that concerns the seat."""
    own = 1 << seat
    return {"public": (EVERYONE, EVERYONE), "occurrence": (EVERYONE, own), "private": (own, own)}[visibility]


def shuffle(table: Table, with_discard: bool) -> None:
    """Chance draws pick from anywhere in the deck, so shuffling moves nothing but the discard pile."""
    if with_discard:
        table.deck += table.discard
        table.discard = []
    table.emit(Event.SHUFFLE, x=len(table.deck))


def take_from_deck(table: Table, count: int) -> list[int]:
    """Remove up to `count` cards; the last card of the deck fills each gap."""
    taken: list[int] = []
    while table.deck and len(taken) < count:
        index = table.chance(Chance.DRAW, NOBODY, len(table.deck))
        taken.append(table.deck[index])
        last = table.deck.pop()
        if index < len(table.deck):
            table.deck[index] = last
    return taken


def deal(table: Table, seat: int, count: int) -> None:
    """Deal face down."""
    cards = take_from_deck(table, count)
    table.hands[seat].extend(cards)
    table.emit(Event.DEAL, seat, len(cards), content=mask(cards), shown=1 << seat)


def deal_board(table: Table, count: int) -> None:
    """Turn cards face up."""
    cards = take_from_deck(table, count)
    table.board.extend(cards)
    table.emit(Event.BOARD, x=len(cards), content=mask(cards))


def draw(table: Table, seat: int, count: int, visibility: str) -> None:
    """Draw cards, and announce the deck's size where the draw itself did not."""
    told, shown = masks(visibility, seat)
    cards = take_from_deck(table, count)
    table.hands[seat].extend(cards)
    table.emit(Event.DRAW, seat, len(cards), content=mask(cards), told=told, shown=shown)
    if visibility == "private" and cards:
        table.emit(Event.DECK, x=len(table.deck))


def discard(table: Table, seat: int, which: str, face_up: bool) -> None:
    """Lose a card."""
    hand = table.hands[seat]
    if not hand:
        return
    if which == "random":
        index = table.chance(Chance.DISCARD, seat, len(hand))
    else:
        ranks = [table.rank(card) for card in hand]
        index = ranks.index(min(ranks) if which == "lowest" else max(ranks))
    card = hand.pop(index)
    table.discard.append(card)
    table.emit(Event.DISCARD, seat, content=mask([card]), shown=EVERYONE if face_up else 1 << seat)


def peek(table: Table, seat: int, visibility: str) -> None:
    """Look at a random card of the opponent."""
    told, shown = masks(visibility, seat)
    hand = table.hands[1 - seat]
    seen = [hand[table.chance(Chance.PEEK, seat, len(hand))]] if hand else []
    table.emit(Event.PEEK, seat, content=mask(seen), told=told, shown=shown)


def swap(table: Table, seat: int) -> None:
    """Exchange random cards."""
    own, other = table.hands[seat], table.hands[1 - seat]
    if not own or not other:
        table.emit(Event.SWAP, seat, 0)
        return
    give = table.chance(Chance.SWAP_GIVE, seat, len(own))
    take = table.chance(Chance.SWAP_TAKE, seat, len(other))
    table.emit(Event.SWAP, seat, 1)
    given, taken = own.pop(give), other.pop(take)
    own.append(taken)
    other.append(given)
    table.emit(Event.MOVE, seat, content=mask([given]))
    table.emit(Event.MOVE, 1 - seat, content=mask([taken]))


def steal(table: Table, seat: int) -> None:
    """Take a random card of the opponent."""
    victim = table.hands[1 - seat]
    if not victim:
        table.emit(Event.STEAL, seat, 0)
        return
    index = table.chance(Chance.STEAL, seat, len(victim))
    table.emit(Event.STEAL, seat, 1)
    card = victim.pop(index)
    table.hands[seat].append(card)
    table.emit(Event.MOVE, 1 - seat, content=mask([card]))


def reveal(table: Table, seat: int, which: str) -> None:
    """Show cards of the own hand."""
    hand = table.hands[seat]
    if which == "all" or not hand:
        shown = hand
    elif which == "random":
        shown = [hand[table.chance(Chance.REVEAL, seat, len(hand))]]
    else:
        ranks = [table.rank(card) for card in hand]
        shown = [hand[ranks.index(max(ranks))]]
    table.emit(Event.REVEAL, seat, len(shown), content=mask(shown))
