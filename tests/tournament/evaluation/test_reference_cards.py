"""The scorecard of the bots that ships with the package is of the present games, and can be made again."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import antemill as am
from antemill.engine.builder.generate import builder_hash
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.compare import REFERENCE_CARD, player_of, read_card
from antemill.tournament.evaluation.suites import SUITES, suite_digest
from antemill.tournament.players import BOTS

SHIPPED = read_card(Path(REFERENCE_CARD))


def test_it_is_of_the_present_suite_and_has_every_bot() -> None:
    games = SUITES["starter"]
    assert SHIPPED.suite.digest == suite_digest(am.engine.canonical_digest(am.game(name)) for name in games)
    assert {one.game: one.program for one in SHIPPED.suite.games} == {
        name: am.compile_spec(am.game(name)).digest for name in games
    }
    assert {one.name for one in SHIPPED.players} == {*BOTS, "cfr"}
    assert all(one.matches == 40 * len(games) for one in SHIPPED.players)


def test_the_equilibrium_loses_nothing_and_every_bot_something() -> None:
    for one in SHIPPED.players:
        if one.name == "cfr":
            assert one.loss.mean == pytest.approx(0, abs=1e-4)
            assert one.regret.mean == pytest.approx(0, abs=1e-3)
        else:
            assert one.loss.low is not None
            assert one.loss.low > 0.1
    assert player_of("reference:l1")[1].name == "l1"


@pytest.mark.slow
def test_it_can_be_made_again(tmp_path: Path) -> None:
    """If the games have changed: `antemill eval bot:random bot:passive bot:aggressive bot:l1 bot:mixed policy:cfr
    --matches 20 --out DIR`, whose scorecard is the file, with `seconds` of 0."""
    names = [f"bot:{name}" for name in BOTS]
    assert run(["eval", *names, "policy:cfr", "--matches", "20", "--out", str(tmp_path / "score")]) == 0
    fresh = read_card(tmp_path / "score")
    suite = msgspec.structs.replace(fresh.suite, builder=SHIPPED.suite.builder)
    fresh = msgspec.structs.replace(fresh, seconds=0.0, suite=suite, antemill=SHIPPED.antemill)
    assert _rounded(fresh) == _rounded(SHIPPED)
    assert len(builder_hash()) == len(SHIPPED.suite.builder)


def _rounded(card: object) -> object:
    """The card with six digits: equilibria are computed with the processor's own sums."""

    def close(value: object) -> object:
        if isinstance(value, dict):
            return {key: close(each) for key, each in value.items()}
        if isinstance(value, list):
            return [close(each) for each in value]
        return round(value, 6) + 0.0 if isinstance(value, float) else value

    return close(msgspec.to_builtins(card))
