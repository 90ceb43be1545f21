"""The engine on one core: random play with all its keys, candidates, the gate, storage; the vectorised environment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from antemill.engine.builder.generate import builder_hash, generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log, empty_log, rollout, streams
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.storage.store import GAMES, decode, encode, programs
from antemill.tournament.adapters import vector_env
from antemill.tournament.pool.candidates import judged, table_of
from benches.games import accepted, accepted_specs, named
from benches.timing import Bench, Piece

_ROWS = 24  # decisions of an episode that the log can hold
_ACCEPTED = 24  # games of the vectorised environment
_LANE_STEPS = 200_000  # of a round


def play(program: Program, episodes: int, times: int = 1, buffers: Log | None = None) -> Piece:
    """Random play of so many episodes, several times, into an existing log; counts decisions."""
    keys = [streams(1 + time) for time in range(times)]
    buffers = empty_log(episodes * _ROWS, episodes) if buffers is None else buffers
    rows = sum(rollout(program, episodes, key, buffers=buffers).rows for key in keys)
    return Piece(lambda: [rollout(program, episodes, key, buffers=buffers) for key in keys], rows)


@pytest.mark.parametrize("name", NAMED)
def bench_play(bench: Bench, name: str) -> None:
    bench(f"play-{name}", "decisions/s", [play(named(name), bench.size(100_000, 200))])


@pytest.mark.parametrize(("name", "episodes", "times"), [("", 2_000, 5), ("-many", 32_768, 1)])
def bench_play_accepted(bench: Bench, name: str, episodes: int, times: int) -> None:
    """The median of 100 accepted games."""
    episodes = bench.size(episodes, 50)
    buffers = empty_log(episodes * _ROWS, episodes)
    pieces = [play(program, episodes, times, buffers) for program in accepted(bench.size(100, 3))]
    bench(f"play-accepted{name}", "decisions/s", pieces)


def bench_draw(bench: Bench) -> None:
    """The object of a game from its seed."""
    seeds = range(bench.size(500, 5))
    bench("draw", "ms", [Piece(lambda: [generate(seed) for seed in seeds], len(seeds))])


def bench_compile(bench: Bench) -> None:
    specs = [generate(seed) for seed in range(bench.size(500, 5))]
    bench("compile", "ms", [Piece(lambda: [compile_spec(spec) for spec in specs], len(specs))])


def bench_gate(bench: Bench) -> None:
    drawn = [compile_spec(generate(seed)) for seed in range(bench.size(200, 5))]
    bench("gate", "ms", [Piece(lambda: [gate(program, 1) for program in drawn], len(drawn))])


def bench_gate_accepted(bench: Bench) -> None:
    games = accepted(bench.size(100, 3))
    bench("gate-accepted", "ms", [Piece(lambda: [gate(program, 1) for program in games], len(games))])


def bench_first_episode_of_a_new_game(bench: Bench) -> None:
    """From a game's rules to the end of its first episode: no game is compiled to machine code."""
    specs = [generate(seed) for seed in range(bench.size(300, 2))]
    begin = Piece(lambda: [rollout(compile_spec(spec), 1, streams(1)) for spec in specs], len(specs))
    bench("first-episode", "ms", [begin])


def bench_load(bench: Bench) -> None:
    """Accepted games read from a pool's file, their programs checked."""
    table = table_of(judged([(seed, seed / 499) for seed in range(bench.size(500, 20))]))
    data = encode(GAMES, table.filter(table["accepted"]), builder_hash())

    def load() -> int:
        return sum(1 for _ in programs(decode(data, GAMES, "the games"), "the games"))

    bench("load", "games/s", [Piece(load, load())])


def vector_play(specs: Sequence[GameSpec], lanes: int, events: bool, steps: int, copy: bool) -> list[Piece]:
    """Steps of a vectorised environment for each game: random play that is stepped from outside.

    Every action is an illegal one, in place of which the environment draws a legal one itself. One environment is kept
    at a time: those of many lanes would not fit into memory side by side.
    """
    draw = np.full(lanes, -1)
    kept: dict[GameSpec, Any] = {}

    def begin(spec: GameSpec) -> Any:
        if spec not in kept:
            kept.clear()
            kept[spec] = vector_env(spec, lanes, events=events, illegal="masked", copy=copy)
        return kept[spec].reset(seed=1)[1]["asked"]

    def step(spec: GameSpec) -> None:
        for _ in range(steps):
            kept[spec].step(draw)

    def decisions(spec: GameSpec) -> int:
        asked, found = begin(spec), 0
        for _ in range(steps):
            found += int(np.count_nonzero(asked))
            asked = kept[spec].step(draw)[-1]["asked"]
        return found

    return [Piece(partial(step, spec), decisions(spec), partial(begin, spec)) for spec in specs]


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("lanes", [1_000, 10_000])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "accepted"])
def bench_vector(bench: Bench, game: str, lanes: int, events: bool, copy: bool) -> None:
    """The vectorised environment; without events it shows the present alone."""
    specs = [NAMED[game]()] if game in NAMED else accepted_specs(bench.size(_ACCEPTED, 2))
    steps = bench.size(_LANE_STEPS // lanes, 4)
    name = f"vector-{game}-{lanes}{'' if events else '-present'}{'-copied' if copy else ''}"
    bench(name, "decisions/s", vector_play(specs, bench.size(lanes, 10), events, steps, copy))
