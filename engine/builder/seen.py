"""What players see of cards in random play, as `antemill.engine.builder.states` counts it."""

from __future__ import annotations

from math import log
from typing import NamedTuple

from antemill.engine.builder.cards import hands
from antemill.engine.builder.line import (
    ALICE,
    BOB,
    EITHER,
    HAND,
    SHARE,
    other,
    seats_of,
    take,
    tell,
    tell_all,
    tell_one,
)
from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import Array


class Walk(NamedTuple):
    """Random play of one game, followed as far as information states depend on it."""

    nodes: Array  # those of the game's table
    lines: Array  # see `antemill.engine.builder.line`
    chips: int
    ranks: int
    suits: int
    classes: int
    card: float  # a card seen among all cards; this field and those below are logarithms of numbers of outcomes


@kernel
def step(walk: Walk, row: int, line: int) -> None:
    """Plays of a line go through a step that neither branches nor plays a phase.

    The effects of all other kinds are seen in chips alone.
    """
    nodes, lines, kind = walk.nodes, walk.lines, walk.nodes[row, of.KIND]
    if kind == of.DEAL:
        seats, count = seats_of(nodes[row, of.DEAL_PLAYER]), nodes[row, of.DEAL_COUNT]
        take(lines, line, seats, count)
        tell_all(lines, line, seats, log(hands(walk.ranks, walk.classes, count)))
    elif kind == of.DRAW:
        _draw(walk, row, line)
    elif kind == of.DEAL_BOARD:
        among = nodes[row, of.DEAL_BOARD_COUNT] * walk.card
        tell(lines, line, among, among)
    elif kind == of.DISCARD:
        seats, face_up = seats_of(nodes[row, of.DISCARD_PLAYER]), nodes[row, of.DISCARD_FACE_UP] != 0
        _part_with(walk, line, seats, nodes[row, of.DISCARD_WHICH] == of.DISCARD_RANDOM, face_up)
    elif kind == of.REVEAL:
        seats = seats_of(nodes[row, of.REVEAL_PLAYER])
        _part_with(walk, line, seats, nodes[row, of.REVEAL_WHICH] == of.REVEAL_RANDOM, True)
    elif kind == of.PEEK:
        see(lines, line, nodes[row, of.PEEK_VISIBILITY], nodes[row, of.PEEK_PLAYER], _known(walk))
    elif kind == of.SWAP:
        tell(lines, line, _known(walk) + _held(lines, line, ALICE), _known(walk) + _held(lines, line, BOB))
    elif kind == of.STEAL:
        seats = seats_of(nodes[row, of.STEAL_PLAYER])
        tell_one(lines, line, seats, _known(walk))
        if seats != EITHER:
            tell_all(lines, line, other(seats), _held(lines, line, other(seats)))
    elif kind == of.END_GAME:
        lines[line, SHARE] = 0.0


@kernel
def _draw(walk: Walk, row: int, line: int) -> None:
    player, count = walk.nodes[row, of.DRAW_PLAYER], walk.nodes[row, of.DRAW_COUNT]
    seats = seats_of(player)
    among = count * walk.card * (0.5 if seats == EITHER and player != of.BOTH else 1.0)
    if walk.nodes[row, of.DRAW_VISIBILITY] == of.PUBLIC:
        among *= 2.0 if seats == EITHER else 1.0
        tell(walk.lines, line, among, among)
    else:
        tell_all(walk.lines, line, seats, among)
    take(walk.lines, line, seats, count)


@kernel
def _part_with(walk: Walk, line: int, seats: int, random: bool, shown: bool) -> None:
    """A card of a hand is discarded or shown: if `random`, its owner learns which; if `shown`, the opponent sees it."""
    if random:
        owners = 2.0 if seats == EITHER else 1.0
        alice, bob = _held(walk.lines, line, ALICE) / owners, _held(walk.lines, line, BOB) / owners
        tell(walk.lines, line, alice if seats != BOB else 0.0, bob if seats != ALICE else 0.0)
    if shown:
        tell_one(walk.lines, line, other(seats), _known(walk))


@kernel
def signal(walk: Walk, kind: int) -> float:
    """The logarithm of the number of outcomes of an observation."""
    if kind == of.OBSERVATION_CARD:
        return walk.card
    if kind == of.OBSERVATION_SIZE:
        return 0.5
    return log(walk.suits if kind == of.OBSERVATION_SUIT else walk.ranks)


@kernel
def see(lines: Array, line: int, visibility: int, viewer: int, among: float) -> None:
    """The viewer, or both players, see something."""
    if visibility == of.PUBLIC:
        tell(lines, line, among, among)
    else:
        tell_one(lines, line, seats_of(viewer), among)


@kernel
def _known(walk: Walk) -> float:
    """As `Walk.card`, of a card that the player does not hold."""
    return 0.9 * walk.card


@kernel
def _held(lines: Array, line: int, seat: int) -> float:
    """As `Walk.card`, of one card among those of a seat's hand."""
    return log(max(1.0, lines[line, HAND + seat]))
