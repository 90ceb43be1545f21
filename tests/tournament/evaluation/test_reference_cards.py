"""The scorecards of the bots that ship with the package are of the present games, and can be made again."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import antemill as am
from antemill.engine.builder.generate import builder_hash
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.compare import REFERENCES, read_card
from antemill.tournament.evaluation.scorecard import Scorecard
from antemill.tournament.evaluation.suites import SUITES, suite_digest
from antemill.tournament.players import BOTS
from tests import seeds

SHIPPED = {suite: read_card(Path(name)) for suite, name in REFERENCES.items()}
PAIRS = {"starter": 20, "standard": 10}
EVERY = pytest.mark.parametrize("suite", SHIPPED)


@EVERY
def test_it_is_of_the_present_suite_and_has_every_bot(suite: str) -> None:
    card, games = SHIPPED[suite], SUITES[suite]
    assert card.suite.digest == suite_digest(am.engine.canonical_digest(am.game(name)) for name in games)
    assert {one.game: one.program for one in card.suite.games} == {
        name: am.compile_spec(am.game(name)).digest for name in games
    }
    assert {one.name for one in card.players} == {*BOTS, "cfr"}
    assert (card.complete, card.finished, card.planned) == (True, *[sum(one.matches for one in card.players)] * 2)
    assert all(one.matches == 2 * PAIRS[suite] * len(games) for one in card.players)
    assert all(one.exploitability is not None and one.exploitability <= 1e-4 for one in card.suite.games)


@EVERY
def test_the_equilibrium_loses_nothing_and_every_bot_something(suite: str) -> None:
    for one in SHIPPED[suite].players:
        if one.name == "cfr":
            assert one.loss.mean == pytest.approx(0, abs=1e-4)
            assert one.regret is not None
            assert one.regret.mean == pytest.approx(0, abs=1e-3)
        else:
            assert one.loss.low is not None
            assert one.loss.low > 0.1
            figures = [one.loss, one.loss_like, one.units, one.units_like, one.regret, *one.by_kind.values()]
            # Below 1e-4 a bot has made no mistake: what is left is how far the equilibrium is from exact.
            figures += [loss for loss in one.by_game.values() if loss.mean > 1e-4]
            lows = [found.low for found in figures if found is not None and found.low is not None]
            assert len(lows) > len(SUITES[suite]) / 2
            assert min(lows) >= 0


def test_the_equilibrium_is_scored_again_as_on_the_card(tmp_path: Path) -> None:
    """On three games of the standard suite, whose cards do not depend on which others are played."""
    games = ("1000980", "1006995", "1000705")
    (tmp_path / "e.toml").write_text(
        f"[eval]\ngames = {list(games)}\n[players.cfr]\npolicy = 'cfr'\n[players.random]\nbot = 'random'\n"
    )
    assert run(["start", str(tmp_path / "e.toml"), "--out", str(tmp_path / "score")]) == 0
    assert run(["analyze", str(tmp_path / "score")]) == 0
    fresh = {one.name: one for one in read_card(tmp_path / "score").players}
    for one in SHIPPED["standard"].players:
        if one.name in fresh:
            for game in games:
                assert fresh[one.name].pairs[game] == pytest.approx(one.pairs[game], abs=1e-9)
    assert fresh["cfr"].loss.mean == pytest.approx(0, abs=1e-9)
    assert fresh["random"].loss.mean > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["starter"] if seeds.fresh() is None else SHIPPED)
def test_it_can_be_made_again(suite: str, tmp_path: Path) -> None:
    """The smaller one, and each in `make test-all`.

    If the games have changed: `antemill eval bot:random bot:passive bot:aggressive bot:l1 bot:mixed policy:cfr --suite
    SUITE --matches PAIRS --out DIR`, whose scorecard is the file, with `seconds` of 0.
    """
    names, shipped = [f"bot:{name}" for name in BOTS], SHIPPED[suite]
    options = ["--suite", suite, "--matches", str(PAIRS[suite]), "--out", str(tmp_path / "score")]
    assert run(["eval", *names, "policy:cfr", *options]) == 0
    fresh = read_card(tmp_path / "score")
    same = msgspec.structs.replace(fresh.suite, builder=shipped.suite.builder)
    fresh = msgspec.structs.replace(fresh, seconds=0.0, suite=same, antemill=shipped.antemill)
    assert _rounded(fresh) == _rounded(shipped)
    assert len(builder_hash()) == len(shipped.suite.builder)


def _rounded(card: Scorecard) -> object:
    """The card with six digits: equilibria are computed with the processor's own sums."""

    def close(value: object) -> object:
        if isinstance(value, dict):
            return {key: close(each) for key, each in value.items()}
        if isinstance(value, list):
            return [close(each) for each in value]
        return round(value, 6) + 0.0 if isinstance(value, float) else value

    return close(msgspec.to_builtins(card))
