"""Scripted players of SKATE with planted skills, and programs that run without a sandbox: only the tests' own."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

from antemill.llm import Request
from antemill.tournament.skate.config import SkateConfig
from antemill.tournament.skate.kind import rules_of
from antemill.tournament.skate.play import Rules
from antemill.tournament.skate.tasks.output import OutputPrediction, Ran

SHAPES = (
    "print({n} * {n} + {m})",
    "words = ['a', 'b', 'c'] * {n}\nprint(''.join(words)[::{m}])",
    "def f(k):\n    return 1 if k < 2 else k * f(k - 1)\nprint(f({n}))",
    "found = {{x: x ** 2 for x in range({n})}}\nprint(sum(found.values()) % {m})",
    "total = 0\nfor i in range({n}):\n    if i % 3:\n        total += i\n    else:\n        total -= {m}\nprint(total)",
    "print(sorted(str({n} ** {m}), reverse=True))",
    "class A:\n    x = {n}\n    def __repr__(self):\n        return f'<{{self.x}}>'\nprint([A()] * {m})",
    "import math\nprint(math.gcd({n}, {m}), math.comb({n}, 2))",
)


def chance(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2.0**64


def skater(name: str, skill: float) -> Callable[[Request], str]:
    """Sets a new shape of question each time, and answers correctly with the probability `skill`."""

    def answer(request: Request) -> str:
        text = request.messages[0].text
        if request.purpose == "question":
            number = text.count("\nQuestion ") + text.count("\nAttempt ")
            shape = SHAPES[number % len(SHAPES)]
            return f"[shape {number}]\n{shape.format(n=5 + number + len(name), m=3 + number % 4)}"
        if request.purpose == "distractors":
            return json.dumps({"distractors": [f"wrong {i}" for i in range(9)]})
        options: dict[str, str] = dict(re.findall(r"^([A-D])\) (.*)$", text, re.MULTILINE))
        (right,) = [letter for letter, option in options.items() if not option.startswith("wrong")]
        if chance(name, request.sample) < skill:
            return f"ANSWER: {right}"
        return "ANSWER: " + next(letter for letter in "ABCD" if letter != right)

    return answer


class TrustedPrograms:
    """Runs programs right here."""

    async def run(self, code: str) -> Ran:
        """What it prints."""
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(code, {})
        except Exception as error:
            return Ran("", f"it fails ({type(error).__name__})")
        return Ran(out.getvalue(), "")


def rules(config: SkateConfig, *_: object) -> Rules:
    """A game's rules with trusted programs."""
    return rules_of(config.skate, OutputPrediction(TrustedPrograms()))


def write_config(folder: Path, skills: dict[str, float], **settings: object) -> Path:
    """A configuration with scripted players."""
    lines = ["[skate]", *(f"{name} = {json.dumps(value)}" for name, value in settings.items())]
    for name in skills:
        lines += [f"[players.{name}]", f'model = "{name}"']
    (folder / "models.toml").write_text(
        "".join(f'[{name}]\nprotocol = "scripted"\nmodel = "{name}"\n' for name in skills)
    )
    path = folder / "skate.toml"
    path.write_text("\n".join(lines) + "\n")
    return path
