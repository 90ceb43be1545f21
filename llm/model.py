"""A model: its entry in the list, and the properties that follow from its protocol."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from antemill.llm.entry import Entry
from antemill.llm.mistakes import meant
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.protocol import HttpProtocol
from antemill.llm.types import Request


class Model(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A model that can be asked. Raises ValueError for a protocol that does not exist."""

    def __post_init__(self) -> None:
        """Refuse unknown names of protocols."""
        if self.protocol not in PROTOCOLS:
            near = meant(self.protocol, PROTOCOLS) or "."
            raise ValueError(f'protocol = "{self.protocol}" is none of {", ".join(PROTOCOLS)}{near}')

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
    def auto(self) -> bool:
        """Whether a call shows if the server takes a schema. A script gets the request itself, so it needs none."""
        return self.structured == "auto" and not self.scripted

    def schema_of(self, request: Request, takes: bool | None = None) -> dict[str, Any] | None:
        """The schema that is sent with a request, or None. takes: whether the server takes one, None if unknown."""
        if self.structured == "auto":
            return request.schema if self.auto and not request.plain and takes is not False else None
        return request.schema if self.structured else None

    @property
    def thinks(self) -> bool:
        """Whether the model thinks, or may think by default like the models of the large providers."""
        asked = self.effort is not None or self.thinking is not None or self.thinking_budget is not None
        own = urlsplit(PROTOCOLS[self.protocol].base_url).hostname
        return asked or (own is not None and urlsplit(self.url).hostname == own)
