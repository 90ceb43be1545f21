"""Keys never reach a file, a log or an exception's text, also when a server sends them back.

A `Vault` knows the keys of one client and takes them out of any text. Keys of fewer than 8 characters are no secrets
("none", "ollama": what local servers are given), and would spoil ordinary words.
"""

from __future__ import annotations

import html
import json
import logging
from urllib.parse import quote

REDACTED = "[redacted]"
MIN_LENGTH = 8
_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")
_SECRET_HEADERS = ("auth", "key", "token", "secret", "cookie", "password")


class Vault(logging.Filter):
    """The secrets of one client. As a filter of loggers it redacts records; all of them pass."""

    def __init__(self) -> None:
        super().__init__()
        self._forms: list[str] = []

    def add(self, secret: str) -> None:
        """Hide a secret from now on, and how it looks in JSON, in a URL and in HTML."""
        if len(secret) < MIN_LENGTH or secret in self._forms:
            return
        forms = {secret, json.dumps(secret)[1:-1], quote(secret, safe=""), html.escape(secret)}
        self._forms = sorted({*self._forms, *forms}, key=len, reverse=True)

    def add_headers(self, headers: dict[str, str]) -> None:
        """Hide the values of headers whose names sound secret, and a scheme's credentials alone."""
        for name, value in headers.items():
            if any(part in name.lower() for part in _SECRET_HEADERS):
                self.add(value)
                self.add(value.split()[-1] if value.split() else "")

    def hide(self, text: str) -> str:
        """The text without secrets."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, REDACTED)
        return text

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact a record of the HTTP library, which logs the headers of responses when it is asked to debug."""
        message = record.getMessage()
        hidden = self.hide(message)
        if hidden != message:
            record.msg, record.args = hidden, None
        return True

    def guard_logs(self) -> None:
        """Redact what the HTTP library logs, until `release_logs`."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def release_logs(self) -> None:
        """End of `guard_logs`."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
