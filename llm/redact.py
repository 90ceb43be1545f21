"""Keeps keys out of files, logs and the texts of exceptions, where a server sends them back as they are.

Keys of fewer than 8 characters ("none", "ollama": keys of local servers) are not treated as secrets, because removing
them would damage ordinary words.
"""

from __future__ import annotations

import logging

REDACTED = "[redacted]"
MIN_LENGTH = 8
_LOGGERS = tuple(f"httpcore2.{name}" for name in ("connection", "http11", "http2", "proxy", "socks"))
_SECRET_HEADERS = ("auth", "key", "token", "secret", "cookie", "password")


class KeyRedactor(logging.Filter):
    """The secrets of one client. As a filter of loggers it redacts every record and drops none."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: list[str] = []  # longest first

    def add(self, secret: str) -> None:
        """Add a secret to hide."""
        if len(secret) >= MIN_LENGTH and secret not in self._keys:
            self._keys = sorted([*self._keys, secret], key=len, reverse=True)

    def add_headers(self, headers: dict[str, str]) -> None:
        """Hide the values of headers with secret names, and also the credentials alone, without their scheme."""
        for name, value in headers.items():
            if any(part in name.lower() for part in _SECRET_HEADERS):
                self.add(value)
                self.add(value.split()[-1] if value.split() else "")

    def hide(self, text: str) -> str:
        """The text without secrets."""
        for key in self._keys:
            text = text.replace(key, REDACTED)
        return text

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact a record of the HTTP library, which logs the headers of responses at its debug level."""
        message = record.getMessage()
        hidden = self.hide(message)
        if hidden != message:
            record.msg, record.args = hidden, None
        return True

    def guard_logs(self) -> None:
        """Redact the logs of the HTTP library, until `release_logs`."""
        for name in ("httpx2", *_LOGGERS):
            logging.getLogger(name).addFilter(self)

    def release_logs(self) -> None:
        """Undo `guard_logs`."""
        for name in ("httpx2", *_LOGGERS):
            logging.getLogger(name).removeFilter(self)
