"""The kinds of runs. A new one is a package of its own, a line here, and its commands in `antemill.tournament.cli`.

Every kind has a package with the same parts, of which this is called from outside:

    kind.run_type()               opens what its runs are made with (a sandbox, ...) and gives its `runs.RunType`
    items.items(store, calls, folder)   its items, for lists, the terminal, files and pages (`runs.items.Items`)
    analyze.analyze(folder)       writes the tables of a run's folder
    pooled.pooled(runs)           the leaderboard over several runs; None if nothing is finished in any
    report.report(folder)         its page; with `prior` if the kind is `rated`
    report.overview_of(folder)    what the page says of the run as a whole, for a server that has its items
    template.toml                 the annotated configuration that `antemill init` writes
    demo.toml                     the configuration that `antemill demo` runs

They are imported when they are needed: `antemill --help` lists all kinds and imports none.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

from msgspec import Struct


class Command(Struct, frozen=True):
    """A command beside those that all kinds have (`antemill.tournament.cli.kinds`): a function of
    `antemill.tournament.cli.KIND`.

    Without a help it is one of these with more options than all kinds have.
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
    items     what `list` lists; one: what `show` shows
    example   a run's name in examples; item, what, player: an item's in it, a sort of items, a player's role
    commands  its own
    direct    what its command itself does where no other command is named: a function with a help; None: nothing
    rated     whether its ratings take a prior
    conflicts whether its replies can claim several answers (`--conflict`)
    demo      its place among the runs of `antemill demo`: those without card games wait for no kernel and come first,
              the shortest of them at once
    """

    name: str
    package: str
    help: str
    begin: str
    whole: str
    running: str
    items: str
    one: str
    example: str
    item: str
    what: str
    player: str
    demo: int
    commands: tuple[Command, ...]
    direct: Command | None = None
    rated: bool = False
    conflicts: bool = False

    def part(self, name: str) -> Any:
        """A module of its package."""
        return import_module(f"{self.package}.{name}")

    def text(self, name: str) -> str:
        """A file of its package."""
        return (files(self.package) / name).read_text(encoding="utf-8")


_ALL = (
    RunKind(
        name="tournament",
        package="antemill.tournament.cards",
        help="Card tournaments of models, bots, solved policies and scripts.",
        begin="Run a tournament, or continue it",
        whole="the tournament",
        running="a running one",
        items="all matches",
        one="a finished match",
        example="cup",
        item="kuhn:0:rnd:l1",
        what="match",
        player="rnd",
        demo=3,
        commands=(
            Command("run"),  # with --schedule
            Command(
                "analyze",
                "Write slots.parquet, with one row for each match, and all tables and figures; show leaderboard "
                "and fallbacks.",
                ("analyze cup", "analyze log.eval --out analysis"),
            ),
        ),
    ),
    RunKind(
        name="duel",
        package="antemill.tournament.duel",
        help="The Token Games: models challenge each other with programming puzzles.",
        begin="Run duels, or continue them",
        whole="the duels",
        running="running duels",
        items="all duels, and the puzzles that were solved again and tagged",
        one="a finished duel, turn by turn",
        example="duels",
        item="duel/expert/novice",
        what="duel",
        player="expert",
        demo=2,
        commands=(
            Command(
                "analyze",
                "Write turns.parquet and the paper's tables: ratings, roles, turns, topics, quality, cost.",
                ("analyze duels", "analyze duels newer --out both", "analyze duels --scores benchmarks.csv --json"),
            ),
        ),
        rated=True,
    ),
    RunKind(
        name="skate",
        package="antemill.tournament.skate",
        help="SKATE: models set output-prediction questions for each other.",
        begin="Play a game of SKATE, or continue it",
        whole="the game",
        running="a running game",
        items="all questions, and all players' answers to them",
        one="a question with all attempts at it, or the answers of a player",
        example="skate",
        item="set/1/expert",
        what="answer",
        player="expert",
        demo=1,
        conflicts=True,
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
    RunKind(
        name="eval",
        package="antemill.tournament.evaluation",
        help="One player alone: what it loses to perfect play.",
        begin="Run an evaluation, or continue it",
        whole="the evaluation",
        running="a running one",
        items="all matches and questions",
        one="a finished match or question",
        example="score",
        item="kuhn:0:random:equilibrium",
        what="match",
        player="random",
        demo=4,
        commands=(
            Command(
                "analyze",
                "Write scorecard.json, slots.parquet and all tables; show each player's loss, and its regret by kind "
                "of decision.",
                ("analyze score",),
            ),
            Command(
                "compare",
                "Compare two players on the same cards: how much more the first loses than the second. Of a run that "
                "is not finished the pairs that both have played count, and a line says so.\n\n"
                "`reference:NAME` is one of the bots random, passive, aggressive, l1 and mixed, or cfr (the "
                "equilibrium), on the starter suite with seed 0; their scorecard ships with Antemill.",
                ("compare score:random score:l1", "compare score reference:l1 --json"),
            ),
            Command(
                "schema",
                "Print the JSON Schema of scorecard.json, by which other programs check and read it.",
                ("schema", "schema -o scorecard.schema.json"),
            ),
        ),
        direct=Command(
            "score",
            "Score players alone, against the equilibrium of each game of a suite in both seats: chips lost a match, "
            "without luck, with intervals.\n\n"
            "It can be killed at any time, and the same command continues. In JSON: players [{name, loss {mean, low, "
            "high}, units, regret, gain, exploitability}], suite, finished, planned, complete, seconds, cost; gain is "
            "null without --weak, and exploitability without --policy.",
            ("bot:random bot:l1 --out score", "bot:random --matches 2 --dry-run"),
        ),
    ),
)
KINDS = {kind.name: kind for kind in _ALL}
