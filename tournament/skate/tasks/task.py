"""The protocol of tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from antemill.llm import Reply
from antemill.tournament.skate.prompts import Brief

T = TypeVar("T")


class InvalidQuestionError(Exception):
    """A setter's attempt that is not accepted. text: what is fed back of it, the question if there was one."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.text = text


class Ask(Protocol):
    """How a task asks the setter something; `purpose` names the call within the attempt."""

    async def __call__(
        self, prompt: str, purpose: str, parse: Callable[[Reply], T], schema: dict[str, Any] | None = None
    ) -> T:
        """The answer. parse: raises ReplyError, whose sentence the setter is sent once. schema: of the reply, as JSON.

        Raises InvalidQuestionError if no reply could be read.
        """
        ...


class Draft(Struct, frozen=True):
    """A question that a setter made. text: what the answering player is shown, and what distances are measured on."""

    text: str
    explanation: str = ""


class Task(Protocol):
    """One kind of questions. The methods are called in this order, for each of a setter's attempts."""

    @property
    def name(self) -> str:
        """In configurations and tables."""
        ...

    @property
    def judged(self) -> Mapping[str, str]:
        """Who found the truths: the sandbox's `backend` and `python` (version and build); empty if nothing was run."""
        ...

    async def make(self, ask: Ask, brief: Brief) -> Draft:
        """Ask the setter for a question. Raises InvalidQuestionError if the reply holds none."""
        ...

    async def validate(self, draft: Draft) -> str:
        """The truth, found by execution. Raises InvalidQuestionError if the question has no unique answer."""
        ...

    async def options(self, ask: Ask, draft: Draft, truth: str) -> list[str]:
        """Distinct wrong answers, nine or more than three. Raises InvalidQuestionError if there are too few."""
        ...

    def prompt(self, text: str, options: Sequence[str]) -> str:
        """What the player who answers is sent."""
        ...
