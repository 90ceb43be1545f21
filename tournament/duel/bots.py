"""Scripted duelists (`antemill.tournament.runs.bots`): one fixed list of puzzles, each with its solution and its tags.

A bot proposes puzzles of the list that its prompt does not show yet. It solves a puzzle of the list by its grade's
share, and guesses at all others. The lower the grade, the more often its own solution is wrong or its reply has a
second code block.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from antemill.engine.seeding import Stream
from antemill.llm import Request
from antemill.tournament.runs.bots import Grade, bots, dice

_WORDS = ("lantern", "walrus", "copper", "meadow", "pepper", "harbour", "thistle", "orbit", "velvet", "compass")


class Puzzle(NamedTuple):
    """A puzzle. solution: as Python source."""

    code: str
    solution: str
    tags: tuple[str, ...]


def _drawn(number: int) -> Puzzle:
    dice = Stream(1, number)
    a, b, x, word = dice.between(3, 40), dice.between(1, 99), dice.between(5, 500), dice.choice(_WORDS)
    modulus, text = dice.choice((97, 193, 389)), f"{word}{a}"
    kinds = (
        ("arithmetic, linear-equation", f"{a} * x + {b} == {a * x + b}", x),
        ("strings, reversal", f'isinstance(x, str) and x[::-1] == "{text[::-1]}"', text),
        ("bit-manipulation, xor", f"x ^ {a * x} == {b * x}", (a * x) ^ (b * x)),
        ("strings, cipher", f'"".join(chr(ord(c) + {a % 7 + 1}) for c in x) == "{_shifted(text, a % 7 + 1)}"', text),
        ("number-theory, modular-inverse", f"0 < x < {modulus} and x * {a} % {modulus} == 1", pow(a, -1, modulus)),
    )
    tags, holds, solution = kinds[number % len(kinds)]
    return Puzzle(f"def mystery(x):\n    return {holds}", repr(solution), tuple(tags.split(", ")))


def _shifted(word: str, by: int) -> str:
    return "".join(chr(ord(letter) + by) for letter in word)


PUZZLES = tuple({puzzle.code: puzzle for puzzle in map(_drawn, range(60))}.values())


def _answer(grade: Grade, request: Request) -> str:
    text, throw = request.messages[0].text, dice(grade, request)
    if request.purpose == "propose":
        return _propose(grade, text, throw)
    known = next((puzzle for puzzle in PUZZLES if puzzle.code in text), None)
    if request.purpose == "tag":
        return json.dumps({"tags": known.tags if known else ["unclassified"]})
    if known is None or not throw.chance(grade.skill):
        return f"I do not see how to invert this, so I guess.\nSOLUTION: {throw.between(1, 99)}"
    return f"This is about {known.tags[-1]}.\nSOLUTION: {known.solution}"


def _propose(grade: Grade, text: str, throw: Stream) -> str:
    puzzle = throw.choice([one for one in PUZZLES if one.code not in text])
    slips = (1.0 - grade.skill) / 4
    solution = f"{puzzle.solution} * 2" if throw.chance(slips) else puzzle.solution
    example = "\n```python\nprint('an example that nobody asked for')\n```" if throw.chance(slips) else ""
    return f"```python\n{puzzle.code}\n```\nIt asks for {' and '.join(puzzle.tags)}.{example}\nSOLUTION: {solution}"


DUELISTS = bots(_answer)
