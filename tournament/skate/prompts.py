"""The prompts for players (S9, S10): the setter's prompt of SKATE appendix F, and ours for distractors and answers.

The paper prints the prompt of the strategy "historical performance" and describes four others (appendix C, table 1).
We derive them from it: they share everything but the section "Archive". The rewards that it names are not the ranking.
The prompts for distractors and answers are not in the paper; these are ours. `VERSION` changes with any of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from antemill.engine.seeding import Stream
from antemill.tournament.skate.sampling import Score

VERSION = 2
LETTERS = "ABCDEFGHIJ"


class Strategy(StrEnum):
    """The part of the game that a setter sees (appendix C)."""

    NO_INFO = "no-info"
    HISTORICAL_TASKS = "historical-tasks"
    HISTORICAL_PERFORMANCE = "historical-performance"
    FULL_PERSONAL = "full-personal"
    FULL = "full"


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A question of an earlier round. scores: by player."""

    number: int
    setter: str
    text: str
    scores: Mapping[str, Score]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A rejected attempt of this round. text: the question, or the whole reply if it has none."""

    text: str
    reason: str


SETTER = """\
Generate one novel and challenging Python output prediction puzzle.

Goal:

Create a Python code snippet with a single, deterministic output. The puzzle should be maximally difficult for an \
opponent to predict, yet you must be able to predict its output accurately at least 55% of the time.

Game Context:

- Round: {round number} of {rounds}
- Scoring: +1 point for a sufficiently novel question; +1 point for each question answered correctly (55%+ accuracy)

Strategic Imperatives:

- **Originality and Variety:** Each round requires a *new* and *highly varied* puzzle. Avoid repetition.
- **Push the Limits:** Design the hardest possible puzzle you believe you can reliably answer.
- The way to win is if your competitor **cannot answer** your questions (and therefore earns no points).

Instructions for Code Generation:

1. **Single Python Program:** Generate *exactly one* complete Python code snippet.
2. **Difficulty and Self-Solvability:** The problem *must* be exceptionally difficult for a competitor to solve, yet \
you *must* be confident in your ability to predict its output accurately.
3. **Maximize Creativity and Subtlety:** Avoid trivial syntax errors or basic variable tracking. Focus on *nuanced* \
puzzles.
4. **Targeted Reasoning Skill:** Identify and explicitly state the specific Python concept(s) or execution flow \
detail(s) your code exploits. This will form your "Question Number" explanation.
5. **Deterministic Output:** The code *must* produce a single, predictable output every time. Avoid randomness, user \
input, or system-dependent behavior.
6. **Built-In Functionality Only:** Restrict code to standard Python 3 built-ins. No external libraries.
7. **Error-Free Execution:** The generated Python 3 code must run without any errors.
8. **Value-Based Output:** The final output should be a specific value (e.g., integer, string, list, tuple, \
dictionary, or custom object), not a boolean (True/False).

Uniqueness Constraint:

Your generated question must be significantly different from all questions you have asked before.

Failed Attempts

You only have {num attempts left} in this round to generate a sufficiently unique, verifiable question. Below are \
your previous failed attempts and why they failed. Learn from your mistakes, and **do not repeat them**.

{failed attempts}

{archive}Output Format (Strict Adherence Required):

- Do *not* include any explanations, external text, or markdown formatting (e.g., triple backticks or quotes).
- The output format must be exact:

[short explanation of the specific Python behavior/reasoning skill this question tests]
<the actual Python 3 code here, no quotes, no markdown, just valid Python code>"""

_DIFFERENT = "Your generated question must be significantly different from all questions in the provided archive."
_CALIBRATE = """\
Use this to calibrate your next question. If you got more than 80% on a question - it is probably **too easy** for \
your competitor too. Think carefully and write a question which is **harder** than the examples you got high scores \
on. You will only win the game if you write questions which are so difficult that your competitor will get it wrong. \
If you got less than 55% on any questions, those types of question are too hard. Go step by step through the examples \
and use them to guide how hard your next question should be. You should aim for questions which you will score \
between 60 and 80% on"""
_OWN = "Furthermore, for each question you can see the score (as a percentage) that you achieved."
_EVERYBODY = "Furthermore, for each question you can see the scores (as percentages) that all players achieved."
_ALL = "The archive holds the questions of all players."

ARCHIVES = {
    Strategy.HISTORICAL_TASKS: _DIFFERENT,
    Strategy.HISTORICAL_PERFORMANCE: f"{_DIFFERENT} {_OWN} {_CALIBRATE}",
    Strategy.FULL_PERSONAL: f"{_DIFFERENT} {_EVERYBODY} {_CALIBRATE}",
    Strategy.FULL: f"{_DIFFERENT} {_ALL} {_EVERYBODY} {_CALIBRATE}",
}

DISTRACTORS = """\
Here is a Python program and what it prints.

Program:
{question}

Output:
{truth}

Write {count} different wrong answers to the question what the program prints. Each should look right to somebody who \
makes a plausible mistake: in a boundary, an order, a type, a format or a forgotten step. None may equal the output, \
and no two may be equal.

Answer with a JSON object and nothing else: {"distractors": ["...", ...]}, with {count} strings. Write line breaks \
inside an answer as \\n."""

ANSWER = """\
What does this Python 3 program print?

{question}

Exactly one of these options is right:

{options}

End your reply with the line `ANSWER: C`, where C is its letter."""


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """The data for a setter's prompt. archive: all earlier questions in order, of which the strategy shows a part.

    key: of the stream that shuffles the shown questions; each question keeps its number.
    """

    player: str
    round_number: int
    rounds: int
    attempts_left: int
    failures: Sequence[Failure]
    strategy: Strategy
    archive: Sequence[Past]
    key: int

    def prompt(self, template: str = SETTER) -> str:
        """The setter's prompt."""
        shown = _archive(self.strategy, self.player, self.archive, self.key)
        section = f"Archive\n\n{ARCHIVES[self.strategy]}\n\n{shown}\n\n" if self.strategy in ARCHIVES else ""
        parts = {
            "{round number}": str(self.round_number),
            "{rounds}": str(self.rounds),
            "{num attempts left}": f"{self.attempts_left} attempt{'' if self.attempts_left == 1 else 's'}",
            "{failed attempts}": _failed(self.failures),
            "{archive}": section,
        }
        return fill(template, parts)


def distractor_prompt(question: str, truth: str, count: int) -> str:
    """The setter's prompt for wrong answers."""
    return fill(DISTRACTORS, {"{question}": question, "{truth}": truth, "{count}": str(count)})


def answer_prompt(question: str, options: Sequence[str], template: str = ANSWER) -> str:
    """The prompt for an answer: the options in the given order, with letters."""
    lettered = "\n".join(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))
    return fill(template, {"{question}": question, "{options}": lettered})


def fill(template: str, parts: Mapping[str, str]) -> str:
    """The template with its placeholders replaced. Replacements are not searched for placeholders."""
    names = "|".join(re.escape(name) for name in parts)
    return re.sub(names, lambda found: parts[found[0]], template)


def _failed(failures: Sequence[Failure]) -> str:
    if not failures:
        return "None."
    return "\n\n".join(
        f"Attempt {number}:\n{failure.text}\nWhy it failed: {failure.reason}"
        for number, failure in enumerate(failures, 1)
    )


def _archive(strategy: Strategy, player: str, archive: Sequence[Past], key: int) -> str:
    shown = [past for past in archive if strategy == Strategy.FULL or past.setter == player]
    if not shown:
        return "The archive is empty."
    shuffled = Stream(key).sample(shown, len(shown))
    return "\n\n".join(_entry(strategy, player, past) for past in shuffled)


def _entry(strategy: Strategy, player: str, past: Past) -> str:
    setter = f" (set by {'you' if past.setter == player else past.setter})" if strategy == Strategy.FULL else ""
    lines = [f"Question {past.number}{setter}:", past.text]
    if strategy == Strategy.HISTORICAL_PERFORMANCE:
        lines += [f"Your score: {_percent(past.scores[player])}"] if player in past.scores else []
    elif strategy in (Strategy.FULL_PERSONAL, Strategy.FULL):
        own = [f"you {_percent(past.scores[player])}"] if player in past.scores else []
        others = [f"{name} {_percent(score)}" for name, score in sorted(past.scores.items()) if name != player]
        lines.append(f"Scores: {', '.join(own + others)}")
    return "\n".join(lines)


def _percent(score: Score) -> str:
    return f"{round(100 * score.p)}%"
