"""Errors of the model layer, by the remedy of the user and the next action of the caller.

    LLMError                   one sentence: the problem, and what to do
    ├── ModelFileError         the model list cannot be used, or lacks the model
    ├── StoreError             the call store cannot be read or written
    │   └── StoreLockedError   another process locks it; the caller may wait
    ├── BudgetExceededError    the call was not sent: its worst case exceeds the rest of the budget
    ├── CallDroppedError       the call was not sent (again): the client is closing
    └── CallError              a call got no answer
        ├── PermanentError     asking again would fail again; never retried
        │   ├── AuthenticationError   no key, a wrong key, or no permission (401, 403)
        │   ├── SpendLimitError       no credit, or a spend limit (402, or a 429 that says so)
        │   ├── SetupError            nothing can be sent from this machine: a proxy, a certificate, a library
        │   ├── ContextLengthError    the prompt is longer than the model's context
        │   ├── ItemError             only this prompt is at fault, according to the entry's own rules
        │   └── BadRequestError       any other refusal of the request (4xx): the prompt's fault, or the entry's
        └── TransientError     retried until the model's deadline, or until three attempts may have been charged without
                               an answer or were doubtful
            ├── TimedOutError         no complete answer within the model's `timeout` (also 408, 504)
            ├── RateLimitedError      too many requests (429)
            ├── ServerError           the server failed or is overloaded (5xx)
            ├── DisconnectedError     no connection, or it broke
            └── MalformedReplyError   a success that is not the protocol's JSON

No text holds a key: the client redacts them. A script of a fake model raises CallErrors to simulate faults.
"""

from __future__ import annotations


class LLMError(Exception):
    """Base class of the model layer's errors. `str(error)` is one sentence for the user."""


class ModelFileError(LLMError):
    """The model list cannot be used, or lacks the model."""


class StoreError(LLMError):
    """The call store cannot be read or written."""


class StoreLockedError(StoreError):
    """Another process locks the call store."""


class BudgetExceededError(LLMError):
    """The call was not sent: its worst case exceeds the rest of the budget. facts: the figures, as a sentence without a
    full stop."""

    def __init__(self, facts: str) -> None:
        super().__init__(f"{facts}; raise the budget and resume.")
        self.facts = facts


class CallDroppedError(LLMError):
    """The call was not sent, or not sent again: the client sends no requests after `drop`."""

    def __init__(self) -> None:
        super().__init__("the call was dropped before it was sent.")


class CallError(LLMError):
    """A call got no answer.

    status      HTTP status, or None if there was no response
    retry_after seconds that the server asks the client to wait, or None
    body        the server's text, redacted and cut; "" if there is none
    congested   the server is overloaded: the rate must fall
    billed      the provider may have charged for the attempt although no answer arrived
    doubtful    the fault may be this prompt's or the model's: the results of other prompts decide
    attempts    attempts made, when the error is raised by `Client.ask`
    call        row of the call store, when the error is raised by `Client.ask`; 0 before
    """

    congested = False
    billed = False
    doubtful = False

    def __init__(
        self,
        message: str = "",
        *,
        status: int | None = None,
        retry_after: float | None = None,
        body: str = "",
        congested: bool | None = None,
        billed: bool | None = None,
        doubtful: bool | None = None,
    ) -> None:
        super().__init__(message or type(self).__name__)
        self.status = status
        self.retry_after = retry_after
        self.body = body
        self.attempts = 0
        self.call = 0
        if congested is not None:
            self.congested = congested
        if billed is not None:
            self.billed = billed
        if doubtful is not None:
            self.doubtful = doubtful


class PermanentError(CallError):
    """Asking again would fail again; never retried."""


class AuthenticationError(PermanentError):
    """No key, a wrong key, or no permission."""


class SpendLimitError(PermanentError):
    """No credit, or a spend limit was reached."""


class SetupError(PermanentError):
    """Nothing can be sent from this machine."""


class ItemError(PermanentError):
    """Only this prompt is at fault, according to the entry's own rules."""


class ContextLengthError(PermanentError):
    """The prompt is longer than the model's context."""


class BadRequestError(PermanentError):
    """Any other refusal of the request."""

    doubtful = True


class TransientError(CallError):
    """Retried until the model's deadline, or until three attempts may have been charged without an answer."""


class TimedOutError(TransientError):
    """No complete answer within the model's `timeout`."""

    billed = True


class RateLimitedError(TransientError):
    """The provider has refused the request because too many were sent."""

    congested = True


class ServerError(TransientError):
    """The server failed or is overloaded."""


class DisconnectedError(TransientError):
    """No connection, or it broke."""

    billed = True


class MalformedReplyError(TransientError):
    """A success that is not the protocol's JSON."""

    billed = True
