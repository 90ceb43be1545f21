"""One module per wire protocol, and their table, in the order in which messages list them."""

from antemill.llm.protocols import anthropic, gemini, openai_chat, openai_responses, scripted
from antemill.llm.protocols.protocol import HttpProtocol, Protocol

PROTOCOLS: dict[str, Protocol] = {
    "openai-chat": openai_chat.PROTOCOL,
    "openai-responses": openai_responses.PROTOCOL,
    "anthropic": anthropic.PROTOCOL,
    "gemini": gemini.PROTOCOL,
    "scripted": scripted.PROTOCOL,
}


def http_protocol(name: str) -> HttpProtocol:
    """The protocol of a server. Raises TypeError for a protocol that does not use HTTP."""
    found = PROTOCOLS[name]
    if not isinstance(found, HttpProtocol):
        raise TypeError(f"{name} is not spoken over HTTP")
    return found
