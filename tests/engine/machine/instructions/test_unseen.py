"""Cards that are drawn when a rule reads them: every episode is the one that it would have been."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import batch_for, opening, play
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.instructions.unseen import CAPACITY
from antemill.engine.machine.policy import UNIFORM, KeyKind, Policy, PolicyKind, greedy, mixed, table
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams, begin, rollout, streams
from antemill.engine.machine.together import ACTION, BITS, DECISION, MADE, PARENT, PAYOFF
from antemill.engine.machine.vm import advance
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Deal,
    DealBoard,
    Deck,
    Discard,
    GameSpec,
    HasHigherCard,
    If,
    Option,
    Peek,
    Score,
    Showdown,
    Shuffle,
    Steps,
    Swap,
)
from tests.engine.machine.fuzz_specs import fuzzed
from tests.specs import every_construct

EPISODES = 300
_RANKS = tuple(range(1, 16))
_SUITS = ("hearts", "spades", "clubs", "diamonds")


def choice(name: str, *options: Option) -> ActionRound:
    return ActionRound(name, "alice", options)


def crowded() -> GameSpec:
    """More cards than can be kept unseen leave the deck before any is read, then some change places."""
    tally = If(HasHigherCard("bob"), (Score("bob", 3),), (Score("alice", 1),))
    return GameSpec(
        "crowded",
        Deck(_RANKS, _SUITS),
        5,
        (
            Steps("Deal", (Shuffle(), Deal(7), DealBoard(5), Deal(9), Deal(5), Ante("both", 1))),
            choice("First", Option("a", (Swap("alice"),)), Option("b", (Discard("bob", "lowest"), Shuffle(True)))),
            Steps("More", (Deal(2), DealBoard(1), tally)),
            choice("Second", Option("a", (Peek("alice"), Discard("alice", "random"))), Option("b")),
            Showdown("Showdown", "sum", True),
        ),
        ("Deal", "First", "More", "Second", "Showdown"),
    )


def ends(
    program: Program, blind: bool, keys: Streams, alice: Policy = UNIFORM, bob: Policy = UNIFORM
) -> tuple[list[object], int]:
    """What each episode was, without its keys; and at how many places a player was asked."""
    batch = batch_for(program, EPISODES, blind=blind)
    begin(batch, keys, 0, EPISODES, 0)
    batch, _ = play(batch, EPISODES, alice, bob)
    episodes: list[object] = []
    asked = set()
    for episode in range(EPISODES):
        end = batch.ends[batch.end[episode]]
        place, action, path = int(end[PARENT]), int(end[ACTION]), []
        while place >= 0:
            asked.add(place)
            here = batch.places[place]
            path.append((int(here[DECISION]), action))
            place, action = int(here[PARENT]), int(here[ACTION])
        episodes.append((path, end[PAYOFF], end[MADE], end[BITS:].tolist()))
    return episodes, len(asked)


SPECS: dict[str, Callable[[], GameSpec]] = {
    **NAMED,
    "crowded": crowded,
    "every construct": every_construct,
    **{f"generated {seed}": partial(generate, seed) for seed in range(3)},
    **{f"fuzzed {seed}": partial(fuzzed, seed) for seed in range(8)},
}


@pytest.mark.parametrize("name", SPECS)
def test_an_episode_is_what_it_would_have_been(name: str) -> None:
    program = compile_spec(SPECS[name]())
    weights = np.random.default_rng(1).random(int(program.action_offsets[-1]))
    for seed, bob in ((1, UNIFORM), (2, mixed(program, weights))):
        seen, places = ends(program, False, streams(seed), bob=bob)
        blind, fewer = ends(program, True, streams(seed), bob=bob)
        assert blind == seen
        assert fewer <= places


def by_context(program: Program, kind: PolicyKind) -> Policy:
    """Plays another action in nearly every context that random play has met."""
    log, rng = rollout(program, 2 * EPISODES, streams(9)), np.random.default_rng(2)
    keys, first = np.unique(log.context, return_index=True)
    lows, sizes = program.action_lows, np.diff(program.action_offsets)
    if kind == PolicyKind.GREEDY:
        of = log.decision[first]
        chosen = lows[of] + (rng.random(len(keys)) * (sizes[of] - lows[of])).astype(np.int64)
        return greedy(program, keys, chosen, lows.astype(np.int64))
    menus = log.menu[first].astype(np.int64)
    weights = [rng.dirichlet(np.ones(menu)) for menu in menus]
    return table(program, keys, np.cumsum(menus) - menus, np.concatenate(weights), KeyKind.CONTEXT)


@pytest.mark.parametrize("kind", [PolicyKind.GREEDY, PolicyKind.TABLE])
@pytest.mark.parametrize("name", SPECS)
def test_who_looks_up_contexts_finds_those_of_the_game(name: str, kind: PolicyKind) -> None:
    program = compile_spec(SPECS[name]())
    policy = by_context(program, kind)
    for seed, (alice, bob) in enumerate(((policy, UNIFORM), (UNIFORM, policy), (policy, policy))):
        seen, places = ends(program, False, streams(seed), alice, bob)
        blind, fewer = ends(program, True, streams(seed), alice, bob)
        assert blind == seen
        assert fewer <= places


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("kind", [KeyKind.RECALL, KeyKind.INFO])
def test_who_looks_up_keys_that_are_not_kept_is_refused(kind: KeyKind, seat: int) -> None:
    program = compile_spec(NAMED["kuhn"]())
    policy = by_context(program, PolicyKind.TABLE)._replace(key_kind=kind.value)
    players = (policy, UNIFORM) if seat == 0 else (UNIFORM, policy)
    assert ends(program, False, streams(1), *players)[0]
    with pytest.raises(UsageError, match="looks up keys that a blind batch does not keep"):
        ends(program, True, streams(1), *players)


def answered(program: Program, episode: int, alone: bool) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Play an episode blind, always by the first answer; returns (stop, choices) of what was asked, and the state."""
    key, state, asked = subkey(streams(3).chance, episode), opening(program, blind=True), []
    state[at.CHANCE_KEY] = key if alone else 0
    while (what := advance(program.code, state)) != at.OVER:
        asked.append((int(what), int(state[at.MENU])))
        state[at.CHOICE] = below(key, state[at.ADDRESS], state[at.MENU]) if what == at.CHANCE else 0
    return asked, state


def test_a_card_is_drawn_when_it_is_read() -> None:
    """In Kuhn poker both check (or the first bets and the second folds) before either looks at a card."""
    program = compile_spec(NAMED["kuhn"]())
    asked, folded = answered(program, 0, alone=False)
    assert {what for what, _ in asked} == {at.DECIDE}
    assert folded[at.UNSEEN] == 2
    state = opening(program, blind=True)
    stops = []
    while (what := advance(program.code, state)) != at.OVER:
        stops.append((int(what), int(state[at.MENU])))
        state[at.CHOICE] = state[at.MENU] - 1
    decisions = [what for what, _ in stops].index(at.CHANCE)
    assert stops[decisions:] == [(at.CHANCE, 3), (at.CHANCE, 2)]
    assert decisions == 2
    assert state[at.UNSEEN] == 0


def test_cards_come_in_the_order_in_which_they_left_the_deck() -> None:
    """The same hands, board and deck as in a game whose cards are drawn at once, asked for one by one or not."""
    program = compile_spec(crowded())
    assert CAPACITY < 2 * (7 + 9 + 5) + 5
    for episode in range(20):
        key, seen = subkey(streams(3).chance, episode), opening(program)
        while (what := advance(program.code, seen)) != at.OVER:
            seen[at.CHOICE] = below(key, seen[at.ADDRESS], seen[at.MENU]) if what == at.CHANCE else 0
        for alone in (False, True):
            asked, blind = answered(program, episode, alone)
            assert (len(asked) > 40) != alone
            registers = (*range(at.DECK_N, at.SUITS + 3), at.CHIPS, at.CHIPS + 1, at.SCORE)
            assert [blind[i] for i in registers] == [seen[i] for i in registers]
            for pile, count in ((at.DECK, at.DECK_N), (at.HANDS, at.HAND_N), (at.BOARD, at.BOARD_N)):
                assert np.array_equal(blind[pile : pile + blind[count]], seen[pile : pile + seen[count]])
