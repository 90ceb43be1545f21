"""Reads a server's response: the answer, or the CallError of its status. A failed status inside a success counts alike.

The class of an error follows from the status alone (`antemill.llm.errors.class_of`); its text is for people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from antemill.llm.errors import AgainError, CallError, class_of, malformed
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.wire import Json, decode, excerpt, objects, part, text_of
from antemill.llm.types import Answer

_STATUSES = ("code", "status", "status_code", "statusCode", "http_status", "error_code")
_PAID = ("usage", "usageMetadata")


def failure(status: int, text: str, headers: Mapping[str, str], now: float) -> CallError:
    """The error of a response that is not a success. text: the body. now: the time in Unix seconds."""
    message = f"HTTP {status}: {excerpt(_message(text)) or 'no text'}"
    return class_of(status)(message, status=status, retry_after=retry_after(headers, now), body=text)


def read_answer(protocol: HttpProtocol, found: Json) -> Answer:
    """The answer in a success. Raises CallError if it carries an error, or is not an answer of the protocol."""
    reported = [found, *objects(found, "choices")]
    error = next((one["error"] for one in reported if one.get("error")), None)
    billed = any(part(found, key) for key in _PAID)
    try:
        if error is None:
            return protocol.answer(found)
    except AgainError as wrong:
        if _failed_status(found) is None:
            raise
        error, billed = found, wrong.billed and billed
    inside = error if isinstance(error, dict) else {}
    message = f"reported error: {excerpt(text_of(inside, 'message') or str(error))}"
    status = _failed_status(inside) or _failed_status(found)
    if status is None:
        raise malformed(message, str(error))
    raise class_of(status)(message, status=status, body=str(error), billed=billed)


def _failed_status(found: Json) -> int | None:
    """The failed status that an object names, as a number or in digits; None if there is none."""
    named = (found.get(key) for key in _STATUSES)
    return next(
        (int(one) for one in named if isinstance(one, int | str) and re.fullmatch("[45]\\d\\d", str(one))), None
    )


def _message(text: str) -> str:
    """The server's sentence, with the provider's behind a gateway; the whole text if it has no known place."""
    try:
        body = decode(text.strip().removeprefix("[").removesuffix("]") if text.lstrip().startswith("[") else text)
    except CallError:
        return re.sub(r"<[^<>]{0,400}>", " ", text[:10_000])  # an HTML page, or plain text
    error = part(body, "error")
    texts = (text_of(error, "message"), *(text_of(body, key) for key in ("error", "message", "detail")))
    said = next((one for one in texts if one), "")
    return f"{said} {text_of(part(error, 'metadata'), 'raw')}".strip() or text


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks the client to wait: a number of seconds, or a date."""
    said = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", said):
        return float(said)
    try:
        moment = parsedate_to_datetime(said)
        return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
