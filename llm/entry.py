"""The keys of an entry in the list of models: a model's address, its capabilities and its prices."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

Outcome = Literal[
    "refusal",  # a reply: the provider or the model will not answer this prompt
    "unparsable",  # a reply: the model's text breaks the schema that the provider enforces
    "spend",  # no credit, or a spend limit
    "context",  # the prompt is too long
    "item",  # only this prompt is at fault
    "login",  # no permission
    "request",  # any other mistake in the request
    "rate",  # too many requests
    "overloaded",  # the server is overloaded
    "timeout",
    "server",  # any other failure of a server
]
SchemaKind = Literal["menu", "wide"]
Thinking = Literal["adaptive", "between_tools", "disabled"]


class Prices(Struct, frozen=True, forbid_unknown_fields=True):
    """Dollars per million tokens."""

    input: float
    output: float  # thinking included
    cached_input: float | None = None  # None: as input
    cache_write: float | None = None  # None: 1.25 times the input, the price of providers that count it
    source: str = ""  # the source of the prices, for people
    date: str = ""

    @property
    def free(self) -> bool:
        """Whether all prices are 0."""
        return not (self.input or self.output or self.cached_input or self.cache_write)


class ErrorRule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The user's own rule for an error of a server. It has priority over every other reading of the error.

    status: the HTTP status, or None for any; for an error inside a success, the status that the error names. says: a
    part of the body, in any letter case; "" for any.
    """

    outcome: Outcome
    status: int | None = None
    says: str = ""

    def fits(self, status: int, text: str) -> bool:
        """Whether the rule covers an error. text: the error's body."""
        return self.status in (None, status) and self.says.lower() in text.lower()


class Entry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of the list, as written. `antemill.llm.model.Model` adds properties that follow from the protocol."""

    name: str
    protocol: str  # one of antemill.llm.protocols.PROTOCOLS
    model: str = ""  # the provider's name; the entry's name if empty
    base_url: str = ""  # the part before /chat/completions, /responses, /messages or /models; empty: the provider's own
    key_env: str | None = None  # environment variable with the key; None: no key is sent
    dialect: str | None = None  # of OpenAI's protocols; None: by base_url, see antemill.llm.protocols.openai_chat
    # options of a request
    effort: str | None = None  # "low", "medium", "high", ... (Gemini 3: thinkingLevel)
    verbosity: str | None = None  # OpenAI, OpenRouter (which makes it the effort of Claude): "low", "medium", ...
    thinking_budget: int | None = None  # tokens (older Claude, Gemini 2.5, OpenRouter)
    thinking: Thinking | None = None  # Claude; models accept different ones
    max_output: int = 4096  # tokens, thinking included; in a file 16,000 for models that think by default
    sampling: bool = True  # False: the model accepts no sampling parameters, so none are sent
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    structured: bool = False  # a request's schema is sent, and the provider enforces it
    schema: SchemaKind | None = None  # "menu": legal answers only; "wide": one for all; None: by the protocol
    prompt_cache: bool = True  # Anthropic: the system message is marked for the prompt cache
    extra_body: dict[str, Any] = field(default_factory=dict)  # merged into the body after everything else
    extra_headers: dict[str, str] = field(default_factory=dict)
    context: int | None = None  # the most tokens of prompt and answer together; None if unknown
    errors: tuple[ErrorRule, ...] = ()  # meanings of the server's errors; the first rule that fits counts
    # prices and rates
    prices: Prices | None = None
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 300.0  # seconds for one attempt
    deadline: float = 1200.0  # seconds after the start of the first attempt; no attempt starts later
    body_limit: int = 16 << 20  # bytes of a reply, decompressed

    @property
    def remote(self) -> str:
        """The provider's name for the model."""
        return self.model or self.name
