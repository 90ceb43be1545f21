"""One module per wire protocol, which writes requests and reads answers, and the table of protocols."""

from antemill.llm.protocols.table import PROTOCOLS, http_protocol

__all__ = ["PROTOCOLS", "http_protocol"]
