"""What describes a protocol: everything that the rest of `llm` knows about it.

A protocol is a few functions without state. They never see a key's value but in `headers`, and never the network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from antemill.llm.entry import Entry
from antemill.llm.protocols.outcomes import ErrorShape
from antemill.llm.protocols.wire import Json
from antemill.llm.types import Answer, Message, Request

OPTIONS = ("dialect", "thinking", "thinking_budget", "top_k", "min_p", "verbosity", "prompt_cache")
"""Keys of an entry that not every protocol has a place for. One that has none is refused, not left out in silence."""


class Options(Struct, frozen=True):
    """Which of `OPTIONS` an entry may have. provider: whom a message names that refuses another."""

    taken: frozenset[str]
    provider: str


def effort_and_budget(entry: Entry) -> str | None:
    """What most providers refuse: an effort beside a thinking budget."""
    if entry.effort and entry.thinking_budget is not None:
        return "has both effort and thinking_budget, which providers refuse; leave one out."
    return None


class Protocol(Struct, frozen=True, kw_only=True):
    """How a question is written.

    base_url    the provider's own; "" if it is not asked over the network
    body        the request with the schema that is sent, or None; `extra_body` is laid over it by the caller
    messages    the conversation in a body, to be read by people
    reasoning   what a raw reply shows of the model's thinking: all of it, a summary, or nothing
    options     which of the keys that not all protocols have an entry may have
    problem     what else can not work about an entry, as a sentence that begins with "has"
    reserved    fields of the body that the entry's other keys decide, so that `extra_body` must not
    """

    base_url: str
    body: Callable[[Entry, Request, Json | None], Json]
    messages: Callable[[Json], tuple[Message, ...]]
    reasoning: Callable[[Json], str] = lambda _reply: ""
    options: Callable[[Entry], Options]
    problem: Callable[[Entry], str | None] = effort_and_budget
    reserved: tuple[str, ...] = ()


class HttpProtocol(Protocol, frozen=True, kw_only=True):
    """How a server is asked, and what its answers say.

    path        appended to the base URL
    headers     from the key; None: without a key
    answer      of a success that carries no error; raises CallError
    ending      of a success: the part beside which an error may stand, and the reason that it names for its end
    streamed    the answer that the events of a stream amount to, from a server that streams without being asked to
    listings    paths that are asked whether the model is there, at no cost
    lists       whether the content of the last of them names the model
    errors      shapes of errors that its providers were seen to answer with
    """

    path: Callable[[Entry], str]
    headers: Callable[[str | None], dict[str, str]]
    answer: Callable[[Json], Answer]
    ending: Callable[[Json], tuple[Json, str]] = lambda _found: ({}, "")
    streamed: Callable[[list[Json]], Json] = lambda events: events[-1] if events else {}
    listings: Callable[[Entry], Sequence[str]] = lambda entry: [f"/models/{entry.remote.removeprefix('models/')}"]
    lists: Callable[[Entry, bytes], bool] = lambda _entry, _page: True
    errors: tuple[ErrorShape, ...] = ()
