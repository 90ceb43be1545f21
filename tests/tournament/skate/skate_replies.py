"""Replies of models to a question with four options: shapes with the letter that a person reads, and prose around them.

In `data/skate_replies.jsonl` a line is a shape: «X» is the letter that is meant, «Y» and «Z» are others, «x» is «X» in
lower case. `means` is X, a letter that the shape has for itself, or nothing where no person could tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from random import Random

LETTERS = "ABCD"
FILE = Path(__file__).parents[2] / "data" / "skate_replies.jsonl"

# What says nothing about which option is right; «Y» is none that is.
PROSE = (
    "A list is mutable, so both names see the change.",
    "A copy would be needed for anything else.",
    "Class A overrides the method of class B, and D.f() calls A.f().",
    "The variable A holds 3, and B holds 4.",
    "Option «Y» is wrong because the list is not copied.",
    "«Y» is wrong.",
    "«Y» can not be, since the comparison is strict.",
    "Option «Y» would be printed if the copy were deep.",
    "If it were a deep copy, the answer would be «Y».",
    "One might think the answer is «Y».",
    "At first I thought the answer was «Y».",
    "The answer is not «Y».",
    "Is it «Y»? No.",
    "«Y») forgets the newline.",
    "Options «Y» and «Z» have the wrong type.",
    "Neither «Y» nor «Z» has a newline.",
    "```python\nA = [1]\nB = A\nprint('The answer is «Y»')\n```",
    "The line `print('A', B, C)` comes last.",
    "Let me trace the program step by step.",
    "1. x = [1]\n2. y = x\n3. y.append(2)",
    "- i = 0: A[0] = 1\n- i = 1: A[1] = 2",
    "A) [1]\nB) [2]\nC) [3]\nD) [4]",
    "A: misses the newline.\nB: has another type.\nC: is reversed.\nD: is sorted.",
    "The program prints the letters A and B.",
    "s[0] is 'A', and s[-1] is 'D'.",
    "A's attribute is shared by all instances, which a dict would not be.",
    "I have traced it twice. A set has no order!",
    "In base 16, A is 10 and B is 11.",
    "The MRO is D, B, C, A by the C3 rule.",
    "Sorting is stable — a fact that matters here.",
    "As a result, a tuple (1, 2) is returned; a, b = 1, 2.",
    "Die Liste wird nicht kopiert. A lista é a mesma. 列表是可变的。",
    "I am confident in this.",
    "> A generator is consumed once.",
    "Note: C++ and C# would differ.",
    "$a + b = c$, and \\(A \\cup B\\) is the union.",
    "| i | A | B |\n|---|---|---|\n| 0 | 1 | 2 |",
)
# What says it. The first of each pair may stand anywhere; the others begin or end a reply, or are lines of their own.
ANYWHERE = (
    "The answer is «X».",
    "The correct answer is **«X»**.",
    "Final answer: «X»",
    "**Answer:** «X»",
    "Therefore the correct option is («X»).",
    "Option «X» is correct.",
    "I choose «X».",
    "Answer: «X») [1, 2]",
    "The final answer is $\\boxed{\\text{«X»}}$.",
    '{"answer": "«X»"}',
    "Die richtige Antwort ist «X».",
    "答案是«X»。",
)
OPENINGS = (
    "«X»",
    "«X».",
    "«X») [1, 2]",
    "**«X»**",
    "«X», because the slice stops early.",
    "Option «X»: [1, 2]",
    "(«X») 'abc'",
)
MARKS = ("\\boxed{«X»}", "<answer>«X»</answer>", "[[«X»]]", "$$\\boxed{\\text{«X»}}$$")
ENDS = (
    "«X»",
    "**«X»**",
    "(«X»)",
    "> «X»",
    "So «X».",
    "It must be «X».",
    "That matches option «X».",
    "Only «X» remains.",
)


def filled(shape: str, letters: tuple[str, ...]) -> str:
    """The shape with its placeholders replaced."""
    text = shape.replace("«x»", letters[0].lower())
    for name, letter in zip("XYZ", letters, strict=False):
        text = text.replace(f"«{name}»", letter)
    return text


def shapes() -> Iterator[tuple[str, str | None]]:
    """Every shape, once with each letter as the one that is meant."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        shape, means = row["reply"], row["means"]
        for k in range(len(LETTERS) if "«" in shape else 1):
            letters = tuple(LETTERS[(k + i) % len(LETTERS)] for i in range(3))
            yield filled(shape, letters), letters[0] if means == "X" else means


def wrapped(random: Random) -> tuple[str, str]:
    """A known answer in random prose, and its letter."""
    letters = random.choice(list(permutations(LETTERS, 3)))
    prose = [random.choice(PROSE) for _ in range(random.randrange(6))]
    places = {"any": ANYWHERE, "begin": OPENINGS, "mark": MARKS, "end": ENDS}
    kind = random.choice(list(places))
    place = {"begin": 0, "end": len(prose)}.get(kind, random.randint(0, len(prose)))
    prose.insert(place, random.choice(places[kind]))
    gap = random.choice(("\n\n", "\n", "\r\n\r\n")) if kind != "any" else random.choice(("\n\n", "\n", "\r\n"))
    return filled(gap.join(prose), letters), letters[0]
