"""SKATE's prompts, replies and distances: what is sent, what is read, what is the same question (S5, S6, S9, S10)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antemill.tournament.embedding import PAPER_THRESHOLD, distances, shapes, token_hash, tokens
from antemill.tournament.skate import prompts
from antemill.tournament.skate.prompts import Failure, Past, Strategy
from antemill.tournament.skate.sampling import Score

# Appendix F as the paper's text has it; a list mark that the text lost is put back.
PAPER = """
Generate one novel and challenging Python output prediction puzzle.

Goal:

Create a Python code snippet with a single, deterministic output. The puzzle should be maximally difficult for an
opponent to predict, yet you must be able to predict its output accurately at least 55% of the time.

Game Context:

- Round: {round number} of 50
- Scoring: +1 point for a sufficiently novel question; +1 point for each question answered correctly (55%+ accuracy)

Strategic Imperatives:

- **Originality and Variety:** Each round requires a *new* and *highly varied* puzzle. Avoid repetition.
- **Push the Limits:** Design the hardest possible puzzle you believe you can reliably answer.
- The way to win is if your competitor **cannot answer** your questions (and therefore earns no points).

Instructions for Code Generation:

1. **Single Python Program:** Generate *exactly one* complete Python code snippet.
2. **Difficulty and Self-Solvability:** The problem *must* be exceptionally difficult for a competitor to solve, yet
you *must* be confident in your ability to predict its output accurately.
3. **Maximize Creativity and Subtlety:** Avoid trivial syntax errors or basic variable tracking. Focus on *nuanced*
puzzles.
4. **Targeted Reasoning Skill:** Identify and explicitly state the specific Python concept(s) or execution flow
detail(s) your code exploits. This will form your "Question Number" explanation.
5. **Deterministic Output:** The code *must* produce a single, predictable output every time. Avoid randomness, user
input, or system-dependent behavior.
6. **Built-In Functionality Only:** Restrict code to standard Python 3 built-ins. No external libraries.
7. **Error-Free Execution:** The generated Python 3 code must run without any errors.
8. **Value-Based Output:** The final output should be a specific value (e.g., integer, string, list, tuple, dictionary,
or custom object), not a boolean (True/False).

Uniqueness Constraint:

Your generated question must be significantly different from all questions you have asked before.

Failed Attempts

You only have {num attempts left} in this round to generate a sufficiently unique, verifiable question. Below are your
previous failed attempts and why they failed. Learn from your mistakes, and **do not repeat them**.

{failed attempts}

Archive

Your generated question must be significantly different from all questions in the provided archive. Furthermore, for
each question you can see the score (as a percentage) that you achieved. Use this to calibrate your next question. If
you got more than 80% on a question - it is probably **too easy** for your competitor too. Think carefully and write a
question which is **harder** than the examples you got high scores on. You will only win the game if you write
questions which are so difficult that your competitor will get it wrong. If you got less than 55% on any questions,
those types of question are too hard. Go step by step through the examples and use them to guide how hard your next
question should be. You should aim for questions which you will score between 60 and 80% on

{previous questions and p(correct) scores}

Output Format (Strict Adherence Required):

- Do *not* include any explanations, external text, or markdown formatting (e.g., triple backticks or quotes).
- The output format must be exact:

[short explanation of the specific Python behavior/reasoning skill this question tests]
<the actual Python 3 code here, no quotes, no markdown, just valid Python code>
"""

ARCHIVE = [
    Past(number=1, setter="me", text="print(1)", scores={"me": Score(9, 10), "rival": Score(1, 2)}),
    Past(number=2, setter="rival", text="print(2)", scores={"me": Score(0, 1), "rival": Score(1, 1)}),
    Past(number=3, setter="me", text="print(3)", scores={"me": Score(1, 3), "rival": Score(5, 8)}),
]


def words(text: str) -> list[str]:
    return text.split()


def prompt(strategy: Strategy = Strategy.HISTORICAL_PERFORMANCE, **changes: Any) -> str:
    given: dict[str, Any] = {"player": "me", "round_number": 4, "rounds": 50, "attempts_left": 3, "failures": []}
    return prompts.Brief(strategy=strategy, **given | {"archive": ARCHIVE, "key": 5} | changes).prompt()


def test_s10_the_setters_prompt_is_that_of_the_paper() -> None:
    got = prompt(archive=[])
    want = PAPER.replace("{round number}", "4").replace("{num attempts left}", "3 attempts")
    want = want.replace("{failed attempts}", "None.")
    want = want.replace("{previous questions and p(correct) scores}", "The archive is empty.")
    assert words(got) == words(want)
    # Its lists and paragraphs too.
    assert [line[:3] for line in got.splitlines() if line[:2] in ("- ", "1.", "8.")] == [
        line[:3] for line in want.strip().splitlines() if line[:2] in ("- ", "1.", "8.")
    ]
    assert got.count("\n\n") == want.strip().count("\n\n")


def test_s9_each_strategy_shows_what_it_may() -> None:
    shown = {strategy: prompt(strategy) for strategy in Strategy}
    assert "Archive" not in shown[Strategy.NO_INFO]
    assert "archive" not in shown[Strategy.NO_INFO]
    for strategy, text in shown.items():
        own = strategy != Strategy.NO_INFO
        assert ("print(1)" in text, "print(3)" in text) == (own, own)
        assert ("print(2)" in text) == (strategy == Strategy.FULL)
    tasks = shown[Strategy.HISTORICAL_TASKS]
    assert "90%" not in tasks
    assert "score (as a percentage)" not in tasks
    performance = shown[Strategy.HISTORICAL_PERFORMANCE]
    assert "Your score: 90%" in performance
    assert "Your score: 33%" in performance
    assert "50%\n" not in performance
    personal = shown[Strategy.FULL_PERSONAL]
    assert "Scores: you 90%, rival 50%" in personal
    assert "Scores: you 33%, rival 62%" in personal
    full = shown[Strategy.FULL]
    assert "Question 2 (set by rival):" in full
    assert "Question 3 (set by you):" in full


def test_s9_questions_are_numbered_first_and_then_shuffled() -> None:
    archive = [Past(number=n, setter="me", text=f"print({n})", scores={}) for n in range(1, 21)]
    orders = []
    for key in (1, 1, 2):
        text = prompt(archive=archive, key=key)
        order = [int(line.split()[1][:-1]) for line in text.splitlines() if line.startswith("Question ")]
        assert sorted(order) == list(range(1, 21))
        assert all(f"Question {n}:\nprint({n})\n" in text for n in order)
        orders.append(order)
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != sorted(orders[0])


def test_s2_failures_are_fed_back() -> None:
    text = prompt(attempts_left=1, failures=[Failure(text="print(x)", reason="it raises NameError")])
    assert "You only have 1 attempt in this round" in text
    assert "Attempt 1:\nprint(x)\nWhy it failed: it raises NameError" in text


def test_placeholders_inside_of_questions_stay() -> None:
    assert "{failed attempts} {archive}" in prompt(failures=[Failure(text="{failed attempts} {archive}", reason="x")])
    assert "{truth}{count}" in prompts.distractor_prompt("{truth}{count}", "1", 9)
    assert "A) {question}\nB) x" in prompts.answer_prompt("print()", ["{question}", "x"])


def embed(*texts: str) -> Any:
    return token_hash(texts)


def test_s5_near_and_far_questions() -> None:
    first = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(10))"
    renamed = "def fib(k):\n    return k if k < 3 else fib(k - 1) + fib(k - 4)  # well\nprint(fib(17))"
    other = "words = 'a b c'.split()\nfor word in reversed(words):\n    print(word.upper(), end='')"
    found = embed(first, renamed, other, first)
    got = distances(found[0], found[1:])
    assert got[0] < PAPER_THRESHOLD < got[1]
    assert got[2] == pytest.approx(0.0, abs=1e-12)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)


def test_s5_texts_without_content() -> None:
    found = embed("", "# nothing", "x")
    assert np.array_equal(np.linalg.norm(found, axis=1), [0.0, 0.0, 1.0])
    assert distances(found[2], found[:2]).tolist() == [1.0, 1.0]
    assert embed().shape[0] == 0


def test_s5_tokens() -> None:
    text = 'value = f"a{1}" + len(x.count)  # why\ny **= 0x1F or 1e-3 \udc80'
    assert tokens(text)[:5] == ["value", "=", 'f"a{1}"', "+", "len"]
    assert shapes(text)[:9] == ["name", "=", "string", "+", "len", "(", "name", ".", "count"]
    assert shapes(text)[-6:-1] == ["name", "**=", "number", "or", "number"]
    assert shapes("'unclosed") == ["'", "name"]
