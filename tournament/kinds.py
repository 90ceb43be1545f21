"""The kinds of runs. A new one is a package of its own and a line here; all commands take runs of all kinds.

Every kind has a package with the same parts, of which this is called from outside:

    kind.run_type()               opens what its runs are made with (a sandbox, ...) and gives its `runs.RunType`
    items.items(store, calls, folder)   its items, for lists, the terminal, files and pages (`runs.items.Items`)
    analyze.analyze(folder)       writes the tables of a run's folder, and gives a summary and the tables
    tables.STATISTICS             its tables; which of them are printed
    pooled.pooled(runs)           the leaderboard over several runs; None if nothing is finished in any
    report.report(folder)         its page
    report.overview_of(folder)    what the page says of the run as a whole, for a server that has its items
    template.toml                 the annotated configuration that `antemill init` writes
    demo.toml                     the configuration that `antemill demo` runs

They are imported when they are needed.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

from msgspec import Struct


class RunKind(Struct, frozen=True, kw_only=True):
    """One kind of runs, as pages and messages need it.

    name      of its table in configurations
    package   where it is
    items     what `list` lists; one: what `show` shows
    example   a run's name in examples
    demo      its place among the runs of `antemill demo`: those without card games wait for no kernel and come first,
              the shortest of them at once
    """

    name: str
    package: str
    items: str
    one: str
    example: str
    demo: int

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
        items="all matches",
        one="a finished match",
        example="cup",
        demo=3,
    ),
    RunKind(
        name="duel",
        package="antemill.tournament.duel",
        items="all duels, and the puzzles that were solved again and tagged",
        one="a finished duel, turn by turn",
        example="duels",
        demo=2,
    ),
    RunKind(
        name="skate",
        package="antemill.tournament.skate",
        items="all questions, and all players' answers to them",
        one="a question with all attempts at it, or the answers of a player",
        example="skate",
        demo=1,
    ),
    RunKind(
        name="eval",
        package="antemill.tournament.evaluation",
        items="all matches and questions",
        one="a finished match or question",
        example="score",
        demo=4,
    ),
)
KINDS = {kind.name: kind for kind in _ALL}
