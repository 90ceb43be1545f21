"""The keys of an entry in the list of models: a model's address, its options, its prices and its limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Thinking = Literal["adaptive", "between_tools", "disabled"]
Structured = Literal["auto"] | bool
Variable = Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]
# Keys come from the environment (key_env), so that an address has neither a user nor a query.
Address = Annotated[str, Meta(pattern="^(https?://[^ ?#@]+)?$")]
Dollars = Annotated[float, Meta(ge=0, le=1e6)]
Positive = Annotated[float, Meta(gt=0, le=1e9)]
Count = Annotated[int, Meta(ge=1, le=1 << 40)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Prices(Struct, frozen=True, forbid_unknown_fields=True):
    """Dollars per million tokens."""

    input: Dollars
    output: Dollars  # thinking included
    cached_input: Dollars | None = None  # None: as input
    cache_write: Dollars | None = None  # None: 1.25 times the input, the price of providers that count it
    source: str = ""  # the source of the prices, for people
    date: str = ""

    @property
    def free(self) -> bool:
        """Whether all prices are 0."""
        return not (self.input or self.output or self.cached_input or self.cache_write)


class Entry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of the list, as written. `antemill.llm.model.Model` adds properties that follow from the protocol."""

    name: str
    protocol: str  # one of antemill.llm.protocols.PROTOCOLS
    model: str = ""  # the provider's name; the entry's name if empty
    base_url: Address = (
        ""  # the part before /chat/completions, /responses, /messages or /models; empty: the provider's own
    )
    key_env: Variable | None = None  # environment variable with the key; None: no key is sent
    # options of a request
    effort: str | None = None  # "low", "medium", "high", ... (Gemini 3: thinkingLevel)
    verbosity: str | None = None  # OpenAI, OpenRouter: "low", "medium", ...
    thinking_budget: Count | None = None  # tokens (older Claude, Gemini 2.5)
    thinking: Thinking | None = None  # Claude; models accept different ones
    max_output: Count = 4096  # tokens, thinking included; in a file 16,000 for models that think by default
    limit: str | None = None  # chat's field for max_output; None: max_completion_tokens at OpenAI, else max_tokens
    sampling: bool = True  # False: the model accepts no sampling parameters, so none are sent
    temperature: Annotated[float, Meta(ge=0, le=100)] | None = None
    top_p: Share | None = None
    top_k: Annotated[int, Meta(ge=-1)] | None = None
    min_p: Share | None = None
    structured: Structured = "auto"  # whether a request's schema is sent; "auto": found out by one refused call
    prompt_cache: bool = True  # Anthropic: the system message is marked for the prompt cache
    extra_body: dict[str, Any] = field(default_factory=dict)  # merged into the body after everything else
    extra_headers: dict[str, str] = field(default_factory=dict)
    context: Count | None = None  # the most tokens of prompt and answer together; None if unknown
    # prices and rates
    prices: Prices | None = None
    concurrency: Annotated[int, Meta(ge=1, le=10_000)] = 8
    requests_per_minute: Positive | None = None
    timeout: Positive = 300.0  # seconds for one attempt
    deadline: Positive = 1200.0  # seconds after the start of the first attempt; no attempt starts later
    body_limit: Count = 16 << 20  # bytes of a reply

    @property
    def remote(self) -> str:
        """The provider's name for the model."""
        return self.model or self.name
