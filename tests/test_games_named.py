"""Every game that a page, a template, an example or a help text names is one that the gate accepts.

A place that speaks of a game which the gate rejects says so in a comment, for all of its file:

    <!-- the gate rejects: 4643, 7@0.4 -->     in a page
    # The gate rejects: 7@0.5.                 in a program
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.builder.starters import KNOWN
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.text.verdict import judged
from antemill.tournament.demo import demo_text
from antemill.tournament.kinds import KINDS
from tests.doc_pages import PAGES, ROOT

_PROGRAMS = ("engine", "axes", "solver", "llm", "tournament", "examples", "packages")
_TEXTS = (".py", ".js", ".html", ".toml", ".md")
FILES = sorted(
    {
        *PAGES,
        *(
            path
            for folder in _PROGRAMS
            for path in (ROOT / folder).rglob("*")
            if path.suffix in _TEXTS and "tests" not in path.parts and not path.name.startswith("test_")
        ),
    }
)
_REJECTED = re.compile(r"the gate rejects: ((?:[\d@.]+(?:, )?)+)", re.IGNORECASE)
_SEED = r"\d+(?:@[\d.]*\d)?"
_GAME = "|".join([_SEED, *KNOWN])
_ALONE = (
    re.compile(r"(?<![\w.@])(\d+@[\d.]*\d)"),  # wherever it stands
    re.compile(rf"antemill (?:game [a-z]+|solve|play) ({_GAME})(?![\w./@-])"),
    re.compile(r"(?<![\w.@])(\d+)`?(?:,|,? or) `?\d+@"),  # 9 or 7@0.1
    re.compile(rf"antemill tournament (?:show \S+ ({_GAME}):|list .*--about ({_GAME})(?![\w./@-]))"),
    re.compile(r"(?<![\w@.,])(\d{3,})\s+names another game"),
)
_PROSE = re.compile(r"(?<!a )(?<!-)\b(?:[Gg]ame|[Ss]eed) `?(\d+)(?![\d%@]|[.,]\d)")  # in pages
_LISTS = re.compile(
    r"""(?:(?:env|match_tasks|match_dataset)\(|games = |GAMES = |taskset\.games ')([\[(][^\])]*[\])]|["']?\w[^,)]*)"""
)
_QUOTED = re.compile(rf"""["']({_GAME})["']""")
_GENERATED = re.compile(r"\b(?:generate|draw_game)\((\d+)(?:, (?:complexity=)?([\d.]+))?")
_OPENSPIEL = re.compile(r"antemill\(seed=(\d+)(?:,complexity=([\d.]+))?")


def games(text: str, prose: bool = True) -> set[str]:
    """The games that a text names, as GAME arguments. prose: also where it speaks of "game 7" or "seed 7"."""
    text = _REJECTED.sub("", text)
    found = {
        match[match.lastindex or 0]
        for pattern in (*_ALONE, *([_PROSE] if prose else []))
        for match in pattern.finditer(text)
    }
    for match in _LISTS.finditer(text):
        found |= {one[1] for one in _QUOTED.finditer(match[1])}
        found |= {match[1]} if match[1].isdigit() else set()
    for pattern in (_GENERATED, _OPENSPIEL):
        for match in pattern.finditer(text):
            if match[2] is None or float(match[2]) <= 1:  # beyond, games need caps of their own
                found.add(match[1] if match[2] is None else f"{match[1]}@{match[2]}")
    return found


def rejected(text: str) -> set[str]:
    """The games of which the text says to this test that the gate rejects them."""
    return {one.rstrip(".") for match in _REJECTED.finditer(text) for one in match[1].split(", ")}


@cache
def accepted(game: str) -> bool:
    """Whether the gate accepts a game by the seed that belongs to it. Raises UsageError if there is none."""
    return judged(game, compile_spec(resolve(game))).accepted


@cache
def _parts() -> list[tuple[str, str]]:
    return list(_read())


def _read() -> Iterator[tuple[str, str]]:
    yield from ((str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in FILES)
    for name, kind in KINDS.items():
        yield f"init {name}", kind.text("template.toml")
        yield f"demo {name}", demo_text(kind)


def test_every_game_that_is_named_is_accepted() -> None:
    wrong = {}
    for place, text in _parts():
        refused = {game for game in games(text, place.endswith(".md")) if not accepted(game)}
        if refused != rejected(text):
            wrong[place] = refused ^ rejected(text)
    assert wrong == {}, "name games that the gate accepts; or say of the others that it rejects them"


def test_a_page_that_names_a_rejected_game_tells_its_readers() -> None:
    pages = [text for place, text in _parts() if place.endswith(".md") and rejected(text)]
    assert pages
    assert all(re.search(r"the gate rejects(?!:)|(names|draws) another game", text) for text in pages)


def test_the_places_that_matter_are_read() -> None:
    by_place = {place: games(text) for place, text in _parts()}
    for place in ("README.md", "docs/training.md", "docs/solver.md", "tournament/cli/app.py", "examples/self_play.py"):
        assert len(by_place[place]) >= 3, place
    for kind in ("init tournament", "demo tournament"):
        assert any(game.startswith("starter-") for game in by_place[kind])
    table = tomllib.loads(dict(_parts())["init tournament"])
    assert set(table["tournament"]["games"]) <= by_place["init tournament"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("antemill game rulebook 7   # rules", {"7"}),
        ("antemill solve 7@0.4 --target 1e-3", {"7@0.4"}),
        ("antemill play 12 kuhn.json", {"12"}),
        ("antemill tournament show cup 7:0:a:b\nantemill tournament list cup --about 8 # all", {"7", "8"}),
        ("antemill game play starter-2 --bob cfr", {"starter-2"}),
        ("antemill solve out/benchmark.parquet; antemill play --models m.toml", set()),
        ('games = ["kuhn", "7", "8@0.4"]', {"kuhn", "7", "8@0.4"}),
        ('GAMES = ("leduc", "2@0.1")', {"leduc", "2@0.1"}),
        ('vector_env(["9", "leduc"], 256); openspiel_env(7); env("5")', {"9", "leduc", "7", "5"}),
        (
            "generate(7, 0.1), generate(8), draw_game(5, complexity=0.3), generate(6, 1.8, caps)",
            {"7@0.1", "8", "5@0.3"},
        ),
        ('load_game("antemill(seed=7,complexity=0.4)"), "antemill(seed=3)"', {"7@0.4", "3"}),
        ("any seed (`7`, or `7@0.4`), name a seed (9 or 5@0.1), such as 8 or 5@0.1", {"7", "7@0.4", "9", "5@0.1", "8"}),
        ("game 12210, with 899,225 nodes, of a game 96% and game 0.001", {"12210"}),
        ("<!-- the gate rejects: 4643, 7@0.4 -->", set()),
    ],
)
def test_games_are_found_in_what_is_written(text: str, found: set[str]) -> None:
    assert games(text) == found


def test_what_is_told_of_rejections_is_read() -> None:
    assert rejected("<!-- the gate rejects: 4643, 7@0.4 --> # The gate rejects: 7@0.5.") == {"4643", "7@0.4", "7@0.5"}
    assert not accepted("7")
    assert accepted("starter-1")
