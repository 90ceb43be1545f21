"""Keeps keys out of files, logs and the texts of exceptions, even if a server sends them back.

A `KeyRedactor` knows the keys of one client and removes them from any text: in any letter case, with characters escaped
as in JSON, a URL or HTML, in base64 and hexadecimal digits, and as a key that a server has masked ("sk-l****89ab").
Other spellings are not recognised. Keys of fewer than 8 characters ("none", "ollama": keys of local servers) are not
treated as secrets, because removing them would damage ordinary words.
"""

from __future__ import annotations

import base64
import html
import logging
import re

REDACTED = "[redacted]"
MIN_LENGTH = 8
_LOGGERS = (
    "httpx2",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
    "httpcore2.proxy",
    "httpcore2.socks",
)
_SECRET_HEADERS = ("auth", "key", "token", "secret", "cookie", "password")


_SHOWN = 3  # visible characters by which a masked key is recognised
_GAP = (  # what masks the middle of a key, also escaped by HTML or JSON
    r"[*•●]{2,}|\[?(?:\.{3,}|…)\]?|[xX]{4,}|#{3,}|-{4,}|_{4,}|(?:&(?:bull|hellip|ast|#8226|#8230|#x2022|#x2026);)+|"
    r"(?:\\u(?:2022|2026))+"
)
_MASK = re.compile(_GAP)
_PLAIN = r"[^\s\"'`*•●….:=,;()<>]"
_MASKED = re.compile(rf"({_PLAIN}{{0,80}}?)(?:{_GAP})((?:{_PLAIN}|=){{0,80}})")
_ESCAPES = re.compile(r"[\\%&]")  # first characters of escapes


class KeyRedactor(logging.Filter):
    """The secrets of one client. As a filter of loggers it redacts every record and drops none."""

    def __init__(self) -> None:
        super().__init__()
        self._forms: list[tuple[str, re.Pattern[str]]] = []  # in lower case, and the pattern; longest first
        self._keys: list[str] = []  # in lower case

    def add(self, secret: str) -> None:
        """Add a secret to hide."""
        if len(secret) < MIN_LENGTH or secret.lower() in self._keys:
            return
        self._keys.append(secret.lower())
        written = re.compile("".join(map(_written, secret)), re.IGNORECASE)
        forms = [(secret.lower(), written)]
        forms += [(form.lower(), re.compile(re.escape(form), re.IGNORECASE)) for form in _encoded(secret)]
        self._forms = sorted([*self._forms, *forms], key=lambda form: -len(form[0]))

    def add_headers(self, headers: dict[str, str]) -> None:
        """Hide the values of headers with secret names, and also the credentials alone, without their scheme."""
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
        return _MASKED.sub(self._unmasked, text) if _MASK.search(text) else text

    def _unmasked(self, found: re.Match[str]) -> str:
        """The replacement of a masked word: `REDACTED` if it begins or ends like a known key, else the word itself."""
        begin, end = found[1].lower(), found[2].lower()
        for key in self._keys:
            if (len(begin) >= _SHOWN and key.startswith(begin)) or (len(end) >= _SHOWN and key.endswith(end)):
                return REDACTED
        return found[0]

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact a record of the HTTP library, which logs the headers of responses at its debug level."""
        message = record.getMessage()
        hidden = self.hide(message)
        if hidden != message:
            record.msg, record.args = hidden, None
        return True

    def guard_logs(self) -> None:
        """Redact the logs of the HTTP library, until `release_logs`."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def release_logs(self) -> None:
        """Undo `guard_logs`."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)


def _encoded(secret: str) -> set[str]:
    """The secret in hexadecimal and base64. Base64 depends on the offset within three bytes: it has three forms."""
    data = secret.encode()
    found = {data.hex()}
    for before in range(3):
        digits = base64.b64encode(bytes(before) + data).decode().rstrip("=")
        begin = (before * 4 + 2) // 3
        whole = digits[begin : (before + len(data)) * 4 // 3]
        found |= {whole, whole.translate(str.maketrans("+/", "-_"))}
    return {form for form in found if len(form) >= MIN_LENGTH}


def _written(character: str) -> str:
    """A pattern for one character: as it is, or escaped (also by JSON within JSON)."""
    code = ord(character)
    ways = {re.escape(way) for way in (character, html.escape(character))}
    ways |= {rf"\\{{1,8}}u{code:04x}", f"%(?:25){{0,3}}{code:02x}", f"&#0{{0,8}}{code};", f"&#x0{{0,8}}{code:x};"}
    if character in '\\"/':
        ways.add(rf"\\{{1,8}}{re.escape(character)}")
    return f"(?:{'|'.join(sorted(ways, key=len, reverse=True))})"
