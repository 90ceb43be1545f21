"""Antemill's games for `verifiers`: `--env.taskset.id antemill-verifiers`."""

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
