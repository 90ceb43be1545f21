"""What is sent and what is read, protocol by protocol, against the providers' documented forms (D10)."""

from __future__ import annotations

from typing import Any

import pytest

from antemill.llm import Message, Model, Request, Usage
from antemill.llm.protocols import PROTOCOLS, http_protocol
from antemill.llm.protocols.wire import merged
from tests.llm.stage import ALL, HTTP

SCHEMA = {"type": "object", "properties": {"action": {"enum": ["bet", "check"]}}}
REQUEST = Request(
    messages=(
        Message("system", "Rules."),
        Message("user", "Bet or check?"),
        Message("assistant", "bet"),
        Message("user", "Raise or fold?"),
    ),
    schema=SCHEMA,
)


def body(protocol: str, request: Request = REQUEST, **fields: Any) -> dict[str, Any]:
    """The body that is sent for an entry of the protocol."""
    model = Model(name="m", protocol=protocol, **{"model": "m-1", "max_output": 2000, "structured": False, **fields})
    return PROTOCOLS[protocol].body(model, request, model.schema_of(request))


def test_every_protocol_has_a_server_that_speaks_it() -> None:
    """What the conformance tests ask: a protocol without one is tested by none of them."""
    assert sorted(PROTOCOLS) == sorted(ALL)


TURNS = [
    {"role": "user", "content": "Bet or check?"},
    {"role": "assistant", "content": "bet"},
    {"role": "user", "content": "Raise or fold?"},
]


def test_openai_chat() -> None:
    assert body("openai-chat") == {
        "model": "m-1",
        "messages": [{"role": "system", "content": "Rules."}, *TURNS],
        "max_completion_tokens": 2000,
    }
    full = body("openai-chat", effort="high", temperature=0.5, top_p=0.9, structured=True)
    assert full["reasoning_effort"] == "high"
    assert (full["temperature"], full["top_p"]) == (0.5, 0.9)
    assert full["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }


def test_openai_chat_of_other_servers() -> None:
    local = body("openai-chat", base_url="http://127.0.0.1:8080/v1", effort="low", top_k=0, min_p=0.0)
    assert (local["max_tokens"], local["reasoning_effort"]) == (2000, "low")
    assert (local["top_k"], local["min_p"]) == (0, 0.0)
    assert "max_completion_tokens" not in local


def test_openai_responses() -> None:
    assert body("openai-responses", effort="medium", structured=True, temperature=1.0) == {
        "model": "m-1",
        "instructions": "Rules.",
        "input": TURNS,
        "max_output_tokens": 2000,
        "store": False,
        "temperature": 1.0,
        "reasoning": {"effort": "medium"},
        "text": {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": SCHEMA}},
    }


def test_anthropic() -> None:
    system = {"type": "text", "text": "Rules."}
    assert body("anthropic") == {
        "model": "m-1",
        "max_tokens": 2000,
        "system": [{**system, "cache_control": {"type": "ephemeral"}}],
        "messages": TURNS,
    }
    assert body("anthropic", prompt_cache=False)["system"] == [system]
    assert body("anthropic", thinking_budget=1024)["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    newer = body("anthropic", thinking="adaptive", effort="xhigh", structured=True)
    assert newer["thinking"] == {"type": "adaptive"}
    assert newer["output_config"] == {"effort": "xhigh", "format": {"type": "json_schema", "schema": SCHEMA}}
    assert "system" not in body("anthropic", Request(messages=REQUEST.messages[1:]))


def test_gemini() -> None:
    turn = [{"role": "user" if t["role"] == "user" else "model", "parts": [{"text": t["content"]}]} for t in TURNS]
    assert body("gemini", temperature=0.0, top_k=5, structured=True) == {
        "systemInstruction": {"parts": [{"text": "Rules."}]},
        "contents": turn,
        "generationConfig": {
            "maxOutputTokens": 2000,
            "temperature": 0.0,
            "topK": 5,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }
    assert body("gemini", effort="low")["generationConfig"]["thinkingConfig"] == {"thinkingLevel": "low"}
    assert body("gemini", thinking_budget=0)["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}


AMOUNT = {
    "type": "object",
    "properties": {"action": {"type": "integer", "minimum": 2, "maximum": 9}},
    "required": ["action"],
    "additionalProperties": False,
}
WIDE = {"type": "object", "properties": {"action": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}


def test_anthropic_is_sent_no_bounds() -> None:
    """It answers a schema with `minimum` with 400."""
    request = Request(messages=REQUEST.messages, schema=AMOUNT)
    sent = body("anthropic", request, structured=True)["output_config"]["format"]["schema"]
    assert sent["properties"] == {"action": {"type": "integer"}}
    assert {**sent, "properties": AMOUNT["properties"]} == AMOUNT
    nested = {"anyOf": [{"type": "array", "items": {"type": "number", "minimum": 2, "description": "even"}}]}
    deep = Request(messages=REQUEST.messages, schema=nested)
    sent = body("anthropic", deep, structured=True)["output_config"]["format"]["schema"]
    assert sent["anyOf"][0]["items"] == {"type": "number", "description": "even"}
    for protocol in ("openai-chat", "openai-responses", "gemini"):  # they take it
        assert "'minimum': 2" in str(body(protocol, request, structured=True))


def test_verbosity_goes_where_each_protocol_has_it() -> None:
    assert body("openai-chat", verbosity="low")["verbosity"] == "low"
    assert body("openai-responses", verbosity="low")["text"] == {"verbosity": "low"}
    both = body("openai-responses", verbosity="low", structured=True)["text"]
    assert (both["verbosity"], both["format"]["type"]) == ("low", "json_schema")
    assert body("anthropic", thinking="between_tools")["thinking"] == {"type": "between_tools"}


@pytest.mark.parametrize("protocol", HTTP)
def test_a_model_without_sampling_parameters_is_sent_none(protocol: str) -> None:
    request = Request(messages=REQUEST.messages, temperature=0.7)
    found = body(protocol, request, sampling=False, temperature=1.0, top_p=0.5)
    assert not {"temperature", "top_p", "topP"} & {*found, *found.get("generationConfig", {})}
    own = body(protocol, request, temperature=1.0)
    assert {**own, **own.get("generationConfig", {})}["temperature"] == 0.7


@pytest.mark.parametrize("protocol", HTTP)
def test_a_request_overrides_the_length_and_a_schema_needs_a_capable_model(protocol: str) -> None:
    found = body(protocol, Request(messages=REQUEST.messages, max_output=77, schema=SCHEMA))
    assert 77 in [*found.values(), *found.get("generationConfig", {}).values()]
    assert "enum" not in str(found)


def test_the_extra_body_is_merged_into_objects() -> None:
    config = {"generationConfig": {"seed": 1, "maxOutputTokens": 5}, "safetySettings": []}
    found = merged(body("gemini"), config)
    assert found["generationConfig"] == {"maxOutputTokens": 5, "seed": 1}
    assert found["safetySettings"] == []
    assert found["contents"]


def usage(protocol: str, raw: dict[str, Any]) -> tuple[int, int, int, int, int]:
    """The five counts for a provider's object."""
    contents: dict[str, dict[str, Any]] = {
        "openai-chat": {"choices": [{"message": {"content": "x"}}], "usage": raw},
        "openai-responses": {"output": [], "status": "completed", "usage": raw},
        "anthropic": {"content": [], "usage": raw},
        "gemini": {"candidates": [{}], "usageMetadata": raw},
    }
    found = http_protocol(protocol).answer(contents[protocol]).usage
    assert found.raw == raw
    return found.input_uncached, found.input_cached, found.cache_write, found.output_visible, found.reasoning


def test_counts_that_include_each_other_are_taken_apart() -> None:
    chat = {
        "prompt_tokens": 1000,
        "completion_tokens": 500,
        "prompt_tokens_details": {"cached_tokens": 900},
        "completion_tokens_details": {"reasoning_tokens": 450},
    }
    assert usage("openai-chat", chat) == (100, 900, 0, 50, 450)
    responses = {
        "input_tokens": 1000,
        "output_tokens": 500,
        "input_tokens_details": {"cached_tokens": 900},
        "output_tokens_details": {"reasoning_tokens": 450},
    }
    assert usage("openai-responses", responses) == (100, 900, 0, 50, 450)


def test_counts_that_exclude_each_other_are_kept() -> None:
    raw = {"input_tokens": 7, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 100, "output_tokens": 50}
    assert usage("anthropic", raw) == (7, 900, 100, 50, 0)


def chat_usage(raw: dict[str, Any], text: str = "x") -> Usage:
    """Of a chat completion with that text."""
    return http_protocol("openai-chat").answer({"choices": [{"message": {"content": text}}], "usage": raw}).usage


@pytest.mark.parametrize(
    ("read", "written", "reasoning", "total", "counts"),
    [
        (10120, 1499, 2809, 14428, (1499, 2809)),  # xAI: on top
        (12, 2, 317, 331, (2, 317)),
        (12, 1, 386, None, (1, 386)),  # without a total: more than the whole can be no part of it
        (1000, 500, 450, 1500, (50, 450)),  # OpenAI: part of it
        (1000, 500, 450, None, (50, 450)),
        (1000, 500, 0, 1500, (500, 0)),
    ],
)
def test_reasoning_comes_on_top_where_the_total_says_so(
    read: int, written: int, reasoning: int, total: int | None, counts: tuple[int, int]
) -> None:
    for protocol, (ins, outs) in {
        "openai-chat": ("prompt", "completion"),
        "openai-responses": ("input", "output"),
    }.items():
        raw = {
            f"{ins}_tokens": read,
            f"{outs}_tokens": written,
            f"{outs}_tokens_details": {"reasoning_tokens": reasoning},
            **({} if total is None else {"total_tokens": total}),
        }
        assert usage(protocol, raw) == (read, 0, 0, *counts)


def test_what_is_written_to_a_cache_is_part_of_the_prompt() -> None:
    details = {"cached_tokens": 600, "cache_write_tokens": 300}
    raw = {"prompt_tokens": 1000, "completion_tokens": 5, "prompt_tokens_details": details}
    assert usage("openai-chat", raw) == (100, 600, 300, 5, 0)
    raw = {"input_tokens": 3300, "output_tokens": 5, "input_tokens_details": {"cache_write_tokens": 3207}}
    assert usage("openai-responses", raw) == (93, 0, 3207, 5, 0)
    over = {
        "prompt_tokens": 10,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 8},
    }
    assert usage("openai-chat", over) == (0, 8, 2, 1, 0)


def test_the_thinking_of_claude_is_read() -> None:
    claude = {"input_tokens": 10, "output_tokens": 500, "output_tokens_details": {"thinking_tokens": 450}}
    assert usage("anthropic", claude) == (10, 0, 0, 50, 450)


@pytest.mark.parametrize(
    ("raw", "dollars"),
    [
        ({"cost": 0.25, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.25}}, 0.25),
        ({"cost": 0.01, "is_byok": True}, None),  # the gateway's fee alone
        ({"cost": 1e7}, None),
        ({"cost": -1}, None),
        ({"cost": "0.1"}, None),
        ({}, None),
    ],
)
def test_a_reported_cost_has_all_its_parts(raw: dict[str, Any], dollars: float | None) -> None:
    found = chat_usage({"prompt_tokens": 5, "completion_tokens": 5, **raw}).cost_reported
    assert found == (None if dollars is None else pytest.approx(dollars))


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"prompt_tokens": 5},
        {"completion_tokens": 5},
        {"prompt_tokens": 0, "completion_tokens": 5},
        {"prompt_tokens": 5, "completion_tokens": 0},
        {"prompt_tokens": 5, "completion_tokens": None},
        {"prompt_tokens": "5", "completion_tokens": "5"},
        {"prompt_tokens": True, "completion_tokens": 5},
        {"prompt_tokens": 5, "completion_tokens": -5},
        {"prompt_tokens": 5, "completion_tokens": 10**18},
        {"prompt_tokens": [5], "completion_tokens": {"a": 5}},
    ],
)
def test_counts_that_can_not_be_true_are_none(raw: dict[str, Any]) -> None:
    assert not chat_usage(raw).counted
    assert chat_usage({"prompt_tokens": 5, "completion_tokens": 5}).counted
    assert chat_usage({"prompt_tokens": 5, "completion_tokens": 0}, text="").counted


def test_gemini_includes_the_cache_and_adds_its_thoughts() -> None:
    raw = {
        "promptTokenCount": 1000,
        "cachedContentTokenCount": 900,
        "candidatesTokenCount": 50,
        "thoughtsTokenCount": 450,
        "totalTokenCount": 1500,
    }
    assert usage("gemini", raw) == (100, 900, 0, 50, 450)


@pytest.mark.parametrize("protocol", HTTP)
@pytest.mark.parametrize("raw", [{}, {"prompt_tokens": None, "input_tokens": "many", "promptTokenCount": -1}])
def test_missing_and_odd_counts_are_zero(protocol: str, raw: dict[str, Any]) -> None:
    assert usage(protocol, raw) == (0, 0, 0, 0, 0)


def test_a_reported_cost_is_preferred_and_the_provider_is_kept() -> None:
    found = http_protocol("openai-chat").answer(
        {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "provider": "Q", "usage": {"cost": 0.25}}
    )
    assert (found.usage.cost_reported, found.provider) == (0.25, "Q")
    assert Usage(cost_reported=0.25, cost_estimated=0.5).cost == 0.25
    assert Usage(cost_estimated=0.5).cost == 0.5
    assert Usage().cost == 0.0


def test_a_list_of_parts_is_a_text_and_a_refusal_is_one_too() -> None:
    parts = [{"type": "text", "text": "be"}, {"type": "text", "text": "t"}]
    answer = http_protocol("openai-chat").answer
    assert answer({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}).text == "bet"
    found = answer({"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]})
    assert (found.text, found.finish) == ("No.", "refusal")


def test_a_blocked_prompt_is_a_refusal_and_a_candidate_may_be_empty() -> None:
    answer = http_protocol("gemini").answer
    assert answer({"promptFeedback": {"blockReason": "SAFETY"}}).finish == "refusal"
    found = answer({"candidates": [{"finishReason": "MAX_TOKENS"}]})
    assert (found.text, found.finish) == ("", "length")


def test_the_texts_of_a_schema_are_bounded_so_that_a_reply_fits() -> None:
    """Small models write on under a grammar; OpenAI itself takes no such bounds."""
    text = {"type": "string"}
    schema = {"type": "object", "properties": {"a": text, "b": {"type": "array", "items": text, "maxItems": 3}}}
    request = Request(messages=REQUEST.messages, schema=schema, max_output=160)

    def sent(**fields: Any) -> Any:
        return body("openai-chat", request, structured=True, **fields)["response_format"]["json_schema"]["schema"]

    assert sent() == schema
    found = sent(base_url="http://127.0.0.1:8080/v1")["properties"]
    assert found["a"] == found["b"]["items"] == {"type": "string", "minLength": 1, "maxLength": (160 - 4 * 12) // 4}
    request = Request(messages=REQUEST.messages, schema=schema, max_output=16_000)
    assert sent(base_url="http://127.0.0.1:8080/v1")["properties"]["a"] == {"type": "string", "minLength": 1}
