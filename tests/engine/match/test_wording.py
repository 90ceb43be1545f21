"""Sentences to the player who reads them: as "you" throughout, and each says once that only one player is told."""

from __future__ import annotations

import random
import re

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.machine.events import EVERYONE, Event
from antemill.engine.match import Game, Match
from antemill.engine.match.wording import Seen
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import All, AnyOf, ChipsAre, HandSizeIs, HasHigherCard, Leads, Not
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook.conditions import clause
from tests.specs import every_construct

RICHER = ChipsAre("alice", ">=", 2)


def play(game: Game, seed: int) -> Match:
    rng, match = random.Random(seed), Match(game, seed)
    while not match.over:
        match.apply(match.menu.choice(rng.randrange(len(match.menu))))
    return match


@pytest.mark.parametrize(
    ("condition", "to_alice", "to_bob"),
    [
        (RICHER, "you have at least 2 chips", "Alice has at least 2 chips"),
        (Not(RICHER), "you do not have at least 2 chips", "Alice does not have at least 2 chips"),
        (HandSizeIs("bob", "<", 3), "Bob holds fewer than 3 cards in hand", "you hold fewer than 3 cards in hand"),
        (
            HasHigherCard("bob"),
            "Bob's highest card is of higher rank than your highest card",
            "your highest card is of higher rank than Alice's highest card",
        ),
        (
            All((AnyOf((RICHER, Leads("alice"))), Not(Leads("bob")))),
            "(you have at least 2 chips OR you are the leader) AND Bob is not the leader",
            "(Alice has at least 2 chips OR Alice is the leader) AND you are not the leader",
        ),
    ],
)
def test_a_condition_names_its_reader_you(condition: object, to_alice: str, to_bob: str) -> None:
    assert clause(condition, "Alice") == to_alice  # type: ignore[arg-type]
    assert clause(condition, "Bob") == to_bob  # type: ignore[arg-type]


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


def test_a_fold_is_told_within_a_sentence() -> None:
    match = Match(kuhn(), 0)
    match.apply("bet")
    match.apply("fold")
    assert [line for line in match.view(1).lines if "over" in line] == [
        "The game is over: you fold. Alice takes the pot."
    ]
    assert [line for line in match.view(0).lines if "over" in line] == [
        "The game is over: Bob folds. You take the pot."
    ]
