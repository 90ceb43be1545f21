"""The rows of the call store, their totals, and a call in readable form."""

from __future__ import annotations

from msgspec import Struct

from antemill.llm.errors import AgainError
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.wire import Json, decode
from antemill.llm.types import Message, Usage

SENT = "Sent"  # in place of an error's class: the attempt is in flight, or its process ended before an answer


class Call(Struct, frozen=True, kw_only=True):
    """One row of `calls`, which `CallStore.add` writes and `CallStore.call` reads."""

    key: str  # of the stored reply: protocol, base URL, model, body, sample
    model: str  # the entry's name
    protocol: str
    gateway: str
    remote: str  # the model's name in the request
    served: str = ""  # the model's name in the reply
    sample: str
    purpose: str
    status: str = "ok"  # or "failed"
    error: str = ""  # class and message of the error that ended a failed call
    finish: str = ""
    text: str = ""
    request: str  # JSON body
    reply: str = ""  # raw
    prompt_hash: str  # of the messages alone
    usage: Usage = Usage()
    time: float  # Unix seconds at the start
    seconds: float = 0.0  # of the attempt that was answered
    total_seconds: float  # including waits, queueing and failed attempts
    attempts: int = 0


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt that is in flight or has failed."""

    key: str
    model: str
    number: int  # from 1
    time: float
    seconds: float = 0.0
    status: int | None = None
    error: str  # class, or SENT
    message: str
    body: str = ""
    retry_after: float | None = None
    risk: float  # dollars that the provider may charge if no answer arrives


class Totals(Struct, frozen=True, kw_only=True):
    """The totals of one model, or of all models."""

    model: str
    calls: int = 0  # answered
    failed: int = 0  # given up
    failed_attempts: int = 0
    timeouts: int = 0  # of the failed attempts
    input_uncached: int = 0
    input_cached: int = 0
    cache_write: int = 0
    output_visible: int = 0
    reasoning: int = 0
    cost: float = 0.0  # dollars
    unpriced: int = 0  # answered calls of which neither server nor prices say what they cost; 0 in `cost`
    assumed: int = 0  # answered calls without usable counts, charged at their largest possible cost
    assumed_cost: float = 0.0  # dollars of those, a part of `cost`
    possible: float = 0.0  # the most dollars of attempts without an answer that may have been charged
    possible_attempts: int = 0
    under_way: float = 0.0  # the most dollars of attempts in flight; not part of `possible`
    seconds: float = 0.0  # sum over the answered attempts


class StageTotals(Struct, frozen=True, kw_only=True):
    """The totals of one model in one stage of a run, see `CallStore.stages`."""

    stage: str
    model: str
    calls: int  # answered
    input_tokens: int
    output_tokens: int  # reasoning included
    cost: float  # dollars
    assumed: int = 0  # answers without usable counts
    assumed_cost: float = 0.0  # dollars of those, a part of `cost`


class Conversation(Struct, frozen=True):
    """One call."""

    messages: tuple[Message, ...]  # as sent, the system message first
    text: str  # the answer
    reasoning: str  # "" if there is none


def conversation(call: Call) -> Conversation:
    """Read a call of the store. Parts that were not recorded, or cannot be read, are empty, as in old calls."""
    protocol = PROTOCOLS.get(call.protocol)
    if protocol is None:
        return Conversation((), call.text, "")
    return Conversation(protocol.messages(_object(call.request)), call.text, protocol.reasoning(_object(call.reply)))


def _object(text: str) -> Json:
    try:
        return decode(text)
    except AgainError:
        return {}
