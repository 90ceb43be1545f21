"""The whole policy of small games: questions at every information set, and what a best response wins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import antemill as am
from antemill.engine.match import Game
from antemill.llm import Model, Request
from antemill.solver.evaluation.measures import measure
from antemill.solver.policies.file import write_policy
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.trees.build import build_tree
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.ask import Sets
from antemill.tournament.evaluation.compare import read_card
from antemill.tournament.evaluation.findings import findings
from antemill.tournament.evaluation.game_tree import GameTree
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.plan import Evaluation
from antemill.tournament.evaluation.whole import Answers, estimates
from antemill.tournament.runs import open_run, start_run
from tests.local_model import as_toml
from tests.tournament.evaluation.noisy import equilibrium, noisy


@pytest.mark.parametrize("name", ["kuhn", "leduc", "every-bid"])
def test_a_match_is_led_to_every_information_set(name: str) -> None:
    game = Game(am.game("1@0.1" if name == "every-bid" else name))
    tree = build_tree(game.program, 200_000)
    sets = Sets(game, tree)
    for seat, mine in enumerate(tree.sets):
        for number in range(0, mine.size, max(1, mine.size // 40)):
            match = sets.match(seat, number, 3, ("a", "b"))
            assert (match.seat, match.keys().recall) == (seat, mine.key[number])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Players of known policy, asked everywhere."""
    home = tmp_path_factory.mktemp("whole")
    (home / "noisy").mkdir()
    for name in ("kuhn", "starter-1"):
        game = Game(am.game(name))
        write_policy(home / "noisy" / f"{name}.parquet", noisy(equilibrium(game), 0.3))
    (home / "eval.toml").write_text(
        '[eval]\ngames = ["kuhn", "starter-1"]\nmatches_per_seat = 2\n[policy]\nsamples = 20\n'
        '[players.noisy]\npolicy = "noisy"\n[players.perfect]\npolicy = "cfr"\n[players.random]\nbot = "random"\n'
    )
    assert run(["start", str(home / "eval.toml"), "--out", str(home / "run")]) == 0
    return home / "run"


def test_the_exploitability_of_known_players_is_within_its_interval(folder: Path) -> None:
    card, found = read_card(folder), findings([folder]).wholes
    assert len(found) == 6
    for one in found:
        assert one.exact is not None
        assert (one.samples, one.missing, one.questions) == (20, 0, 20 * one.sets)
        for estimate, truth in zip((one.exploitability, one.loss), one.exact, strict=True):
            assert estimate.error is not None
            assert abs(estimate.mean - truth) < 4 * estimate.error + 1e-3
            assert estimate.low is not None
            assert estimate.high is not None
            assert 0 <= estimate.low <= estimate.high
        assert sum(one.responses) / 2 == pytest.approx(one.observed)
        assert -one.responses[0] <= one.value + 1e-9  # a best response wins as much from Alice as any policy
        assert one.value <= one.responses[1] + 1e-9
    random = {one.game: one for one in found if one.player == "random"}
    assert random["kuhn"].exact is not None
    assert random["kuhn"].exact[0] == pytest.approx(11 / 24)  # a best response to uniform play in Kuhn poker
    players = {one.name: one for one in card.players}
    policies = {name: one.exploitability for name, one in players.items()}
    assert policies["perfect"] is not None
    assert policies["noisy"] is not None
    assert policies["random"] is not None
    assert policies["perfect"].mean.mean < policies["noisy"].mean.mean < policies["random"].mean.mean
    assert policies["perfect"].mean.low == 0  # of zero, by few answers
    assert policies["random"].questions == 20 * 32
    assert policies["perfect"].value["kuhn"] == pytest.approx(-1 / 18, abs=0.2)
    assert policies["random"].responses["kuhn"] == random["kuhn"].responses


def coward(request: Request) -> str:
    """Checks, and folds to every bet; asked for a mix it folds with a probability of 3/4."""
    mix, fold = '"mix"' in request.messages[1].text, '"fold"' in request.messages[1].text
    if mix:
        return '{"mix": {"fold": 0.75, "call": 0.25}}' if fold else '{"mix": {"check": 1}}'
    return '{"action": "fold"}' if fold else '{"action": "check"}'


def test_models_are_asked_once_for_a_mix_and_often_for_an_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "models.toml").write_text(as_toml(Model(name="coward", protocol="scripted", model="coward")))
    path = tmp_path / "eval.toml"
    path.write_text(
        '[eval]\ngames = ["kuhn", "leduc"]\nmatches_per_seat = 1\n[policy]\nsamples = 3\n'
        '[players.coward]\nmodel = "coward"\n[players.mixing]\nmodel = "coward"\nanswer = "mix"\n'
    )
    assert run(["start", str(path), "--dry-run"]) == 0
    assert "48 questions" in capsys.readouterr().out  # 12 decisions in Kuhn poker, 3 and 1 times; Leduc poker has 288
    with start_run(EVALUATION, path, tmp_path / "run") as session:
        assert isinstance(session.kind, Evaluation)
        said = EVALUATION.foretold(session.kind, session.models)
        session.run(quiet=True, scripts={"coward": coward})
    assert said == ["coward is asked at every decision of 1 game, which takes 48 calls."]
    found = {one.player: one for one in findings([tmp_path / "run"]).wholes}
    assert {one.game for one in found.values()} == {"kuhn"}
    where = build_tree(Game(am.game("kuhn")).program)
    sure, half = found["coward"], found["mixing"]
    assert (sure.samples, half.samples, sure.exact) == (3, 1, None)
    assert sure.observed == pytest.approx(1.0)  # who always folds loses the ante of a chip to every bet
    assert half.exploitability.low is None
    policy = []
    for seat in (0, 1):
        mine = where.sets[seat]
        shares = [1.0]
        for number in range(mine.size):
            match = Sets(Game(am.game("kuhn")), where).match(seat, number, 0, ("a", "b"))
            shares += [{"fold": 0.75, "call": 0.25, "check": 1.0}.get(label, 0.0) for label in match.menu.labels]
        policy.append(np.array(shares))
    assert half.exploitability.mean == pytest.approx(measure(where, (policy[0], policy[1])).exploitability)


def test_the_interval_of_exploitability_holds_it_as_often_as_promised() -> None:
    game = Game(am.game("kuhn"))
    where, saved = GameTree(game, 1000), equilibrium(game)
    perfect = profile_on(game.program, where.tree, saved.table)
    policy = profile_on(game.program, where.tree, noisy(saved, 0.3).table)
    truth, rng, hits, means = measure(where.sides, policy).exploitability, np.random.default_rng(3), 0, []
    for _ in range(40):
        answers = Answers(where)
        for counts in answers.counts:
            counts += 20
        [drawn] = answers.redrawn(rng, policy, 1)
        answers.sums = (20 * drawn[0], 20 * drawn[1])
        found = estimates(answers, perfect)[0]
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
        means.append(found.mean)
    assert hits >= 32  # 38 are promised; fewer than 32 come about one time in five hundred
    assert sum(means) / 40 == pytest.approx(truth, abs=0.04)  # without the correction 0.03 more


def test_a_stopped_run_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(as_toml(Model(name="coward", protocol="scripted", model="coward")))
    path = tmp_path / "eval.toml"
    path.write_text(
        '[eval]\ngames = ["kuhn"]\nmatches_per_seat = 1\n[policy]\nsamples = 3\n[players.coward]\nmodel = "coward"\n'
    )
    asked: list[Request] = []

    def until(limit: int) -> Callable[[Request], str]:
        def script(request: Request) -> str:
            if len(asked) >= limit:
                raise KeyboardInterrupt
            asked.append(request)
            return coward(request)

        return script

    with pytest.raises(KeyboardInterrupt), start_run(EVALUATION, path, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"coward": until(20)})
    with open_run(EVALUATION, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"coward": until(1000)})
    samples = [request.sample for request in asked]
    assert len(samples) == len(set(samples))
    assert sum("everywhere" in sample for sample in samples) == 36
    [whole] = findings([tmp_path / "run"]).wholes
    assert (whole.questions, whole.missing) == (36, 0)
