"""Scripted players of SKATE (`antemill.tournament.runs.bots`): families of programs with their output, in four grades.

A bot sets programs of the families up to its grade, and knows their output. For other programs it guesses, a little
better than chance; with its own it makes occasional mistakes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from antemill.engine.seeding import Stream
from antemill.llm import Request
from antemill.tournament.runs.bots import Grade, Shape, bots, dice

Values = Mapping[str, int]
_KNOWS = {Grade.NOVICE: 0.8, Grade.ADEPT: 0.86, Grade.EXPERT: 0.92, Grade.MASTER: 0.97}  # p(right) in a known family
_GUESSES = {Grade.NOVICE: 0.25, Grade.ADEPT: 0.3, Grade.EXPERT: 0.4, Grade.MASTER: 0.5}  # and in one that is not
_LETTERS = "abcdefghijklmnop"
_OPTION = re.compile(r"^([A-D])\) (.*)$", re.MULTILINE)


class Family(NamedTuple):
    """Programs of one kind, with the values a and b. prints: the output of such a program."""

    grade: Grade
    about: str
    shape: Shape
    prints: Callable[[int, int], object]


def _late(a: int, b: int) -> list[int]:
    return [(a - 1) * b] * a


def _shared(a: int, b: int) -> list[int]:
    return list(range(a, a + b))


def _middle(a: int, b: int) -> int:
    total = 0
    for number in range(a):
        if number % b == 1:
            continue
        if total > 5 * a:
            return total - number
        total += number
    return -total


def _unpacked(a: int, b: int) -> str:
    digits = str(a**b)
    return f"{digits[-1]}{len(digits) - 2}{digits[0]}"


FAMILIES = (
    Family(Grade.NOVICE, "operator precedence", Shape("print({a} + {b} * {a} - {b})"), lambda a, b: a + b * a - b),
    Family(
        Grade.NOVICE,
        "floor division and remainder",
        Shape("print(-{a} // {b}, {a} % {b})"),
        lambda a, b: f"{-a // b} {a % b}",
    ),
    Family(
        Grade.NOVICE,
        "a comprehension with a condition",
        Shape("squares = [n * n for n in range({a}) if n % {b}]\nprint(sum(squares))"),
        lambda a, b: sum(n * n for n in range(a) if n % b),
    ),
    Family(
        Grade.ADEPT,
        "slices with a negative step",
        Shape("letters = 'abcdefghijklmnop'\nprint(letters[{a}:{b}:-1])"),
        lambda a, b: _LETTERS[a:b:-1],
    ),
    Family(
        Grade.ADEPT,
        "a loop's else",
        Shape(
            "total = 0\nfor number in range({a}):\n    if number % {b} == 1:\n        continue\n"
            "    if total > 5 * {a}:\n        print(total - number)\n        break\n    total += number\n"
            "else:\n    print(-total)"
        ),
        _middle,
    ),
    Family(
        Grade.ADEPT,
        "starred assignment",
        Shape("first, *middle, last = str({a} ** {b})\nprint(last, len(middle), first, sep='')"),
        _unpacked,
    ),
    Family(
        Grade.EXPERT,
        "late binding in closures",
        Shape("calls = [lambda: i * {b} for i in range({a})]\nprint([call() for call in calls])"),
        _late,
    ),
    Family(
        Grade.EXPERT,
        "a mutable default argument",
        Shape(
            "def keep(item, kept=[]):\n    kept.append(item)\n    return kept\n\n"
            "for step in range({b}):\n    found = keep({a} + step)\nprint(found)"
        ),
        _shared,
    ),
    Family(
        Grade.EXPERT,
        "a generator that is used up",
        Shape("numbers = (n for n in range({a}))\nprint(sum(numbers) * {b} + sum(numbers))"),
        lambda a, b: sum(range(a)) * b,
    ),
    Family(
        Grade.MASTER,
        "descriptors and instance dictionaries",
        Shape(
            "class Field:\n    def __get__(self, thing, kind):\n        return thing.__dict__['x'] * {b}\n"
            "    def __set__(self, thing, value):\n        thing.__dict__['x'] = value + 1\n\n"
            "class Thing:\n    x = Field()\n\nthing = Thing()\nthing.x = {a}\nthing.__dict__['x'] += 1\nprint(thing.x)"
        ),
        lambda a, b: (a + 2) * b,
    ),
    Family(
        Grade.MASTER,
        "a generator that is sent values",
        Shape(
            "def running():\n    total = {a}\n    while True:\n        total += (yield total) or {b}\n\n"
            "steps = running()\nnext(steps)\nprint(steps.send(0), next(steps), steps.send(5))"
        ),
        lambda a, b: f"{a + b} {a + 2 * b} {a + 2 * b + 5}",
    ),
    Family(
        Grade.MASTER,
        "the order in which super() goes",
        Shape(
            "class A:\n    def f(self, n):\n        return n + {b}\n\n"
            "class B(A):\n    def f(self, n):\n        return super().f(n * 2)\n\n"
            "class C(A):\n    def f(self, n):\n        return super().f(n - 1)\n\n"
            "class D(B, C):\n    pass\n\nprint(D().f({a}))"
        ),
        lambda a, b: 2 * a - 1 + b,
    ),
)


def _answer(grade: Grade, request: Request) -> str:
    text, throw = request.messages[0].text, dice(grade, request)
    if request.purpose == "question":
        return _set(grade, throw)
    if request.purpose == "distractors":
        return json.dumps({"distractors": _distractors(text, throw)})
    return f"ANSWER: {_choose(grade, text, throw)}"


def _set(grade: Grade, throw: Stream) -> str:
    family = throw.choice([family for family in FAMILIES if family.grade <= grade])
    code = family.shape.write({"a": throw.between(6, 14), "b": throw.between(2, 5)})
    return f"[{family.about}]\n{code}"


def _distractors(text: str, throw: Stream) -> list[str]:
    """Nine wrong answers: the truth with other numbers or letters."""
    truth = text.partition("Output:\n")[2].partition("\n\nWrite ")[0]
    found: dict[str, None] = {}
    while len(found) < 9:
        wrong = re.sub(r"\d+", lambda number: str(max(int(number[0]) + throw.between(-9, 12), 0)), truth)
        if wrong == truth:
            letters = throw.sample(truth, len(truth))
            wrong = "".join(letters)[: max(1, len(truth) - throw.below(3))] + throw.choice(_LETTERS)
        if wrong != truth:
            found[wrong] = None
    return list(found)


def _choose(grade: Grade, text: str, throw: Stream) -> str:
    options = dict(_OPTION.findall(text))
    family, prints = _known(text)
    right = next((letter for letter, option in options.items() if option == prints), "A")
    share = _KNOWS[grade] if family.grade <= grade else _GUESSES[grade]
    others = [letter for letter in options if letter != right]
    return right if throw.chance(share) or not others else throw.choice(others)


def _known(text: str) -> tuple[Family, str]:
    """The family and the output of the program in a prompt; the hardest family and no output if it is unknown."""
    for family in FAMILIES:
        if values := family.shape.read(text):
            return family, str(family.prints(int(values["a"]), int(values["b"])))
    return FAMILIES[-1], ""


SKATERS = bots(_answer)
