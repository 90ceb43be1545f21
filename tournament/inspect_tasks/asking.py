"""Models of Inspect and our bots, in the form that a duel asks (`antemill.tournament.runs.Access`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
)

from antemill.llm import Message, Reply, Request, Usage

CUT, DECLINED = ("max_tokens", "model_length"), "content_filter"  # Inspect's reasons why a reply ended
_FORMS: Mapping[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


class Asking:
    """Asks by name. models: of Inspect; bots: scripts. `asked` has the name that each call asked, in order."""

    def __init__(self, models: Mapping[str, Model], bots: Mapping[str, Callable[[Request], Any]]) -> None:
        self._models, self._bots = models, bots
        self.asked: list[str] = []

    async def ask(self, model: str, request: Request) -> Reply:
        """One reply. Errors of a service are Inspect's, which fail or retry the sample."""
        call, begun = len(self.asked), monotonic()
        self.asked.append(model)
        if model in self._bots:
            output = ModelOutput.from_content(model, str(self._bots[model](request)))
        else:
            config = GenerateConfig(temperature=request.temperature)
            output = await self._models[model].generate(list(map(_message, request.messages)), config=config)
        return _reply(output, call, model, monotonic() - begun)


def _message(message: Message) -> ChatMessage:
    return _FORMS[message.role](content=message.text)


def _reply(output: ModelOutput, call: int, model: str, seconds: float) -> Reply:
    cut, declined = output.stop_reason in CUT, output.stop_reason == DECLINED
    used = output.usage
    return Reply(
        text=output.completion,
        finish="length" if cut else "refusal" if declined else "stop",
        usage=Usage(input_uncached=used.input_tokens, output_visible=used.output_tokens) if used else Usage(),
        seconds=seconds,
        attempts=1,
        stored=False,
        call=call,
        model=model,
        gateway="inspect",
    )
