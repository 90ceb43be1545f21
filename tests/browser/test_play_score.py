"""The running score at the table beside what is reckoned by hand from the hands that were kept, and what `analyze` says
of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import log, sqrt
from pathlib import Path
from statistics import fmean, variance

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page

from antemill.engine.match import Game, Match
from antemill.engine.rules.named import kuhn
from antemill.solver.policies.file import load_policy
from antemill.tournament.cards.play import MatchRecord
from antemill.tournament.cli.entry import run as command
from antemill.tournament.play.opponents import POLICIES
from antemill.tournament.players import Observation
from antemill.tournament.players.solved import SolvedPlayer
from tests.browser.seated import first, kept, last, next_hand, play_hand, reviewed, sit_down, table, won_by
from tests.browser.visitor import Visitor
from tests.tournament.play.kuhn_by_hand import DEALS, LINES, Cards, Line, Mix, luckless, menu

PERSON = "Zoë <b>&"
HANDS = 10  # as many as a standard error needs


def uniform(_seat: int, _card: int, line: Line) -> Mapping[str, float]:
    return dict.fromkeys(menu(line), 0.5)


def seated_mix(mine: Mix, seat: int, other: Mix) -> Mix:
    """Of both seats: mine at a seat, the other's at the other."""
    return lambda at, card, line: mine(at, card, line) if at == seat else other(at, card, line)


def cards_of(game: Game, play_seed: int) -> Cards:
    """What the play seed deals: the ranks of Alice's and of Bob's card."""
    (alice,), (bob,) = Match(game, play_seed).piles().hands
    return alice, bob


def saved_mix(folder: Path) -> Mix:
    """The solution that the table has kept beside the hands, as a player of it would play."""
    game = Game(kuhn())
    player = SolvedPlayer("solution", load_policy(folder / POLICIES, game.program), game)
    seeds = {cards_of(game, seed): seed for seed in range(200)}
    assert {*seeds} == {*DEALS}
    found: dict[tuple[int, int, Line], dict[str, float]] = {}
    for cards, seed in seeds.items():
        for line in LINES:
            match = Match(game, seed)
            for choice in line:
                match.apply(choice)
            labels = match.menu.labels
            assert {*labels} == {*menu(line)}
            odds = player.probabilities(Observation(match)).tolist()
            found[match.seat, cards[match.seat], line] = dict(zip(labels, odds, strict=True))
    assert player.unseen == 0
    return lambda seat, card, line: found[seat, card, line]


def by_hand(record: MatchRecord, person: str, mine: Mix, other: Mix) -> float:
    """The person's estimate of a kept hand."""
    match = record.transcript
    seat = match.seats.index(person)
    choices = [str(made.choice) for made in match.decisions]
    return luckless(seat, cards_of(Game(kuhn()), match.play_seed), choices, seated_mix(mine, seat, other))


def figure(page: Page, name: str) -> list[float]:
    """The numbers of one line of the score."""
    text = page.locator(".score .facts > div", has=page.locator("dt", has_text=re.compile(f"^{name}$"))).inner_text()
    return [float(one.replace("\N{MINUS SIGN}", "-")) for one in re.findall(r"[\N{MINUS SIGN}+]?\d+(?:\.\d+)?", text)]


def test_the_score_without_luck_is_what_comes_out_by_hand(visitor: Visitor, tmp_path: Path) -> None:
    """Against random play in turns of the seats; what each hand brought is checked, too."""
    folder = tmp_path / "hands"
    with table(folder, "--name", PERSON) as url:
        page = visitor.open(url)
        sit_down(page, "kuhn", "random", "turns")
        lines = []
        for hand in range(HANDS):
            if hand:
                next_hand(page)
            play_hand(page, (first, last)[hand // 2 % 2])
            reviewed(page)
            lines.append(page.locator(".facts-line").inner_text())
        visitor.look(page, "play-score", whole=True)
        records = kept(folder)
        payoffs = [won_by(PERSON, one) for one in records]
        mine = saved_mix(folder)
        fair = [by_hand(one, PERSON, mine, uniform) for one in records]
        assert {one.transcript.seats.index(PERSON) for one in records} == {0, 1}
        assert max(abs(a - b) for a, b in zip(fair, payoffs, strict=True)) > 0.5  # there is luck to take out
        for payoff, estimate, line in zip(payoffs, fair, lines, strict=True):
            said = re.findall(r"[\N{MINUS SIGN}+]\d+(?:\.\d+)?|(?<=is )0\.00", line)
            assert float(said[0].replace("\N{MINUS SIGN}", "-")) == payoff
            assert float(said[-1].replace("\N{MINUS SIGN}", "-")) == pytest.approx(estimate, abs=0.0051)
            assert "of the cards and of your opponent's draws" in line
        assert figure(page, "Chips") == [sum(payoffs)]
        won = sum(one > 0 for one in payoffs)
        assert figure(page, "Hands") == [HANDS, won, 0]
        for name, values in (("a hand", payoffs), ("without luck", fair)):
            want = [fmean(values), sqrt(variance(values) / HANDS)]
            assert figure(page, name) == pytest.approx(want, abs=0.0051)
        page.close()
    check_analysis(folder, won, sum(payoffs))


def check_analysis(folder: Path, won: int, chips: int) -> None:
    """`analyze` and `report` have the person among the players, with the wins and the chips of the table."""
    assert command(["tournament", "analyze", str(folder), "--bootstrap", "20"]) == 0
    slots = pq.read_table(folder / "slots.parquet").to_pylist()
    margins = [row["margin"] if row["alice"] == PERSON else -row["margin"] for row in slots]
    assert (len(margins), sum(margins)) == (HANDS, 2 * chips)
    tables = folder / "tables"
    strengths = {row["model"]: row for row in pq.read_table(tables / "table1_leaderboard.parquet").to_pylist()}
    assert {*strengths} == {PERSON, "random"}
    assert strengths[PERSON]["alpha"] - strengths["random"]["alpha"] == pytest.approx(2.0 * chips / HANDS)
    wins = {row["model"]: row for row in pq.read_table(tables / "bradley_terry.parquet").to_pylist()}
    if 0 < won < HANDS:
        assert wins[PERSON]["strength"] == pytest.approx(0.5 * log(won / (HANDS - won)))
        assert wins[PERSON]["strength"] == pytest.approx(-wins["random"]["strength"])
    else:
        assert {row["strength"] for row in wins.values()} == {0.0, None}
    assert command(["report", str(folder)]) == 0
    assert "Zoë &lt;b&gt;&amp;" in (folder / "report.html").read_text()
