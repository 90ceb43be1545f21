"""Best responses without a tree: the tree's figures, the same bits however the work is cut, and honest estimates."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branches, root_state
from antemill.engine.machine.layout import OVER
from antemill.engine.machine.program import Program
from antemill.solver.evaluation.measures import Measures, measure
from antemill.solver.evaluation.streamed_arrays import new_sets
from antemill.solver.evaluation.streamed_response import DIVISION, Division, streamed_measures
from antemill.solver.evaluation.streamed_walk import COLLISION, _find_set
from antemill.solver.evaluation.tally import Streamed, Tally
from antemill.solver.evaluation.tree_size import check_size, duration, response_nodes
from antemill.solver.policies.on_tree import policy_of, table_profile
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.solution import Estimate
from antemill.solver.solving import real_measures
from antemill.solver.trees.abstract_sets import abstract_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from tests.seeds import seeds
from tests.solver.games import alice_alone, random_policy
from tests.solver.naive_solver import follow, who
from tests.solver.solved_games import program, solved
from tests.solver.trees.test_streamed_form import fits

# Halved parts, single groups that are divided further, several passes, later decisions: all of it in small games.
TINY = Division(sets=1 << 12, histories=50, passes=64, groups=5, trial=20_000, parts=9, in_turn=3)
SEEDS = (2, 7, 8, 12, 15, 25, 31, 33)


def generated(seed: int) -> Program:
    return compile_spec(generate(seed, 0.05 + 0.01 * (seed % 20)))


def randomly(game: Program, seed: int, abstraction: Abstraction) -> tuple[Policy, Measures]:
    """A random policy with some actions of probability 0, as a table, and what the tree says of it."""
    tree = build_tree(game)
    both = sides(tree)
    abstract = abstract_sets(game, tree, abstraction)
    if abstraction == Abstraction.NONE:
        profile, _ = random_policy(tree, seed)
        table = policy_of(abstract, abstraction, (profile[0][1:], profile[1][1:]))
        return table, measure(both, profile)
    rng = np.random.default_rng(seed)
    policies = []
    for mine in abstract:
        weights = rng.integers(0, 4, mine.actions).astype(float)
        weights[mine.start[:-1]] += 0.5
        policies.append(weights / np.repeat(np.add.reduceat(weights, mine.start[:-1]), np.diff(mine.start)))
    table = policy_of(abstract, abstraction, (policies[0], policies[1]))
    return table, measure(both, table_profile(abstract, table))


def agree(found: Measures, wanted: Measures) -> None:
    assert found.value == pytest.approx(wanted.value, abs=1e-10)
    assert found.best_responses == pytest.approx(wanted.best_responses, abs=1e-10)


@pytest.mark.parametrize("abstraction", [each for each in Abstraction if each.by_state])
@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_what_the_tree_says(seed: int, abstraction: Abstraction) -> None:
    table, wanted = randomly(generated(seed), seed, abstraction)
    agree(streamed_measures(generated(seed), table), wanted)
    agree(streamed_measures(generated(seed), table, division=TINY), wanted)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(200, 320))
def test_it_is_what_the_tree_says_of_many_games(seed: int) -> None:
    """Of each seed, or of the next one whose tree fits."""
    game = next(game for each in count(seed) if fits(game := generated(each)))
    for abstraction in [each for each in Abstraction if each.by_state]:
        table, wanted = randomly(game, seed, abstraction)
        agree(streamed_measures(game, table, 2), wanted)
        agree(streamed_measures(game, table, 2, division=TINY), wanted)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "appendix-b"])
@pytest.mark.parametrize("abstraction", ["none", "default"])
def test_solved_policies_of_named_games(name: str, abstraction: str) -> None:
    saved = solved(name, abstraction)
    for division in (DIVISION, TINY):
        found = streamed_measures(program(name), saved.table, division=division)
        assert found.exploitability == pytest.approx(saved.solution.exploitability, abs=1e-10)
        assert found.value == pytest.approx(saved.solution.value, abs=1e-10)


def test_keys_that_a_policy_lacks_are_played_uniformly() -> None:
    game, table = program("leduc"), solved("leduc").table
    start = table.start[: 100 + 1]
    some = Policy(
        *(table.abstraction, table.key[:100], table.seat[:100], table.decision[:100], start),
        *(table.action[: start[-1]], table.probability[: start[-1]]),
    )
    found = streamed_measures(game, some)
    assert (found.value, found.exploitability) == pytest.approx(real_measures(game, build_tree(game), some), abs=1e-10)


def test_a_player_who_never_decides() -> None:
    game = compile_spec(alice_alone())
    table, wanted = randomly(game, 5, Abstraction.NONE)
    agree(streamed_measures(game, table), wanted)


def test_capacities_make_parts_halve_and_groups_divide() -> None:
    """A few sets a part: most parts of these games are too large for that."""
    few = TINY._replace(sets=16)
    for seed in (7, 31):
        table, wanted = randomly(generated(seed), seed, Abstraction.NONE)
        agree(streamed_measures(generated(seed), table, division=few), wanted)


@pytest.mark.parametrize("division", [DIVISION, TINY])
def test_any_number_of_threads_gives_the_same_bits(division: Division) -> None:
    game, table = program("appendix-b"), solved("appendix-b", "default").table
    alone = streamed_measures(game, table, 1, division=division)
    for workers in (2, 5):
        assert streamed_measures(game, table, workers, division=division) == alone


class Stop:
    """Interrupts a run once so many nodes are visited, and keeps what it was told."""

    def __init__(self, nodes: float) -> None:
        self.nodes, self.said = nodes, [Streamed(0, 0, 0.0, 0.0)]

    def __call__(self, now: Streamed) -> None:
        self.said.append(now)
        if now.nodes > self.nodes:
            raise KeyboardInterrupt


def test_a_run_that_was_interrupted_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    game, table = program("appendix-b"), solved("appendix-b", "default").table
    path, every = tmp_path / "parts", Stop(np.inf)
    wanted = streamed_measures(game, table, on_progress=every, division=TINY)
    nodes = every.said[-1].nodes
    for share in (0.2, 0.45, 0.8):
        with pytest.raises(KeyboardInterrupt):
            streamed_measures(game, table, 1, path, Stop(share * nodes), division=TINY)
    last = Stop(np.inf)
    assert streamed_measures(game, table, 2, path, last, division=TINY) == wanted
    assert last.said[-1].nodes == nodes
    assert last.said[-1].earlier > 0.5 * nodes


def test_a_file_of_parts_that_was_cut_anywhere_serves(tmp_path: Path) -> None:
    game, table = program("leduc"), solved("leduc").table
    path = tmp_path / "parts"
    wanted = streamed_measures(game, table, 1, path, division=TINY)
    content = path.read_bytes()
    for length in (0, 3, len(content) // 3, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        assert streamed_measures(game, table, 1, path, division=TINY) == wanted
        assert path.read_bytes() == content


def test_a_damaged_file_of_parts_is_not_believed(tmp_path: Path) -> None:
    game, table = program("leduc"), solved("leduc").table
    path = tmp_path / "parts"
    wanted = streamed_measures(game, table, 1, path, division=TINY)
    content = path.read_bytes()
    for damaged in (content.replace(b"\n[[", b"\n[", 1), b"\x00" * 50 + content[50:], b"\xff\n"):
        path.write_bytes(damaged)
        assert streamed_measures(game, table, 1, path, division=TINY) == wanted
        assert path.read_bytes() == content
    with pytest.raises(StorageError):
        streamed_measures(game, table, 1, tmp_path / "nowhere" / "parts")


def test_parts_of_another_policy_are_not_taken(tmp_path: Path) -> None:
    path, game = tmp_path / "parts", program("leduc")
    streamed_measures(game, solved("leduc", "none", 50).table, 1, path)
    other = solved("leduc", "none", 1)
    found = streamed_measures(game, other.table, 1, path)
    assert found.exploitability == pytest.approx(other.solution.exploitability, abs=1e-10)


def test_a_set_with_another_past_or_menu_is_found_out() -> None:
    sets = new_sets(3, 8)
    assert _find_set(sets, 77, 1, 2) == 0
    assert _find_set(sets, 78, 1, 2) == 1
    assert _find_set(sets, 77, 1, 2) == 0
    assert _find_set(sets, 77, 2, 2) == ~COLLISION
    assert _find_set(sets, 77, 1, 3) == ~COLLISION


# ------------------------------------------------------------------------------------------ how large it is


def visited(game: Program, table: Policy, seat: int) -> int:
    """The nodes that a best response for `seat` sees, counted one by one. The table has no abstraction."""
    rows = {int(key): i for i, key in enumerate(table.key)}
    stack, count = [root_state(game)], 0
    while stack:
        state = stack.pop()
        count += 1
        ways = branches(game, state)
        if state[at.STOP] == at.DECIDE and state[at.SEAT] != seat:
            start = table.start[rows[who(state)[1]]]
            ways = [way for way in ways if table.probability[start + way.choice] > 0.0]
        if state[at.STOP] != OVER:
            stack += [follow(game, state, way.choice) for way in ways]
    return count


def test_the_estimate_is_near_the_count() -> None:
    for seed in (8, 12, 15):
        game = generated(seed)
        table, _ = randomly(game, seed, Abstraction.NONE)
        for seat, size in enumerate(response_nodes(game, table, counted=0)):
            wanted = visited(game, table, seat)
            assert wanted < build_tree(game).nodes
            assert abs(size.mean - wanted) < 4 * size.error + 1e-9
            assert size.error < 0.05 * wanted


def test_a_small_tree_is_counted_and_not_estimated() -> None:
    for seed in (8, 12, 15):
        game = generated(seed)
        table, _ = randomly(game, seed, Abstraction.NONE)
        wanted = [visited(game, table, seat) for seat in (0, 1)]
        found = response_nodes(game, table, counted=max(wanted))
        assert [(size.mean, size.error) for size in found] == [(count, 0.0) for count in wanted]
        over = response_nodes(game, table, counted=min(wanted) - 1)
        assert [size.error > 0.0 for size in over] == [True, True]


def test_a_hopeless_game_is_refused_in_a_sentence() -> None:
    size = Estimate(3e13, 1e12, 20_000)
    with pytest.raises(UsageError, match=r"visits about 6\.0e\+13 nodes, which takes about .* on 2 processors; the"):
        check_size(program("kuhn"), (size, size), 1e10, 2)
    check_size(program("kuhn"), (size, size), 7e13, 2)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.1, "1 s"), (100, "100 s"), (7200, "2 hours"), (1e6, "12 days"), (3e13, "1e+06 years"), (3e10, "951 years")],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_what_is_left_follows_what_was_found() -> None:
    said: list[Streamed] = []
    tally = Tally(said.append, (100.0, 300.0))
    tally.begin(0)
    tally.add(50)
    assert (said[-1].nodes, said[-1].total) == (50, 400)
    tally.finish(0.25)  # there are 200 nodes for Alice: twice as many as was thought, so of Bob's too
    assert said[-1].total == pytest.approx(800)
    tally.add(150)
    tally.finish(1.0)
    tally.begin(1)
    tally.add(60, earlier=True)
    assert (said[-1].nodes, said[-1].earlier, said[-1].total) == (260, 60, 500)
