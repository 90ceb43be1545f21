"""The keys of an entry in the list of models: how a model is reached, what it can do, what it costs."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

Outcome = Literal[
    "refusal",  # a reply: the provider or the model will not answer this prompt
    "unparsable",  # a reply: what the model wrote is not what it was held to
    "spend",  # no credit, or a spend limit
    "context",  # the prompt is too long
    "item",  # this prompt alone is at fault
    "login",  # no permission
    "request",  # any other mistake in the request
    "rate",  # too many requests
    "overloaded",  # a server with too much to do
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
    cache_write: float | None = None  # None: 1.25 times the input, as providers that count it charge
    source: str = ""  # where they are from, and of when; for people
    date: str = ""

    @property
    def free(self) -> bool:
        """Whether nothing costs anything."""
        return not (self.input or self.output or self.cached_input or self.cache_write)


class ErrorRule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an error of a server means, in the user's own words, before any other reading of it.

    status: its HTTP status, or None for any; of an error inside a success, the status that it names. says: a part of
    its body, in either letter case; "" for any.
    """

    outcome: Outcome
    status: int | None = None
    says: str = ""

    def fits(self, status: int, text: str) -> bool:
        """Whether an error is meant. text: its body."""
        return self.status in (None, status) and self.says.lower() in text.lower()


class Entry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry of the list, as it is written. `antemill.llm.model.Model` adds what follows from its protocol."""

    name: str
    protocol: str  # one of antemill.llm.protocols.PROTOCOLS
    model: str = ""  # the provider's name; the entry's name if empty
    base_url: str = ""  # all before /chat/completions, /responses, /messages or /models; the provider's own if empty
    key_env: str | None = None  # environment variable with the key; None: no key is sent
    dialect: str | None = None  # of openai-chat, by base_url if None; see antemill.llm.protocols.openai_chat
    # what is asked for
    effort: str | None = None  # "low", "medium", "high", ... (Gemini 3: thinkingLevel)
    verbosity: str | None = None  # OpenAI, OpenRouter (which makes it the effort of Claude): "low", "medium", ...
    thinking_budget: int | None = None  # tokens (older Claude, Gemini 2.5, OpenRouter)
    thinking: Thinking | None = None  # Claude; not every model takes each
    max_output: int = 4096  # tokens, thinking included; in a file 16,000 where models think by default
    sampling: bool = True  # False: the model takes no sampling parameters, none is ever sent
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    structured: bool = False  # a request's schema is sent, and the provider enforces it
    schema: SchemaKind | None = None  # "menu": what is legal now; "wide": one for all, by the protocol if None
    prompt_cache: bool = True  # Anthropic: the system message is marked for the prompt cache
    extra_body: dict[str, Any] = field(default_factory=dict)  # merged into the body, last
    extra_headers: dict[str, str] = field(default_factory=dict)
    context: int | None = None  # tokens of a prompt and its answer that the model takes; None if that is not known
    errors: tuple[ErrorRule, ...] = ()  # what errors of its server mean; the first that fits counts
    # what it costs, and how fast it may be asked
    prices: Prices | None = None
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 300.0  # seconds for one attempt
    deadline: float = 1200.0  # seconds from the first attempt on, after which no other begins
    body_limit: int = 16 << 20  # bytes of a reply, decompressed

    @property
    def remote(self) -> str:
        """The name that the provider knows."""
        return self.model or self.name
