"""The paths that users call, each compared with the plain interpreter on one game: what `rollout`, `gate`, `score`,
`Match`, `build_tree`, the samplers, head-to-head play and the playout of the command line say, and what the spec says.

A comparison raises AssertionError. The interpreter answers its questions from the same streams that the path draws
from, so that it plays the same game; it shares no code with the machine.
`python -m tests.engine.machine.paths A B --all` compares the fuzzed games of the seeds A to B - 1, large and small.
"""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest

from antemill.axes import score
from antemill.axes.best_response import best_response
from antemill.axes.budgets import Tier
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.events import Chance
from antemill.engine.machine.gate import RARE, gate
from antemill.engine.machine.program import Program, from_columns, to_columns
from antemill.engine.machine.readings import READING
from antemill.engine.machine.rollout import Streams, rollout, streams
from antemill.engine.match import Game, Match
from antemill.engine.rules.spec import GameSpec, VariableBetting
from antemill.engine.rules.walk import decision_phases
from antemill.engine.seeding import Domain
from antemill.engine.text.describe import random_playout
from antemill.solver.algorithms.mccfr import solve_sampled
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.measures import measure
from antemill.solver.evaluation.sampled_response import lower_bound, self_play
from antemill.solver.evaluation.transcripts import aivat_for
from antemill.solver.game import END, NATURE, ExtensiveForm
from antemill.solver.policies.on_tree import policies_of, policy_of
from antemill.solver.policies.policy import strategy_of
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.trees.abstract_sets import abstract_sets, lift
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Side, fill_realization_plan, sides, uniform_policy
from antemill.tournament.head_to_head import play_pairs, play_seeds
from antemill.tournament.players import make_bot
from antemill.tournament.players.solved import SolvedPlayer
from tests.axes import naive_axes
from tests.engine.machine.differential import Keys, compare
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.machine import named_events
from tests.naive import Decision, Playout, ScriptChooser, every_playout, play, view

TINY = Tier(
    "tiny", level0=40, level1=30, opponents=4, focused=4, playouts=6, trials=4, shift=0.25, dirichlet=2,
    dirichlet_playouts=5,
)  # fmt: skip


class Addressed:
    """Answers from addressed streams: players uniformly, or by `pick`; chance as every driver does."""

    def __init__(self, keys: Streams, episode: int = 0, pick: int | None = None) -> None:
        self.chance_key = subkey(keys.chance, episode)
        self.own = (subkey(keys.alice, episode), subkey(keys.bob, episode))
        self.made = 0
        self.pick = pick

    def decide(self, decision: Decision) -> int:
        if self.pick is not None:
            return distinct(decision)[self.pick]
        self.made += 1
        return decision.menu[below(self.own[decision.seat], 2 * (self.made - 1), len(decision.menu))]

    def chance(self, kind: Chance, seat: int, occurrence: int, n: int) -> int:
        return int(below(self.chance_key, ((int(kind) * 3 + seat) << 16) | occurrence, n))


class AgainstPure(Addressed):
    """As `Addressed`, one seat uniformly, the other always by `pick`."""

    def __init__(self, keys: Streams, pure: int, pick: int) -> None:
        super().__init__(keys)
        self.pure, self.choice = pure, pick

    def decide(self, decision: Decision) -> int:
        drawn = super().decide(decision)
        return distinct(decision)[self.choice] if decision.seat == self.pure else drawn


class GateChooser(Addressed):
    """As `Addressed`, both players from one stream, one draw each."""

    def decide(self, decision: Decision) -> int:
        self.made += 1
        return decision.menu[below(self.own[0], self.made - 1, len(decision.menu))]


def distinct(decision: Decision) -> tuple[int, ...]:
    """The menu without the bids above the stack, which are bids of the stack."""
    if decision.move_type != "bid":
        return decision.menu
    return tuple(bid for bid in decision.menu if bid <= decision.chips[decision.seat])


class DistinctChooser(ScriptChooser):
    """A script over distinct answers."""

    def decide(self, decision: Decision) -> int:
        menu = distinct(decision)
        return menu[self._next(len(menu))]


# ------------------------------------------------------------------------------------------------ playing


def naive_episodes(spec: GameSpec, keys: Streams, episodes: int) -> list[Playout]:
    return [play(spec, Addressed(keys, episode)) for episode in range(episodes)]


def compare_rollout(spec: GameSpec, program: Program, episodes: int, seed: int) -> int:
    """A log of random play, row by row; returns its number of decisions."""
    keys, found = streams(seed), Keys()
    log = rollout(program, episodes, keys)
    row = 0
    for episode, want in enumerate(naive_episodes(spec, keys, episodes)):
        for decision, action in want.decisions:
            kind = program.names.decisions[log.decision[row]]
            asked = (decision.seat, decision.phase, decision.move_type, decision.move_name)
            assert (kind.seat, kind.phase, kind.move_type, kind.move_name) == asked
            got = (log.episode[row], log.seat[row], log.action[row], log.menu[row])
            assert got == (episode, decision.seat, action, len(decision.menu))
            found.add(decision, (int(log.recall[row]), int(log.info[row]), int(log.context[row])))
            row += 1
        assert log.payoff[episode] == want.payoff
        assert named_bits(log.fired[episode], program.names.phases) == want.phases
        assert set(np.flatnonzero(bits(log.taken[episode]))) == want.branches
    assert row == log.rows
    return row


def bits(words: np.ndarray) -> np.ndarray:
    """uint8[64 * words]: the bits of a bit set."""
    return np.unpackbits(words.astype("<i8").view(np.uint8), bitorder="little")


def named_bits(words: np.ndarray, names: tuple[str, ...]) -> set[str]:
    return {names[i] for i in np.flatnonzero(bits(words))}


def compare_gate(spec: GameSpec, program: Program, episodes: int, seed: int) -> None:
    keys = streams(seed, Domain.GATE)
    played = [play(spec, GateChooser(keys, episode)) for episode in range(episodes)]
    fired = Counter(name for one in played for name in one.phases)
    rare = {
        reading: sum(fired[name] < RARE * episodes for name in names) / len(names)
        for reading, names in plain_phases(spec).items()
    }
    branches = 2 * len(program.names.conditionals)
    taken = {branch for one in played for branch in one.branches}
    got = gate(program, seed, episodes)
    assert got.moves == sum(len(one.decisions) for one in played) / episodes / 2
    assert got.rare_by_reading == pytest.approx(rare)
    assert got.rare_phases == got.rare_by_reading[READING]
    assert got.dead_branches == pytest.approx((branches - len(taken)) / branches if branches else 0.0)
    assert got.accepted == (not got.broken) == (got.reason == "")


def plain_phases(spec: GameSpec) -> dict[str, list[str]]:
    """The phases that count by each reading, from the rules alone."""
    own = [phase.name for phase in spec.phases]
    rounds = [name for phase in spec.phases for name in decision_phases(phase)]
    fallbacks = [f"{phase.name}, fallback" for phase in spec.phases if isinstance(phase, VariableBetting)]
    inside = [name for name in rounds if name.rpartition(": ")[0] in fallbacks]
    return {
        "fallbacks": own + rounds,
        "headings": own + [name for name in rounds if name not in fallbacks],
        "branches": own + [name for name in rounds if name not in fallbacks and name not in inside],
        "own": own,
    }


def compare_match(spec: GameSpec, game: Game, play_seed: int) -> None:
    """A match of random choices: events, views, result, piles; with the play seed's cards, and with asked-for ones."""
    want = play(spec, Addressed(streams(play_seed)))
    answers = Addressed(streams(play_seed))
    for chance in (None, lambda draw: answers.chance(draw.kind, draw.seat, draw.occurrence, draw.n)):
        match = Match(game, play_seed, chance=chance)
        while not match.over:
            key, counter = match.draws(match.seat)
            match.apply(match.menu.choice(int(below(key, counter, len(match.menu)))))
        assert named_events(game.program, match.events()) == plain(want.events)
        assert match.result.payoffs == (want.payoff, -want.payoff)
        assert sum(match.moves) == len(want.decisions)
        piles = match.piles()
        assert (piles.hands, piles.board, piles.deck, piles.discards) == (
            want.hands, want.board, want.deck, want.discard,
        )  # fmt: skip
        for seat in (0, 1):
            assert len(match.view(seat).rows) == len(view(want.events, seat))


def plain(rows: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Events with whole numbers for switches."""
    return [tuple(int(value) if isinstance(value, bool) else value for value in row) for row in rows]


def compare_playout(spec: GameSpec, program: Program, play_seed: int) -> None:
    """What `game playout` shows."""
    want = play(spec, Addressed(streams(play_seed)))
    got = random_playout(program, play_seed)
    assert (got.payoff, got.decisions) == (want.payoff, len(want.decisions))
    assert len(got.entries) == len(want.events) + len(want.decisions)


# ------------------------------------------------------------------------------------------------ axes


def compare_score(program: Program, seed: int, tier: Tier = TINY) -> None:
    """All axes; the logs that the plain versions read are compared with the interpreter by `compare_rollout`."""
    got = score(program, tier, seed)
    log = rollout(program, tier.level0, streams(seed, Domain.LEVEL0))
    level1, sigma = best_response(log, program), naive_axes.sigma_u(log)
    pooled, by_seat = naive_axes.information_sensitivity(log)
    risk = sum(naive_axes.risk(log)) / 2
    want = {
        "state_space": naive_axes.state_space(log),
        "temporal_depth": sum(naive_axes.temporal_depth(log)) / 2,
        "information_sensitivity": pooled,
        "information_sensitivity_seat_mean": by_seat,
        "opponent_modeling": naive_axes.opponent_modeling(program, log, tier, seed) if log.rows else 0.0,
        "risk": risk if risk >= 0.01 else 0.0,
        "brittleness": naive_axes.brittleness(program, level1, sigma, tier, seed),
    }
    assert {**got.axes, **got.also}.keys() == want.keys()
    for axis, value in want.items():
        assert {**got.axes, **got.also}[axis] == pytest.approx(value, rel=1e-9, abs=1e-9), axis
        assert math.isfinite(value)


# ------------------------------------------------------------------------------------------------ trees and samplers


def compare_tree(spec: GameSpec, tree: ExtensiveForm) -> None:
    """How payoffs are distributed under uniform play, exactly, and how many information sets there are."""
    want: dict[int, Fraction] = defaultdict(Fraction)
    sets: tuple[set[object], set[object]] = (set(), set())
    for playout, weight in every_playout(spec, DistinctChooser):
        want[playout.payoff] += weight
        for decision, _ in playout.decisions:
            sets[decision.seat].add((decision.recall, decision.phase, decision.move_name))
    assert tuple(each.size for each in tree.sets) == tuple(map(len, sets))
    got: dict[int, float] = defaultdict(float)
    reach = np.zeros(tree.nodes)
    reach[0] = 1.0
    for node in range(tree.nodes):
        children = np.arange(tree.first[node], tree.first[node] + tree.width[node])
        if tree.player[node] == END:
            got[int(tree.payoff[node])] += reach[node]
        elif tree.player[node] == NATURE:
            reach[children] = reach[node] * tree.weight[children] / tree.weight[children].sum()
        else:
            reach[children] = reach[node] / len(children)
    assert dict(got) == pytest.approx({payoff: float(p) for payoff, p in want.items()}, abs=1e-9)
    uniform = measure(sides(tree), tuple(map(uniform_policy, sides(tree))))  # type: ignore[arg-type]
    assert uniform.value == pytest.approx(float(sum(payoff * p for payoff, p in want.items())), abs=1e-9)


def compare_self_play(spec: GameSpec, program: Program, tree: ExtensiveForm, episodes: int, seed: int) -> None:
    """What the samplers play when both seats follow a table: always the first answer, or always the last."""
    keys = streams(seed, 5)
    amounts = not all(kind.labels for kind in program.names.decisions)
    for abstraction in Abstraction:
        if amounts and abstraction == Abstraction.DEFAULT:
            continue  # a player with a bin of wagers plays any of them
        abstract = abstract_sets(program, tree, abstraction)
        for pick in (0, -1):
            pure = tuple(_pure(each.start, pick) for each in abstract)
            table = policy_of(abstract, abstraction, (pure[0], pure[1]))
            got = self_play(program, strategy_of(table), keys, episodes)
            assert got.tolist() == [play(spec, Addressed(keys, episode, pick)).payoff for episode in range(episodes)]


def _pure(start: np.ndarray, pick: int) -> np.ndarray:
    """float64[actions]: all weight on one action of every set."""
    policy = np.zeros(start[-1])
    policy[start[:-1] if pick == 0 else start[1:] - 1] = 1.0
    return policy


def compare_head_to_head(spec: GameSpec, program: Program, tree: ExtensiveForm, seed: int) -> None:
    """A random player against a saved policy, always the first answer or always the last: margins match by match, and
    the mean of AIVAT's estimates over all ways in which a match may go.
    """
    game, abstract, both = Game(spec), abstract_sets(program, tree, Abstraction.NONE), sides(tree)
    seeds = play_seeds(game.digest, "random", "pure", 4, seed)
    for pick in (0, -1):
        pure = tuple(_pure(each.start, pick) for each in abstract)
        table = policy_of(abstract, Abstraction.NONE, (pure[0], pure[1]))
        method = aivat_for(program, table)
        assert isinstance(method, TreeAivat)
        players = make_bot("random", game), SolvedPlayer("pure", SavedPolicy(_solution(program), table), game)
        for slot in play_pairs(game, *players, seeds, method):
            payoff = play(spec, AgainstPure(streams(slot.play_seed), 1 - slot.seat, pick)).payoff
            assert slot.margin == (2 * payoff if slot.seat == 0 else -2 * payoff)
            assert slot.estimate is not None
            assert math.isfinite(slot.estimate)
        for seat in (0, 1):
            want = float(sum(one.payoff * weight for one, weight in _playouts_of_pure(spec, seat, pick)))
            ends = np.flatnonzero(tree.player == END)
            joint = [uniform_policy(side) for side in both]
            joint[seat] = lift(abstract[seat], pure[seat])
            plans = [_plan(side, policy) for side, policy in zip(both, joint, strict=True)]
            odds = tree.chance[ends] * plans[0][tree.sequence[0, ends]] * plans[1][tree.sequence[1, ends]]
            estimate = method.estimates(seat)[tree.sequence[1 - seat, ends]]
            assert float(odds[odds > 0.0] @ estimate[odds > 0.0]) == pytest.approx(want, abs=1e-6)


def _playouts_of_pure(spec: GameSpec, seat: int, pick: int) -> Iterable[tuple[Playout, Fraction]]:
    """All playouts in which the seat always chooses by `pick`, and the other uniformly, with their probabilities."""
    for playout, weight in every_playout(spec, DistinctChooser):
        own = [(distinct(decision), action) for decision, action in playout.decisions if decision.seat == seat]
        if all(action == menu[pick] for menu, action in own):
            yield playout, weight * math.prod(len(menu) for menu, _ in own)


def _plan(side: Side, policy: np.ndarray) -> np.ndarray:
    plan = np.empty(side.sequences)
    fill_realization_plan(side, policy, plan)
    return plan


def _solution(program: Program) -> Solution:
    return Solution(
        game=program.names.game, digest=program.digest, suited=program.suited, abstraction="none", algorithm="lp",
        stopped="target", target=0.0, iterations=0, seconds=0.0, information_sets=0,
    )  # fmt: skip


def compare_mccfr(program: Program, tree: ExtensiveForm, seed: int, iterations: int = 1_500) -> None:
    """It meets the tree's information sets only, and exploitability falls; no sampled bound is above the real one."""
    both, abstract = sides(tree), abstract_sets(program, tree, Abstraction.NONE)
    known = {(seat, int(key)) for seat in (0, 1) for key in abstract[seat].key}
    table = solve_sampled(program, iterations=iterations, seed=seed).table
    assert {(int(seat), int(key)) for seat, key in zip(table.seat, table.key, strict=True)} <= known
    policies, _ = policies_of(abstract, table)
    found = measure(both, (lift(abstract[0], policies[0]), lift(abstract[1], policies[1]))).exploitability
    uniform = measure(both, (uniform_policy(both[0]), uniform_policy(both[1]))).exploitability
    assert found <= 0.3 * uniform + 0.05 * np.abs(tree.payoff).max(), (found, uniform)
    bound = lower_bound(program, table, 2_000, seed)
    assert bound.low <= found + 1e-9 + 2 * (bound.mean - bound.low)


# ------------------------------------------------------------------------------------------------ all of it


def compare_play(spec: GameSpec, seed: int, episodes: int = 4) -> int:
    """Everything that plays a game; returns how many decisions were compared."""
    program = from_columns(to_columns(compile_spec(spec)))
    keys, rng = Keys(), np.random.default_rng(seed)
    for _ in range(episodes):
        compare(spec, program, rng.integers(5040, size=400).tolist(), keys)
    rows = compare_rollout(spec, program, episodes, seed)
    compare_gate(spec, program, episodes, seed)
    compare_match(spec, Game(spec), seed)
    compare_playout(spec, program, seed)
    return rows


def compare_small(spec: GameSpec, seed: int, limit: int = 3_000) -> bool:
    """Everything that walks a game's tree; False if that has more than `limit` nodes."""
    program = compile_spec(spec)
    nodes = count_nodes(program, limit)
    if nodes > limit:
        return False
    tree = build_tree(program)
    assert tree.nodes == nodes
    compare_tree(spec, tree)
    compare_self_play(spec, program, tree, 12, seed)
    compare_head_to_head(spec, program, tree, seed)
    compare_mccfr(program, tree, seed)
    return True


def main(first: int, last: int, all_ways: bool) -> None:
    """Compare fuzzed games. all_ways: with solver and axes."""
    for seed in range(first, last):
        spec = fuzzed(seed)
        compare_play(spec, seed)
        if all_ways:
            compare_score(compile_spec(spec), seed)
            compare_small(fuzzed(seed, small=True), seed)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "--all" in sys.argv[3:])
