"""One form in, one reading out; a reply that cannot be read is asked for once more, with the reader's own sentence."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antemill.engine.match import Game, Match, Menu
from antemill.engine.rules.named import leduc
from antemill.llm import ItemError, Message, Reply, Request
from antemill.tournament.duel.replies import Puzzle, read_attempt, read_puzzle
from antemill.tournament.mixes import mix_parser
from antemill.tournament.replies import (
    CAUSES,
    Read,
    Reading,
    ReplyError,
    action_parser,
    action_schema,
    ask_read,
    json_answer,
    play_reading,
    read_action,
)
from antemill.tournament.skate.replies import answer_reader, distractors_reader, read_question
from tests.tournament.replies_of import said

MENU = Menu(("fold", "call", "raise"), (0, 1, 2))
AMOUNT = Menu((), (), 2, 40)


# ---------------------------------------------------------------------------------------------- actions


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "call"}',
        ' {"why": "odds", "action": "call"}\n',
        '```json\n{"action": "call"}\n```',
        '<think>{"action": "fold"} would be weak.</think>\n{"action": "call"}',
        'I could {"action": "fold"}, but: {"action": "call"}',
        '{"action": "call"} {"other": {"action": "fold"}}',
        "{ broken [ and then " + '{"action": "call"}',
    ],
)
def test_the_last_object_with_the_key_counts(text: str) -> None:
    assert read_action(text, MENU) == Reading("call")


@pytest.mark.parametrize(
    ("text", "finish", "cause"),
    [
        ("I call.", "stop", "unparsable"),
        ("{'action': 'call'}", "stop", "unparsable"),
        ('{"action": "bet"}', "stop", "illegal"),
        ('{"action": ["call"]}', "stop", "illegal"),
        ('{"action": true}', "stop", "illegal"),
        ('{"action": "call"}', "length", "truncated"),
        ('{"action": "call"}', "refusal", "refusal"),
        (" \n", "stop", "empty"),
    ],
)
def test_what_cannot_be_played_has_a_cause_and_a_sentence(text: str, finish: Any, cause: str) -> None:
    found = read_action(text, MENU, finish)
    assert found.cause == cause
    assert found.problem.endswith(".")


def test_the_sentence_names_what_is_legal() -> None:
    assert read_action('{"action": "bet"}', MENU).problem.startswith("`bet` is not among: fold, call, raise.")
    assert "an amount from 2 to 40" in read_action('{"action": 1}', AMOUNT).problem


@pytest.mark.parametrize(("value", "legal"), [("7", True), ('"7"', True), ("41", True), ("1e3", True), ("1", False)])
def test_amounts_are_numbers_and_one_above_the_maximum_is_clamped(value: str, legal: bool) -> None:
    assert (read_action(f'{{"action": {value}}}', AMOUNT).cause is None) == legal


@given(text=st.text() | st.text(alphabet='{}[]":action, 0-9eE\\\n'), schema=st.booleans())
def test_no_text_is_more_than_a_reading(text: str, schema: bool) -> None:
    for menu in (MENU, AMOUNT):
        found = read_action(text, menu, schema=schema)
        match = Match(Game(leduc()), 3)
        play_reading(match, found if found.cause else Reading(None, "illegal"), text)
        assert found.cause is None or found.cause in CAUSES


@pytest.mark.parametrize("value", ["9" * 400, "-" + "9" * 400, "NaN", "Infinity", "[" * 50_000, "{" * 50_000])
def test_hostile_values_are_read_at_once(value: str) -> None:
    for menu in (MENU, AMOUNT):
        found = read_action(f'{{"action": {value}}}', menu)
        json.dumps(found.action)
        assert found.cause is not None or abs(int(found.action or 0)) <= 10**18


def test_a_schema_lists_what_is_legal_unless_it_may_not() -> None:
    assert action_schema(MENU)["properties"] == {"action": {"type": "string", "enum": ["fold", "call", "raise"]}}
    assert action_schema(AMOUNT)["properties"] == {"action": {"type": "integer", "minimum": 2, "maximum": 40}}
    assert action_schema(MENU, moves=False)["properties"] == {"action": {"type": "string"}}


# ---------------------------------------------------------------------------------------------- asking once more


class Model:
    """Answers in turn."""

    def __init__(self, *replies: Reply | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[Request] = []

    async def ask(self, model: str, request: Request) -> Reply:
        """The next reply."""
        assert model == "m"
        self.asked.append(request)
        found = self.replies.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


REQUEST = Request(messages=(Message("user", "Fold, call or raise?"),))


def ask(model: Model, tries: int = 2) -> Read[Any]:
    return asyncio.run(ask_read(model, "m", REQUEST, action_parser(MENU), tries))


def test_a_reply_that_can_be_read_is_asked_for_once() -> None:
    model = Model(said('{"action": "call"}', call=7))
    found = ask(model)
    assert (found.value, found.tries, found.cause, found.counted) == ("call", 1, "", (7, ""))


def test_another_one_is_answered_with_the_readers_sentence_in_the_same_conversation() -> None:
    model = Model(said('{"action": "bet"}', call=1), said('{"action": "raise"}', call=2))
    found = ask(model)
    assert (found.value, found.tries, found.counted) == ("raise", 2, (2, ""))
    assert (found.said[0].cause, found.said[1].cause) == ("illegal", "")
    first, answer, sentence = model.asked[1].messages
    assert first == REQUEST.messages[0]
    assert (answer.role, answer.text) == ("assistant", '{"action": "bet"}')
    assert (sentence.role, sentence.text) == ("user", found.said[0].problem)


def test_after_the_last_try_the_rule_counts_it() -> None:
    assert ask(Model(said("Hm."), said("Hm?"))).counted == (0, "unparsable")
    assert ask(Model(said("Hm.")), tries=1).tries == 1
    refused = ask(Model(said("", finish="length", call=4), ItemError("too long")))  # the longer conversation
    assert (refused.value, refused.counted) == (None, (4, "truncated"))
    with pytest.raises(ItemError):
        ask(Model(ItemError("no such model")))


def test_text_that_is_no_json_where_a_schema_was_sent_is_the_servers_fault() -> None:
    assert ask(Model(said("I call.", schema=True), said("Call.", schema=True))).cause == "schema_ignored"
    assert ask(Model(said('Well: {"action": "call"}', schema=True))).value == "call"  # the prompt's own form
    assert ask(Model(said('{"action": "bet"}', schema=True), said("{}", schema=True))).cause == "unparsable"


# ---------------------------------------------------------------------------------------------- mixes


@pytest.mark.parametrize(
    ("mix", "want"),
    [
        ({"call": 0.25, "fold": 0.75}, (0.75, 0.25, 0.0)),
        ({"fold": 0.33, "call": 0.33, "raise": 0.33}, (1 / 3, 1 / 3, 1 / 3)),
        ({"fold": 2.5, "call": 1.25, "raise": 1.25}, (0.5, 0.25, 0.25)),  # odds of all actions
        ({"fold": 0.5, "call": 0.5, "bribe": 0}, (0.5, 0.5, 0.0)),
        ({"fold": 0.5}, "The probabilities add up to 0.5, not to 1."),
        ({"fold": 0, "call": 0, "raise": 0}, "The probabilities add up to 0, not to 1."),
        ({"bribe": 1}, "`bribe: 1` is no legal action"),
        ({"fold": -1, "call": 2}, "`fold: -1` is no legal action"),
        ({"fold": "all"}, "`fold: all` is no legal action"),
        ([["fold", 1]], '"mix" is no object'),
    ],
)
def test_mixes(mix: Any, want: Any) -> None:
    reply = said(f"I mix. {json.dumps({'mix': mix})}")
    if isinstance(want, str):
        with pytest.raises(ReplyError, match=want.replace(".", r"\.")):
            mix_parser(MENU)(reply)
    else:
        assert mix_parser(MENU)(reply) == pytest.approx(want)


# ---------------------------------------------------------------------------------------------- duels

CODE = "def mystery(x):\n    return x == 3"
BLOCK = f"```python\n{CODE}\n```"


@pytest.mark.parametrize("text", [f"{BLOCK}\nEasy.\nSOLUTION: 3", f"Easy.\r\n{BLOCK}\r\nSOLUTION:  3 \r\n\r\n"])
def test_t5_a_puzzle_is_one_block_and_a_last_line(text: str) -> None:
    assert read_puzzle(said(text)) == Puzzle(CODE, "3", "Easy.")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SOLUTION: 3", "no Python code blocks"),
        (f"{BLOCK}\n{BLOCK}\nSOLUTION: 3", "2 Python code blocks"),
        (BLOCK, "no line"),
        (f"{BLOCK}\nSOLUTION: 3\nSOLUTION: 4", "more than one line"),
        (f"{BLOCK}\nSOLUTION: 3\nI hope.", "text after"),
        (f"{BLOCK}\nSOLUTION:", "no line"),
        ("```python\n\n```\nSOLUTION: 3", "empty"),
    ],
)
def test_t5_what_is_no_puzzle(text: str, reason: str) -> None:
    with pytest.raises(ReplyError, match=reason):
        read_puzzle(said(text))


def test_t5_the_last_attempt_counts_and_nothing_is_repaired() -> None:
    assert read_attempt(said("SOLUTION: 1\nNo.\n  SOLUTION: `2`  \nI am sure.")) == "`2`"
    with pytest.raises(ReplyError):
        read_attempt(said("The solution is 3."))


def test_t5_a_schema_has_the_same_parts() -> None:
    text = json.dumps({"program": f"{CODE}\n", "explanation": " Easy. ", "solution": "3"})
    assert read_puzzle(said(text, schema=True)) == Puzzle(CODE, "3", "Easy.")
    assert read_attempt(said('{"solution": " [1] "}', schema=True)) == "[1]"
    with pytest.raises(ReplyError):
        read_attempt(said('{"solution": 3}', schema=True))


# ---------------------------------------------------------------------------------------------- SKATE

PROGRAM = "x = [1, 2]\nprint(x[0])"


@pytest.mark.parametrize(
    "text",
    [
        f"[Indexing of\nlists]\n{PROGRAM}\n\n",
        f"Let me think [hard]\nabout it.\n[Indexing of lists]\n{PROGRAM}",
        f"[Indexing of lists]\n```python\n{PROGRAM}\n```\nGood luck!",
        f"```python\n[Indexing of lists]\n{PROGRAM}\n```",
    ],
)
def test_s11_a_question_is_a_bracketed_explanation_and_a_program(text: str) -> None:
    assert read_question(said(text)) == (PROGRAM, "Indexing of lists")


@pytest.mark.parametrize("text", [PROGRAM, "Hm.", "[Indexing]\n", "[Indexing]\nThis is no program.", "[" * 5_000])
def test_s11_no_question(text: str) -> None:
    with pytest.raises(ReplyError):
        read_question(said(text))


def test_s11_a_schema_has_the_same_parts() -> None:
    text = json.dumps({"explanation": "Indexing", "program": PROGRAM})
    assert read_question(said(text, schema=True)) == (PROGRAM, "Indexing")


def test_s4_distractors_differ_from_the_truth_and_from_each_other() -> None:
    read = distractors_reader("a b", 2)
    assert read(said('Here: {"distractors": ["a  b", "c", "c ", 4, "d"]}')) == ["c", "4"]
    with pytest.raises(ReplyError, match="1 distinct wrong answers instead of 2"):
        read(said('{"distractors": ["c", "c"]}'))
    with pytest.raises(ReplyError, match="no list"):
        read(said('{"distractors": "c"}'))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ANSWER: C", 2),
        ("It is A.\nANSWER: A\nNo, wait.\n**ANSWER: B**".replace("**", ""), 1),
        ("ANSWER: (D).", 3),
        ("C", None),
        ("The answer is C", None),
        ("ANSWER: E", None),
        ("ANSWER: both A and B", None),
    ],
)
def test_s6_the_last_line_has_the_letter(text: str, place: int | None) -> None:
    read = answer_reader(4)
    if place is None:
        with pytest.raises(ReplyError):
            read(said(text))
    else:
        assert read(said(text)) == place
    assert read(said('{"answer": "B"}', schema=True)) == 1


def test_an_object_is_looked_for_at_a_bounded_number_of_places() -> None:
    with pytest.raises(ReplyError):
        json_answer("{" * 1_000_000, "action")
