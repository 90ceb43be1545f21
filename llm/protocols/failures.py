"""Decides the meaning of a server's error for the call: a reply (a refusal), or a CallError.

The protocols list the recorded shapes of errors. All shapes are tried for every host, because gateways pass on the
errors of the providers behind them; the first that fits counts. Three other signs count too:

    402 with Retry-After     a rate limit, not an empty account
    x-should-retry           whether another attempt makes sense, according to the provider
    Retry-After              seconds or a date, or Gemini's RetryInfo in the body

A refusal is a reply, since the provider would refuse the same request again. A text that the provider could not
validate is a reply too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from antemill.llm import errors
from antemill.llm.entry import ErrorRule, Outcome
from antemill.llm.errors import CallError
from antemill.llm.protocols.meaning import lasting, meant, never_fits
from antemill.llm.protocols.outcomes import BROKEN, KNOWN, STATUS_OF, ErrorShape, by_status
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.protocols.table import PROTOCOLS
from antemill.llm.protocols.wire import Json, decode, excerpt, objects, part, text_of
from antemill.llm.types import Answer, Usage

_NAMING = ("code", "type", "status", "reason", "error_type", "error_code", "limit_source")
_STATUSES = ("code", "status", "status_code", "statusCode", "http_status", "httpStatus", "error_code")
_WORDS = 2000  # characters of a text that are read for the meaning of an error
_KINDS: dict[Outcome, type[CallError]] = {
    "spend": errors.SpendLimitError,
    "context": errors.ContextLengthError,
    "login": errors.AuthenticationError,
    "item": errors.ItemError,
    "request": errors.BadRequestError,
    "rate": errors.RateLimitedError,
    "overloaded": errors.ServerError,
    "timeout": errors.TimedOutError,
    "server": errors.ServerError,
}


ERROR_SHAPES = [
    shape for protocol in PROTOCOLS.values() if isinstance(protocol, HttpProtocol) for shape in protocol.errors
]


def verdict(
    status: int, text: str, headers: Mapping[str, str], now: float, rules: Sequence[ErrorRule] = ()
) -> Answer | CallError:
    """The meaning of a response that is not a success: an answer or an error.

    text: the body. now: the time in Unix seconds. rules: the user's own, which have priority.
    """
    body = _error_object(text)
    outcome, billed = _judged(status, body, rules, text)
    if outcome in ("refusal", "unparsable"):
        return _reply(outcome, body, billed)
    wait = retry_after(headers, body, now)
    if status == 402 and wait is not None and _ruled(status, body, rules, text) is None:
        outcome = "rate"
    kind = _obeyed(_KINDS[outcome], headers.get("x-should-retry", ""))
    passes = issubclass(kind, errors.TransientError)
    message = f"HTTP {status}: {excerpt(_message(body) or text) or 'no text'}"
    if outcome == "rate" and lasting(list(_names(body)), " ".join(_texts(body)) if body else _without_tags(text)):
        wait, ends = _lasts(headers, body, wait, now)
        message = f"{message} (a quota for a longer time, {ends})"
    return kind(
        message,
        status=status,
        retry_after=wait if passes else None,
        body=text,
        congested=passes and outcome in ("rate", "overloaded"),
        billed=False,
        doubtful=kind is errors.BadRequestError or (kind is errors.AuthenticationError and status not in (401, 407)),
    )


def read_answer(protocol: HttpProtocol, found: Json, rules: Sequence[ErrorRule] = (), text: str = "") -> Answer:
    """The answer in a success. Raises CallError if it carries an error, or is not an answer of the protocol.

    An empty text with an unknown finish reason, or with none, is a failure of the server. text: the body, which is
    compared with the user's rules.
    """
    choice, finish = protocol.ending(found)
    refused = _reported(found, choice, finish, rules, text)
    if refused is not None:
        return refused
    try:
        answer = protocol.answer(found)
    except errors.MalformedReplyError as error:
        if _named_status(found) is not None and not _begun(found):
            refused = _reported({"error": found}, {}, "", rules, text)
        if refused is None:
            raise _explained(found, rules, text) or error from None
        return refused
    if answer.finish == "other" and finish.lower() not in KNOWN and not answer.text.strip():
        if not finish and protocol.reasoning(found).strip():
            return answer  # the model has answered, but in the field for its reasoning
        reason = f'ended for a reason that is not known here: "{excerpt(finish, 60)}"' if finish else "names no end"
        what = f"the answer is empty, and {reason}"
        raise errors.ServerError(what, body=str(found), billed=_begun(found), doubtful=True)
    return answer


def _explained(found: Json, rules: Sequence[ErrorRule], text: str) -> CallError | None:
    """The error in a success without an answer and without an error object, if its words name one; else None."""
    words = " ".join(_texts(found))
    names = {name.lower() for name in _names(found)}
    outcome = _ruled(200, found, rules, text) or meant(400, names, words.lower())
    if outcome is None or outcome in ("refusal", "unparsable", "server") or _begun(found):
        return None
    kind = _KINDS[outcome]
    return kind(f"reported error: {excerpt(words)}", body=words, congested=outcome == "rate", billed=False)


def _reported(found: Json, choice: Json, finish: str, rules: Sequence[ErrorRule], text: str) -> Answer | None:
    """The meaning of an error in a success (at its top or in its `choice`), or None if it carries none.

    Returns a reply for a refusal. Raises CallError for other errors, and if `finish` says that the server broke off.
    """
    error = found.get("error") or choice.get("error")
    if not isinstance(error, (dict, str)) or not error:
        if finish.lower() in BROKEN:
            what = f'the server broke off: "{finish}"'
            raise errors.ServerError(what, body=str(found), billed=_begun(found), doubtful=True)
        return None
    body: Json = {"error": error}
    if isinstance(error, str):  # then the names are fields next to it
        body |= {key: found[key] for key in ("code", "type") if key in found}
    status = _status(body, found)
    outcome, billed = _judged(status, body, rules, text or str(error))
    billed = billed or _begun(found)
    if outcome in ("refusal", "unparsable"):
        return _reply(outcome, body, billed)
    kind = _KINDS[outcome]
    raise kind(
        f"reported error: {excerpt(_message(body) or str(error))}",
        status=status,
        body=str(error),
        congested=outcome in ("rate", "overloaded"),
        billed=billed,
        doubtful=kind in (errors.BadRequestError, errors.ServerError) and outcome != "overloaded",
    )


def _judged(status: int, body: Json, rules: Sequence[ErrorRule], text: str) -> tuple[Outcome, bool]:
    """The outcome, and whether it is charged. text: compared with the user's rules."""
    if ruled := _ruled(status, body, rules, text):
        return ruled, False
    names = {name.lower() for name in _names(body)}
    message = _message(body).lower()
    shape = shape_of(status, names, message)
    if shape is not None:
        return shape.outcome, shape.billed
    said = " ".join(_texts(body)) if body else _without_tags(text)
    return meant(status, names, said.lower()) or by_status(status), False


def _ruled(status: int, body: Json, rules: Sequence[ErrorRule], text: str) -> Outcome | None:
    """The outcome by the first of the user's rules that fits the body, raw or with JSON's escapes decoded."""
    if not rules:
        return None
    whole = f"{text}\n{' '.join(_texts(body))}"
    return next((rule.outcome for rule in rules if rule.fits(status, whole)), None)


def shape_of(status: int, names: Collection[str], message: str) -> ErrorShape | None:
    """The first shape that fits an error, or None. names, message: in lower case."""
    if never_fits(status, message):
        return None  # whatever name the provider gives it
    return next((shape for shape in ERROR_SHAPES if shape.fits(status, names, message)), None)


def _reply(outcome: Outcome, body: Json, billed: bool) -> Answer:
    """A refusal in the provider's words, or a text of the model. It has no counts; if billed, the most is charged."""
    if outcome == "refusal":
        return Answer(_message(body), "refusal", Usage(counted=not billed))
    return Answer(text_of(part(body, "error"), "failed_generation"), "other", Usage(counted=not billed))


def _obeyed(kind: type[CallError], said: str) -> type[CallError]:
    """The class of the error, or a retried or permanent one in its place if the server says whether to retry."""
    if said == "true" and not issubclass(kind, errors.TransientError):
        return errors.ServerError
    if said == "false" and issubclass(kind, errors.TransientError):
        return errors.SpendLimitError if kind is errors.RateLimitedError else errors.BadRequestError
    return kind


def _status(body: Json, whole: Json) -> int:
    """The status of an error inside a success: a number in the error or in the body, else the status of its names."""
    named = _named_status(part(body, "error")) or _named_status(whole)
    return named or next((STATUS_OF[name.lower()] for name in _names(body) if name.lower() in STATUS_OF), 500)


def _named_status(found: Json) -> int | None:
    """The failed status that an object names, as a number or in digits; None if there is none."""
    for key in _STATUSES:
        value = found.get(key)
        if re.fullmatch("[45][0-9][0-9]", str(value)) and isinstance(value, (int, str)):
            return int(value)
    return None


def _names(value: object, depth: int = 8) -> Iterator[str]:
    """The names in an error (its code, type and the like), outermost first, with the keys of `metadata`."""
    if isinstance(value, list) and depth:
        for item in value:
            yield from _names(item, depth - 1)
    if isinstance(value, dict) and depth:
        yield from (value[key] for key in _NAMING if isinstance(value.get(key), str))
        yield from part(value, "metadata")
        for inner in value.values():
            yield from _names(inner, depth - 1)


def _without_tags(text: str) -> str:
    """The words of an HTML page or of a plain text."""
    return re.sub(r"<[^<>]{0,400}>", " ", text[: 10 * _WORDS])[:_WORDS]


def _texts(value: object, depth: int = 8) -> Iterator[str]:
    """All sentences of an error, in any field."""
    if isinstance(value, str):
        yield value[:_WORDS]
    if isinstance(value, list) and depth:
        for item in value[:_WORDS]:
            yield from _texts(item, depth - 1)
    if isinstance(value, dict) and depth:
        for key, inner in value.items():
            if key not in _NAMING or (isinstance(inner, str) and " " in inner):  # a sentence is no name
                yield from _texts(inner, depth - 1)


def _error_object(text: str) -> Json:
    """The body, or an empty object: errors may also be HTML or plain text, and Gemini's are in a list."""
    trimmed = text.strip()
    if trimmed.startswith("[") and trimmed.endswith("]"):
        trimmed = trimmed[1:-1]
    try:
        return decode(trimmed)
    except errors.MalformedReplyError:
        return {}


def _message(body: Json) -> str:
    """The error's text; for a gateway, together with the provider's text."""
    error = part(body, "error")
    own = text_of(error, "message") or text_of(body, "error") or text_of(body, "message") or text_of(body, "detail")
    return f"{own} {text_of(part(error, 'metadata'), 'raw')}".strip()


def _begun(found: Json) -> bool:
    """Whether the model had begun to answer, as counts or a text show. Then the attempt may be charged."""
    written = any(found.get(key) for key in ("choices", "output", "content", "candidates"))
    return written or bool(part(found, "usage") or part(found, "usageMetadata"))


def retry_after(headers: Mapping[str, str], body: Json, now: float) -> float | None:
    """Seconds that the server asks the client to wait, from its headers, else from Gemini's RetryInfo in the body."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after", "")
    seconds = _number(said.partition(",")[0])  # a header sent twice; the comma in a date follows no number
    if seconds is None:
        seconds = _reset(said.strip().removesuffix("s"), now)
    if seconds is not None:
        return seconds
    delays = [
        _number(text_of(detail, "retryDelay").removesuffix("s")) for detail in objects(part(body, "error"), "details")
    ]
    return next((delay for delay in delays if delay is not None), None)


_HOUR = 3600.0
_LONGEST_QUOTA = 40 * 24 * _HOUR  # seconds


def _lasts(headers: Mapping[str, str], body: Json, wait: float | None, now: float) -> tuple[float, str]:
    """The time until the end of a quota for a day or more, in seconds and in words; an hour if no end is given.

    A pause of less than ten minutes belongs to another limit.
    """
    inner = part(body, "error", "metadata", "headers")
    told = {name.lower(): str(value) for name, value in (inner | dict(headers)).items()}
    resets = [_reset(value, now) for name, value in told.items() if "reset" in name]
    known = [seconds for seconds in (*resets, wait) if seconds is not None and seconds <= _LONGEST_QUOTA]
    longest = max(known, default=0.0)
    if longest < _HOUR / 6:
        return _HOUR, "which does not say when it ends"
    end = datetime.fromtimestamp(now + longest, UTC)
    return longest, f"which ends at {end:%Y-%m-%d %H:%M} UTC"


def _reset(text: str, now: float) -> float | None:
    """Seconds until a quota is renewed, from a time in Unix seconds or milliseconds, a date, or a number of seconds."""
    number = float(text) if re.fullmatch(r"[0-9]{1,16}(\.[0-9]{0,9})?", text.strip()) else None
    if number is None:
        return _until(text, now)
    for unit in (1.0, 1000.0):
        if abs(number / unit - now) < _LONGEST_QUOTA:
            return max(0.0, number / unit - now)
    return number if number < _LONGEST_QUOTA else None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]{0,9})?\s*", text) else None


def _until(date: str, now: float) -> float | None:
    """Seconds until a date in one of HTTP's three forms or in ISO 8601; None for anything else."""
    moment = _moment(date.strip())
    if moment is None:
        return None
    try:
        return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _moment(date: str) -> datetime | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return read(date)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None
