"""The engine on one core: random play with all its keys, making a candidate, gating it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log, empty_log, rollout, streams
from antemill.engine.rules.named import NAMED
from antemill.tournament.bench.measure import Measurement, Setting, Work
from antemill.tournament.bench.sample_games import accepted, named

_GROUP = "machine"
_ROWS = 24  # decisions of an episode that the log can hold


def play(program: Program, episodes: int, times: int = 1, buffers: Log | None = None) -> Work:
    """Random play of so many episodes, several times, into an existing log; counts decisions."""
    keys = [streams(1 + time) for time in range(times)]
    buffers = empty_log(episodes * _ROWS, episodes) if buffers is None else buffers
    rows = sum(rollout(program, episodes, key, buffers=buffers).rows for key in keys)
    return Work(lambda: [rollout(program, episodes, key, buffers=buffers) for key in keys], rows)


def _named(name: str, setting: Setting) -> Sequence[Work]:
    return [play(named(name), setting.size(100_000, 200))]


def _accepted(episodes: int, times: int, setting: Setting) -> Sequence[Work]:
    episodes = setting.size(episodes, 50)
    buffers = empty_log(episodes * _ROWS, episodes)
    return [play(program, episodes, times, buffers) for program in accepted(setting.size(100, 3))]


def _draw(setting: Setting) -> Sequence[Work]:
    seeds = range(setting.size(500, 5))
    return [Work(lambda: [generate(seed) for seed in seeds], len(seeds))]


def _compile(setting: Setting) -> Sequence[Work]:
    specs = [generate(seed) for seed in range(setting.size(500, 5))]
    return [Work(lambda: [compile_spec(spec) for spec in specs], len(specs))]


def _gate(setting: Setting) -> Sequence[Work]:
    programs = [compile_spec(generate(seed)) for seed in range(setting.size(200, 5))]
    return [Work(lambda: [gate(program, 1) for program in programs], len(programs))]


def _gate_accepted(setting: Setting) -> Sequence[Work]:
    programs = accepted(setting.size(100, 3))
    return [Work(lambda: [gate(program, 1) for program in programs], len(programs))]


_GAMES = {"kuhn": "Kuhn poker", "leduc": "a Leduc game", "appendix-b": "the paper's sample game"}
assert set(_GAMES) == set(NAMED)

MEASUREMENTS = (
    *(
        Measurement(
            f"play-{name}", _GROUP, f"random play of {words}, logged decisions", "decisions/s", partial(_named, name)
        )
        for name, words in _GAMES.items()
    ),
    *(
        Measurement(
            name,
            _GROUP,
            f"random play, the median of 100 accepted games, {episodes:,} episodes at a time",
            "decisions/s",
            partial(_accepted, episodes, times),
        )
        for name, episodes, times in (("play-accepted", 2_000, 5), ("play-accepted-many", 32_768, 1))
    ),
    Measurement("draw", _GROUP, "drawing a candidate from its seed", "ms", _draw),
    Measurement("compile", _GROUP, "compiling a candidate", "ms", _compile),
    Measurement("gate", _GROUP, "gating a candidate", "ms", _gate),
    Measurement("gate-accepted", _GROUP, "gating a game that is accepted, 2,000 episodes", "ms", _gate_accepted),
)
