"""Sentences to the player who reads them: as "you" throughout, and each says once that only one player is told."""

from __future__ import annotations

import random
import re

from antemill.engine.builder.generate import generate
from antemill.engine.machine.events import EVERYONE, Event
from antemill.engine.match import Game, Match
from antemill.engine.text.labels import SEATS
from antemill.engine.text.wording import Seen
from tests.specs import every_construct


def play(game: Game, seed: int) -> Match:
    rng, match = random.Random(seed), Match(game, seed)
    while not match.over:
        match.apply(match.menu.choice(rng.randrange(len(match.menu))))
    return match


def test_a_line_of_the_log_never_names_its_reader() -> None:
    """But in the names of phases, side bets and announcements, which are the same for both."""
    lines = 0
    for game in [Game(every_construct()), *(Game(generate(seed)) for seed in range(6))]:
        names = game.names
        fixed = sorted({*names.phases, *names.texts, *names.variables}, key=len, reverse=True)
        for seed in range(12):
            match = play(game, seed)
            for seat, reader in enumerate(SEATS):
                for line in match.view(seat).lines:
                    words = line
                    for name in fixed:
                        words = words.replace(name, "")
                    assert reader not in words, line
                    assert not re.search(r"[a-z:] You\b", words), line
                    lines += 1
    assert lines > 2000


def test_what_one_player_alone_is_told_says_so_once() -> None:
    game, found = Game(every_construct()), set()
    for seed in range(60):
        match = play(game, seed)
        for seat in (0, 1):
            view = match.view(seat)
            for row, line in zip(view.rows, view.lines, strict=True):
                if isinstance(row, Seen) and row.told != EVERYONE and row.kind != Event.LOCK:
                    assert line.count("Only you are told") == 1, line
                    found.add(Event(row.kind))
    assert found >= {Event.DRAW, Event.PEEK, Event.SIGNAL, Event.CHOICE}
