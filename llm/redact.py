"""Keys never reach a file, a log or an exception's text, also when a server sends them back.

A `KeyRedactor` knows the keys of one client and takes them out of any text: in either letter case, and with any of
their characters escaped as JSON, a URL or HTML would. Keys of fewer than 8 characters are no secrets ("none", "ollama":
what local servers are given), and would spoil ordinary words.
"""

from __future__ import annotations

import html
import logging
import re

REDACTED = "[redacted]"
MIN_LENGTH = 8
_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")
_SECRET_HEADERS = ("auth", "key", "token", "secret", "cookie", "password")


_ESCAPES = re.compile(r"[\\%&]")  # what any escape begins with


class KeyRedactor(logging.Filter):
    """The secrets of one client. As a filter of loggers it redacts records; all of them pass."""

    def __init__(self) -> None:
        super().__init__()
        self._forms: list[tuple[str, re.Pattern[str]]] = []  # in lower case, and however it is written; longest first

    def add(self, secret: str) -> None:
        """Hide a secret from now on."""
        if len(secret) < MIN_LENGTH or any(form == secret.lower() for form, _ in self._forms):
            return
        written = re.compile("".join(map(_written, secret)), re.IGNORECASE)
        self._forms = sorted([*self._forms, (secret.lower(), written)], key=lambda form: -len(form[0]))

    def add_headers(self, headers: dict[str, str]) -> None:
        """Hide the values of headers whose names sound secret, and a scheme's credentials alone."""
        for name, value in headers.items():
            if any(part in name.lower() for part in _SECRET_HEADERS):
                self.add(value)
                self.add(value.split()[-1] if value.split() else "")

    def hide(self, text: str) -> str:
        """The text without secrets."""
        if not self._forms:
            return text
        lower, escaped = text.lower(), _ESCAPES.search(text) is not None
        for form, written in self._forms:
            if escaped or form in lower:
                text = written.sub(REDACTED, text)
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
        """Let logs be as they were before `guard_logs`."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)


def _written(character: str) -> str:
    """A pattern for one character: as it is, or escaped (by JSON within JSON too)."""
    code = ord(character)
    ways = {re.escape(way) for way in (character, html.escape(character))}
    ways |= {rf"\\{{1,8}}u{code:04x}", f"%{code:02x}", f"&#0{{0,8}}{code};", f"&#x0{{0,8}}{code:x};"}
    if character in '\\"/':
        ways.add(rf"\\{{1,8}}{re.escape(character)}")
    return f"(?:{'|'.join(sorted(ways, key=len, reverse=True))})"
