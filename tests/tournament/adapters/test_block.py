"""Small games are turned in a book: what it shows is what the machine's lanes show, number by number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antemill.engine.builder.generate import generate
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVENT_WIDTH
from antemill.engine.machine.policy import UNIFORM
from antemill.engine.rules.named import kuhn, leduc
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.adapters import block, vector_env
from antemill.tournament.adapters.gymnasium import VectorTable
from tests.engine.machine.fuzz_specs import fuzzed

RANDOM = -1  # with illegal="masked": the action that a rollout's uniform player draws
LANES = 200  # small games have up to 64 times as many moments


def in_a_book(table: VectorTable) -> list[bool]:
    return [one._book is not None for one in table._blocks]


def pair(games: Any, lanes: int, **options: Any) -> tuple[VectorTable, VectorTable]:
    """An environment that uses books where it can, and one that plays by the machine alone."""
    book, machine = (vector_env(games, lanes, illegal="masked", **options) for _ in range(2))
    assert len(machine.lanes) == len(machine.specs)
    assert not any(in_a_book(machine))
    return book, machine


def contents(result: tuple[Any, ...]) -> list[bytes]:
    """Everything that a reset or a step has handed out, bit by bit."""
    parts = [array for part in result for array in (part.values() if isinstance(part, dict) else [part])]
    return [f"{array.dtype}{array.shape}".encode() + array.tobytes() for array in parts]


def actions(table: VectorTable, observations: dict[str, Any], dice: np.random.Generator) -> Any:
    """Legal ones mostly, as a learner chooses them, and some that are none."""
    odds = observations["action_mask"] * dice.random(observations["action_mask"].shape)
    chosen = np.argmax(odds, axis=1)
    wild = dice.random(table.num_envs) < 0.3
    chosen[wild] = dice.integers(-2, table.state_observation.actions + 2, wild.sum())
    return chosen


def assert_alike(book: VectorTable, machine: VectorTable, seed: int, steps: int) -> None:
    dice = np.random.default_rng(seed)
    for turn in range(2):  # the second reset goes on with the series
        shown = book.reset(seed=None if turn else seed)
        assert contents(shown) == contents(machine.reset(seed=None if turn else seed))
        observations = shown[0]
        for _ in range(steps):
            chosen = actions(book, observations, dice)
            result = book.step(chosen)
            assert contents(result) == contents(machine.step(chosen))
            observations = result[0]


def small_game(number: int) -> GameSpec:
    return (kuhn(), leduc(), generate(number, 0.1), fuzzed(number, small=True))[number % 4]


@settings(max_examples=12, deadline=None)
@example(19, 0, True, "bob")  # some episodes end before Alice is asked
@given(st.integers(0, 4_000), st.integers(0, 99), st.booleans(), st.sampled_from([None, "alice", "bob"]))
def test_a_book_shows_what_the_machine_shows(number: int, seed: int, events: bool, opponent: str | None) -> None:
    spec = small_game(number)
    seats = {"alice": 0, "bob": 1}
    plain = vector_env(spec, 1)
    asked = {seats[name] for name in seats if name != opponent}
    if opponent is not None and not np.isin(plain.programs[0].decision_seats, list(asked)).any():
        opponent = None
    options: dict[str, Any] = {} if opponent is None else {opponent: "random"}
    assert_alike(*pair(spec, LANES, events=events, **options), seed, 12)


def test_small_games_have_books_and_others_none() -> None:
    assert in_a_book(vector_env(["kuhn", "7"], LANES)) == [True, False]
    assert in_a_book(vector_env("kuhn", LANES, bob="random")) == [True]
    assert in_a_book(vector_env("kuhn", LANES, alice=UNIFORM)) == [True]
    assert in_a_book(vector_env("kuhn", LANES, bob="mixed")) == [False]  # it looks at more than the menu


def test_a_book_has_no_more_moments_than_its_lanes_pay_for(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = len(vector_env("kuhn", LANES)._blocks[0]._book.stops)  # type: ignore[union-attr]
    assert moments == 58  # three cards, then two: 1 + 3 + 6 moments, and 8 for each deal
    monkeypatch.setattr(block, "_PER_LANE", 1)
    assert in_a_book(vector_env("kuhn", moments)) == [True]
    assert in_a_book(vector_env("kuhn", moments - 1)) == [False]


def test_a_mixture_of_small_and_large_games() -> None:
    book, machine = pair(["kuhn", generate(7), "2@0.1", leduc()], 4 * LANES)
    assert in_a_book(book) == [True, False, True, True]
    assert_alike(book, machine, 5, 12)


@pytest.mark.parametrize("options", [{}, {"events": False}, {"alice": "random"}, {"bob": "random"}])
@pytest.mark.parametrize("steps", [0, 2, 7])
def test_lanes_that_are_asked_for_go_on_where_the_book_was(options: dict[str, Any], steps: int) -> None:
    """States and keys are the machine's, and so is what is shown from there on."""
    book, machine = pair("2@0.1", LANES, **options)
    book.reset(seed=3)
    machine.reset(seed=3)
    draw = np.full(LANES, RANDOM)
    for _ in range(steps):
        book.step(draw)
        machine.step(draw)
    assert in_a_book(book) == [True]
    mine, others = book.lanes[0], machine.lanes[0]
    assert in_a_book(book) == [False]
    assert np.array_equal(mine.keys(), others.keys())
    asked = ~mine.done
    assert asked.any()
    for name in ("episodes", "made", "choices", "seats", "decisions", "menus", "payoffs"):
        assert np.array_equal(getattr(mine, name)[asked], getattr(others, name)[asked])
    assert np.array_equal(mine.done, others.done)
    assert np.array_equal(mine.states[asked, : at.DECK], others.states[asked, : at.DECK])
    for lane in np.flatnonzero(asked):
        written = at.JOURNAL + int(mine.states[lane, at.JOURNAL_N]) * EVENT_WIDTH
        assert np.array_equal(mine.states[lane, at.JOURNAL : written], others.states[lane, at.JOURNAL : written])
    for _ in range(10):
        assert contents(book.step(draw)) == contents(machine.step(draw))


def test_many_games_in_one_call() -> None:
    """Each game's lanes show what they show in an environment of the game's own, against any opponent."""
    games = ["7", "kuhn", "8", "leduc", "2@0.1"]
    several: list[dict[str, Any]] = [{}, {"alice": "random", "events": False}]
    for options in several:
        table = vector_env(games, 5 * LANES, form=games, illegal="masked", **options)
        alone = [vector_env(game, 5 * LANES, form=games, illegal="masked", **options) for game in games]
        shown, want = table.reset(seed=2)[0], [one.reset(seed=2)[0] for one in alone]
        for step in range(12):
            for game in range(5):
                here = table.game == game
                for name, part in shown.items():
                    assert np.array_equal(part[here], want[game][name][here])
            if step == 7:
                assert len(table.lanes) == 5  # books are closed, and what is kept of them is forgotten
            draw = np.full(5 * LANES, RANDOM)
            shown, want = table.step(draw)[0], [one.step(draw)[0] for one in alone]
