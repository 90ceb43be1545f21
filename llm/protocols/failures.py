"""From what a server says to an error of `llm.errors`: what is worth another attempt, and when.

Retried: 408, 429 and 5xx (529 is Anthropic's overload). Never retried: all other 4xx, and what looks like a 429 but is
a spend limit (`insufficient_quota`, `enforced_spend_limit_reached`), for which waiting does not help.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NoReturn

from llm import errors
from llm.errors import CallError
from llm.protocols.wire import Json, decode, excerpt, objects, part, text_of

_SPEND = (
    "insufficient_quota",
    "enforced_spend_limit_reached",
    "billing_hard_limit_reached",
    "billing_error",
    "credit balance is too low",
)
_CONTEXT = (
    "exceed_context_size_error",  # llama.cpp
    "context_length_exceeded",  # OpenAI
    "maximum context length",  # vLLM, OpenRouter
    "prompt is too long",  # Anthropic
    "exceeds the maximum number of tokens",  # Gemini
)
_OVERLOADED = (503, 529)


def failure(status: int, text: str, headers: Mapping[str, str], now: float) -> CallError:
    """The error for a response that is no success. `text` is its body, `now` the time in Unix seconds."""
    body = _error_object(text)
    message = f"HTTP {status}: {excerpt(_message(body) or text) or 'no text'}"
    kind, congested = _kind(status, text.lower())
    wait = retry_after(headers, body, now) if issubclass(kind, errors.TransientError) else None
    return kind(message, status=status, retry_after=wait, body=text, congested=congested, billed=False)


def raise_reported(found: Json) -> NoReturn:
    """Raise the error inside a response of status 200, or that it is not what the protocol says."""
    reported = part(found, "error")
    if not reported:
        raise errors.MalformedReplyError(f"the answer has not the protocol's form: {excerpt(str(found))}")
    code = reported.get("code")
    names = f"{code} {text_of(reported, 'type')}".lower()
    status = code if isinstance(code, int) and 400 <= code < 600 else 429 if "rate_limit" in names else 500
    text = excerpt(str(reported), 2000)
    kind, congested = _kind(status, text.lower())
    raise kind(
        f"reported error: {excerpt(_message(found))}", status=status, body=text, congested=congested, billed=False
    )


def _kind(status: int, text: str) -> tuple[type[CallError], bool]:
    """The class, and whether the server has too much to do."""
    if status == 402 or (400 <= status < 500 and any(mark in text for mark in _SPEND)):
        return errors.SpendLimitError, False
    if status in (401, 403):
        return errors.AuthenticationError, False
    if status == 429:
        return errors.RateLimitedError, True
    if status in (408, 504):
        return errors.TimedOutError, False
    if status >= 500:
        # llama.cpp has answered too long a prompt with 500
        return (
            (errors.ContextLengthError, False) if _CONTEXT[0] in text else (errors.ServerError, status in _OVERLOADED)
        )
    if status == 413 or (status in (400, 422) and any(mark in text for mark in _CONTEXT)):
        return errors.ContextLengthError, False
    return errors.BadRequestError, False


def _error_object(text: str) -> Json:
    """The body, or an empty object: errors come as HTML and as plain text too, Gemini's in a list."""
    trimmed = text.strip()
    if trimmed.startswith("[") and trimmed.endswith("]"):
        trimmed = trimmed[1:-1]
    try:
        return decode(trimmed)
    except errors.MalformedReplyError:
        return {}


def _message(body: Json) -> str:
    return text_of(part(body, "error"), "message") or text_of(body, "error") or text_of(body, "message")


def retry_after(headers: Mapping[str, str], body: Json, now: float) -> float | None:
    """Seconds that the server asks to wait: its headers (seconds or a date), else Gemini's RetryInfo in the body."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after", "")
    seconds = _number(said)
    if seconds is None:
        seconds = _until(said, now)
    if seconds is not None:
        return seconds
    delays = [
        _number(text_of(detail, "retryDelay").removesuffix("s")) for detail in objects(part(body, "error"), "details")
    ]
    return next((delay for delay in delays if delay is not None), None)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d*)?\s*", text) else None


def _until(date: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.fromtimestamp(now, UTC)).total_seconds())
