"""The meaning of a provider's error, by its shape or by its status alone.

A shape fits an error by its status, its names (`code`, `type` and the like, compared whole) and a part of its message
(in lower case). Each protocol lists the shapes recorded from its providers; `tests/llm/shapes.py` has a recorded error
for each.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from antemill.llm.entry import Outcome


class ErrorShape(Struct, frozen=True):
    """One shape of errors. status: empty for any; names, says: one match is enough, empty for any."""

    provider: str
    outcome: Outcome
    status: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    billed: bool = False  # the provider charges for it

    def fits(self, status: int, names: Collection[str], message: str) -> bool:
        """Whether an error has this shape. message: in lower case."""
        return (
            (not self.status or status in self.status)
            and (not self.names or any(name in names for name in self.names))
            and (not self.says or any(part in message for part in self.says))
        )


_BY_STATUS: dict[int, Outcome] = {
    401: "login",
    402: "spend",
    403: "login",
    407: "login",  # a proxy's
    408: "timeout",
    409: "server",  # a conflict with another request: the providers' own libraries try again
    413: "context",
    425: "server",
    429: "rate",
    499: "server",  # the provider has cancelled the request
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}

STATUS_OF = {
    **dict.fromkeys(("invalid_request_error", "invalid_argument", "invalid_prompt", "failed_precondition"), 400),
    **dict.fromkeys(("authentication_error", "unauthenticated"), 401),
    **dict.fromkeys(("billing_error", "payment_required"), 402),
    **dict.fromkeys(("permission_error", "permission_denied"), 403),
    **dict.fromkeys(("not_found_error", "not_found"), 404),
    "request_too_large": 413,
    **dict.fromkeys(("rate_limit_error", "rate_limit_exceeded", "resource_exhausted"), 429),
    **dict.fromkeys(("insufficient_quota", "enforced_spend_limit_reached"), 429),
    **dict.fromkeys(("unavailable", "service_unavailable"), 503),
    **dict.fromkeys(("timeout_error", "deadline_exceeded"), 504),
    "overloaded_error": 529,
}
"""The status that an error inside a success would have had, by its names; 500 for others."""

BROKEN = {"error", "failed", "insufficient_system_resource", "abort", "cancelled", "queued", "in_progress"}
"""Finish reasons and states with which the server, not the model, ended the answer."""


KNOWN = {
    *("tool_calls", "function_call", "tool_use", "pause_turn"),
    *("malformed_function_call", "unexpected_tool_call", "too_many_tool_calls"),
}
"""Finish reasons that are neither an end nor a refusal but an act of the model: it called a tool."""


def by_status(status: int) -> Outcome:
    """The meaning of a status alone."""
    return _BY_STATUS.get(status, "server" if status >= 500 else "request")
