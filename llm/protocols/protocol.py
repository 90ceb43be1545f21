"""The description of a protocol: a few functions without state or network, of which `headers` alone gets the key."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from antemill.llm.entry import Entry
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Message, Request

OPTIONS = ("limit", "thinking", "thinking_budget", "top_k", "min_p", "verbosity", "prompt_cache")
"""Keys of an entry that some protocols do not have. Such a key is refused, not silently ignored."""


class Protocol(Struct, frozen=True, kw_only=True):
    """The way to write a question.

    base_url    the provider's own; "" without a network
    body        the request, with the schema that is sent or None; the caller merges `extra_body` into it
    messages    the conversation in a body, for people
    reasoning   the model's thinking in a raw reply: all of it, a summary, or ""
    options     the keys of `OPTIONS` that an entry may have
    reserved    fields of the body that the entry's other keys determine, so that `extra_body` must not set them
    """

    base_url: str
    body: Callable[[Entry, Request, Json | None], Json]
    messages: Callable[[Json], tuple[Message, ...]]
    reasoning: Callable[[Json], str] = lambda _reply: ""
    options: tuple[str, ...]
    reserved: tuple[str, ...] = ()


class HttpProtocol(Protocol, frozen=True, kw_only=True):
    """The way to ask a server, and to read its answers.

    path        appended to the base URL
    headers     from the key; None: without a key
    answer      the answer in a success without an error; raises CallError
    listing     path of the list of models
    least       the smallest limit of an answer that the provider takes, in tokens
    """

    path: Callable[[Entry], str]
    headers: Callable[[str | None], dict[str, str]]
    answer: Callable[[Json], Answer]
    listing: str = "/models"
    least: int = 1
