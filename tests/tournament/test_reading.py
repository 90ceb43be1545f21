"""What a model said, before every parser: a thousand replies whose meaning is known by how they were made."""

# ruff: noqa: RUF001  (brackets and bars that look alike are meant)

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec
import pytest

from antemill.engine.match import Menu
from antemill.llm import Reply, Request
from antemill.tournament.answers import SILENT, read_action
from antemill.tournament.duel.parse import FormatError, parse_attempt, parse_puzzle
from antemill.tournament.duel.play import Asked, Player
from antemill.tournament.reading import fences, read
from antemill.tournament.skate.config import SkateConfig, SkateTable
from antemill.tournament.skate.letter import UNREAD
from antemill.tournament.skate.parse import ReplyError, parse_distractors, parse_question, read_answer
from antemill.tournament.skate.play import Answers, Asking, play_answers
from tests.tournament.scripted import Scripted
from tests.tournament.skate.skaters import rules

DATA = Path(__file__).parents[1] / "data"
OPTIONS, AMOUNT = Menu(("fold", "call", "raise"), (0, 1, 2)), Menu((), (), 1, 8)
LETTERS = "ABCD"

# ------------------------------------------------------------------------------------------------ the grammar

OPENED = (
    *(("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>"), ("[THINK]", "[/THINK]")),
    *(
        ("◁think▷", "◁/think▷"),
        ("<seed:think>", "</seed:think>"),
        ("<thought>\n", "\n</thought>"),
        ("＜think＞", "＜/think＞"),
    ),
    *(("<|START_THINKING|>", "<|END_THINKING|>"), ("<|begin_of_thought|>\n", "\n<|end_of_thought|>\n")),
    *(("<scratchpad>\n", "\n</scratchpad>"), ('<think effort="high">', "</think>"), ("<THINK>", "</THINK>")),
    *(("<|inner_prefix|>", "<|inner_suffix|>"), ("<|channel>thought\n", "<channel|>"), ("<思考>", "</思考>")),
    *(("~~~~~~thinking\n", "\n~~~~~~\n"), ("<!-- ", " -->"), ("<think>a <think>b</think> ", " c</think>")),
    ("<think>a <think>b ", "</think>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>commentary to=none<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
)
NAMED = (
    ("<musing>", "</musing>"),
    ("<hm>\n", "\n</hm>"),
    ("<strategy_notes>", "</strategy_notes>"),
    ("[MUSE]", "[/MUSE]"),
)
CLOSED = (
    "\n</think>\n\n",
    "</think>",
    "\n[/THINK]\n",
    "\n◁/think▷",
    "\n</thought>\n",
    "\n</musing>\n",
    "<|end_of_thought|>\n",
)
ENDS: tuple[str, ...] = (
    "<|im_end|>\n<|im_start|>user\nAnd {wrong}",
    "\n\nHuman: And {wrong}",
    "",
    "",
    "<|im_end|>",
    "</s>",
    "<|eot_id|>",
    "<｜end▁of▁sentence｜>",
    "<|return|>",
    "\n<end_of_turn>\n",
    "<|endoftext|>",
)
MARKS = ("", "", "\u200b", "\ufeff", "\u2060\n")
BEFORE = ("", "", "<|im_start|>assistant\n", "\n\n", "<|start_header_id|>assistant<|end_header_id|>\n\n")
ASIDES = (
    "Let me see.",
    "I lose if I do that.",
    "Réfléchissons.",
    "让我想想。",
    "Ist a < b, dann …",
    "A `<think>` tag is no tag.",
)


class Shape(NamedTuple):
    """A way to think before an answer. before, after: of it; wrong is what the thought holds, answer what counts."""

    text: str
    cut: bool


def shape(rng: Random, answer: str, wrong: str, named: bool) -> Shape:
    """A reply that means `answer`, or nothing if it is cut off in a thought with `wrong` in it. named: also in one of
    another name, which a reader knows only if it is told that the reply was cut off.
    """
    thought = "\n".join(rng.sample([wrong, rng.choice(ASIDES), rng.choice(ASIDES)], 3))
    end = rng.choice(ENDS).replace("{wrong}", wrong)
    lead = rng.choice(MARKS) + rng.choice(BEFORE)
    kind = rng.randrange(10)
    if kind < 5:
        opening, closing = rng.choice(OPENED)
        lead = "" if opening[0] in "a~" else lead  # these begin a reply, or a line
        return Shape(f"{lead}{opening}{thought}{closing}\n{answer}{end}", False)
    if kind < 7:
        opening, closing = rng.choice(NAMED)
        return Shape(f"{lead}{opening}{thought}{closing}\n{answer}{end}", False)
    if kind < 8:
        return Shape(f"{thought}{rng.choice(CLOSED)}\n{answer}{end}", False)
    if kind < 9:
        opening, _ = rng.choice([*OPENED[:15], *([NAMED[0], NAMED[2]] if named else [])])
        return Shape(f"{lead}{opening}{thought}\nand", True)
    return Shape(f"{lead}{answer}{end}", False)


def replies(
    answers: Callable[[Random], tuple[str, str]], count: int, seed: int, named: bool = False
) -> Iterator[tuple[Shape, str]]:
    """Replies with what they mean. named: see `shape`."""
    for number in range(count):
        rng = Random(seed * 10_000 + number)
        answer, wrong = answers(rng)
        yield shape(rng, answer, wrong, named), answer


def fenced(rng: Random, text: str, language: str = "json") -> str:
    form = rng.choice(("{}", "{}", "```" + language + "\n{}\n```", "~~~\n{}\n~~~", "````" + language + "\n{}\n````"))
    return form.replace("{}", text)


def test_thoughts_hold_no_move_and_what_follows_them_is_one() -> None:
    wrong: list[object] = []
    for menu, right, other in ((OPTIONS, "call", "fold"), (AMOUNT, "3", "7")):

        def answers(rng: Random, right: str = right, other: str = other, menu: Menu = menu) -> tuple[str, str]:
            value = json.dumps(right) if menu is OPTIONS else right
            form = rng.choice(
                ('{{"action": {}}}', '{{"why": "a < b, List<int> </x>", "action": {}}}', "{{'action': {}}}")
            )
            return fenced(rng, form.format(value)), '{"action": ' + (
                json.dumps(other) if menu is OPTIONS else other
            ) + "}"

        for one, _ in replies(answers, 300, 1, named=True):
            got = read_action(one.text, one.cut, menu)
            if (None if got.cause else str(got.action)) != (None if one.cut else right):
                wrong.append((one.text, got))
    assert not wrong, "\n".join(map(repr, wrong))


CODE = 'def mystery(x):\n    """\n    ```\n    """\n    return x == "<think>" or "</think>" in x or [1 < 2 > 1] == [x]'


def test_duels_read_no_thought() -> None:
    wrong: list[object] = []

    def puzzle(rng: Random) -> tuple[str, str]:
        fence = rng.choice(("```", "````", "~~~"))
        return (
            f"{fence}python\n{CODE}\n{fence}\nSOLUTION: 'a<b>'",
            "```python\ndef mystery(x): return 1\n```\nSOLUTION: 4",
        )

    def attempt(rng: Random) -> tuple[str, str]:
        return rng.choice(("SOLUTION: {'<a>': [1]}", "So\nSOLUTION: {'<a>': [1]}")), "SOLUTION: 4"

    for one, _ in replies(puzzle, 150, 2):
        try:
            got = parse_puzzle(one.text)
        except FormatError as error:
            wrong += [] if one.cut else [(one.text, error)]
        else:
            wrong += [] if not one.cut and got[:2] == (CODE, "'a<b>'") else [(one.text, got)]
    for one, _ in replies(attempt, 150, 3):
        try:
            found = parse_attempt(one.text)
        except FormatError:
            found = ""
        wrong += [] if found == ("" if one.cut else "{'<a>': [1]}") else [(one.text, found)]
    assert not wrong, "\n".join(map(repr, wrong))


PROGRAM = (
    'def f(x):\n    """A fence:\n    ```\n    """\n    return "<think>" + x\n\n'
    'print(f("</think>"), "<a>b</a>", 1 < 2 > 1)'
)


def test_skate_reads_no_thought() -> None:
    wrong: list[object] = []

    def question(rng: Random) -> tuple[str, str]:
        form = rng.choice(
            ("[Tags]\n{}", "[Tags]\n```python\n{}\n```", "```python\n[Tags]\n{}\n```", "[Tags]\n~~~\n{}\n~~~")
        )
        return form.replace("{}", PROGRAM), "```python\nprint(0)\n```"

    def distractors(rng: Random) -> tuple[str, str]:
        texts = ["<b>1</b>", "a < b", "it is ]"]
        form = rng.choice(
            (
                json.dumps(texts),
                repr(texts),
                json.dumps(texts)[:-1] + ",]",
                json.dumps([{"answer": one} for one in texts]),
            )
        )
        return fenced(rng, form), '["x", "y", "z"]'

    for one, _ in replies(question, 200, 4):
        try:
            got: object = tuple(parse_question(one.text))
        except ReplyError as error:
            got = error
        wrong += [] if one.cut or got == (PROGRAM, "Tags") else [(one.text, got)]
    for one, _ in replies(distractors, 150, 5):
        try:
            got = parse_distractors(one.text, "0", 3)
        except ReplyError as error:
            got = error
        right = isinstance(got, ReplyError) if one.cut else got == ["<b>1</b>", "a < b", "it is ]"]
        wrong += [] if right else [(one.text, got)]
    assert not wrong, "\n".join(map(repr, wrong))


FIRST = (
    "{}",
    "{}.",
    "**{}**",
    "The answer is {}.",
    "Answer: {}",
    "Final answer: {}",
    "\\boxed{{{}}}",
    "Option {}",
    "I choose {}.",
)
DOUBTS = (
    *(
        "Wait, that is wrong.",
        "Actually no:",
        "Hmm, no:",
        "Update:",
        "Correction:",
        "On second thought,",
        "Sorry,",
        "Edit:",
    ),
    *("Moment, nein:", "Korrektur:", "À la réflexion,", "En fait, non :", "Espera,", "等等,", "不对,", "更正:", "Нет,"),
    *("Let me check.", "Double-checking:", "Scratch that:", "Oops,", "Hold on:", "Nope,", "Oh wait,", "Ah nein:"),
)
SECOND: tuple[str, ...] = (
    "{}",
    "{}.",
    "**{}**",
    "the answer is {}.",
    "it is {}.",
    "the loop ends early, so it is {}.",
    "i is 3, so {}.",
    "c'est {}.",
    "also {}.",
)
SECOND += ("应该是 {}。", "\\boxed{{{}}}", "the correct option is **{}**.")


def test_a_letter_behind_second_thoughts_replaces_the_one_before() -> None:
    """Unread is no wrong reading, but a rare one."""
    wrong, unread = [], 0
    for number in range(400):
        rng = Random(number)
        first, second = rng.sample(LETTERS, 2)
        again = rng.random() < 0.2
        said = rng.choice(FIRST).format(first)
        said += rng.choice(("\n\n", "\n", " " if said[-1] in ".*}" else "\n")) + rng.choice(DOUBTS) + " "
        said += rng.choice(SECOND).format(first if again else second)
        place = read_answer(said, 4).place
        unread += place is None
        if place is not None and LETTERS[place] != (first if again else second):
            wrong.append((said, LETTERS[place]))
    assert not wrong, "\n".join(map(repr, wrong))
    assert unread < 40


def test_thoughts_hold_no_letter() -> None:
    wrong: list[object] = []

    def answers(rng: Random) -> tuple[str, str]:
        return rng.choice(FIRST).format("C"), "The answer is B."

    for one, _ in replies(answers, 250, 7):
        place = read_answer(one.text, 4).place
        wrong += [] if place == (None if one.cut else 2) else [(one.text, place)]
    assert not wrong, "\n".join(map(repr, wrong))


def test_what_is_read_twice_is_read_as_if_once() -> None:
    rng = Random(8)
    parts = [
        *(tag for pair in (*OPENED, *NAMED) for tag in pair),
        *CLOSED,
        *ENDS,
        *ASIDES,
        "\n```\n",
        "```python\n",
        "x = '<a>'\n",
    ]
    parts += [
        '{"action": "call"}',
        '["<b>"]',
        "'",
        '"',
        "\u200b",
        "<",
        "</",
        ">",
        "SOLUTION: 1",
        "\n",
        "<br>",
        "<answer>",
        "</answer>",
    ]
    for _ in range(1_500):
        text = "".join(rng.choice(parts) for _ in range(rng.randint(1, 12)))
        for holds in (None, lambda rest: "action" in rest):
            once = read(text, holds=holds)
            assert read(once.text, holds=holds).text == once.text, text
            assert read_action(text, True, OPTIONS).cause or '"call"' in text


@pytest.mark.parametrize("name", ["moves", "letters"])
def test_the_replies_at_the_border_are_read_as_a_fair_judge_does(name: str) -> None:
    for line in (DATA / f"border_{name}.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        if name == "moves":
            found = read_action(one["reply"], one["truncated"], OPTIONS)
            assert (None if found.cause else found.action) == one["move"], one["reply"]
        else:
            place = read_answer(one["reply"], 4).place
            assert place is not None, one["reply"]
            assert LETTERS[place] == one["fair"], one["reply"]


def test_moves_of_many_spellings_are_read_or_not_at_all() -> None:
    for line in (DATA / "border_moves_more.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        found = read_action(one["reply"], one["truncated"], OPTIONS)
        assert (None if found.cause else found.action) == one["move"], one["reply"]


def test_no_reply_is_read_as_a_letter_that_it_takes_back() -> None:
    """A letter may stay unread, in few replies; none is read as another one."""
    lines = [json.loads(line) for line in (DATA / "border_letters_more.jsonl").read_text("utf-8").splitlines()]
    places = [read_answer(one["reply"], 4).place for one in lines]
    read_as = [None if place is None else LETTERS[place] for place in places]
    wrong = [one for one, letter in zip(lines, read_as, strict=True) if letter not in (None, one["fair"])]
    assert not wrong
    unread = [one for one, letter in zip(lines, read_as, strict=True) if letter is None and one["fair"]]
    assert len(unread) <= len(lines) // 8, unread


@pytest.mark.parametrize(
    "text",
    [
        "The type List<int> holds a < b and c > d.",
        "```html\n<p>Hello <b>you</b></p>\n```",
        "<answer>B</answer>",
        "<b>C</b> is right, <i>not</i> B",
        '{"why": "</think> <think>", "action": "call"}',
        "The `</think>` tag and the '<think>' tag",
        "<table><tr><td>B</td></tr></table> B",
        "x = '<think>'\nprint(x)  # </think>",
        "x = '<|channel|>analysis<|message|>hm'\nprint(x)",
        "Vec<Option<u8>> and HashMap<K, V>: B",
    ],
)
def test_code_generics_comparisons_and_html_are_left_alone(text: str) -> None:
    assert read(text).text == text
    assert not read(text).taken


def test_what_was_taken_off_is_said() -> None:
    assert read("<think>abc</think>B<|im_end|>").note == "a thought of 18 characters, a token"
    assert read("<think>abc").note == "a thought of 10 characters, the last one cut off"
    assert read("B").note == ""
    assert read_action("", False, OPTIONS, thought=True).cause == "unparsable"
    assert read_action("", False, OPTIONS, thought=True).taken == "reasoning, beside which nothing was said"
    assert read_action("", False, OPTIONS).cause == "empty"


class Thinking(Scripted):
    """Says nothing beside its reasoning."""

    async def ask(self, model: str, request: Request) -> Reply:
        return msgspec.structs.replace(await super().ask(model, request), text="", thought=True)


def test_reasoning_alone_is_unparsable_in_duels_and_skate_too_and_said_to_be_so() -> None:
    thinking = Thinking({"m": lambda _: "SOLUTION: 4"})
    asked = Asked(access=thinking, item="duel", attempts=2)
    found, heard = asyncio.run(asked.read(Player("m", "m"), "?", parse_attempt, "0/solve"))
    assert found is None
    assert [(one.cause, one.taken) for one in heard] == 2 * [("unparsable", SILENT)]
    question = Answers(number=1, player="m", model="m", text="print(1)", truth="1", distractors=[*"23456789", "0"])
    asking = Asking(access=thinking, item="answer", temperature=None)
    played = asyncio.run(play_answers(question, rules(SkateConfig(players={}, skate=SkateTable())), asking))
    assert {cause for _, cause in played.replies} == {"unparsable"}
    assert {one["taken"] for one in played.transcript} == {SILENT}


def test_a_fence_within_a_string_closes_nothing() -> None:
    code = 's = """\n```\nx\n```\n"""\nprint(s)\n'
    found = list(fences(f"```python\n{code}```\nand\n```\nprint(1)\n```"))
    assert [block.code for block in found] == [code, "print(1)\n"]


def test_a_letter_says_how_sure_it_is_and_what_else_is_claimed() -> None:
    assert read_answer("The answer is B.", 4)[:3] == (1, "explicit", ())
    assert read_answer("B\n\nWait, no. The answer is D.", 4)[:3] == (3, "revised", (1,))
    assert read_answer("The answer is B. The answer is D.", 4)[:3] == (None, "explicit", (1, 3))
    assert read_answer("I do not know.", 4) == (None, "", (), "")
    assert UNREAD not in LETTERS


@pytest.mark.parametrize("no", ["Actually no.", "Actually, no", "Hmm, no…", "No.", "En fait non.", "Doch nicht."])
def test_a_bare_no_at_the_end_takes_the_letter_back(no: str) -> None:
    assert read_answer(f"The answer is B. {no}", 4).place is None


@pytest.mark.parametrize(
    "tail", ["Is there an error? No.", "No further questions.", "There is no error.", "Not C.", "\nError raised: no"]
)
def test_a_no_that_answers_or_tells_something_takes_nothing_back(tail: str) -> None:
    assert read_answer(f"The answer is B. {tail}", 4).place == 1
