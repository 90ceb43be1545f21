"""What a setter sends: its question, and the wrong answers to it (S4, S11)."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from antemill.tournament.skate.parse import (
    ParsedQuestion,
    ReplyError,
    parse_distractors,
    parse_question,
    unique_distractors,
)

CODE = "x = [1, 2]\nprint(x[0])"


@pytest.mark.parametrize(
    ("reply", "explanation"),
    [
        (f"[Indexing]\n{CODE}", "Indexing"),
        (f"\n\n[Indexing of\nlists]\n{CODE}\n\n", "Indexing of lists"),
        (f"[Indexing]\n```python\n{CODE}\n```", "Indexing"),
        (f"```python\n[Indexing]\n{CODE}\n```", "Indexing"),
        (f"Here you are:\n```\n{CODE}\n```\nGood luck!", ""),
        (CODE, ""),
    ],
)
def test_s11_questions_are_read_leniently(reply: str, explanation: str) -> None:
    assert parse_question(reply) == ParsedQuestion(CODE, explanation)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        (
            "[what s[::-1][0] gives]\nprint('abc'[::-1][0])",
            ParsedQuestion("print('abc'[::-1][0])", "what s[::-1][0] gives"),
        ),
        ("[x[0], then [y]]\n[print(i) for i in [1]]", ParsedQuestion("[print(i) for i in [1]]", "x[0], then [y]")),
        ("[uses ']' as a mark]\nprint(']')", ParsedQuestion("print(']')", "uses ']' as a mark")),
        ("[Indexing] print([1, 2][0])", ParsedQuestion("print([1, 2][0])", "Indexing")),
        ("[what s[-1] gives] s = 'ab'; print(s[-1])", ParsedQuestion("s = 'ab'; print(s[-1])", "what s[-1] gives")),
        ("[Indexing of\nx[0] and\ny[1]]\nprint([2])", ParsedQuestion("print([2])", "Indexing of x[0] and y[1]")),
        ("Here is my puzzle:\n\n[Indexing]\nprint([3][0])", ParsedQuestion("print([3][0])", "Indexing")),
        ("**[Indexing]**\nprint([4])", ParsedQuestion("print([4])", "Indexing")),
        ("Explanation: [Indexing]\nprint([4])", ParsedQuestion("print([4])", "Indexing")),
        (f"[Indexing]\n{CODE}".replace("\n", "\r\n"), ParsedQuestion(CODE, "Indexing")),
        (f"[Indexing]\n```python\n{CODE}\n```\n".replace("\n", "\r\n"), ParsedQuestion(CODE, "Indexing")),
        (f"\ufeff[Indexing]\n{CODE}", ParsedQuestion(CODE, "Indexing")),
        (f"[Indexing]\n~~~python\n{CODE}\n~~~", ParsedQuestion(CODE, "Indexing")),
        (f"[Indexing]\n````py\n{CODE}\n````", ParsedQuestion(CODE, "Indexing")),
        (f"```python\n{CODE}\n```\n[What x[0] is]", ParsedQuestion(CODE, "What x[0] is")),
        (f"```python\n{CODE}\n```\nIt prints:\n```\n1\n```", ParsedQuestion(CODE, "")),
        (f"```python\n{CODE}", ParsedQuestion(CODE, "")),
        (
            "1. The puzzle:\n   ```python\n   if 1:\n       print([5])\n   ```",
            ParsedQuestion("if 1:\n    print([5])", ""),
        ),
        ("[Indexing]\n```print([6])```", ParsedQuestion("print([6])", "Indexing")),
        ("[Indexing] ```python print([6])```", ParsedQuestion("print([6])", "Indexing")),
        ("s = '```'\nprint(s)", ParsedQuestion("s = '```'\nprint(s)", "")),
        ("x = 1\n[print(i) for i in range(x)]\n", ParsedQuestion("x = 1\n[print(i) for i in range(x)]", "")),
    ],
)
def test_s11_brackets_lines_and_fences_of_all_kinds(reply: str, question: ParsedQuestion) -> None:
    assert parse_question(reply) == question


@pytest.mark.parametrize(
    "reply",
    [
        "[" * 60_000,
        "[]" * 30_000,
        "```\n" * 15_000,
        "[a] " * 15_000,
        "]" * 60_000,
        "[" + "]" * 9_000,
        "Foo bar.\n" * 2_000,
        ">>> x\n" * 9_000,
    ],
)
def test_a_hostile_setter_does_not_stop_the_game(reply: str) -> None:
    begun = time.process_time()
    for parse in (parse_question, lambda text: parse_distractors(text, "1", 9)):
        with contextlib.suppress(ReplyError):
            parse(reply)
    assert time.process_time() - begun < 5.0


@pytest.mark.parametrize(
    "thought",
    [
        "<think>\n```python\nprint(0)\n```\nlooks good\n</think>\n",
        "<think>I'll write ```python\nprint(0)\n```</think>",
        "I could ask\n```python\nprint(0)\n```\n</think>\n\n",
        '<thinking>["x", "y", "z"]</thinking>\n',
    ],
)
def test_s11_what_a_model_thought_before_is_no_part_of_its_question(thought: str) -> None:
    for reply in (f"{thought}[What]\n{CODE}", f"{thought}[What]\n```python\n{CODE}\n```"):
        assert parse_question(reply) == ParsedQuestion(CODE, "What")
    assert parse_distractors(f'{thought}["a", "b"]', "c", 2) == ["a", "b"]


def test_s11_a_program_may_begin_with_a_list() -> None:
    assert parse_question("[What]\n[1, 2].append(3)\nprint(4)").code == "[1, 2].append(3)\nprint(4)"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [("", "no program"), ("[only this]\n", "no program"), (f"```\n{CODE}\n```\n```\n{CODE}\n```", "2 code blocks")],
)
def test_s11_no_program(reply: str, reason: str) -> None:
    with pytest.raises(ReplyError, match=reason):
        parse_question(reply)


@pytest.mark.parametrize(
    ("reply", "explanation"),
    [
        ("[Aliasing]\n\nHere is the code:\nx = [1, 2]\ny = 5\nprint(y)", "Aliasing"),
        ("Explanation: [Aliasing]\nCode:\nx = [1, 2]\ny = 5\nprint(y)", "Aliasing"),
        ("[Aliasing]\n\n**Python 3 code:**\n\nx = [1, 2]\ny = 5\nprint(y)", "Aliasing"),
        ("[Aliasing] Here's a program (hard):\nx = [1, 2]\ny = 5\nprint(y)", "Aliasing"),
        ("[Aliasing]\npython\nx = [1, 2]\ny = 5\nprint(y)", "Aliasing"),
        ("[Aliasing]\n---\nx = [1, 2]\ny = 5\nprint(y)\n---", "Aliasing"),
        ("Sure! Here is one about x[0]:\n\n[Aliasing]\nCode:\nx = [1, 2]\ny = 5\nprint(y)", "Aliasing"),
        ("Here is the code:\nx = [1, 2]\ny = 5\nprint(y)", ""),
        ("[Aliasing]\nx = [1, 2]\ny = 5\nprint(y)\n\nThis prints 5, since [1, 2] is never used.", "Aliasing"),
        ("[what s[ does]\nx = [1, 2]\ny = 5\nprint(y)", "what s[ does"),
        ("【Aliasing】\nx = [1, 2]\ny = 5\nprint(y)", "Aliasing"),
        ("\uff3bAliasing of x[0]\uff3d x = [1, 2]\ny = 5\nprint(y)", "Aliasing of x[0]"),
        ("    [Aliasing]\n    x = [1, 2]\n    y = 5\n    print(y)", "Aliasing"),
        ("[Aliasing]\n    x = [1, 2]\n    y = 5\n    print(y)", "Aliasing"),
        ("[Aliasing]\n>>> x = [1, 2]\n>>> y = 5\n>>> print(y)\n5", "Aliasing"),
        (">>> x = [1, 2]\n>>> y = 5\n>>> print(y)\nit printed [5]", ""),
        ("[Aliasing]\n`x = [1, 2]`\n`y = 5`\n`print(y)`", "Aliasing"),
    ],
)
def test_s11_a_program_is_read_out_of_what_stands_around_it_and_loses_no_line(reply: str, explanation: str) -> None:
    assert parse_question(reply) == ParsedQuestion("x = [1, 2]\ny = 5\nprint(y)", explanation)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("[A]\n`print([1])`", "print([1])"),
        (">>> def f():\n    return [1]\n>>> print(f())", "def f():\n    return [1]\nprint(f())"),
        (">>> def f():\n...     return [1]\n>>> print(f())", "def f():\n    return [1]\nprint(f())"),
        ("x = 1\nprint('''\n[b]\nHere is more:\n''')", "x = 1\nprint('''\n[b]\nHere is more:\n''')"),
        ("Here it is:\nx = 1\n[print(i) for i in [x]]", "x = 1\n[print(i) for i in [x]]"),
        ("[print(i) for i in [1]]\nprint(2)", "[print(i) for i in [1]]\nprint(2)"),
    ],
)
def test_s11_programs_with_brackets_quotes_and_prompts_are_whole(reply: str, code: str) -> None:
    assert parse_question(reply).code == code


@pytest.mark.parametrize(
    "code",
    [
        "x = = [1, 2]\ny = 5\nprint(y)",
        "Class Foo:\n    x = [1]\nprint(Foo.x)",
        "x = [1, 2]\nprint(x\n\nThis prints [1, 2].",
        "print([1])\n\nThen run this:\nprint([2])",
        "x = [1]]\nprint(x)",
        "`print('a`b'[0])`",
    ],
)
def test_s11_of_what_is_no_program_nothing_is_taken_off(code: str) -> None:
    """A setter that sent an error is not given a program that it did not write."""
    assert parse_question(f"[Aliasing]\n{code}") == ParsedQuestion(code, "Aliasing")


def test_s11_an_explanation_that_is_never_closed_takes_no_line_of_the_program() -> None:
    assert "x = [1, 2]" in parse_question("[Aliasing\nx = [1, 2]\nprint(x)").code


def test_s4_distractors() -> None:
    assert parse_distractors('["1", "2"]', "3", 2) == ["1", "2"]
    assert parse_distractors('Not ["0"] but\n```json\n["a b", 3, 2.5, true, null, [1, [2]]]\n```\n', "0", 6) == [
        *("a b", "3", "2.5", "True", "None"),
        "[1, [2]]",
    ]
    assert parse_distractors(r'["two\nlines"] [broken', "", 1) == ["two\nlines"]
    assert parse_distractors('["a", "b", "c"] differ in x[0], and [1, 2] is out', "", 3) == ["a", "b", "c"]
    assert parse_distractors('Of [9 options]:\r\n["a",\r\n"b\r\nc"]', "", 2) == ["a", "b\r\nc"]
    for reply in ("", "none", "[]", "[1, 2", "{}"):
        with pytest.raises(ReplyError, match="no JSON array"):
            parse_distractors(reply, "", 1)


@pytest.mark.parametrize(
    "around",
    [
        "The program prints [1, 2, 3, 4, 10]. Wrong answers:\n{}",
        'It prints ["x", "y", "x", "y"]; wrong are:\n{}',
        '{} differ from d["key"] and x[0]',
        '{}, and not ["x"] or [1, 2, 3, 4]',
        "At x[0] of [1]: {}",
        '{}\n\nThe program prints ["a", "b", "c"].',  # what is printed, again,
        "{}\n\nNone of them is ['a', 'b', 'c'], that is\n[\"a\", \"b\", \"c\"].",
        '{}\n\nTheir common mistake: ["order", "type"]',  # and what is too short to be meant
        'Say ["[1]", "[2]", "[1]"]. No, better:\n{}',
    ],
)
@pytest.mark.parametrize("truth", ["['a', 'b', 'c']", '["a", "b", "c"]', "a\nb\nc", "('a', 'b', 'c')"])
def test_s4_the_last_array_with_enough_wrong_answers_is_meant(around: str, truth: str) -> None:
    wrong = ["[1]", "[2]", "[3]"]
    assert parse_distractors(around.format(json.dumps(wrong)), truth, 3) == wrong


def test_s4_distractors_differ_from_the_truth_and_from_each_other() -> None:
    found = ["1", " 1 ", "2", "2\n", "", "  ", "3  4", "3 4", "5"]
    assert unique_distractors(found, "1", 3) == ["2", "3  4", "5"]
    with pytest.raises(ReplyError, match="3 distinct wrong answers instead of 4"):
        unique_distractors(found, "1", 4)
