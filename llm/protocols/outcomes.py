"""What providers' errors mean, one row per shape that was seen; `tests/llm/shapes.py` has a recorded one for each.

A row fits an error by its status, its names (`code`, `type` and the like, compared whole) and its message (a part of
it, in lower case). The first that fits counts. Rows are not chosen by the host: gateways pass on what the providers
behind them say. What no row fits is judged by its status alone (`by_status`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

Outcome = Literal[
    "refusal",  # a reply: the provider or the model will not answer this prompt
    "unparsable",  # a reply: what the model wrote is not what it was held to
    "spend",  # no credit, or a spend limit
    "context",  # the prompt is too long
    "login",  # no permission
    "request",  # any other mistake in the request
    "rate",  # too many requests
    "overloaded",  # a server with too much to do
    "timeout",
    "server",  # any other failure of a server
]


class Row(Struct, frozen=True):
    """One shape. status: empty for any; names, says: one of them is enough, empty for any."""

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


ROWS = (
    Row("openai", "refusal", (400,), ("invalid_prompt",), ("usage policy", "safety", "limited access")),
    Row("openai", "refusal", (400,), ("content_policy_violation", "moderation_blocked")),
    Row("openai", "spend", (429,), ("insufficient_quota", "billing_not_active")),
    Row("openai", "spend", (400, 429), ("billing_hard_limit_reached",)),
    Row("openai", "context", (400,), ("context_length_exceeded",)),
    Row("azure", "refusal", (400,), ("content_filter", "responsibleaipolicyviolation")),
    Row("anthropic", "refusal", (400,), ("invalid_request_error",), ("content filtering policy",)),
    Row("anthropic", "spend", (429,), ("enforced_spend_limit_reached",)),
    Row("anthropic", "spend", (400,), ("invalid_request_error",), ("credit balance is too low", "api usage limits")),
    Row("anthropic", "spend", (400, 403), ("billing_error",)),
    Row("anthropic", "context", (400,), ("invalid_request_error",), ("prompt is too long", "exceed context limit")),
    Row("gemini", "login", (400,), ("api_key_invalid",)),
    Row("gemini", "spend", (429,), ("resource_exhausted",), ("credits are depleted",)),
    Row("gemini", "context", (400,), ("invalid_argument",), ("exceeds the maximum number of tokens",)),
    Row("openrouter", "rate", (402,), ("openrouter_in_flight_budget",)),
    Row("openrouter", "refusal", (403,), ("flagged_input", "content_policy_violation")),
    Row("openrouter", "spend", (403,), (), ("key limit exceeded",)),
    Row("xai", "refusal", (400, 403), (), ("violates usage guidelines", "safety_check_type"), billed=True),
    Row("xai", "spend", (403, 429), (), ("monthly spending limit", "any credits")),
    Row("xai", "context", (400,), (), ("maximum prompt length",)),
    Row("groq", "unparsable", (400,), ("json_validate_failed",), billed=True),
    Row("groq", "rate", (413,), (), ("tokens per minute", "(tpm)")),
    Row("groq", "overloaded", (498,)),
    Row("groq", "context", (400,), (), ("reduce the length of the messages",)),
    Row("deepseek", "refusal", (400,), (), ("content exists risk",)),
    Row("alibaba", "refusal", (400,), ("data_inspection_failed", "datainspectionfailed")),
    Row("together", "context", (400, 422), (), ("`inputs` tokens + `max_new_tokens`",)),
    Row("vllm", "context", (400, 422), (), ("maximum context length",)),  # and DeepSeek, Mistral, OpenRouter
    Row("llama.cpp", "context", (400, 500), ("exceed_context_size_error",)),  # it has answered with 500
)

_BY_STATUS: dict[int, Outcome] = {
    401: "login",
    402: "spend",
    403: "login",
    408: "timeout",
    409: "server",  # a conflict with another request: providers' own libraries try again
    413: "context",
    425: "server",
    429: "rate",
    499: "server",  # the provider has cancelled it
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
"""Finish reasons and states with which a server says that it, not the model, ended the answer."""


def row_of(status: int, names: Collection[str], message: str) -> Row | None:
    """The first row that fits an error, or None. names, message: in lower case."""
    return next((row for row in ROWS if row.fits(status, names, message)), None)


def by_status(status: int) -> Outcome:
    """What a status means by itself."""
    return _BY_STATUS.get(status, "server" if status >= 500 else "request")
