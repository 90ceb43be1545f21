"""Errors of the model layer. A call without an answer has one of three classes, by its HTTP status and nothing else.

    LLMError                   one sentence: the problem, and what to do
    ├── ModelFileError         the model list cannot be used, or lacks the model
    ├── StoreError             the call store cannot be read or written
    │   └── StoreLockedError   another process locks it
    ├── BudgetExceededError    the call was not sent: its worst case exceeds the rest of the budget
    ├── CallDroppedError       the call was not sent (again): the client is closing
    └── CallError              a call got no answer
        ├── AgainError         no connection, a broken or malformed answer, a time-out, 408, 409, 425, 429, 5xx: asked
        │                      again until the model's deadline, or until three attempts may have been charged
        ├── StopError          401, 402, 407, or nothing can be sent from this machine: no call of the model can succeed
        └── ItemError          any other status: this prompt is refused

No text holds a key: the client redacts them. A script of a fake model raises CallErrors to simulate faults.
"""

from __future__ import annotations

_AGAIN = (408, 409, 425, 429)
_STOP = (401, 402, 407)
_CONGESTED = (429, 503, 529)
TIMED_OUT = "time-out"  # the kind of an attempt without a complete answer within the model's `timeout`


class LLMError(Exception):
    """Base class of the model layer's errors. `str(error)` is one sentence for the user."""


class ModelFileError(LLMError):
    """See above."""


class StoreError(LLMError):
    """See above."""


class StoreLockedError(StoreError):
    """See above."""


class BudgetExceededError(LLMError):
    """See above. facts: the figures, as a sentence without a full stop."""

    def __init__(self, facts: str) -> None:
        super().__init__(f"{facts}; raise the budget and resume.")
        self.facts = facts


class CallDroppedError(LLMError):
    """See above."""

    def __init__(self) -> None:
        super().__init__("the call was dropped before it was sent.")


class CallError(LLMError):
    """A call got no answer.

    kind: a word or two for counts of failures ("time-out", "no connection", "HTTP 429"). status: HTTP's, None without a
    response. retry_after: seconds that the server asks to wait. body: its text, redacted and cut. billed: the provider
    may have charged for it. attempts, model, call (its row): set when `Client.ask` raises it.
    """

    default = "error"  # the kind

    def __init__(
        self,
        message: str = "",
        *,
        kind: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        body: str = "",
        billed: bool = False,
    ) -> None:
        super().__init__(message or type(self).__name__)
        self.kind = kind or (self.default if status is None else f"HTTP {status}")
        self.status = status
        self.retry_after = retry_after
        self.body = body
        self.billed = billed
        self.attempts = 0
        self.call = 0
        self.model = ""

    @property
    def timed_out(self) -> bool:
        """Whether no complete answer came in time."""
        return self.kind == TIMED_OUT

    @property
    def congested(self) -> bool:
        """Whether the server is overloaded, so that the rate must fall."""
        return self.status in _CONGESTED


class AgainError(CallError):
    """See above."""

    default = "server"


class StopError(CallError):
    """See above."""

    default = "setup"


class ItemError(CallError):
    """See above."""

    default = "refused"


def class_of(status: int) -> type[CallError]:
    """The class of a failed status."""
    if status in _STOP:
        return StopError
    return AgainError if status in _AGAIN or status >= 500 else ItemError


def malformed(message: str, body: str = "") -> AgainError:
    """The error of a success that is not the protocol's JSON. It may be charged."""
    return AgainError(message, kind="malformed answer", body=body, billed=True)


def timed_out(message: str, billed: bool = True) -> AgainError:
    """The error of an attempt without a complete answer in time."""
    return AgainError(message, kind=TIMED_OUT, billed=billed)
