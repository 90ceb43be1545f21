"""A model: its entry in the list, and the properties that follow from its protocol."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from antemill.llm.entry import Entry, SchemaKind
from antemill.llm.mistakes import none_of
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.openai_chat import DIALECTS, dialect_at
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.types import Request


class Model(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A model that can be asked. Raises ValueError for a protocol or a dialect that does not exist."""

    def __post_init__(self) -> None:
        """Refuse unknown names of protocols and dialects."""
        for key, value, table in (("protocol", self.protocol, PROTOCOLS), ("dialect", self.dialect, DIALECTS)):
            if value is not None and value not in table:
                raise ValueError(f'The model "{self.name}" {none_of(key, value, table)}')

    @property
    def url(self) -> str:
        """The base URL without a slash at its end."""
        return (self.base_url or PROTOCOLS[self.protocol].base_url).rstrip("/")

    @property
    def scripted(self) -> bool:
        """Whether a Python callable answers instead of a server."""
        return not isinstance(PROTOCOLS[self.protocol], HttpProtocol)

    @property
    def gateway(self) -> str:
        """The host that is asked, or "scripted"."""
        return urlsplit(self.url).netloc or self.protocol

    @property
    def hosted(self) -> bool:
        """Whether the server is the protocol's own provider, or one of the hosts that have a dialect."""
        own = urlsplit(PROTOCOLS[self.protocol].base_url).hostname
        if own is None:
            return False
        return urlsplit(self.url).hostname == own or bool(dialect_at(self.url, self.dialect).hosts)

    @property
    def schema_kind(self) -> SchemaKind:
        """The kind of schema that is sent. Servers that put it into the prompt cache the prompt once per schema."""
        return self.schema or ("wide" if self.hosted else "menu")

    def schema_sent(self, request: Request) -> dict[str, Any] | None:
        """The schema that is sent with a request, or None. It is the wide one if the entry says so and it exists."""
        if not self.structured:
            return None
        return (request.wide_schema if self.schema_kind == "wide" else None) or request.schema

    @property
    def thinks(self) -> bool:
        """Whether the model thinks, or may think by default like the models of the large providers."""
        asked = self.effort is not None or self.thinking is not None or self.thinking_budget is not None
        return asked or self.hosted
