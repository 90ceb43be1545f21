"""Keeps keys out of files and of the texts of exceptions, where they stand as they are; and an entry's `extra_headers`.

Keys of fewer than 8 characters ("none", "ollama": keys of local servers) are no secrets, but ordinary words. A key in
the list of models would be copied into every run's folder, so a header that looks like a credential is refused; another
secret is read from the environment: `"Bearer ${GATEWAY_TOKEN}"`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from antemill.llm.errors import StopError

REDACTED = "[redacted]"
MIN_LENGTH = 8
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_WORD = re.compile(r"(?:auth|authorization|key|token|secret|cookie|password|credentials?)(?=[-_]|$)", re.I)


class KeyRedactor:
    """The secrets of one client."""

    def __init__(self) -> None:
        self._keys: list[str] = []  # longest first

    def add(self, secret: str) -> None:
        """Add a secret to hide."""
        if len(secret) >= MIN_LENGTH and secret not in self._keys:
            self._keys = sorted([*self._keys, secret], key=len, reverse=True)

    def hide(self, text: str) -> str:
        """The text without secrets."""
        for key in self._keys:
            text = text.replace(key, REDACTED)
        return text


def from_environment(variable: str, what: str) -> str:
    """The secret in an environment variable. Raises StopError, which does not show it."""
    secret = os.environ.get(variable, "").strip()
    if not re.fullmatch(r"[\x21-\x7e]+", secret):
        wrong = "does not hold a key: it has blanks or non-ASCII characters" if secret else "is not set"
        raise StopError(f"the environment variable {variable} {what} {wrong}; set it", kind="key")
    return secret


def holds_secret(name: str, value: str) -> bool:
    """Whether a header looks like a credential: its name is that of one ("x-api-key"), and its value, without the parts
    from the environment, has a word that is longer than the keys of local servers."""
    long = any(len(word) >= MIN_LENGTH for word in _VARIABLE.sub("", value).split())
    return bool(long and _SECRET_WORD.search(name))


def sent_headers(headers: Mapping[str, str], redactor: KeyRedactor) -> dict[str, str]:
    """The headers with the values of their variables, which the redactor then hides. Raises StopError."""

    def held(found: re.Match[str]) -> str:
        secret = from_environment(found[1], "of its extra_headers")
        redactor.add(secret)
        return secret

    return {name: _VARIABLE.sub(held, value) for name, value in headers.items()}
