"""The description of a protocol, the only thing that the rest of `llm` knows about it.

A protocol is a few functions without state. Only `headers` receives the key, and no function uses the network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from antemill.llm.entry import Entry
from antemill.llm.protocols.outcomes import ErrorShape
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Message, Request

OPTIONS = ("dialect", "thinking", "thinking_budget", "top_k", "min_p", "verbosity", "prompt_cache")
"""Keys of an entry that some protocols do not have. Such a key is refused, not silently ignored."""


class Options(Struct, frozen=True):
    """Which of `OPTIONS` an entry may have. provider: the name in messages that refuse another option."""

    taken: frozenset[str]
    provider: str


def effort_and_budget(entry: Entry) -> str | None:
    """The problem of an effort together with a thinking budget, which most providers refuse."""
    if entry.effort and entry.thinking_budget is not None:
        return "has both effort and thinking_budget, which providers refuse; leave one out."
    return None


class Protocol(Struct, frozen=True, kw_only=True):
    """The way to write a question.

    base_url    the provider's own; "" if the model is not asked over the network
    body        the request, with the schema that is sent or None; the caller merges `extra_body` into it
    messages    the conversation in a body, for people
    reasoning   the model's thinking in a raw reply: all of it, a summary, or ""
    options     the keys of `OPTIONS` that an entry may have
    problem     another setting of an entry that cannot work, as a sentence that begins with "has"
    reserved    fields of the body that the entry's other keys determine, so that `extra_body` must not set them
    """

    base_url: str
    body: Callable[[Entry, Request, Json | None], Json]
    messages: Callable[[Json], tuple[Message, ...]]
    reasoning: Callable[[Json], str] = lambda _reply: ""
    options: Callable[[Entry], Options]
    problem: Callable[[Entry], str | None] = effort_and_budget
    reserved: tuple[str, ...] = ()


class HttpProtocol(Protocol, frozen=True, kw_only=True):
    """The way to ask a server, and to read its answers.

    path        appended to the base URL
    headers     from the key; None: without a key
    answer      the answer in a success without an error; raises CallError
    ending      for a success: the part that may carry an error, and its finish reason
    streamed    the answer assembled from a stream's events, for a server that streams without being asked to
    listings    paths that show at no cost whether the server has the model
    lists       whether the content of the last of these paths names the model
    errors      the recorded shapes of its providers' errors
    """

    path: Callable[[Entry], str]
    headers: Callable[[str | None], dict[str, str]]
    answer: Callable[[Json], Answer]
    ending: Callable[[Json], tuple[Json, str]] = lambda _found: ({}, "")
    streamed: Callable[[list[Json]], Json] = lambda events: events[-1] if events else {}
    listings: Callable[[Entry], Sequence[str]] = lambda entry: [f"/models/{entry.remote.removeprefix('models/')}"]
    lists: Callable[[Entry, bytes], bool] = lambda _entry, _page: True
    errors: tuple[ErrorShape, ...] = ()
