"""The kinds of runs. A new one is a package of its own, a line here, and its commands in `tournament.cli`.

Every kind has a package with the same parts, of which this is called from outside:

    kind.run_type()         opens what its runs are made with (a sandbox, ...) and gives its `tournament.runs.RunType`
    analyze.analyze(folder) writes the tables of a run's folder
    report.report(folder)   its page; with `prior` if the kind is `rated`
    template.toml           the annotated configuration that `antemill init` writes
    demo.toml               the configuration that `antemill demo` runs

Nothing of them is imported before it is needed: `antemill --help` knows all kinds and loads none.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

from msgspec import Struct


class Command(Struct, frozen=True):
    """A command beside `run`, `resume` and `status`: a function of `tournament.cli.KIND`.

    Without a help it is one of these three with more options than all kinds have.
    """

    name: str
    help: str = ""
    examples: tuple[str, ...] = ()


class RunKind(Struct, frozen=True, kw_only=True):
    """One kind of runs, as commands, pages and messages need it.

    name      of its command, and of the table of its configurations
    package   where it is
    help      of its command
    begin     the help of `run`, up to what all kinds have in common
    whole     what `resume` goes on with
    running   what `status` follows
    example   a run's name in examples
    commands  its own
    rated     whether its ratings take a prior
    """

    name: str
    package: str
    help: str
    begin: str
    whole: str
    running: str
    example: str
    commands: tuple[Command, ...]
    rated: bool = False

    def part(self, name: str) -> Any:
        """A module of its package."""
        return import_module(f"{self.package}.{name}")

    def text(self, name: str) -> str:
        """A file of its package."""
        return (files(self.package) / name).read_text(encoding="utf-8")


_ALL = (
    RunKind(
        name="tournament",
        package="tournament.cards",
        help="Card tournaments of models, bots, solved policies and scripts.",
        begin="Run a tournament, or go on with it",
        whole="the tournament",
        running="a running one",
        example="cup",
        commands=(
            Command("run"),  # with --schedule
            Command(
                "analyze",
                "Write slots.parquet, one row a match, and all tables and figures; show leaderboard and fallbacks.",
                ("analyze cup",),
            ),
            Command(
                "show",
                "Print a finished match: every event, every decision, what the models said.",
                ("show cup kuhn:0:rnd:l1",),
            ),
        ),
    ),
    RunKind(
        name="duel",
        package="tournament.duel",
        help="The Token Games: models challenge each other with programming puzzles.",
        begin="Run duels, or go on with them",
        whole="the duels",
        running="running duels",
        example="duels",
        commands=(
            Command(
                "analyze",
                "Write turns.parquet and the paper's tables: ratings, roles, turns, topics, quality, cost.",
                ("analyze duels", "analyze duels --scores benchmarks.csv --json"),
            ),
        ),
        rated=True,
    ),
    RunKind(
        name="skate",
        package="tournament.skate",
        help="SKATE: models set output-prediction questions for each other.",
        begin="Play a game of SKATE, or go on with it",
        whole="the game",
        running="a running game",
        example="skate",
        commands=(
            Command(
                "analyze",
                "Write the paper's tables and figures: ratings and their evolution, self-preference, asking and "
                "answering.",
                ("analyze skate",),
            ),
            Command(
                "calibrate",
                "Measure how far questions are apart with an embedder, and propose the threshold for its "
                "configuration.",
                ("calibrate skate", "calibrate programs.jsonl --figure distances.svg"),
            ),
        ),
    ),
)
KINDS = {kind.name: kind for kind in _ALL}
