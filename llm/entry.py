"""The keys of an entry in the list of models: how a model is reached, what it can do, what it costs."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

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
    max_output: int = 4096  # tokens, thinking included; in a file 16,000 where models think unless told otherwise
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
