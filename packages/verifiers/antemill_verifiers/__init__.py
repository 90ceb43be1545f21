"""Antemill's games for `verifiers`: `--env.taskset.id antemill-verifiers`.

taskset  matches without end
env      one match: two models that learn, or one against a bot or a policy
harness  a model is asked for one decision at a time
"""

from antemill_verifiers.env import AntemillEnv, AntemillEnvConfig
from antemill_verifiers.harness import AntemillHarness, AntemillHarnessConfig
from antemill_verifiers.taskset import AntemillTaskset, AntemillTasksetConfig, MatchData, MatchOf

__all__ = [
    "AntemillEnv",
    "AntemillEnvConfig",
    "AntemillHarness",
    "AntemillHarnessConfig",
    "AntemillTaskset",
    "AntemillTasksetConfig",
    "MatchData",
    "MatchOf",
]
