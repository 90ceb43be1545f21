"""A disguise is the same game, says what it has changed, and shows nothing of the game behind it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from msgspec.structs import replace

import antemill as am
from antemill.engine import canonical_digest
from antemill.engine.builder.generate import generate
from antemill.engine.disguise.changes import mirrored, naming, renamed, scaled
from antemill.engine.disguise.disguise import disguised
from antemill.engine.disguise.themes import THEMES, Theme, words_of
from antemill.engine.errors import SpecError
from antemill.engine.match import Match, prompt
from antemill.engine.match.game import Game
from antemill.engine.rules.check import check
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Deck,
    FixedBetting,
    GameSpec,
    from_json,
    to_json,
)
from antemill.engine.rules.walk import walk
from antemill.engine.text.labels import FACES, exchanged
from antemill.engine.text.rulebook import rulebook
from antemill.engine.text.vocabulary import WORDS, said
from antemill.tournament.replies import action_schema
from tests.engine.text.test_rulebook_true import compare_many
from tests.engine.text.test_vocabulary import LEAKS, TESTS
from tests.specs import every_construct

GAMES: dict[str, Callable[[], GameSpec]] = {
    **NAMED,
    "every-construct": every_construct,
    **{str(seed): partial(generate, seed) for seed in range(1, 5)},
}
# Names that no rulebook has of its own.
SIGNS = Theme(
    name="signs",
    title="Xqtitle",
    suits=tuple(f"xqsuit{i}" for i in range(4)),
    phases=tuple(f"xqphase{i}" for i in range(60)),
    options=tuple(f"xqoption{i}" for i in range(60)),
    variables=tuple(f"xqvariable{i}" for i in range(16)),
    texts=tuple(f"xqtext{i}." for i in range(30)),
    words=(),
)


@pytest.mark.parametrize("name", GAMES)
def test_a_disguise_is_legal_and_has_the_games_digest(name: str) -> None:
    spec = GAMES[name]()
    for seed in range(4):
        found = disguised(spec, seed)
        assert check(found.game) == []
        assert found.digest == canonical_digest(found.game) == canonical_digest(spec)
        assert {"names", "ranks"} <= set(found.changed)
        assert found == disguised(spec, seed)


def test_seeds_exchange_seats_and_scale_chips_where_the_digest_says_so() -> None:
    kuhn = [disguised(NAMED["kuhn"](), seed) for seed in range(8)]
    assert {found.exchanged for found in kuhn} == {True, False}
    for found in kuhn:
        betting = next(phase for phase in found.game.phases if isinstance(phase, FixedBetting))
        assert (betting.opener, betting.amount) == ("bob" if found.exchanged else "alice", found.scale)
    assert len({found.scale for found in kuhn}) > 1
    for seed in range(4):  # its players choose amounts, so its chips have no scale
        found = disguised(NAMED["appendix-b"](), seed)
        assert found.scale == 1
        assert "chips" in found.kept
    turned = next(found for seed in range(8) if (found := disguised(every_construct(), seed)).kept)
    assert not turned.exchanged  # its positions begin with Alice


def test_all_chips_of_every_kind_are_scaled_and_nothing_else() -> None:
    """Where no player chooses an amount. The numbers of the rules as JSON, by the names of their fields."""
    whole = every_construct()
    assert scaled(whole, 3) is None
    spec = replace(whole, phases=tuple(one for one in whole.phases if not type(one).brings & {"bids", "wagers"}))
    done = scaled(spec, 3)
    assert done is not None
    old, new = (list(_numbers(json.loads(to_json(one)), "")) for one in (spec, done))
    times = {name: {b / a for (n, a), (_, b) in zip(old, new, strict=True) if n == name and a} for name, _ in old}
    chips = {name for name in times if name.split()[-1] in {"amount", "chips"} and name != "add amount"}
    chips |= {"chips value", "pot value"}
    assert {name: found for name, found in times.items() if found - {3.0 if name in chips else 1.0}} == {}
    assert sum(times[name] == {3.0} for name in chips) >= 9


def _numbers(node: object, kind: str) -> Iterator[tuple[str, int]]:
    """The whole numbers of a document, each under the tag of its object and its name."""
    if isinstance(node, dict):
        kind = str(node.get("type", ""))
        for name, value in node.items():
            if isinstance(value, int) and not isinstance(value, bool):
                yield f"{kind} {name}".strip(), value
            yield from _numbers(value, kind)
    elif isinstance(node, list):
        for value in node:
            yield from _numbers(value, kind)


def test_a_change_that_makes_another_game_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def larger(spec: GameSpec, _rng: random.Random) -> GameSpec:
        return replace(spec, deck=Deck((*spec.deck.ranks, 20), spec.deck.suits))

    monkeypatch.setattr("antemill.engine.disguise.disguise.reranked", larger)
    assert "ranks" in disguised(NAMED["kuhn"](), 1).kept
    monkeypatch.setattr("antemill.engine.disguise.disguise.renamed", lambda spec, *_: spec)
    with pytest.raises(SpecError, match="no disguise of 'Kuhn poker' by seed 1"):
        disguised(NAMED["kuhn"](), 1)


def test_the_same_seed_deals_the_same_cards_to_a_disguise_with_the_same_seats() -> None:
    spec = NAMED["leduc"]()
    assert any(disguised(spec, seed).exchanged for seed in range(4))
    for number in range(4):
        found = disguised(spec, number, seats=False)
        assert not found.exchanged
        assert found.turned == disguised(spec, number).exchanged
        for seed in range(20):
            assert Match(spec, seed).piles() == Match(found.game, seed).piles()


def test_seats_that_are_exchanged_in_words_are_those_of_rules_that_exchange_them() -> None:
    """What prompts say of Kuhn poker with other names of seats is what its mirrored rules say, but for the order in
    which equals are listed."""
    spec, pair = NAMED["kuhn"](), ("Alice and", "Bob and")
    other = mirrored(spec)
    assert other is not None
    said, meant = prompt.system(spec, turned=True).splitlines(), prompt.system(other).splitlines()
    assert len(said) == len(meant)
    differ = [(one, two) for one, two in zip(said, meant, strict=True) if one != two]
    assert differ
    for one, two in differ:
        assert any(word in one for word in pair)
        assert one == exchanged(two)
    turned, plain = Match(Game(spec, turned=True), 5), Match(Game(spec), 5)
    while not plain.over:
        assert prompt.turn(turned) == exchanged(prompt.turn(plain)) != prompt.turn(plain)
        assert turned.apply(turned.menu.choice(0)) == plain.apply(plain.menu.choice(0))
    assert turned.transcript() == plain.transcript()


@pytest.mark.parametrize("name", ["kuhn", "every-construct"])
def test_nothing_that_a_player_is_sent_names_the_game_behind(name: str) -> None:
    plain = GAMES[name]()
    spec = renamed(plain, naming(plain, SIGNS, random.Random(1)), SIGNS.title)
    assert "xqphase" in rulebook(spec)
    for theme in [one.name for one in THEMES]:
        found = disguised(spec, 1, theme)
        game = Game(found.game, words=())
        texts = [prompt.system(found.game, words=()), prompt.system(found.game, True, words=())]
        for seed in range(3):
            match = Match(game, seed)
            while not match.over:
                texts += [prompt.turn(match), prompt.turn(match, paper=True)]
                match.apply_random()
            texts += match.view(0).lines + match.view(1).lines
        assert "xq" not in "\n".join(texts).lower()


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_prompts_of_a_disguise_have_none_of_the_engines_words(theme: Theme) -> None:
    """Seven games in each theme; the words for tests of conditions are other ones."""
    games = [NAMED["kuhn"](), NAMED["leduc"](), every_construct(), *map(generate, range(20, 24))]
    for number, spec in enumerate(games):
        found = disguised(spec, number, theme.name, seats=False)
        game, undisguised = Game(found.game, found.turned, found.words), Game(found.game, words=())
        plain, texts = [], []
        for paper, mix in ((False, False), (True, False), (False, True)):
            about = found.game, paper, mix
            plain.append(prompt.system(*about, words=()))
            texts.append(prompt.system(*about, found.turned, found.words))
        for seed in range(2):
            match, other = Match(game, seed), Match(undisguised, seed)
            while not match.over:
                plain += [prompt.turn(other), prompt.turn(other, paper=True, mix=True)]
                texts += [prompt.turn(match), prompt.turn(match, paper=True, mix=True)]
                texts += [str(action_schema(game.shown(match.menu)))]
                assert match.apply_random() == other.apply_random()
        leaks = [LEAKS.search(TESTS.sub("", text)) for text in texts]
        assert [found for found in leaks if found] == []
        assert len(TESTS.findall("".join(texts))) == len(TESTS.findall("".join(plain)))
        assert LEAKS.search("".join(plain))  # the same prompts without the vocabulary have them


@pytest.mark.parametrize("name", ["every-construct", "leduc", "4"])
def test_disguises_go_as_their_rulebooks_say(name: str) -> None:
    for seed in range(2):
        compare_many(disguised(GAMES[name](), seed).game, 30)


def test_a_disguise_for_users_takes_any_game_and_refuses_other_themes() -> None:
    found = am.disguise("starter-2", 5, "harbour")
    assert found.theme == "harbour"
    assert repr(found).startswith("<Disguise of 'Starter 2': \"The Harbour Master's Table\", changed ")
    assert {name for phase in found.original.phases for name in [phase.name]} == set(found.names.phases)
    options = [o.name for _, node in walk(found.original) if isinstance(node, ActionRound) for o in node.options]
    assert set(options) <= set(found.names.options)
    with pytest.raises(ValueError, match="`theme` must be one of 'harbour', 'orchard', 'observatory', 'bare'"):
        am.disguise("kuhn", theme="casino")


@pytest.mark.parametrize("name", GAMES)
def test_a_disguise_is_known_by_its_rules_alone(name: str) -> None:
    """So that its words are in prompts whatever way the rules took, and the games themselves have the engine's."""
    spec = GAMES[name]()
    assert words_of(spec) == Game(spec).words == ()
    for theme in THEMES:
        found = disguised(spec, 2, theme.name)
        again = from_json(to_json(found.game))
        assert words_of(again) == Game(again).words == found.words == theme.words
        assert prompt.system(again) == prompt.system(found.game, words=found.words)
        assert words_of(replace(again, name="Card table")) == ()


def test_no_name_of_a_theme_is_one_of_the_engines_words_or_of_its_own() -> None:
    for theme in THEMES:
        names = [theme.title, *theme.suits, *theme.phases, *theme.options, *theme.variables, *theme.texts]
        assert [name for name in names if said(name, theme.words) != name] == []
        assert {name.lower() for name in names} & set(theme.words) == set()
        assert len(set(theme.words) | set(WORDS)) == 2 * len(WORDS)
        assert [word for word in theme.words if word[0] in "aeiou"] == []
        assert {part for word in theme.words for part in word.split()} & set(FACES.values()) == set()  # no card's name
