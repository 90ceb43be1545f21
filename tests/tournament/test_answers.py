"""Reading models' replies (N3): strict, lenient, causes; never an exception, never an illegal move."""

from __future__ import annotations

import random
from typing import Any

import pytest

from antemill.engine.match import Game, Match, Menu
from antemill.engine.rules.named import appendix_b, kuhn
from antemill.tournament.answers import CAUSES, Reading, action_schema, play_reading, read_action
from tests.seeds import seeds

OPTIONS = Menu(("fold", "call", "raise"), (0, 1, 2))
DIGITS = Menu(("2", "10"), (0, 1))
AMOUNT = Menu((), (), 1, 8)


def read(text: str, menu: Menu = OPTIONS, truncated: bool = False) -> Reading:
    return read_action(text, truncated, menu)


@pytest.mark.parametrize(
    ("text", "menu", "action"),
    [
        ('{"action": "call"}', OPTIONS, "call"),
        (' \n{"action":"Call"}\n', OPTIONS, "Call"),
        ('{"action": 3}', AMOUNT, 3),
        ('{"action": "3"}', AMOUNT, "3"),
        ('{"action": 3.0}', AMOUNT, 3.0),
        ('{"action": 10}', DIGITS, "10"),
    ],
)
def test_strict_json(text: str, menu: Menu, action: str | float) -> None:
    assert read(text, menu) == Reading(action, None, lenient=False)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('I have a weak hand.\n{"action": "fold"}', "fold"),
        ('{"action": "fold"} because my hand is weak', "fold"),
        ('```json\n{"action": "call"}\n```', "call"),
        ('{"reasoning": "they bet", "action": "call"}', "call"),
        ('{"reasoning": {"action": "fold"}, "action": "call"}', "call"),
        ('{"answer": {"action": "raise"}}', "raise"),
        ('First I thought {"action": "fold"}, but no: {"action": "raise"}', "raise"),
        ('{"action": "fold"}{"action": "call"}', "call"),
        ('{"action": "call", "why": "\\"action\\": \\"fold\\" would be weak"}', "call"),
        ('{"action": "call"', "call"),
        ('{"action": "call', "call"),
        ('"action": "call"', "call"),
        ("{'action': 'call'}", "call"),
        ("{action: call}", "call"),
        ('{"thought": "unfinished, "action": "call"}', "call"),
        ('{"action": "call",}', "call"),
        ('<think>Perhaps {"action": "fold"}</think>{"action": "call"}', "call"),
        ('{"action": "call"}<think>or {"action": "fold"}', "call"),
        ('{{"action": "call"}}', "call"),
        ('[{"action": "fold"}, {"action": "call"}]', "call"),
    ],
)
def test_the_lenient_parser_takes_the_last_action_that_json_commits_to(text: str, action: str) -> None:
    reading = read(text)
    assert (reading.action, reading.cause, reading.lenient) == (action, None, True)
    assert bool(reading.taken) == ("<think>" in text)


@pytest.mark.parametrize(
    "text",
    ["I call.", "call", '"call"', "My action: call", "**Action: call**", '{"move": "call"}', "[1, 2]", "{}", "7"],
)
def test_a_move_is_never_scavenged_from_prose(text: str) -> None:
    assert read(text).cause == "unparsable"


@pytest.mark.parametrize(
    ("text", "menu"),
    [
        ('{"action": "bet"}', OPTIONS),
        ('{"action": "bet"} I could also call.', OPTIONS),
        ('{"action": "call"} no wait {"action": "check"}', OPTIONS),
        ('{"action": 1}', OPTIONS),
        ('{"action": null}', OPTIONS),
        ('{"action": ["call"]}', OPTIONS),
        ('{"action": {"name": "call"}}', OPTIONS),
        ('{"action": true}', AMOUNT),
        ('{"action": 0}', AMOUNT),
        ('{"action": -5}', AMOUNT),
        ('{"action": "many"}', AMOUNT),
        ('{"action": 2.5}', AMOUNT),
        ('{"action": NaN}', AMOUNT),
        ('{"action": 1e999}', AMOUNT),
    ],
)
def test_json_that_commits_to_an_illegal_action_is_a_fallback(text: str, menu: Menu) -> None:
    assert read(text, menu).cause == "illegal"


def test_an_amount_above_the_maximum_is_clamped_and_no_fallback() -> None:
    """G24."""
    for text in ('{"action": 9}', '{"action": 99999999999999999999999}', '{"action": ' + "9" * 6000 + "}"):
        assert read(text, AMOUNT).cause is None


@pytest.mark.parametrize(
    ("text", "truncated", "cause"),
    [
        ("", False, "empty"),
        (" \n", False, "empty"),
        ("", True, "truncated"),
        ("I think that", True, "truncated"),
        ("I think that", False, "unparsable"),
        ("<think>Perhaps I should", True, "truncated"),
        ('<think>Perhaps {"action": "call"}', True, "truncated"),
        ('{"action": "ca', True, "truncated"),
        ('{"action": ', True, "truncated"),
        ('{"action": "call"} and', True, None),
    ],
)
def test_causes_are_told_apart(text: str, truncated: bool, cause: str | None) -> None:
    assert read(text, truncated=truncated).cause == cause


def test_a_number_that_may_be_cut_off_is_not_taken() -> None:
    assert read('{"action": 1', AMOUNT, truncated=True).cause == "truncated"
    assert read('{"action": 1', AMOUNT, truncated=False) == Reading(1, None, lenient=True)


def test_replies_that_are_hard_on_parsers() -> None:
    deep = '{"a":' * 50_000
    assert read(deep).cause == "unparsable"
    assert read('{"a":' * 900 + '{"action": "call"}' + "}" * 900).cause in (None, "unparsable")
    assert read("{" * 100_000 + '"action": "call"').action == "call"
    assert read('{"action": "\\ud800"}').cause == "illegal"


@pytest.mark.parametrize("text", ["", "I can not play this.", '{"action": "call"}', '{"action": 5}'])
def test_a_refusal_commits_to_nothing(text: str) -> None:
    for menu in (OPTIONS, AMOUNT):
        assert read_action(text, False, menu, refused=True) == Reading(None, "refusal", False)
        assert read_action(text, True, menu, refused=True).cause == "refusal"


def test_a_fallback_is_played_at_random_from_the_seats_stream_and_recorded() -> None:
    """N3: the same for the same play seed; another choice than the option's name stays on record."""
    games = [Match(kuhn(), 5), Match(kuhn(), 5)]
    for match in games:
        reading = read_action("no idea", False, match.menu)
        assert play_reading(match, reading, "no idea").reason == "no-choice"
    first, second = (match.transcript().decisions[0] for match in games)
    assert first == second
    assert (first.submitted, first.substitution) == ("no idea", "no-choice")


def test_schemas_say_what_is_legal_only_if_they_may() -> None:
    assert action_schema(OPTIONS)["properties"]["action"] == {"type": "string", "enum": ["fold", "call", "raise"]}
    assert action_schema(AMOUNT)["properties"]["action"] == {"type": "integer", "minimum": 1, "maximum": 8}
    assert action_schema(OPTIONS, moves=False)["properties"]["action"] == {"type": "string"}
    assert action_schema(AMOUNT, moves=False)["properties"]["action"] == {"type": "integer"}


# ------------------------------------------------------------------------------------------------ fuzz

SEEDS = (
    '{"action": "call"}',
    '{"action": 3}',
    '{"reasoning": "a {b} \\"c\\"", "action": "raise"}',
    "```json\n{'action': 'fold'}\n```",
    '<think>{"action": "fold"}</think> {"action": 12}',
    "I would raise.\n{action: raise}",
    '{"a": {"b": [1, {"action": null}]}, "action": -1.5e3}',
    '"action" : "call" }',
)
PIECES: tuple[str, ...] = (
    '{"action":',
    '"',
    "'",
    "{",
    "}",
    "\\",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "action",
    "call",
    "9" * 30,
    "-",
    "1e999",
)
PIECES += ("\ud800", "\x00", "é", "null", "true", "NaN", "<think>", "</think>", "{" * 50, "\\u12", "\u2028", "0x1")


def mutated(rng: random.Random) -> str:
    """One of the seeds after a few cuts, copies and insertions."""
    text = rng.choice(SEEDS)
    for _ in range(rng.randint(1, 6)):
        i, j = sorted(rng.randint(0, len(text)) for _ in range(2))
        match rng.randrange(5):
            case 0:
                text = text[:i] + text[j:]
            case 1:
                text = text[:i] + rng.choice(PIECES) + text[i:]
            case 2:
                text = text[:j] + text[i:j] + text[j:]
            case 3:
                text = text[:i] + chr(rng.randrange(0x110000)) + text[i + 1 :]
            case _:
                text = text + rng.choice(SEEDS)
    return text


def fuzz(count: int, seed: int) -> dict[object, int]:
    """Play mutated replies; every one must be read without an exception, and end in a legal move on record."""
    rng = random.Random(seed)
    games: list[Any] = [Game(kuhn()), Game(appendix_b())]
    causes: dict[object, int] = dict.fromkeys((None, *CAUSES), 0)
    done = 0
    while done < count:
        match = Match(rng.choice(games), done, log=False)
        while not match.over and done < count:
            text, truncated, refused, menu = mutated(rng), rng.random() < 0.2, rng.random() < 0.05, match.menu
            reading = read_action(text, truncated, menu, refused)
            played = play_reading(match, reading, text)
            assert menu.resolve(played.choice) == (menu.resolve(played.choice).place, None)
            assert (played.reason in (None, "above-maximum")) == (reading.cause is None)
            causes[reading.cause] += 1
            done += 1
    return causes


def test_mutated_replies() -> None:
    assert min(fuzz(3_000, seed=1).values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 12))
def test_ten_thousand_mutated_replies(seed: int) -> None:
    assert min(fuzz(10_000, seed).values()) > 0
