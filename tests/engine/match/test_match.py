"""A match steps a game through the machine: choices, substitutes, chance, views, transcripts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antemill.engine.builder.generate import generate
from antemill.engine.errors import SpecError
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.events import Chance, Event
from antemill.engine.machine.rollout import streams
from antemill.engine.match import (
    Draw,
    EventRecord,
    Game,
    IllegalChoiceError,
    Match,
    Menu,
    ReplayError,
    Transcript,
    match,
    read_transcript,
    replay,
)
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.engine.rules.spec import Ante, Auction, Deal, Deck, FixedBetting, GameSpec, Showdown, Steps
from antemill.engine.rules.spec import Draw as DrawStep
from antemill.engine.text.describe import entry, random_playout
from antemill.engine.text.wording import _SENTENCES, Wording
from antemill.solver.public import build_tree
from tests.specs import every_construct

GAMES: list[Callable[[], GameSpec]] = [appendix_b, every_construct, *(lambda i=i: generate(i, 0.8) for i in range(2))]


def finish(played: Match, rng: random.Random) -> Match:
    """Random legal choices to the end."""
    while not played.over:
        played.apply(played.menu.choice(rng.randrange(len(played.menu))))
    return played


@cache
def sample_game() -> Game:
    return Game(appendix_b())


def at_a_wager(play_seed: int = 0) -> Match:
    """Appendix B, where Alice has chosen to bet and chooses an amount from 1 to 8."""
    played = Match(sample_game(), play_seed)
    played.apply("bet")
    assert (played.menu.low, played.menu.high) == (1, 8)
    return played


# ------------------------------------------------------------------------------------------ stepping


def test_kuhn_step_by_step() -> None:
    played = Match(kuhn(), 0)
    assert not played.over
    assert (played.seat, played.ply) == (0, 0)
    assert played.decision_type.phase == "Betting"
    assert played.menu == Menu(("bet", "check"), (0, 1))
    assert played.numbers.stacks == (1, 1)
    assert played.numbers.pot == 2
    assert played.numbers.deck == 1
    assert played.apply("check") == ("check", None)
    assert played.seat == 1
    played.apply(0)  # an index: bet
    assert played.menu.labels == ("fold", "call")
    played.apply("FOLD")
    assert played.over
    assert played.result.payoffs == (-1, 1)
    assert played.result.stacks == (1, 3)
    assert played.result.moves == (2, 1)


@pytest.mark.parametrize("make", GAMES)
def test_random_choices_give_the_playout_of_the_same_seed(make: Callable[[], GameSpec]) -> None:
    spec = make()
    game = Game(spec)
    for seed in range(12):
        played = Match(game, seed)
        while not played.over:
            key, counter = played.draws(played.seat)
            played.apply(played.menu.choice(int(below(key, counter, len(played.menu)))))
        want = random_playout(game.program, seed)
        assert [entry(Wording(game.program), row) for row in played.events()] == [
            e for e in want.entries if e.sees != "?"
        ]
        assert (played.result.payoffs, played.ply) == ((want.payoff, -want.payoff), want.decisions)


@pytest.mark.parametrize("make", [every_construct, appendix_b])
def test_a_journal_that_is_too_small_grows(make: Callable[[], GameSpec], monkeypatch: pytest.MonkeyPatch) -> None:
    want = [finish(Match(make(), seed), random.Random(seed)).transcript() for seed in range(5)]
    monkeypatch.setattr(match, "_CAPACITY", 1)
    got = [finish(Match(make(), seed), random.Random(seed)).transcript() for seed in range(5)]
    assert got == want


# ------------------------------------------------------------------------------------------ choices


@pytest.mark.parametrize("use", [Game, lambda rules: Match(rules, 1), build_tree])
def test_rules_with_numbers_out_of_range_are_refused_before_they_are_compiled(use: Callable[[GameSpec], Any]) -> None:
    rounds = [
        msgspec.structs.replace(phase, raises=10**9) if isinstance(phase, FixedBetting) else phase
        for phase in kuhn().phases
    ]
    with pytest.raises(SpecError, match=r"'Kuhn poker' are not legal: Phase 'Betting': .* `int` <= 4"):
        use(msgspec.structs.replace(kuhn(), phases=tuple(rounds)))


@pytest.mark.parametrize("choice", ["raise", "", 2, True, None, "b"])
def test_an_illegal_option_changes_nothing(choice: object) -> None:
    played = Match(kuhn(), 0)
    before = played._state.tobytes(), played.transcript(), list(played.view(0).lines), played.ply
    with pytest.raises(IllegalChoiceError, match="choose one of bet, check"):
        played.apply(choice)
    assert (played._state.tobytes(), played.transcript(), list(played.view(0).lines), played.ply) == before


@pytest.mark.parametrize(
    ("choice", "place", "reason"),
    [
        (1, 0, None),
        (8, 7, None),
        ("5", 4, None),
        (" +005.0 ", 4, None),
        (3.0, 2, None),
        (9, 7, "above-maximum"),
        ("9" * 5000, 7, "above-maximum"),
        (1e300, 7, "above-maximum"),
        (0, None, "below-minimum"),
        ("-3", None, "below-minimum"),
        (2.5, None, "malformed"),
        ("5 chips", None, "malformed"),
        ("\u0665", None, "malformed"),
        (float("inf"), None, "malformed"),
        (float("nan"), None, "malformed"),
        (True, None, "malformed"),
        (None, None, "malformed"),
        ({"amount": 3}, None, "malformed"),
        ("", None, "malformed"),
    ],
)
def test_what_an_amount_means(choice: object, place: int | None, reason: str | None) -> None:
    """G24: above the maximum it is clamped, below the minimum or malformed it is drawn."""
    assert Menu((), (), 1, 8).resolve(choice) == (place, reason)


@settings(max_examples=40)
@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.lists(st.integers())))
def test_an_amount_never_fails(choice: object) -> None:
    played = at_a_wager()
    amount = played.apply(choice).choice
    assert isinstance(amount, int)
    assert 1 <= amount <= 8
    assert replay(read_transcript(played.transcript().to_json()), appendix_b()).transcript() == played.transcript()


def test_an_amount_above_the_maximum_is_clamped_and_told_privately() -> None:
    played = at_a_wager()
    assert played.apply(50) == (8, "above-maximum")
    assert played.numbers.stacks == (0, 8)
    told = [line for line in played.view(0).lines if line.startswith("Notice")]
    assert told == ["Notice to you alone: your amount was above the maximum, so 8 was played instead."]
    assert not any("Notice" in line for line in played.view(1).lines)
    assert played.substitutions == [1, 0]


def test_a_substitute_is_uniform_and_depends_on_the_play_seed_alone() -> None:
    drawn = [at_a_wager(seed).apply(0).choice for seed in range(800)]
    assert drawn == [at_a_wager(seed).apply("?").choice for seed in range(800)]
    counts = Counter(drawn)
    assert sorted(counts) == list(range(1, 9))
    assert all(abs(n - 100) < 5 * 10 for n in counts.values())  # five standard deviations


def test_a_bid_may_exceed_the_stack_and_counts_as_the_stack() -> None:
    spec = GameSpec(
        name="Auction",
        deck=Deck((2, 3, 4), ("hearts",)),
        chips=3,
        phases=(
            Steps("Setup", (Deal(1), Ante("both", 2))),
            Auction("Auction", max_bid=5, prize=DrawStep("winner")),
            Showdown("Showdown"),
        ),
        sequence=("Setup", "Auction", "Showdown"),
    )
    played = Match(spec, 0)
    assert played.menu.high == 5
    assert played.apply(4) == (4, None)
    assert played.apply(0) == (0, None)
    assert "You secretly bid 1." in played.view(0).lines
    assert "Alice's secret bid is revealed: 1." in played.view(1).lines


# ------------------------------------------------------------------------------------------ chance


class Recorder:
    """The play seed's own chance, as a source that writes down what it was asked."""

    def __init__(self, play_seed: int) -> None:
        self.key = subkey(streams(play_seed).chance, 0)
        self.drawn: dict[tuple[Chance, int, int], tuple[int, int]] = {}

    def __call__(self, draw: Draw) -> int:
        outcome = int(below(self.key, ((draw.kind * 3 + draw.seat) << 16) + draw.occurrence, draw.n))
        self.drawn[draw.kind, draw.seat, draw.occurrence] = (draw.n, outcome)
        return outcome


@pytest.mark.parametrize("make", GAMES)
def test_a_source_of_chance_can_be_given(make: Callable[[], GameSpec]) -> None:
    game = Game(make())
    for seed in range(5):
        of_seed = finish(Match(game, seed), random.Random(seed))
        of_source = finish(Match(game, seed, chance=Recorder(seed)), random.Random(seed))
        assert of_seed.transcript() == of_source.transcript()


@pytest.mark.parametrize("make", GAMES)
def test_the_cards_are_the_same_when_the_players_change_seats(make: Callable[[], GameSpec]) -> None:
    """N1: draws of the same address among the same number of outcomes come out the same for all players."""

    def first(played: Match) -> object:
        return played.menu.choice(0)

    def last(played: Match) -> object:
        return played.menu.choice(len(played.menu) - 1)

    game, shared = Game(make()), 0
    for seed in range(10):
        drawn = []
        for players in ((first, last), (last, first)):
            source = Recorder(seed)
            played = Match(game, seed, chance=source)
            while not played.over:
                played.apply(players[played.seat](played))
            drawn.append(source.drawn)
        for where in drawn[0].keys() & drawn[1].keys():
            if drawn[0][where][0] == drawn[1][where][0]:
                shared += 1
                assert drawn[0][where] == drawn[1][where]
    assert shared >= 20


# ------------------------------------------------------------------------------------------ views


@pytest.mark.parametrize("make", GAMES)
def test_a_view_knows_the_own_hand_and_the_board(make: Callable[[], GameSpec]) -> None:
    game, rng = Game(make()), random.Random(5)
    for seed in range(10):
        played = Match(game, seed)
        while True:
            piles = played.piles()
            for seat in (0, 1):
                assert played.view(seat).hand == sum(1 << card for card in piles.hands[seat])
                assert played.view(seat).board == sum(1 << card for card in piles.board)
            if played.over:
                break
            played.apply(played.menu.choice(rng.randrange(len(played.menu))))


def test_every_kind_of_event_has_a_sentence() -> None:
    assert set(_SENTENCES) == set(Event)
    game, kinds = Game(every_construct()), set()
    for seed in range(150):
        played = finish(Match(game, seed), random.Random(seed))
        kinds |= {row[0] for row in played.events()}
        for seat in (0, 1):
            for line in played.view(seat).lines:
                assert line == line.strip()
                assert "None" not in line
    assert kinds == set(Event)


# ------------------------------------------------------------------------------------------ transcripts


def troubled(spec: GameSpec, seed: int, steps: int = 1000) -> Match:
    """A match with all kinds of submissions."""
    played, rng = Match(spec, seed, names=("a model", "another")), random.Random(seed)
    junk: list[Any] = [-5, 10_000, "7 or so", None, 2.0, [3], 10**30, float("nan"), "\ud800"]
    while not played.over and played.ply < steps:
        if rng.random() < 0.1:
            played.apply_random({"thought": "unclear"})
        elif played.menu.amounts and rng.random() < 0.6:
            played.apply(rng.choice(junk))
        else:
            played.apply(rng.randrange(len(played.menu)) if not played.menu.amounts else played.menu.low)
    return played


@pytest.mark.parametrize("make", GAMES)
def test_a_transcript_is_read_back_and_replayed(make: Callable[[], GameSpec]) -> None:
    spec, reasons = make(), set()
    for seed in range(6):
        played = troubled(spec, seed)
        transcript = played.transcript()
        read = read_transcript(transcript.to_json())
        assert read == transcript
        again = replay(read, spec)
        assert again._state.tobytes() == played._state.tobytes()
        assert again.view(0).lines == played.view(0).lines
        assert again.result == played.result
        assert transcript.payoffs == played.result.payoffs
        reasons |= {record.substitution for record in transcript.decisions}
    assert "no-choice" in reasons


def altered(**changes: Any) -> Transcript:
    return msgspec.structs.replace(troubled(appendix_b(), 2).transcript(), **changes)


def test_a_transcript_that_was_altered_is_refused() -> None:
    entries = altered().entries
    first = next(i for i, e in enumerate(entries) if isinstance(e, EventRecord) and e.row[0] == Event.DEAL)
    forged = (*entries[:first], EventRecord((2, 0, 1, 0, 0, 7, 3, 1)), *entries[first + 1 :])
    for transcript in (altered(entries=forged), altered(play_seed=3), altered(payoffs=(1, -1)), altered(entries=())):
        with pytest.raises(ReplayError, match="altered"):
            replay(transcript, appendix_b())


def test_a_transcript_of_another_game_or_version_is_refused() -> None:
    with pytest.raises(ReplayError, match="another game"):
        replay(altered(), kuhn())
    with pytest.raises(ReplayError, match="version 99"):
        read_transcript(altered(version=99).to_json())
    for data in (b"{}", b"", b"\xff", '{"game": 1}'):
        with pytest.raises(ReplayError, match="not the transcript"):
            read_transcript(data)
