"""What providers have answered instead of an answer: one recorded shape or more for each row of the table of outcomes.

Names, numbers and texts are as providers and gateways send them; identifiers are left out.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from antemill.llm.entry import Outcome


class Shape(Struct, frozen=True):
    """One response. row: the provider of the row that must fit; "" if its status decides. wait: seconds asked for."""

    row: str
    outcome: Outcome
    status: int
    body: dict[str, Any] | str
    headers: dict[str, str] = {}
    wait: float | None = None


def _openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _anthropic(message: str, kind: str = "invalid_request_error", **more: Any) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message, **more}, "request_id": "req_1"}


def _gemini(code: int, status: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def _router(code: int, message: str, **metadata: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "metadata": metadata}, "user_id": "user_1"}


_POLICY = (
    "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a "
    "different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting"
)
_LIMITED = (
    "Invalid prompt: we've limited access to this content for safety reasons. This type of information may be used to "
    "benefit or to harm people."
)
_AZURE = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
_XAI = "Content violates usage guidelines. Team: t, API key ID: k, Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO"
_RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}
_QUOTA = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}],
}
_BAD_KEY = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "API_KEY_INVALID",
    "domain": "googleapis.com",
}
_GROQ_TPM = (
    "Request too large for model `openai/gpt-oss-120b` in organization `org_1` service tier `on_demand` on tokens per "
    "minute (TPM): Limit 8000, Requested 9876, please reduce your message size and try again."
)
WROTE = '{"action": "bet", "why": "because'
_IN_FLIGHT = "This request would exceed your in-flight spending budget. Wait for running requests to finish."

SHAPES = (
    # ---------------------------------------------------------------------------------------------- OpenAI, Azure
    Shape("openai", "refusal", 400, _openai(_POLICY, "invalid_prompt")),
    Shape("openai", "refusal", 400, _openai(_LIMITED, "invalid_prompt")),
    Shape("openai", "refusal", 400, _openai("Your request was rejected.", "content_policy_violation")),
    Shape("openai", "refusal", 400, _openai("Your request was rejected by the safety system.", "moderation_blocked")),
    Shape("", "request", 400, _openai("Invalid prompt: messages[0].role is not known.", "invalid_prompt")),
    Shape(
        "openai", "spend", 429, _openai("You exceeded your current quota.", "insufficient_quota", "insufficient_quota")
    ),
    Shape("openai", "spend", 429, _openai("Your account is not active.", "billing_not_active", "billing_not_active")),
    Shape("openai", "spend", 400, _openai("Billing hard limit has been reached", "billing_hard_limit_reached")),
    Shape("openai", "context", 400, _openai("This model's maximum context length is 8", "context_length_exceeded")),
    Shape(
        "",
        "rate",
        429,
        _openai("Rate limit reached for gpt-5.6", "rate_limit_exceeded", "tokens"),
        {"retry-after": "7"},
        7,
    ),
    Shape("", "rate", 429, _openai("Rate limit reached", "rate_limit_exceeded"), {"retry-after-ms": "1500"}, 1.5),
    Shape("", "login", 401, _openai("Incorrect API key provided.", "invalid_api_key")),
    Shape(
        "", "login", 403, _openai("Country, region, or territory not supported", "unsupported_country_region_territory")
    ),
    Shape("", "request", 404, _openai("The model `gpt-9` does not exist.", "model_not_found")),
    Shape("", "request", 400, _openai("Unsupported parameter: 'temperature'", "unsupported_parameter")),
    Shape("", "server", 500, _openai("The server had an error.", None, "server_error")),
    Shape("", "overloaded", 503, _openai("The engine is currently overloaded.", None, "service_unavailable")),
    Shape("azure", "refusal", 400, {"error": {"message": _AZURE, "code": "content_filter", "status": 400}}),
    Shape(
        "azure",
        "refusal",
        400,
        {"error": {"message": _AZURE, "code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
    ),
    Shape(
        "", "request", 404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist."}}
    ),
    # ---------------------------------------------------------------------------------------------- Anthropic
    Shape("anthropic", "refusal", 400, _anthropic("Output blocked by content filtering policy")),
    Shape(
        "anthropic",
        "spend",
        429,
        _anthropic("Spend limit reached.", "rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}),
    ),
    Shape("anthropic", "spend", 400, _anthropic("Your credit balance is too low to access the Anthropic API.")),
    Shape("anthropic", "spend", 400, _anthropic("You have reached your specified API usage limits.")),
    Shape("anthropic", "spend", 403, _anthropic("There is a problem with your billing.", "billing_error")),
    Shape("", "spend", 402, _anthropic("There is a problem with your billing.", "billing_error")),
    Shape("anthropic", "context", 400, _anthropic("prompt is too long: 213462 tokens > 200000 maximum")),
    Shape("anthropic", "context", 400, _anthropic("input length and `max_tokens` exceed context limit: 9 + 9 > 9")),
    Shape("", "context", 413, _anthropic("Request exceeds the maximum size", "request_too_large")),
    Shape("", "rate", 429, _anthropic("This would exceed your limit.", "rate_limit_error"), {"retry-after": "12"}, 12),
    Shape("", "overloaded", 529, _anthropic("Overloaded", "overloaded_error")),
    Shape("", "server", 500, _anthropic("Internal server error", "api_error")),
    Shape("", "timeout", 504, _anthropic("Request timed out", "timeout_error")),
    Shape("", "login", 401, _anthropic("invalid x-api-key", "authentication_error")),
    Shape("", "request", 400, _anthropic("For 'integer' type, property 'minimum' is not supported")),
    # ---------------------------------------------------------------------------------------------- Gemini
    Shape("gemini", "login", 400, _gemini(400, "INVALID_ARGUMENT", "API key not valid.", _BAD_KEY)),
    Shape("gemini", "spend", 429, _gemini(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.")),
    Shape("", "spend", 402, _gemini(402, "RESOURCE_EXHAUSTED", "Your prepaid credit balance is exhausted.")),
    Shape(
        "gemini",
        "context",
        400,
        _gemini(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
    ),
    Shape("", "rate", 429, _gemini(429, "RESOURCE_EXHAUSTED", "You exceeded your quota.", _QUOTA, _RETRY), {}, 34.07),
    Shape("", "overloaded", 503, _gemini(503, "UNAVAILABLE", "The model is overloaded.")),
    Shape("", "server", 500, _gemini(500, "INTERNAL", "An internal error has occurred.")),
    Shape("", "timeout", 504, _gemini(504, "DEADLINE_EXCEEDED", "The request took too long.")),
    Shape("", "server", 499, _gemini(499, "CANCELLED", "The operation was cancelled.")),
    Shape("", "login", 403, _gemini(403, "PERMISSION_DENIED", "Your API key was reported as leaked.")),
    # ---------------------------------------------------------------------------------------------- OpenRouter
    Shape(
        "openrouter",
        "refusal",
        403,
        _router(
            403, "Input was flagged for violence.", reasons=["violence"], flagged_input="...", provider_name="OpenAI"
        ),
    ),
    Shape("openrouter", "refusal", 403, _router(403, "Blocked.", error_type="content_policy_violation")),
    Shape("openrouter", "spend", 403, _router(403, "Key limit exceeded (total limit). Manage it in your settings.")),
    Shape("openrouter", "rate", 402, _router(402, _IN_FLIGHT, limit_source="openrouter_in_flight_budget")),
    Shape("", "rate", 402, _router(402, "Payment required"), {"retry-after": "3"}, 3),
    Shape("", "spend", 402, _router(402, "This request requires more credits, or fewer max_tokens.")),
    Shape("", "rate", 429, _router(429, "Provider returned error", raw="temporarily rate-limited upstream")),
    Shape("", "server", 502, _router(502, "Provider returned error", provider_name="Novita")),
    Shape("", "overloaded", 503, _router(503, "No allowed providers are available for the selected model.")),
    Shape("", "timeout", 408, _router(408, "Your request timed out")),
    Shape(
        "vllm",
        "context",
        400,
        _router(400, "Provider returned error", raw="This endpoint's maximum context length is 9"),
    ),
    # ---------------------------------------------------------------------------------------------- xAI
    Shape("xai", "refusal", 403, {"code": "permission-denied", "error": _XAI}),
    Shape("xai", "refusal", 403, {"code": "The caller does not have permission", "error": _XAI}),
    Shape(
        "xai",
        "spend",
        429,
        {"code": "x", "error": "Your team has used all credits or reached its monthly spending limit."},
    ),
    Shape("xai", "spend", 403, {"code": "x", "error": "Your newly created team doesn't have any credits yet."}),
    Shape(
        "xai", "context", 400, {"code": "x", "error": "This model's maximum prompt length is 9 but the request has 10."}
    ),
    Shape("", "login", 403, {"code": "x", "error": "The API key is blocked."}),
    # ---------------------------------------------------------------------------------------------- Groq
    Shape(
        "groq",
        "unparsable",
        400,
        {
            "error": {
                "message": "Failed to generate JSON. Please adjust your prompt.",
                "type": "invalid_request_error",
                "code": "json_validate_failed",
                "failed_generation": WROTE,
            }
        },
    ),
    Shape(
        "groq",
        "rate",
        413,
        _openai(_GROQ_TPM.replace("Requested 9876", "Requested 6876"), "rate_limit_exceeded", "tokens"),
    ),
    Shape("", "context", 413, _openai(_GROQ_TPM, "rate_limit_exceeded", "tokens")),
    Shape("groq", "overloaded", 498, _openai("Flex tier capacity exceeded", "capacity_exceeded")),
    Shape("groq", "context", 400, _openai("Please reduce the length of the messages or completion.")),
    Shape("", "context", 413, _openai("Request Entity Too Large", "request_too_large")),
    # ---------------------------------------------------------------------------------------------- others
    Shape("deepseek", "refusal", 400, _openai("Content Exists Risk")),
    Shape("", "spend", 402, _openai("Insufficient Balance", "invalid_request_error", "unknown_error")),
    Shape("vllm", "context", 400, _openai("This model's maximum context length is 65536 tokens.")),
    Shape(
        "alibaba", "refusal", 400, _openai("Output data may contain inappropriate content.", "data_inspection_failed")
    ),
    Shape("together", "context", 422, _openai("`inputs` tokens + `max_new_tokens` must be <= 32769.")),
    Shape(
        "vllm",
        "context",
        400,
        {"object": "error", "message": "This model's maximum context length is 9 tokens.", "code": 400},
    ),
    Shape(
        "vllm",
        "context",
        400,
        {"object": "error", "message": "Prompt contains 9 tokens, too large for model with 8 maximum context length"},
    ),
    Shape(
        "llama.cpp",
        "context",
        500,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size",
                "type": "exceed_context_size_error",
            }
        },
    ),
    Shape(
        "",
        "rate",
        429,
        {"message": "Service tier capacity exceeded for this model.", "type": "service_tier_capacity_exceeded"},
    ),
    Shape("", "rate", 429, {"status": 429, "error": "INSUFFICIENT QUOTA", "message": "Too many concurrent requests."}),
    Shape("", "request", 404, {"error": 'model "none" not found, try pulling it first'}),
    Shape("", "overloaded", 503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
    Shape("", "server", 520, "<html><head><title>520: Web server is returning an unknown error</title></head></html>"),
    # ---------------------------------------------------------------------------------------------- x-should-retry
    Shape("", "server", 409, _anthropic("Lock timeout"), {"x-should-retry": "true"}),
    Shape("", "server", 400, _openai("Try that again."), {"x-should-retry": "true"}),
    Shape("", "spend", 429, _openai("Not today."), {"x-should-retry": "false", "retry-after": "5"}),
    Shape("", "request", 500, _openai("Never."), {"x-should-retry": "false"}),
)
