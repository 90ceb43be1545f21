"""A table from the first card to the last: hands are kept, choices are checked, and it goes on after every end."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.disguise.disguise import disguised
from antemill.engine.errors import UsageError
from antemill.engine.match import Game, replay
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import to_json
from antemill.llm import Model, Prices, Request, StopError
from antemill.tournament.cards.kind import TOURNAMENT
from antemill.tournament.cards.play import read_match
from antemill.tournament.play.house import StaleError
from antemill.tournament.runs import reading
from tests.engine.text.test_vocabulary import LEAKS, TESTS
from tests.tournament.play.house_of import finish_hand, house_in, picked, reviewed, until
from tests.tournament.runs.http_server import http_server


def matches(folder: Path) -> list[Any]:
    """The finished matches of a folder, as a tournament's."""
    with reading(TOURNAMENT, folder) as run:
        done = [record for record in run.store.records() if record.status == "done"]
        return [read_match(run.store.transcript(record.item.key)).transcript for record in done]


def test_hands_are_kept_as_matches_of_a_tournament(tmp_path: Path) -> None:
    async def evening() -> list[int]:
        async with house_in(tmp_path / "hands") as house:
            await house.sit("leduc", "random", "turns")
            payoffs = []
            for _ in range(3):
                state = await finish_hand(house)
                payoffs.append(state["table"]["hand"]["result"]["payoff"])
                await house.deal(state["table"]["hand"]["turn"])
            await until(house, "yours", "over")
            return payoffs

    payoffs = asyncio.run(evening())
    played = matches(tmp_path / "hands")
    assert [match.seats for match in played] == [("ada", "random"), ("random", "ada"), ("ada", "random")]
    assert len({match.play_seed for match in played}) == 3
    mine = [match.payoffs[match.seats.index("ada")] for match in played]
    assert mine == payoffs
    for match in played:
        replay(match, Game(NAMED["leduc"]()))  # raises unless every card and chip comes out the same


def test_a_decision_is_made_once(tmp_path: Path) -> None:
    async def twice() -> None:
        async with house_in(tmp_path / "hands") as house:
            await house.sit("leduc", "passive", "alice")
            hand = (await until(house, "yours"))["table"]["hand"]
            await house.choose(hand["turn"], "check")
            with pytest.raises(StaleError, match="that decision has been made"):
                await house.choose(hand["turn"], "check")
            now = (await until(house, "yours"))["table"]["hand"]
            assert now["turn"] != hand["turn"]
            assert sum(frame["decision"] is not None for frame in now["frames"]) == 1

    asyncio.run(twice())


@pytest.mark.parametrize("choice", ["raise the roof", "BET", 0, 1, True, "", "bet ", None, 1.5])
def test_what_is_not_on_the_menu_is_refused_and_changes_nothing(tmp_path: Path, choice: Any) -> None:
    async def wrong() -> None:
        async with house_in(tmp_path / "hands") as house:
            await house.sit("kuhn", "passive", "alice")
            before = await until(house, "yours")
            with pytest.raises(UsageError, match="choose bet, check"):
                await house.choose(before["table"]["hand"]["turn"], choice)
            assert house.state()["table"]["hand"] == before["table"]["hand"]

    asyncio.run(wrong())


@pytest.mark.parametrize("amount", [0, 10**9, "3", 2.0, True])
def test_amounts_are_never_changed_for_a_person(tmp_path: Path, amount: Any) -> None:
    async def wrong() -> None:
        async with house_in(tmp_path / "hands") as house:
            await house.sit("appendix-b", "passive", "alice")
            while True:
                hand = (await until(house, "yours"))["table"]["hand"]
                if not hand["decision"]["options"]:
                    break
                offered = hand["decision"]["options"]
                await house.choose(hand["turn"], "bet" if "bet" in offered else offered[0])
            with pytest.raises(UsageError, match="that amount is not possible here"):
                await house.choose(hand["turn"], amount)
            assert house.state()["table"]["hand"]["turn"] == hand["turn"]

    asyncio.run(wrong())


def test_an_interrupted_hand_goes_on_with_the_same_cards_and_choices(tmp_path: Path) -> None:
    folder = tmp_path / "hands"

    async def begin() -> dict[str, Any]:
        async with house_in(folder) as house:
            await house.sit("leduc", "passive", "alice")
            first = (await until(house, "yours"))["table"]["hand"]
            await house.choose(first["turn"], "check")
            return dict((await until(house, "yours"))["table"]["hand"])

    async def go_on() -> tuple[dict[str, Any], dict[str, Any]]:
        async with house_in(folder, seed=99) as house:
            again = (await until(house, "yours"))["table"]["hand"]
            return dict(again), await finish_hand(house)

    before = asyncio.run(begin())
    again, _ = asyncio.run(go_on())
    assert again == before
    (match,) = matches(folder)
    assert next(record.choice for record in match.decisions if record.seat == 0) == "check"


def test_the_page_is_told_no_hidden_card_before_the_end(tmp_path: Path) -> None:
    async def look() -> None:
        async with house_in(tmp_path / "hands") as house:
            await house.sit("kuhn", "random", "bob")
            for _ in range(4):
                state = await until(house, "yours", "over")
                while state["stage"] != "over":
                    for frame in state["table"]["hand"]["frames"]:
                        assert set(frame["state"]["hands"][0]) <= {None}
                        assert frame["state"]["known"][0] == []
                        assert all(event["seats"][0] is None for event in frame["events"])
                    await house.choose(state["table"]["hand"]["turn"], picked(state["table"]["hand"]["decision"]))
                    state = await until(house, "yours", "over")
                assert None not in state["table"]["hand"]["result"]["hands"][0]
                await house.deal(state["table"]["hand"]["turn"])

    asyncio.run(look())


def test_the_review_says_what_folding_a_king_gives_away(tmp_path: Path) -> None:
    """Bob folds every king to the bets of a person who always bets: 3 chips each time, by hand."""

    async def fold() -> list[tuple[str, dict[str, Any]]]:
        found = []
        async with house_in(tmp_path / "hands") as house:
            await house.sit("kuhn", "aggressive", "bob")
            for _ in range(16):
                state = await until(house, "yours")
                hand = state["table"]["hand"]
                (card,) = hand["frames"][-1]["state"]["hands"][1]
                rank = state["table"]["names"]["deck"][card]["rank"]
                await house.choose(hand["turn"], "fold")
                state = await reviewed(house)
                found.append((rank, state["table"]["review"]["decisions"][0]))
                await house.deal(state["table"]["hand"]["turn"])
        return found

    found = asyncio.run(fold())
    assert {rank for rank, _ in found} == {"J", "Q", "K"}
    for rank, review in found:
        assert review["chosen"] == "fold"
        assert sum(option["probability"] for option in review["options"]) == pytest.approx(1.0)
        if rank == "K":
            assert review["cost"] == pytest.approx(3.0, abs=0.01)
        if rank == "J":
            assert review["cost"] == pytest.approx(0.0, abs=0.01)


def test_the_score_goes_on_where_it_was(tmp_path: Path) -> None:
    async def some(hands: int) -> dict[str, Any]:
        async with house_in(tmp_path / "hands") as house:
            await house.sit("kuhn", "random", "turns")
            for i in range(hands):
                await finish_hand(house)
                state = await reviewed(house)
                if i + 1 < hands:
                    await house.deal(state["table"]["hand"]["turn"])
            return dict(state["table"]["score"])

    first, second = asyncio.run(some(2)), asyncio.run(some(1))
    assert (first["hands"], second["hands"]) == (2, 3)
    assert second["history"][:2] == first["history"]
    assert second["without"] == "cards and opponent"
    assert second["chips"] == sum(line["chips"] for line in second["history"])


@pytest.mark.parametrize("status", [403, 500])
def test_a_server_that_fails_stops_the_hand_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setattr("antemill.tournament.play.asking._PATIENCE", 0.5)

    async def play(url: str) -> None:
        model = Model(name="echo", protocol="openai-chat", base_url=url, prices=Prices(input=0.0, output=0.0))
        async with house_in(tmp_path / "hands", models={"echo": model}) as house:
            await house.sit("kuhn", "echo", "bob")
            async with asyncio.timeout(20.0):
                assert "no entry" in (await until(house, "halted"))["said"]

    with http_server(lambda _path, _body: (status, b'{"error": {"message": "no entry"}}')) as url:
        asyncio.run(play(url))


def test_a_model_that_dies_stops_the_hand_until_it_is_asked_again(tmp_path: Path) -> None:
    alive = False

    def answer(_request: Request) -> str:
        if not alive:
            raise StopError("the key is wrong")
        return '{"action": "check"}'

    async def play() -> None:
        nonlocal alive
        model = Model(name="echo", protocol="scripted", prices=Prices(input=0.0, output=0.0))
        async with house_in(tmp_path / "hands", models={"echo": model}, scripts={"echo": answer}) as house:
            await house.sit("kuhn", "echo", "bob")
            state = await until(house, "halted")
            assert "the key is wrong" in state["said"]
            with pytest.raises(UsageError, match="no hand is being played"):
                await house.choose(state["table"]["hand"]["turn"], "check")
            alive = True
            await house.again()
            state = await until(house, "yours")
            await house.choose(state["table"]["hand"]["turn"], "check")
            state = await until(house, "over")
            assert [one["text"] for one in state["table"]["hand"]["result"]["said"]] == ['{"action": "check"}']

    asyncio.run(play())
    (match,) = matches(tmp_path / "hands")
    assert match.seats == ("echo", "ada")


def test_a_disguise_is_played_in_its_own_words(tmp_path: Path) -> None:
    """From the rulebook to the review; what is chosen and kept is in the engine's words."""
    path = tmp_path / "hidden.json"
    path.write_bytes(to_json(disguised(NAMED["kuhn"](), 3, "orchard").game))

    async def evening() -> tuple[dict[str, Any], dict[str, Any], str]:
        async with house_in(tmp_path / "hands", games=(str(path),)) as house:
            await house.sit("hidden", "passive", "alice")
            asked = await until(house, "yours")
            await finish_hand(house)
            return asked, await reviewed(house), house.rulebook("hidden")["markdown"]

    asked, after, book = asyncio.run(evening())
    decision, table = asked["table"]["hand"]["decision"], after["table"]
    engines = set(decision.pop("options"))
    decision.pop("type")
    assert engines in ({"bet", "check"}, {"fold", "call"})
    assert set(decision["labels"]) in ({"scatter", "pause"}, {"wilt", "root"})
    told = [event["seats"] for frame in table["hand"]["frames"] for event in frame["events"]]
    shown = json.dumps([decision, told, table["hand"]["result"], table["review"], table["names"]["pot"]]) + book
    assert LEAKS.findall(TESTS.sub("", shown)) == []
    for words in ("You choose ", "into the barrel", '"label": "', '"Barrel"'):
        assert words in shown
    [match] = matches(tmp_path / "hands")
    assert {made.choice for made in match.decisions} <= {"bet", "check", "fold", "call"}
