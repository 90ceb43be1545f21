"""Scripted duelists, and a judge for the harmless code of tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from antemill.engine.execute.sandbox import Verdict
from antemill.llm import Request

PUZZLE = "def mystery(x):\n    return x * x == {square} and x > 0"


def reply(square: int, solution: object, thoughts: str = "A square root.") -> str:
    """A proposer's reply."""
    return f"```python\n{PUZZLE.format(square=square)}\n```\n{thoughts}\nSOLUTION: {solution}"


def solver(request: Request) -> str:
    """Finds any square root."""
    found = re.search(r"x \* x == (\d+)", request.messages[0].text)
    assert found is not None
    return f"Let me see.\nSOLUTION: {round(int(found[1]) ** 0.5)}"


def is_proposal(request: Request) -> bool:
    """Whether a request asks for a puzzle."""
    return "You are the proposer" in request.messages[0].text


def strong(request: Request) -> str:
    """Proposes squares, a new one each turn, and solves everything."""
    return proposals(lambda n: reply(n * n, n))(request) if is_proposal(request) else solver(request)


def weak(request: Request) -> str:
    """Proposes squares, and answers nothing that can be read."""
    return proposals(lambda n: reply(n * n, n))(request) if is_proposal(request) else "I do not know."


def half(request: Request) -> str:
    """Proposes squares, and solves those whose root is even."""
    if is_proposal(request):
        return strong(request)
    said = solver(request)
    return said if int(said.rpartition(" ")[2]) % 2 == 0 else "SOLUTION: -1"


def lost(request: Request) -> str:
    """Proposes squares, and solves nothing."""
    return strong(request) if is_proposal(request) else "SOLUTION: 0"


def wrong(request: Request) -> str:
    """Proposes with wrong solutions, and solves everything."""
    return proposals(lambda n: reply(n * n, n + 1))(request) if is_proposal(request) else solver(request)


def silent(_request: Request) -> str:
    """Never says anything that can be read."""
    return "Hm."


def tagger(_request: Request) -> str:
    """Two tags."""
    return 'Tags: {"tags": ["Number Theory", "squares"]}'


def proposals(make: Callable[[int], str]) -> Callable[[Request], str]:
    """A proposer whose number grows with the turns in its history."""
    return lambda request: make(10 + request.messages[0].text.count("## Turn "))


def write_config(folder: Path, names: Sequence[str], **settings: object) -> Path:
    """A configuration of scripted players, who may answer what can not be read."""
    models = "".join(f'[{name}]\nprotocol = "scripted"\nmodel = "{name}"\n' for name in names)
    (folder / "models.toml").write_text(models)
    path = folder / "duels.toml"
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    listed = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in names)
    path.write_text(f"[limits]\nfallbacks = 0\n[duel]\n{lines}{listed}")
    return path


class TrustingJudge:
    """Runs the code right here: only for code that a test has written itself."""

    def __init__(self) -> None:
        self.checks: list[tuple[str, str]] = []

    async def check(self, puzzle: str, solution: str) -> Verdict:
        """The puzzle's own word."""
        self.checks.append((puzzle, solution))
        space: dict[str, object] = {}
        try:
            exec(puzzle, space)
            found = bool(eval(f"mystery({solution})", space))
        except Exception as error:
            return Verdict("error", type(error).__name__, 0.0, "trust")
        return Verdict("true" if found else "false", "", 0.0, "trust")
