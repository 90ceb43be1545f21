"""The games of a benchmark in words: each with its rulebook and its first random playout, packed into the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pyarrow as pa

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.execute import Job
from antemill.engine.rules.spec import from_json
from antemill.engine.text.describe import random_playout
from antemill.engine.text.rulebook import rulebook
from antemill.tournament.pages.overview import Section, section
from antemill.tournament.pages.pack import element

_TOGETHER = 10  # games in a chunk: a page unpacks one when a game of it is opened
_SEED = 0  # of the playout

Texts = list[tuple[str, str]]  # of a game: titles with what stands below them


def jobs_of_texts(benchmark: pa.Table) -> list[Job[Texts]]:
    """Jobs that write the texts of a benchmark's games, in the order of selection."""
    rows = benchmark.select(["rank", "seed", "spec"]).to_pylist()
    return [Job(f"the texts of game {row['rank']}", row["seed"], texts_of, (row["spec"],)) for row in rows]


def texts_of(_seed: int, spec: bytes) -> Texts:
    """A game's rulebook and its first playout, each with its title; runs in a worker."""
    rules = from_json(spec)
    return [("Rulebook", rulebook(rules)), ("First playout", str(random_playout(compile_spec(rules), _SEED)))]


def game_texts(benchmark: pa.Table, texts: Sequence[Texts] | None = None) -> tuple[Section, str]:
    """The section with an entry for each game, in the order of selection, and the elements with their texts.

    texts: of the games, in this order; written here if there are none.
    """
    rows = benchmark.select(["rank", "seed", "spec", "rulebook_length"]).to_pylist()
    written = [texts_of(row["seed"], row["spec"]) for row in rows] if texts is None else texts
    entries, elements = [], []
    for first in range(0, len(rows), _TOGETHER):
        some, name = rows[first : first + _TOGETHER], f"texts-{first // _TOGETHER}"
        elements.append(element(name, written[first : first + _TOGETHER]))
        entries += [
            f'<details id="{game_link(row["seed"])}" data-pack="{name}" data-place="{place}"><summary>{row["rank"]}. '
            f"Seed {row['seed']} <small>rulebook of {row['rulebook_length']:,} characters</small></summary>"
            '<div class="text-box"></div></details>'
            for place, row in enumerate(some)
        ]
    note = (
        "The rulebook is what a player reads before a match; the playout is the first of uniformly random choices "
        f"(play seed {_SEED}), its first column who is told: A, B or both, and ? for a decision."
    )
    listed = f'<div class="texts">{"".join(entries)}</div>'
    return section("Rulebooks and first playouts", listed, note=note, name="texts"), "".join(elements)


def links_of(benchmark: pa.Table) -> dict[str, dict[str, str]]:
    """Links from the seeds of tables to the games' texts."""
    return {"seed": {str(seed): f"#{game_link(seed)}" for seed in benchmark["seed"].to_pylist()}}


def game_link(seed: int) -> str:
    """The name of a game's entry."""
    return escape(f"game-{seed}")
