"""A person at the terminal, at games in disguise."""

from __future__ import annotations

import io
from itertools import cycle

import pytest
from rich.console import Console

from antemill.engine.disguise.disguise import disguised
from antemill.engine.disguise.themes import THEMES, Theme
from antemill.engine.match import Game, Match
from antemill.engine.text.vocabulary import WORDS
from antemill.tournament.players import make_bot, play
from antemill.tournament.players.human import Human
from tests.engine.text.test_vocabulary import LEAKS, TESTS
from tests.specs import every_construct


@pytest.mark.parametrize("theme", THEMES[:1], ids=lambda theme: theme.name)
def test_the_table_speaks_the_words_of_a_disguise_and_the_record_the_engines(theme: Theme) -> None:
    game = Game(disguised(every_construct(), 1, theme.name).game)
    console, answers = Console(file=io.StringIO(), width=200), cycle(("1", "0", "2"))
    human, chosen = Human(console, lambda _prompt: next(answers)), set[str | int]()
    for seed in range(3):
        match = Match(game, seed, ("human", "random"))
        play(match, human, make_bot("random", game))
        human.finish(match)
        chosen |= {record.choice for record in match.transcript().decisions}
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert LEAKS.findall(TESTS.sub("", text)) == []
    assert theme.words[WORDS.index("pot")].capitalize() in text
    assert chosen & set(WORDS)
    assert not chosen & set(theme.words)
