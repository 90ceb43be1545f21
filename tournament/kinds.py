"""The kinds of runs. A new one is a package of its own and a line here; all commands take runs of all kinds.

A kind is an `antemill.tournament.runs.Kind`, which says what it consists of. It is called `KIND` in its module, which
is imported when it is first needed. Beside it lie two files: `template.toml`, the annotated configuration that
`antemill init` writes, and `demo.toml`, the configuration that `antemill demo` runs.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Any

from msgspec import Struct


class RunKind(Struct, frozen=True, kw_only=True):
    """One kind of runs. name: of its table in configurations. module: where it is. example: a run's name in examples.

    demo: its place among the runs of `antemill demo`: those without card games wait for no kernel and come first, the
    shortest of them at once.
    """

    name: str
    module: str
    example: str
    demo: int = 0

    @property
    def kind(self) -> Any:
        """The kind itself, an `antemill.tournament.runs.Kind`."""
        return import_module(self.module).KIND

    @property
    def package(self) -> str:
        """Where its files are."""
        return self.module.rpartition(".")[0]

    def text(self, name: str) -> str:
        """A file of its package."""
        return (files(self.package) / name).read_text(encoding="utf-8")


KINDS = {
    kind.name: kind
    for kind in (
        RunKind(name="tournament", module="antemill.tournament.cards.kind", example="cup", demo=3),
        RunKind(name="duel", module="antemill.tournament.duel.kind", example="duels", demo=2),
        RunKind(name="skate", module="antemill.tournament.skate.kind", example="skate", demo=1),
        RunKind(name="eval", module="antemill.tournament.evaluation.kind", example="score", demo=4),
    )
}
