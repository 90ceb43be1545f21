"""Whatever plays a game is a policy: each producer goes into each consumer, and says the same there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import antemill as am
from antemill.engine.errors import UsageError
from antemill.engine.match import Game, Match
from antemill.solver import Settings, solve_game
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.policies.on_tree import kernel_policy, profile_on
from antemill.tournament.adapters import TreeObservations, as_player, as_policy, as_rows, forgotten, save
from antemill.tournament.adapters.tree_observations import Batch
from antemill.tournament.players import play

GAME = "starter-2"
RANDOM = -1  # no legal action: a uniform player's is taken
SOLVED = solve_game(GAME, Settings(target=0.05))
TREE = am.build_tree(GAME)
RUN = am.solve(TREE, "cfr+", target=0.05)


def first(batch: Batch) -> Any:
    """A network that prefers the first legal action."""
    return batch.masks * 0.1 + np.eye(batch.masks.shape[1])[batch.masks.argmax(axis=1)]


def producers(folder: Path) -> dict[str, Any]:
    saved = folder / "solved.parquet"
    save(saved, GAME, SOLVED)
    program, table = am.compile_spec(GAME), as_policy(GAME, RUN)
    return {
        "Solved": SOLVED,
        "SavedPolicy": SOLVED.saved,
        "table": SOLVED.saved.table,
        "file": str(saved),
        "run": RUN,
        "profile": TreeObservations(GAME).profile(first),
        "network": first,
        "kernel policy": kernel_policy(program, table),
        "choices": lambda batch: batch.masks.argmax(axis=1),
    }


def test_every_producer_goes_into_every_consumer(tmp_path: Path) -> None:
    program = am.compile_spec(GAME)
    for name, given in producers(tmp_path).items():
        profile = profile_on(program, TREE, as_policy(GAME, given))
        want = am.exploitability(TREE, profile)
        assert am.exploitability(GAME, given) == pytest.approx(want, abs=1e-12), name
        save(tmp_path / "again.parquet", GAME, given)
        assert am.exploitability(GAME, tmp_path / "again.parquet") == pytest.approx(want, abs=1e-12), name
        single, many = am.env(GAME, opponent=given), am.vector_env(GAME, 2_000, bob=given, illegal="masked")
        single.reset(seed=1)
        many.reset(seed=1)
        won, ended = 0.0, 0
        for _ in range(8):
            _, rewards, over, _, _ = many.step(np.full(2_000, RANDOM))
            won, ended = won + float(rewards[over].sum()), ended + int(over.sum())
        uniform = profile_on(program, TREE, as_policy(GAME, lambda batch: batch.masks))
        error = 5 * program.chips / np.sqrt(ended)
        assert abs(won / ended - expected_value(TREE, (uniform[0], profile[1]))) < error, name
        player = as_player(GAME, given)
        play(Match(Game(am.game(GAME)), 1), player, player)
        assert player.unseen == 0, name
    assert am.exploitability(GAME, SOLVED) == pytest.approx(SOLVED.saved.solution.exploitability, abs=1e-12)
    with pytest.raises(UsageError, match="is no policy: give a model"):
        as_policy(GAME, 7)
    with pytest.raises(UsageError, match="is for Starter 2"):
        as_policy("kuhn", SOLVED)


def test_a_table_for_people_has_the_text_of_each_set() -> None:
    rows = as_rows("leduc", lambda batch: batch.masks)
    assert len({(row["seat"], row["text"]) for row in rows}) == len({row["key"] for row in rows}) == 288
    assert all(sum(row["actions"].values()) == pytest.approx(1) for row in rows)
    assert "You are dealt" in rows[0]["text"] or rows[0]["text"]


def test_what_an_observation_forgets() -> None:
    assert forgotten("kuhn") == (12, 12)
    assert forgotten("leduc", events=False) == (180, 288)
    assert forgotten("leduc") == (234, 288)


def test_a_memory_is_asked_in_the_order_of_play() -> None:
    """A network that remembers all of its observations distinguishes every information set."""
    sets = TreeObservations("leduc", events=True)
    known: dict[Any, Any] = {}

    def remembering(batch: Batch, before: Any) -> tuple[Any, Any]:
        told = np.concatenate([batch.observations, batch.events.reshape(len(batch.seats), -1)], axis=1)
        past = np.zeros(len(told), np.int64) if before is None else before
        state = np.array([hash((int(one), row.tobytes())) for one, row in zip(past, told, strict=True)])
        for key, one in zip(batch.keys, state, strict=True):
            assert known.setdefault(int(key), int(one)) == one
        return batch.masks, state

    profile = sets.profile(remembering, 50, memory=True)
    assert len(set(known.values())) == len(known) == 288
    assert am.exploitability(sets.tree, profile) == am.exploitability("leduc", lambda batch: batch.masks)


def test_self_play_takes_both_seats_in_turn_and_renews_the_opponent() -> None:
    """A learner that always takes the first action meets one that does so, once it was frozen."""
    table, seats = am.selfplay("kuhn", frozen=4), []
    table.follow(lambda batch: batch.masks.argmax(axis=1))
    for episode in range(20):
        _, info = table.reset(seed=1 if episode == 0 else None)
        over, seen = False, 0
        while not over:
            seats.append(info["seat"])
            _, _, over, _, info = table.step(int(table.action_masks().nonzero()[0][0]))
            seen += 1
        assert seen == 1  # bet and fold: the opponent folds, too, or is folded to
    assert seats == [0, 1] * 10
