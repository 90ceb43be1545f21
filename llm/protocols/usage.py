"""Turns providers' counts into counts that do not overlap (`antemill.llm.types.Usage`), and reads the cost they report.

The numbers show in which way they overlap, not the host's name:

    OpenAI and compatible servers     cached and written tokens are part of the prompt, reasoning of the completion
    xAI                               reasoning is added: then total = prompt + completion + reasoning
    Anthropic                         `input_tokens` excludes the cache, read or written; thinking is part of the output
    Gemini                            the prompt includes the cache; thoughts are added to the candidates

A usage without a count of prompt or output is unusable: `counted` is False, and the call is charged the most.
"""

from __future__ import annotations

from antemill.llm.protocols.wire import Json, count, counted, dollars, part
from antemill.llm.types import Usage


def openai_usage(raw: Json, kinds: tuple[str, str], text: str) -> Usage:
    """The usage of one of OpenAI's answers, or of a compatible server's.

    kinds: the API's names for its tokens, ("prompt", "completion") or ("input", "output"). text: of the answer.
    """
    keys = [f"{kind}_tokens" for kind in kinds]
    read, written = (count(raw, key) for key in keys)
    inside, outside = (part(raw, f"{key}_details") for key in keys)
    cached = min(read, count(inside, "cached_tokens"))
    stored = min(read - cached, count(inside, "cache_write_tokens"))
    reasoning = count(outside, "reasoning_tokens")
    apart = reasoning > written or (reasoning > 0 and count(raw, "total_tokens") == read + written + reasoning)
    return Usage(
        input_uncached=read - cached - stored,
        input_cached=cached,
        cache_write=stored,
        output_visible=written if apart else written - reasoning,
        reasoning=reasoning,
        cost_reported=None if raw.get("is_byok") is True else dollars(raw, "cost"),  # there it is the fee alone
        raw=raw,
        counted=_counted(read, raw, keys[1], text),
    )


def anthropic_usage(raw: Json, text: str) -> Usage:
    """The usage of one of Anthropic's messages."""
    read, cached, stored = (
        count(raw, key) for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    written = count(raw, "output_tokens")
    reasoning = min(written, count(part(raw, "output_tokens_details"), "thinking_tokens"))
    return Usage(
        input_uncached=read,
        input_cached=cached,
        cache_write=stored,
        output_visible=written - reasoning,
        reasoning=reasoning,
        raw=raw,
        counted=counted(raw, "input_tokens") and _counted(read + cached + stored, raw, "output_tokens", text),
    )


def gemini_usage(raw: Json, text: str) -> Usage:
    """The usage of generated content. If no token was written, the provider omits the count."""
    read = count(raw, "promptTokenCount")
    cached = min(read, count(raw, "cachedContentTokenCount"))
    return Usage(
        input_uncached=read - cached,
        input_cached=cached,
        output_visible=count(raw, "candidatesTokenCount"),
        reasoning=count(raw, "thoughtsTokenCount"),
        raw=raw,
        counted=_counted(read, {"candidatesTokenCount": 0, **raw}, "candidatesTokenCount", text),
    )


def _counted(read: int, raw: Json, key: str, text: str) -> bool:
    """Whether the counts can be true: a prompt has tokens, and a text has tokens."""
    return read > 0 and counted(raw, key) and (count(raw, key) > 0 or not text)
