"""Questions and answers in the common terms of all protocols."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from msgspec import Struct, field

Role = Literal["system", "user", "assistant"]  # the sender of a message
Finish = Literal["stop", "length", "refusal", "other"]  # the reason for the end of a reply


class Message(Struct, frozen=True):
    """One message of a conversation."""

    role: Role
    text: str


class Request(Struct, frozen=True, kw_only=True):
    """One question to a model. The model's entry adds effort, sampling and limits."""

    messages: tuple[Message, ...]  # a system message first, if any
    sample: str = ""  # index or name, part of the stored reply's key: another sample is another call
    schema: dict[str, Any] | None = None  # JSON schema of the answer, see `Entry.structured`
    plain: bool = (
        False  # the schema is sent only if the entry says structured = true: a paper's prompt has its own form
    )
    temperature: float | None = None  # overrides the entry's
    max_output: int | None = None  # overrides the entry's; tokens, thinking included
    purpose: str = ""  # such as "move" or "puzzle": recorded with the call, not part of the key

    @property
    def system(self) -> str:
        """The system message's text, or ""."""
        return self.messages[0].text if self.messages and self.messages[0].role == "system" else ""

    @property
    def turns(self) -> tuple[Message, ...]:
        """The messages without the system message."""
        return self.messages[1:] if self.messages and self.messages[0].role == "system" else self.messages


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens and dollars of one call. The five counts do not overlap, although a provider's own counts may."""

    input_uncached: int = 0
    input_cached: int = 0  # read from the provider's prompt cache
    cache_write: int = 0  # input that was written to the cache
    output_visible: int = 0  # includes the thinking if the provider does not report it separately
    reasoning: int = 0
    cost_reported: float | None = None  # dollars, by the provider or gateway
    cost_estimated: float | None = None  # dollars, from the entry's prices; None without prices
    cost_assumed: float | None = None  # the most dollars, if the reply has no usable counts; else None
    raw: dict[str, Any] = field(default_factory=dict)  # the usage in the provider's own form
    counted: bool = True  # whether the counts are usable

    @property
    def cost(self) -> float:
        """Dollars: reported, else assumed, else estimated, else 0."""
        known = (self.cost_reported, self.cost_assumed, self.cost_estimated)
        return next((dollars for dollars in known if dollars is not None), 0.0)

    @property
    def assumed(self) -> bool:
        """Whether `cost` is an assumption: the most that the call can have cost."""
        return self.cost_reported is None and self.cost_assumed is not None

    @property
    def input(self) -> int:
        """All tokens read."""
        return self.input_uncached + self.input_cached + self.cache_write

    @property
    def output(self) -> int:
        """All tokens written."""
        return self.output_visible + self.reasoning


class Answer(Struct, frozen=True):
    """The content of a successful response. An empty or truncated text is an answer too."""

    text: str
    finish: Finish
    usage: Usage = Usage()
    model: str = ""  # the model's name in the reply, with the server's fingerprint if it sends one
    provider: str = ""  # the provider that a gateway asked, if reported


class Reply(Struct, frozen=True, kw_only=True):
    """An answer and how it was obtained."""

    text: str
    finish: Finish  # "length": truncated, possibly before the first visible word
    usage: Usage
    seconds: float  # of the attempt that was answered
    attempts: int  # 1 if the first was answered
    stored: bool  # whether it comes from the store, without a new payment
    call: int  # row of the call store
    model: str  # the entry's name
    gateway: str  # host that was asked, and the provider behind it if reported: "openrouter.ai/DeepInfra"
    schema: bool = False  # whether the request's schema was sent
    cut: str = ""  # evidence that the server has read only a part of the prompt; "" for none, and for stored replies


Script = Callable[[Request], "str | Answer | Awaitable[str | Answer]"]
"""A fake model: answers a request. Its answer depends on the request alone. It raises CallErrors to simulate faults."""
