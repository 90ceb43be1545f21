"""Scripted duelists (`antemill.tournament.runs.bots`): families of puzzles in four grades, each with its solution.

A bot proposes puzzles of its own grade or of easier ones, and solves the families up to its grade. Its mistakes are a
wrong sample solution, a second code block and a failed attempt; lower grades make more of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import NamedTuple

from antemill.engine.seeding import Stream
from antemill.llm import Request
from antemill.tournament.runs.bots import Grade, Shape, bots, dice

Values = Mapping[str, str]
_SLIP = {Grade.NOVICE: 0.2, Grade.ADEPT: 0.12, Grade.EXPERT: 0.06, Grade.MASTER: 0.02}
_WORDS = ("lantern", "walrus", "copper", "meadow", "pepper", "harbour", "thistle", "orbit", "velvet", "compass")
_MODULI = ((7, 11), (13, 17), (19, 23), (29, 31), (37, 41))


class Family(NamedTuple):
    """Puzzles of one kind. draw: the values of a new one. solve: a solution, as Python source."""

    grade: Grade
    tags: tuple[str, ...]
    shape: Shape
    draw: Callable[[Stream], dict[str, object]]
    solve: Callable[[Values], str]


def _linear(values: Values) -> str:
    return str((int(values["c"]) - int(values["b"])) // int(values["a"]))


def _draw_linear(dice: Stream) -> dict[str, object]:
    a, b, x = dice.between(3, 40), dice.between(1, 99), dice.between(5, 500)
    return {"a": a, "b": b, "c": a * x + b}


def _count_letters(values: Values) -> str:
    letters = values["l"] * int(values["m"])
    return repr(letters + "-" * (int(values["n"]) - len(letters)))


def _caesar(values: Values) -> str:
    shift = int(values["k"])
    return repr("".join(chr((ord(letter) - 97 - shift) % 26 + 97) for letter in values["w"]))


def _draw_caesar(dice: Stream) -> dict[str, object]:
    shift, word = dice.between(1, 25), dice.choice(_WORDS)
    return {"k": shift, "w": "".join(chr((ord(letter) - 97 + shift) % 26 + 97) for letter in word)}


def _draw_residues(dice: Stream) -> dict[str, object]:
    p, q = dice.choice(_MODULI)
    return {"p": p, "q": q, "a": dice.below(p), "b": dice.below(q), "n": dice.between(100, 9_999)}


def _residues(values: Values) -> str:
    p, q, a, b, low = (int(values[name]) for name in ("p", "q", "a", "b", "n"))
    return str(next(x for x in count(low + 1) if x % p == a and x % q == b))


def _palindrome(values: Values) -> str:
    digits, total = int(values["n"]), int(values["s"])
    halves = range(10 ** (digits // 2 - 1), 10 ** (digits // 2))
    return str(next(int(f"{half}{str(half)[::-1]}") for half in halves if 2 * sum(map(int, str(half))) == total))


def _collatz(values: Values) -> str:
    low, steps = int(values["n"]), int(values["s"])
    return str(next(x for x in count(low + 1) if _steps(x) == steps))


def _steps(x: int) -> int:
    number = 0
    while x != 1:
        x, number = (3 * x + 1 if x % 2 else x // 2), number + 1
    return number


def _draw_collatz(dice: Stream) -> dict[str, object]:
    low = dice.between(1_000, 9_000)
    return {"n": low, "s": _steps(low + dice.between(1, 300))}


def _hash(values: Values) -> str:
    return str(next(x for x in count() if hashlib.sha256(str(x).encode()).hexdigest().startswith(values["h"])))


def _draw_logarithm(dice: Stream) -> dict[str, object]:
    prime, base = dice.choice((1009, 2003, 3001, 4001)), dice.between(2, 9)
    return {"g": base, "p": prime, "h": pow(base, dice.between(100, 900), prime)}


def _logarithm(values: Values) -> str:
    base, prime, power = (int(values[name]) for name in ("g", "p", "h"))
    return str(next(x for x in count(1) if pow(base, x, prime) == power))


FAMILIES = (
    Family(
        Grade.NOVICE,
        ("arithmetic", "linear-equation"),
        Shape("def mystery(x):\n    return {a} * x + {b} == {c}"),
        _draw_linear,
        _linear,
    ),
    Family(
        Grade.NOVICE,
        ("strings", "reversal"),
        Shape('def mystery(x):\n    return isinstance(x, str) and x[::-1] == "{w}"'),
        lambda dice: {"w": dice.choice(_WORDS)[::-1]},
        lambda values: repr(values["w"][::-1]),
    ),
    Family(
        Grade.ADEPT,
        ("strings", "letter-constraints"),
        Shape('def mystery(x):\n    return isinstance(x, str) and len(x) == {n} and x.count("{l}") == {m}'),
        lambda dice: {"n": dice.between(9, 20), "m": dice.between(2, 8), "l": dice.choice("aeiouxyz")},
        _count_letters,
    ),
    Family(
        Grade.ADEPT,
        ("strings", "cipher"),
        Shape('def mystery(x):\n    return "".join(chr((ord(c) - 97 + {k}) % 26 + 97) for c in x) == "{w}"'),
        _draw_caesar,
        _caesar,
    ),
    Family(
        Grade.ADEPT,
        ("bit-manipulation", "xor"),
        Shape("def mystery(x):\n    return x ^ {a} == {b}"),
        lambda dice: {"a": dice.between(1_000, 99_999), "b": dice.between(1_000, 99_999)},
        lambda values: str(int(values["a"]) ^ int(values["b"])),
    ),
    Family(
        Grade.EXPERT,
        ("number-theory", "chinese-remainder-theorem"),
        Shape("def mystery(x):\n    return x > {n} and x % {p} == {a} and x % {q} == {b}"),
        _draw_residues,
        _residues,
    ),
    Family(
        Grade.EXPERT,
        ("strings", "palindrome", "digit-sum"),
        Shape("def mystery(x):\n    s = str(x)\n    return len(s) == {n} and s == s[::-1] and sum(map(int, s)) == {s}"),
        lambda dice: {"n": dice.choice((6, 8)), "s": 2 * dice.between(6, 24)},
        _palindrome,
    ),
    Family(
        Grade.MASTER,
        ("number-theory", "collatz", "search"),
        Shape(
            "def mystery(x):\n    if x <= {n}:\n        return False\n    steps = 0\n    while x != 1:\n"
            "        x, steps = (3 * x + 1 if x % 2 else x // 2), steps + 1\n    return steps == {s}"
        ),
        _draw_collatz,
        _collatz,
    ),
    Family(
        Grade.MASTER,
        ("cryptography", "hash-preimage", "brute-force"),
        Shape(
            "import hashlib\n\ndef mystery(x):\n"
            '    return hashlib.sha256(str(x).encode()).hexdigest().startswith("{h}")'
        ),
        lambda dice: {"h": f"{dice.between(16, 4095):03x}"},
        _hash,
    ),
    Family(
        Grade.MASTER,
        ("number-theory", "discrete-logarithm"),
        Shape("def mystery(x):\n    return x > 0 and pow({g}, x, {p}) == {h}"),
        _draw_logarithm,
        _logarithm,
    ),
)


def _answer(grade: Grade, request: Request) -> str:
    text = request.messages[0].text
    if request.purpose == "propose":
        return _propose(grade, dice(grade, request))
    if request.purpose == "tag":
        known = _family(text)
        return json.dumps(list(known[0].tags) if known else ["unclassified"])
    return _solve(grade, text, dice(grade, request))


def _propose(grade: Grade, dice: Stream) -> str:
    within = [family for family in FAMILIES if family.grade <= grade]
    hardest = [family for family in within if family.grade == grade]
    family = dice.choice(hardest if dice.chance(0.6) else within)
    values = family.draw(dice)
    code = family.shape.write(values)
    solution = family.solve({name: str(value) for name, value in values.items()})
    if dice.chance(_SLIP[grade]):
        solution = _wrong(solution)
    example = "\n```python\nprint('an example that nobody asked for')\n```" if dice.chance(_SLIP[grade] / 2) else ""
    return f"```python\n{code}\n```\nIt asks for {' and '.join(family.tags)}.{example}\nSOLUTION: {solution}"


def _solve(grade: Grade, text: str, dice: Stream) -> str:
    known = _family(text)
    if known is None or known[0].grade > grade:
        return f"I do not see how to invert this, so I guess.\nSOLUTION: {dice.between(1, 99)}"
    family, values = known
    solution = family.solve(values)
    if dice.chance(_SLIP[grade]):
        solution = _wrong(solution)
    return f"This is about {family.tags[-1]}.\nSOLUTION: {solution}"


def _wrong(solution: str) -> str:
    """A wrong solution: off by one, or without its quotation marks."""
    return solution.strip("'\"") if solution[0] in "'\"" else str(int(solution) + 1)


def _family(text: str) -> tuple[Family, Values] | None:
    """The family of the puzzle in a prompt, with its values."""
    for family in FAMILIES:
        if values := family.shape.read(text):
            return family, values
    return None


DUELISTS = bots(_answer)
