"""What providers count, in counts that do not overlap (`antemill.llm.types.Usage`), and what they say that a call did
cost.

What is counted inside of what differs, and is read from the numbers, never from the host's name:

    OpenAI, and who speaks like it    what is cached or written is part of the prompt, reasoning of the completion
    xAI                               reasoning comes on top: then total = prompt + completion + reasoning
    DeepSeek                          `prompt_cache_hit_tokens`, part of the prompt, in place of the details
    Anthropic                         `input_tokens` excludes the cache, read or written; thinking is part of the output
    Gemini                            the prompt includes the cache, thoughts come on top of the candidates

A usage without a prompt, or without a count of what was written, says nothing: `counted` is False, and the call is
charged the most that it can have cost.
"""

from __future__ import annotations

from antemill.llm.protocols.wire import Json, count, counted, dollars, part
from antemill.llm.types import Usage

_TICKS = 1e10  # of xAI in a dollar


def openai_usage(raw: Json, kinds: tuple[str, str], text: str) -> Usage:
    """`kinds` is what the API calls its tokens: ("prompt", "completion") or ("input", "output"). text: the answer's."""
    keys = [f"{kind}_tokens" for kind in kinds]
    read, written = (count(raw, key) for key in keys)
    inside, outside = (part(raw, f"{key}_details") for key in keys)
    cached = min(read, count(inside, "cached_tokens") or count(raw, "prompt_cache_hit_tokens"))
    stored = min(read - cached, count(inside, "cache_write_tokens"))
    reasoning = count(outside, "reasoning_tokens")
    apart = reasoning > written or (reasoning > 0 and count(raw, "total_tokens") == read + written + reasoning)
    return Usage(
        input_uncached=read - cached - stored,
        input_cached=cached,
        cache_write=stored,
        output_visible=written if apart else written - reasoning,
        reasoning=reasoning,
        cost_reported=_reported(raw),
        raw=raw,
        counted=_counted(read, raw, keys[1], text),
    )


def _reported(raw: Json) -> float | None:
    """Dollars. A gateway that uses the customer's own key reports what it takes itself, and the provider's apart."""
    cost = dollars(raw, "cost")
    if cost is not None and raw.get("is_byok") is True:
        upstream = dollars(part(raw, "cost_details"), "upstream_inference_cost")
        return None if upstream is None else cost + upstream
    return dollars(raw, "cost_in_usd_ticks", _TICKS) if cost is None else cost


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
        counted=_counted(read + cached + stored, raw, "output_tokens", text),
    )


def gemini_usage(raw: Json, text: str) -> Usage:
    """Of generated content. Where nothing was written, the count of it is left out."""
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
    """Whether the counts can be true: no prompt is empty, and no text has no tokens."""
    return read > 0 and counted(raw, key) and (count(raw, key) > 0 or not text)
