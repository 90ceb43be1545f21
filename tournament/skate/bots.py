"""Scripted players of SKATE (`antemill.tournament.runs.bots`): one fixed list of programs with what they print.

A bot sets programs of the list that its prompt does not show yet. It answers questions of the list correctly by its
grade's share, and guesses at all others.
"""

from __future__ import annotations

import json
import re

from antemill.engine.seeding import Stream
from antemill.llm import Request
from antemill.tournament.runs.bots import Grade, bots, dice

PROGRAMS = {  # by program: what it is about, and what it prints
    "print(7 + 3 * 7 - 3)": ("operator precedence", "25"),
    "print(-13 // 4, 13 % 4)": ("floor division and remainder", "-4 1"),
    "squares = [n * n for n in range(9) if n % 3]\nprint(sum(squares))": ("a comprehension's condition", "159"),
    "letters = 'abcdefghijklmnop'\nprint(letters[11:3:-1])": ("slices with a negative step", "lkjihgfe"),
    "total = 0\nfor number in range(8):\n    if number % 3 == 1:\n        continue\n    if total > 40:\n        break\n"
    "    total += number\nelse:\n    print(-total)": ("a loop's else", "-16"),
    "first, *middle, last = str(9 ** 7)\nprint(last, len(middle), first, sep='')": ("starred assignment", "954"),
    "calls = [lambda: i * 4 for i in range(6)]\nprint([call() for call in calls])": (
        "late binding in closures",
        "[20, 20, 20, 20, 20, 20]",
    ),
    "def keep(item, kept=[]):\n    kept.append(item)\n    return kept\n\nfor step in range(4):\n"
    "    found = keep(10 + step)\nprint(found)": ("a mutable default argument", "[10, 11, 12, 13]"),
    "numbers = (n for n in range(9))\nprint(sum(numbers) * 3 + sum(numbers))": ("a generator that is used up", "108"),
    "class Field:\n    def __get__(self, thing, kind):\n        return thing.__dict__['x'] * 5\n"
    "    def __set__(self, thing, value):\n        thing.__dict__['x'] = value + 1\n\n"
    "class Thing:\n    x = Field()\n\nthing = Thing()\nthing.x = 8\nthing.__dict__['x'] += 1\nprint(thing.x)": (
        "descriptors and instance dictionaries",
        "50",
    ),
    "def running():\n    total = 6\n    while True:\n        total += (yield total) or 4\n\nsteps = running()\n"
    "next(steps)\nprint(steps.send(0), next(steps), steps.send(5))": ("a generator that is sent values", "10 14 19"),
    "class A:\n    def f(self, n):\n        return n + 5\n\nclass B(A):\n    def f(self, n):\n"
    "        return super().f(n * 2)\n\nclass C(A):\n    def f(self, n):\n        return super().f(n - 1)\n\n"
    "class D(B, C):\n    pass\n\nprint(D().f(9))": ("the order in which super() goes", "22"),
}
_OPTION = re.compile(r"^([A-D])\) (.*)$", re.MULTILINE)


def _answer(grade: Grade, request: Request) -> str:
    text, throw = request.messages[0].text, dice(grade, request)
    if request.purpose == "question":
        code = throw.choice([code for code in PROGRAMS if code not in text] or [*PROGRAMS])
        return f"[{PROGRAMS[code][0]}]\n{code}"
    if request.purpose == "distractors":
        return json.dumps({"distractors": _distractors(text, throw)})
    options = dict(_OPTION.findall(text))
    prints = next((prints for code, (_, prints) in PROGRAMS.items() if code in text), None)
    right = [letter for letter, option in options.items() if option == prints]
    wrong = [letter for letter in options if letter not in right]
    return f"ANSWER: {throw.choice(right if right and throw.chance(grade.skill) else wrong)}"


def _distractors(text: str, throw: Stream) -> list[str]:
    """Nine wrong answers: the truth with other numbers or letters."""
    truth = text.partition("Output:\n")[2].partition("\n\nWrite ")[0]
    found: dict[str, None] = {}
    while len(found) < 9:
        wrong = re.sub(r"\d+", lambda number: str(max(int(number[0]) + throw.between(-9, 12), 0)), truth)
        if wrong == truth:
            wrong = "".join(throw.sample(truth, len(truth)))[throw.below(3) :] + throw.choice(tuple("abcdefgh"))
        if wrong != truth:
            found[wrong] = None
    return list(found)


SKATERS = bots(_answer)
