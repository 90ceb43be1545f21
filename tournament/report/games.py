"""The games of a benchmark in words: each with its rulebook and its first random playout, packed into the page."""

from __future__ import annotations

from html import escape

import pyarrow as pa

from engine.compiler.compile import compile_spec
from engine.rules.spec import from_json
from engine.text.describe import random_playout
from engine.text.rulebook import rulebook
from tournament.pages.overview import Section, section
from tournament.pages.pack import element

_TOGETHER = 10  # games in a chunk: a page unpacks one when a game of it is opened
_SEED = 0  # of the playout


def game_texts(benchmark: pa.Table) -> tuple[Section, str]:
    """The section with an entry for each game, in the order of selection, and the elements with their texts."""
    rows = benchmark.select(["rank", "seed", "spec", "rulebook_length"]).to_pylist()
    entries, elements = [], []
    for first in range(0, len(rows), _TOGETHER):
        some, name = rows[first : first + _TOGETHER], f"texts-{first // _TOGETHER}"
        elements.append(element(name, [_texts(row["spec"]) for row in some]))
        entries += [
            f'<details id="{_link(row["seed"])}" data-pack="{name}" data-place="{place}"><summary>{row["rank"]}. Seed '
            f"{row['seed']} <small>rulebook of {row['rulebook_length']:,} characters</small></summary>"
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
    return {"seed": {str(seed): f"#{_link(seed)}" for seed in benchmark["seed"].to_pylist()}}


def _texts(spec: bytes) -> list[tuple[str, str]]:
    rules = from_json(spec)
    return [("Rulebook", rulebook(rules)), ("First playout", str(random_playout(compile_spec(rules), _SEED)))]


def _link(seed: int) -> str:
    return escape(f"game-{seed}")
