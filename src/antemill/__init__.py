"""Procedurally generated two-player betting card games, and the bench that ranks language models on them.

    import antemill as am

    program = am.compile_spec("starter-2")               # or am.generate(seed), "kuhn", a file of rules
    log = am.rollout(program, 3_000, am.streams(1))      # random play: log.decisions, log.episodes
    am.score(program, am.FAST)                           # six axes of strategic complexity
    am.solve(am.build_tree(program), target=1e-3)        # an equilibrium, with its exploitability
    am.run("cup.toml", out="cup").leaderboard()          # a tournament, duels or SKATE

A function that takes a game also takes a seed, "7@0.1", a name such as "kuhn", or the path of a file with rules. A
wrong argument raises an error of one sentence. Each name below is imported on first use.

engine       rules as data, the machine that plays them, random play, the gate
axes         the six axes, and the choice of a benchmark
solver       game trees, equilibria, exploitability
llm          language models over HTTP, their costs and replies
tournament   runs, statistics, pages, adapters for other libraries, the command line
"""

import sys
from typing import TYPE_CHECKING

from antemill.engine.facade import lazily
from antemill.tournament.adapters.registered import register

if TYPE_CHECKING:
    from antemill import axes, engine, llm, solver, tournament
    from antemill.axes.budgets import FAST, PRECISE, Tier
    from antemill.axes.exact.tier import EXACT
    from antemill.axes.public import score
    from antemill.axes.scores import Scores
    from antemill.axes.table import AXES
    from antemill.engine.errors import AntemillError
    from antemill.engine.machine.program import Program
    from antemill.engine.match.match import Match
    from antemill.engine.public.games import check, compile_spec, disguise, from_json, game, generate, to_json
    from antemill.engine.public.log import EpisodeLog
    from antemill.engine.public.play import gate, streams
    from antemill.engine.rules.named import NAMED
    from antemill.engine.rules.spec import GameSpec
    from antemill.solver.policies.policy import Policy
    from antemill.solver.public import build_tree, solve
    from antemill.tournament.adapters.gymnasium import vector_env
    from antemill.tournament.adapters.learned import as_policy, exploitability, save
    from antemill.tournament.adapters.single import env, selfplay
    from antemill.tournament.rollouts import rollout
    from antemill.tournament.running import run
    from antemill.tournament.statistics.leaderboards import leaderboard
    from antemill.tournament.statistics.matches import read_slots
    from antemill.tournament.statistics.outputs import analyze
    from antemill.version import __version__

__all__ = [
    "AXES",
    "EXACT",
    "FAST",
    "NAMED",
    "PRECISE",
    "AntemillError",
    "EpisodeLog",
    "GameSpec",
    "Match",
    "Policy",
    "Program",
    "Scores",
    "Tier",
    "__version__",
    "analyze",
    "as_policy",
    "axes",
    "build_tree",
    "check",
    "compile_spec",
    "disguise",
    "engine",
    "env",
    "exploitability",
    "from_json",
    "game",
    "gate",
    "generate",
    "leaderboard",
    "llm",
    "read_slots",
    "rollout",
    "run",
    "save",
    "score",
    "selfplay",
    "solve",
    "solver",
    "streams",
    "to_json",
    "tournament",
    "vector_env",
]

__getattr__, __dir__ = lazily(__name__)

if "gymnasium" in sys.modules:
    register()
