"""A replay shows what the machine had, and to a seat nothing that it was not told."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.machine.events import ChipReason, Event
from antemill.engine.match import EventRecord, Game, Match
from antemill.engine.rules.named import NAMED, kuhn, leduc
from antemill.engine.rules.spec import Deal, Deck, Discard, GameSpec, Shuffle, Steps
from antemill.tournament.cards.replay import Table, deck, frames, swing, table_names
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.match.test_match import finish
from tests.engine.match.test_match_leaks import differences
from tests.specs import every_construct


def thrown_away(shuffled_in: bool) -> GameSpec:
    """Kuhn poker with two cards each, of which Alice discards one before the deck is shuffled a second time."""
    setup = Steps("Setup", (Shuffle(), Deal(2), Discard("alice"), Shuffle(discard_pile=shuffled_in)))
    spec = kuhn()
    return replace(
        spec,
        name=f"Thrown away {shuffled_in}",
        deck=Deck(ranks=(9, 10, 11, 12, 13), suits=("hearts",)),
        phases=(setup, *spec.phases[1:]),
    )


SPECS: list[GameSpec] = [
    thrown_away(True),
    thrown_away(False),
    *(make() for make in NAMED.values()),
    every_construct(),
    *(fuzzed(seed) for seed in range(6)),
    *(generate(seed, 0.9) for seed in range(6)),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_table_is_the_machine_s_at_every_decision_and_at_the_end(spec: GameSpec) -> None:
    game, rng = Game(spec), random.Random(1)
    for seed in range(4):
        match, table, told = Match(game, seed), Table(game), 0
        while True:
            rows = match.events()
            for row in rows[told:]:
                table.tell(row)
            told = len(rows)
            assert_same(table.state(), match)
            if match.over:
                break
            match.apply(match.menu.choice(rng.randrange(len(match.menu))))


def assert_same(state: dict[str, Any], match: Match) -> None:
    numbers, piles = match.numbers, match.piles()
    assert tuple(state["stacks"]) == numbers.stacks
    assert (state["pot"], state["deck"], state["score"]) == (numbers.pot, numbers.deck, numbers.score)
    assert state["leader"] == numbers.leader
    assert tuple(state["variables"].values()) == numbers.variables
    assert [sorted(hand) for hand in state["hands"]] == [sorted(hand) for hand in piles.hands]
    assert sorted(state["board"]) == sorted(piles.board)
    assert sorted(state["discards"]) == sorted(piles.discards)


def test_a_seat_s_frames_are_the_same_whatever_it_was_not_told() -> None:
    states = leaks = 0
    for spec in (every_construct(), leduc(), *(generate(seed, 0.9) for seed in range(4)), fuzzed(3)):
        found = differences(spec, 4, 5, lambda match: frames(match.game, match.transcript().entries, match.seat))
        states, leaks = states + found[0], leaks + found[1]
    assert states > 100
    assert leaks == 0


def test_the_frames_of_both_are_told_apart_by_hidden_cards() -> None:
    """Else the test above could not fail."""
    states, leaks = differences(leduc(), 5, 5, lambda match: frames(match.game, match.transcript().entries))
    assert leaks == states > 0


def test_a_hand_of_kuhn_poker_frame_by_frame() -> None:
    match = Match(Game(kuhn()), 7)
    match.apply("bet")
    match.apply("call")
    found = frames(match.game, match.transcript().entries)
    cards = [card["label"] for card in deck(match.game)]
    assert cards == ["J", "Q", "K"]
    asked = [frame["decision"] for frame in found if frame["decision"] is not None]
    assert [(one["number"], one["seat"], one["choice"], one["options"]) for one in asked] == [
        (0, 0, "bet", ["bet", "check"]),
        (1, 1, "call", ["fold", "call"]),
    ]
    pots = list(dict.fromkeys(frame["state"]["pot"] for frame in found))
    assert pots == [0, 1, 2, 3, 4]
    winner = 0 if found[0]["state"]["stacks"] < found[-1]["state"]["stacks"] else 1
    hands = found[-2]["state"]["hands"]
    assert hands[winner] > hands[1 - winner]
    said = [event for frame in found for event in frame["events"]]
    dealt = [event for event in said if event["kind"] == "deal"]
    mine, theirs = (cards[hand[0]] for hand in hands)
    assert dealt[0]["both"] == f"Alice is dealt 1 card: {mine}."
    assert dealt[0]["seats"] == [f"You are dealt 1 card: {mine}.", "Alice is dealt 1 card."]
    assert dealt[1]["seats"] == ["Bob is dealt 1 card.", f"You are dealt 1 card: {theirs}."]
    assert [event["both"] for event in said if event["kind"] == "choice"] == ["Alice chooses bet.", "Bob chooses call."]


def test_a_seat_sees_backs_until_the_showdown() -> None:
    match = Match(Game(kuhn()), 3)
    match.apply("check")
    match.apply("check")
    found = frames(match.game, match.transcript().entries, viewer=0)
    shown = next(i for i, frame in enumerate(found) if any(event["kind"] == "show" for event in frame["events"]))
    held = [frame["state"]["hands"][1] for frame in found]
    assert [None] in held[:shown]
    assert all(hand in ([], [None]) for hand in held[:shown])
    assert held[-1] == [match.piles().hands[1][0]]
    assert all(frame["decision"] is None or frame["decision"]["seat"] == 0 for frame in found)


def test_every_event_is_in_one_frame_and_a_notice_goes_to_its_seat_alone() -> None:
    game, rng = Game(every_construct()), random.Random(4)
    for seed in range(5):
        match = Match(game, seed)
        match.apply_random("nonsense")
        seat = 0 if match.moves[0] else 1
        finish(match, rng)
        entries = match.transcript().entries
        said = [event for frame in frames(game, entries) for event in frame["events"]]
        kinds = [Event(entry.row[0]).name.lower() for entry in entries if isinstance(entry, EventRecord)]
        assert [event["kind"] for event in said if event["kind"] != "notice"] == kinds
        notice = next(event for event in said if event["kind"] == "notice")
        assert notice["seats"][1 - seat] is None
        assert notice["seats"][seat].startswith("Notice to you alone")


def test_cards_have_suits_and_a_table_has_a_board_where_the_game_has() -> None:
    assert {card["suit"] for card in table_names(Game(kuhn()))["deck"]} == {""}
    assert [table_names(Game(game()))["boards"] for game in (kuhn, leduc)] == [False, True]
    suited = next(spec for spec in SPECS if len(Game(spec).names.suits) > 1)
    labels = [(card["label"], card["rank"], card["suit"]) for card in deck(Game(suited))]
    assert all(label == f"{rank}-{suit}" for label, rank, suit in labels)


def pays(seat: int, chips: int, to: int) -> tuple[int, ...]:
    return Event.CHIPS, seat, chips, to, ChipReason.BET, 0, 3, 3


@pytest.mark.parametrize(
    ("rows", "chips"),
    [
        ([], 0),
        ([pays(0, 1, 2), pays(1, 1, 2), pays(0, 1, 2), pays(1, 1, 2), pays(2, 4, 0)], 5),  # from 1 behind to 4 ahead
        ([pays(0, 1, 2), pays(1, 1, 2), pays(2, 2, 1)], 2),
        ([pays(0, 3, 1), pays(1, 3, 0)], 6),
        ([(Event.SCORE, 1, 4, 0, 0, 0, 3, 3)], 8),
    ],
)
def test_a_swing_is_from_the_lowest_lead_to_the_highest(rows: list[tuple[int, ...]], chips: int) -> None:
    assert swing(rows) == chips
