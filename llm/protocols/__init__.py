"""One module per wire protocol: what a request looks like, and what an answer says. `WIRES` is the table of them."""

from llm.protocols import anthropic, gemini, openai_chat, openai_responses
from llm.protocols.wire import Wire

__all__ = ["WIRES", "Wire"]

WIRES: dict[str, Wire] = {
    "openai-chat": openai_chat.WIRE,
    "openai-responses": openai_responses.WIRE,
    "anthropic": anthropic.WIRE,
    "gemini": gemini.WIRE,
}
