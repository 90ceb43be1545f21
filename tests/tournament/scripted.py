"""Access to scripted models without a run around it, for tests of a single item."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from antemill.llm import Reply, Request, Usage

Script = Callable[[Request], str]


class Scripted:
    """Answers with scripts, and remembers what was asked."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self.scripts = scripts
        self.asked: list[tuple[str, Request]] = []

    async def ask(self, model: str, request: Request) -> Reply:
        self.asked.append((model, request))
        text = self.scripts[model](request)
        return Reply(
            text=text,
            finish="stop",
            usage=Usage(),
            seconds=0.0,
            attempts=1,
            stored=False,
            call=len(self.asked),
            model=model,
            gateway="script",
        )
