"""The lower bound of random play, which also tells how fast a machine is; and how soon a new game is played."""

from __future__ import annotations

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.rollout import empty_log, rollout, streams
from antemill.tournament.bench.sample_games import named
from benches.bench_table import Benchmark
from benches.straight_line import straight_line_kuhn


def bench_straight_line(benchmark: Benchmark, quick: bool) -> None:
    """Kuhn poker without a machine. `benches.compare` takes it for the speed of the processor."""
    episodes = 200 if quick else 200_000
    buffers = empty_log(3 * episodes, episodes)
    log = straight_line_kuhn(episodes, streams(1), buffers)
    benchmark.pedantic(straight_line_kuhn, args=(episodes, streams(1), buffers), rounds=15, warmup_rounds=2)
    if benchmark.stats is not None:
        benchmark.extra_info["unit"] = "decisions/s"
        benchmark.extra_info["figure"] = log.rows / benchmark.stats.stats.median


def bench_first_episode_of_a_new_game(benchmark: Benchmark, quick: bool) -> None:
    """From a spec to the end of its first episode, the kernels being warm: no game is ever compiled to machine code."""
    rounds = 2 if quick else 900
    specs = iter([generate(seed) for seed in range(rounds)])
    rollout(named("kuhn"), 1, streams(1))
    benchmark.pedantic(
        lambda spec: rollout(compile_spec(spec), 1, streams(1)), setup=lambda: ((next(specs),), {}), rounds=rounds
    )
