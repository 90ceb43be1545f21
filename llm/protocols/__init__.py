"""One module per wire protocol, and the table of them: what a request looks like, and what an answer says."""

from antemill.llm.protocols.table import PROTOCOLS, http_protocol

__all__ = ["PROTOCOLS", "http_protocol"]
