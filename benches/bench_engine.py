"""Speed of the engine on one core: logged decisions a second, all information keys included; building games."""

from __future__ import annotations

import statistics
from functools import cache
from itertools import count, islice
from typing import Any

import pytest

from engine.builder.generate import generate
from engine.compiler.compile import compile_spec
from engine.machine.gate import gate
from engine.machine.program import Program
from engine.machine.rollout import empty_log, rollout, streams
from engine.rules.named import NAMED

Benchmark = Any  # pytest-benchmark's fixture, which is untyped
EPISODES = 20_000
POOL = 100  # accepted games for the median over the pool


@cache
def accepted_programs() -> tuple[Program, ...]:
    """The first accepted games from seed 0 on."""
    programs = ((seed, compile_spec(generate(seed))) for seed in count())
    return tuple(islice((program for seed, program in programs if gate(program, seed).accepted), POOL))


def _rollouts(benchmark: Benchmark, program: Program, episodes: int) -> None:
    room = empty_log(episodes * 24, episodes)
    rollout(program, 10, streams(1), room=room)
    log = benchmark(rollout, program, episodes, streams(1), room=room)
    benchmark.extra_info["decisions_per_second"] = log.rows / benchmark.stats.stats.median


@pytest.mark.parametrize("name", sorted(NAMED))
def bench_rollout(benchmark: Benchmark, name: str) -> None:
    _rollouts(benchmark, compile_spec(NAMED[name]()), EPISODES)


def bench_rollout_pool(benchmark: Benchmark) -> None:
    """The median over accepted games; each is timed once per round."""
    programs = accepted_programs()
    room = empty_log(2_000 * 24, 2_000)
    timer = benchmark._timer
    rates: list[list[float]] = [[] for _ in programs]

    def all_games() -> None:
        for rate, program in zip(rates, programs, strict=True):
            start = timer()
            log = rollout(program, 2_000, streams(1), room=room)
            rate.append(log.rows / (timer() - start))

    benchmark.pedantic(all_games, rounds=7, warmup_rounds=1)
    per_game = sorted(statistics.median(rate) for rate in rates)
    benchmark.extra_info["decisions_per_second"] = statistics.median(per_game)
    benchmark.extra_info["slowest_game"] = per_game[0]


def bench_generate_and_compile(benchmark: Benchmark) -> None:
    """Mean over the default mixture of complexities, for one candidate."""
    seeds = range(500)

    def build() -> None:
        for seed in seeds:
            compile_spec(generate(seed))

    benchmark.pedantic(build, rounds=5, warmup_rounds=1)
    benchmark.extra_info["milliseconds_per_candidate"] = benchmark.stats.stats.median / len(seeds) * 1e3


def bench_gate(benchmark: Benchmark) -> None:
    programs = accepted_programs()

    def all_games() -> None:
        for program in programs:
            gate(program, 1)

    benchmark.pedantic(all_games, rounds=3, warmup_rounds=1)
    benchmark.extra_info["milliseconds_per_game"] = benchmark.stats.stats.median / len(programs) * 1e3


def bench_first_episode_of_a_new_game(benchmark: Benchmark) -> None:
    """From a spec to the end of its first episode, the kernels being warm: no game is ever compiled to machine code."""
    specs = iter([generate(seed) for seed in range(1_000)])
    rollout(accepted_programs()[0], 1, streams(1))
    benchmark.pedantic(
        lambda spec: rollout(compile_spec(spec), 1, streams(1)), setup=lambda: ((next(specs),), {}), rounds=900
    )
