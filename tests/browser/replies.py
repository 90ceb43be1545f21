"""Replies with reasoning, in full, as providers and OpenAI-compatible servers send them; identifiers are shortened.

What a provider keeps to itself (signatures, encrypted parts) is there too: it must not be taken for text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
SECRET = "gAAAAABofN3vKxSecretOfTheProvider"  # encrypted; no page may show it as reasoning


def _chat(message: Json, model: str, **usage: Any) -> Json:
    counts = {"prompt_tokens": 6_120, "completion_tokens": 431, "total_tokens": 6_551} | usage
    choice = {"index": 0, "message": {"role": "assistant", **message}, "logprobs": None, "finish_reason": "stop"}
    return {
        "id": "chatcmpl-9f2",
        "object": "chat.completion",
        "created": 1_763_900_000,
        "model": model,
        "choices": [choice],
        "usage": counts,
    }


def openai_chat(text: str, _thought: str) -> Json:
    """OpenAI's chat completions count the reasoning and show none of it."""
    details = {"reasoning_tokens": 384, "audio_tokens": 0, "accepted_prediction_tokens": 0}
    message: Json = {"content": text, "refusal": None, "annotations": []}
    return _chat(message, "gpt-5.6", completion_tokens_details=details, prompt_tokens_details={"cached_tokens": 5_888})


def openai_responses(text: str, thought: str) -> Json:
    """OpenAI's responses have summaries, if they are asked for."""
    first, second = thought.split("\n", 1)
    summary = [{"type": "summary_text", "text": first}, {"type": "summary_text", "text": second}]
    content = [{"type": "output_text", "annotations": [], "logprobs": [], "text": text}]
    return {
        "id": "resp_68",
        "object": "response",
        "created_at": 1_763_900_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "gpt-5.6-2026-08-07",
        "output": [
            {"id": "rs_68", "type": "reasoning", "encrypted_content": SECRET, "summary": summary},
            {"id": "msg_68", "type": "message", "status": "completed", "role": "assistant", "content": content},
        ],
        "reasoning": {"effort": "medium", "summary": "detailed"},
        "usage": {
            "input_tokens": 6_120,
            "input_tokens_details": {"cached_tokens": 5_888},
            "output_tokens": 431,
            "output_tokens_details": {"reasoning_tokens": 384},
            "total_tokens": 6_551,
        },
    }


def vllm_responses(text: str, thought: str) -> Json:
    """Servers of open models show the reasoning itself in the same place."""
    found = openai_responses(text, thought)
    found["output"][0] |= {
        "summary": [],
        "encrypted_content": None,
        "content": [{"type": "reasoning_text", "text": thought}],
    }
    return found


def anthropic(text: str, thought: str) -> Json:
    """Anthropic's blocks; a redacted one has nothing to read."""
    first, second = thought.split("\n", 1)
    return {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [
            {"type": "thinking", "thinking": first, "signature": SECRET},
            {"type": "redacted_thinking", "data": SECRET},
            {"type": "thinking", "thinking": second, "signature": SECRET},
            {"type": "text", "text": text},
        ],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 232,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 5_888,
            "output_tokens": 431,
            "service_tier": "standard",
        },
    }


def gemini(text: str, thought: str) -> Json:
    """Google's thoughts are parts beside the answer."""
    parts = [{"text": thought, "thought": True}, {"text": text, "thoughtSignature": SECRET}]
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 6_120,
            "cachedContentTokenCount": 5_888,
            "candidatesTokenCount": 47,
            "thoughtsTokenCount": 384,
            "totalTokenCount": 6_551,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 6_120}],
        },
        "modelVersion": "gemini-3-pro",
        "responseId": "r1",
    }


def deepseek(text: str, thought: str) -> Json:
    """DeepSeek, and most servers of open models."""
    return _chat(
        {"content": text, "reasoning_content": thought},
        "deepseek-reasoner",
        prompt_cache_hit_tokens=5_888,
        prompt_cache_miss_tokens=232,
        completion_tokens_details={"reasoning_tokens": 384},
    )


def vllm(text: str, thought: str) -> Json:
    """vLLM, whose field was once called as DeepSeek's."""
    message: Json = {
        "content": text,
        "refusal": None,
        "tool_calls": [],
        "reasoning": thought,
        "reasoning_content": None,
    }
    return _chat(message, "Qwen/Qwen3-32B", prompt_tokens_details=None)


def openrouter(text: str, thought: str) -> Json:
    """OpenRouter's parts: summaries, texts, and what is encrypted."""
    first, second = thought.split("\n", 1)
    details = [
        {"type": "reasoning.summary", "summary": first, "format": "openai-responses-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": SECRET, "format": "openai-responses-v1", "index": 1},
        {"type": "reasoning.text", "text": second, "signature": SECRET, "format": "anthropic-claude-v1", "index": 2},
    ]
    message = {"content": text, "refusal": None, "reasoning": None, "reasoning_details": details}
    return _chat(message, "openai/gpt-5.6", cost=0.0042) | {"provider": "OpenAI"}


def mistral(text: str, thought: str) -> Json:
    """Mistral's parts of the content itself."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": thought}], "closed": True}
    return _chat({"content": [thinking, {"type": "text", "text": text}], "tool_calls": None}, "magistral-medium-2509")


# By the player's name: the protocol of its entry, and its reply from an answer and what was thought before it.
REPLIES: dict[str, tuple[str, Callable[[str, str], Json]]] = {
    "openai-chat": ("openai-chat", openai_chat),
    "openai-responses": ("openai-responses", openai_responses),
    "vllm-responses": ("openai-responses", vllm_responses),
    "anthropic": ("anthropic", anthropic),
    "gemini": ("gemini", gemini),
    "deepseek": ("openai-chat", deepseek),
    "vllm": ("openai-chat", vllm),
    "openrouter": ("openai-chat", openrouter),
    "mistral": ("openai-chat", mistral),
}
SILENT = frozenset({"openai-chat"})
