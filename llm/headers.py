"""An entry's `extra_headers`: the allowed values, and the values that are sent.

A key in the list of models would be copied into every run's folder, so a header that looks like a credential is
refused. A secret that a gateway needs besides the key is read from the environment: `"Bearer ${GATEWAY_TOKEN}"`.
"""

from __future__ import annotations

import os
import re

from antemill.llm.errors import StopError
from antemill.llm.model import Model
from antemill.llm.redact import MIN_LENGTH, KeyRedactor

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_WORD = re.compile(r"(?:auth|authorization|key|token|secret|cookie|password|credentials?)(?=[-_]|$)", re.I)
_SECRET_VALUE = re.compile(r"(?:(?:bearer|basic|token) \S|sk-|xai-|gsk_|hf_|pplx-|ghp_|AIza|AKIA|eyJ)\S{7}", re.I)


def holds_secret(name: str, value: str) -> bool:
    """Whether a header of the list of models looks like a credential. Parts from the environment do not count.

    It does if its name is that of a credential ("x-api-key") and its value is longer than the keys of local servers, or
    if its value has the form of a known key.
    """
    written = _VARIABLE.sub("", value)
    long = any(len(word) >= MIN_LENGTH for word in written.split())
    return bool((long and _SECRET_WORD.search(name)) or _SECRET_VALUE.match(written))


def sent_headers(model: Model, redactor: KeyRedactor) -> dict[str, str]:
    """The headers with the values of their variables, which the redactor then hides. Raises StopError."""

    def held(found: re.Match[str]) -> str:
        secret = os.environ.get(found[1], "").strip()
        if not re.fullmatch(r"[\x21-\x7e]+", secret):
            wrong = "holds blanks or non-ASCII characters" if secret else "is not set"
            raise StopError(f"the environment variable {found[1]} of its extra_headers {wrong}; set it")
        redactor.add(secret)
        return secret

    headers = {name: _VARIABLE.sub(held, value) for name, value in model.extra_headers.items()}
    redactor.add_headers(headers)
    return headers
