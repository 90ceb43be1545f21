"""Playouts as text: each is an episode of the rollout, and every event is a line of its own with names."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.machine.vm import new_state
from antemill.engine.rules.named import kuhn
from antemill.engine.text.describe import journal, random_playout


def test_a_playout_is_an_episode_of_the_rollout() -> None:
    for seed in range(60):
        program = compile_spec(generate(seed))
        played = random_playout(program, seed)
        log = rollout(program, 1, streams(seed))
        assert (played.decisions, played.payoff) == (log.rows, log.payoff[0])
        assert str(random_playout(program, seed)) == str(played)


def test_a_playout_names_every_kind_of_event() -> None:
    """Each event is a line of its own, with names: over many games all kinds come up, none without words."""
    seen: set[str] = set()
    for seed in range(80):
        program = compile_spec(generate(seed, 0.9))
        for play_seed in range(3):
            for entry in random_playout(program, play_seed).entries:
                assert entry.text.strip() == entry.text
                assert entry.sees in ("A", "B", "AB", "AB/A", "AB/B", "?")
                seen.update(entry.text.split())
    words = (
        "draws",
        "peeks",
        "swaps",
        "secretly",
        "observes",
        "leader.",
        "auction",
        "Check",
        "discards",
        "Announcement:",
    )
    assert set(words) <= seen


def test_the_journal_holds_whole_events() -> None:
    program = compile_spec(kuhn())
    state = new_state(program.initial_state(), 4)
    assert journal(state) == []
    lines = random_playout(program, 1).entries
    assert str(lines[0]) == "AB    Phase: Setup"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no game"),
        ("{", "is no game"),
        ('{"name": 5}', "is no game"),
        ("\xff\xfe", "is no game"),
        ("[" * 100_000, "is no game"),
        ("PAR1\0\0PAR1", "is a Parquet file, not one game: name a game by its seed"),
    ],
)
def test_a_broken_file_of_rules_says_what_is_wrong(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SpecError, match=words):
        resolve(str(path))
