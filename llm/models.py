"""The list of models, `models.toml`: one table per model. Players and reports use the table's name.

    [opus]
    protocol = "anthropic"
    model = "claude-opus-5-5"                 # the provider's name; with a version, results can be reproduced
    key_env = "ANTHROPIC_API_KEY"             # the variable that holds the key; a key itself is refused
    effort = "low"
    sampling = false
    prices = { input = 4.0, cached_input = 0.2, cache_write = 5.0, output = 20.0 }
    concurrency = 8

The fields of `antemill.llm.entry.Entry` are the keys of a table. Sampling parameters that are not set are not sent,
options without a field go into `extra_body`, and an option that the protocol does not have is refused. `prices` may
also be "free" (a local model), or "genai-prices" (see `antemill.llm.prices`).
"""

from __future__ import annotations

import math
import os
import re
import tomllib
import unicodedata
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from antemill.llm.errors import ModelFileError
from antemill.llm.headers import holds_secret
from antemill.llm.mistakes import explain
from antemill.llm.model import Model
from antemill.llm.prices import published_prices
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.protocol import OPTIONS

_THINKING_OUTPUT = 16_000  # tokens: the default `max_output` of models that think
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?")


def read_models(path: str | os.PathLike[str]) -> dict[str, Model]:
    """The entries by name, in the file's order. Raises ModelFileError, which names file, table and key."""
    file = Path(path)
    try:
        tables = tomllib.loads(unicodedata.normalize("NFC", file.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise ModelFileError(
            f"The model list {file} cannot be read ({error.strerror}); write it, or name another."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelFileError(f"The model list {file} is not TOML: {error}.") from None
    try:
        return {name: read_model(name, table) for name, table in tables.items()}
    except ModelFileError as error:
        raise ModelFileError(f"The model list {file} is wrong: {error}") from None


def read_model(name: str, table: object) -> Model:
    """One entry from its table. Raises ModelFileError."""
    if not isinstance(table, dict) or "name" in table:
        raise ModelFileError(f'"{name}" is no table of a model, such as [{name}] with protocol, model and base_url.')
    prices = table.get("prices")
    if prices in ("free", "genai-prices"):
        table = {**table, "prices": {"input": 0, "output": 0} if prices == "free" else None}
    try:
        model = msgspec.convert({"name": name, **table}, Model)
    except msgspec.ValidationError as error:
        mistake, _ = explain(error, Model)
        raise ModelFileError(f"[{name}] {mistake.removeprefix(f'[{name}] ')}{'' if '?' in mistake else '.'}") from None
    problem = address_problem(model)  # before all checks that depend on the host
    if not problem and "max_output" not in table and model.thinks:
        model = msgspec.structs.replace(model, max_output=_THINKING_OUTPUT)
    if problem := problem or _other_problem(model):
        raise ModelFileError(f"[{name}] {problem}")
    return msgspec.structs.replace(model, prices=published_prices(model)) if prices == "genai-prices" else model


def address_problem(model: Model) -> str | None:
    """A mistake in the address, as a sentence that begins with "has"; None without one."""
    try:
        parts = urlsplit(model.url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError as error:
        return f'has base_url = "{model.base_url}", which is not an address ({error}).'
    if not model.scripted and (parts.scheme not in ("http", "https") or not parts.hostname):
        return f'has base_url = "{model.base_url}", which must begin with http:// or https:// and name a host.'
    if parts.query or parts.fragment or "@" in parts.netloc:
        return "has a base_url with a key, a query or a fragment; keys come from the environment, see key_env."
    return None


def _other_problem(model: Model) -> str | None:
    """A setting that would not be sent, could not be sent, or would put a secret into the run's folder."""
    protocol = PROTOCOLS[model.protocol]
    for key in OPTIONS:
        if getattr(model, key) not in (None, True) and key not in protocol.options:
            return f'has {key}, which "{model.protocol}" does not know; leave it out.'
    for key in ("temperature", "top_p", "top_k", "min_p"):
        if getattr(model, key) is not None and not model.sampling:
            return f"has {key} beside sampling = false, which sends none; leave one out."
    for key, value in model.extra_body.items():
        if key in protocol.reserved:
            return f'has "{key}" in extra_body, which the other keys of the entry determine.'
        if not _is_json(value):
            return f'has "{key}" in extra_body, which JSON cannot hold; write a number or a text.'
    for key, value in model.extra_headers.items():
        if not _HEADER.fullmatch(key) or not _HEADER_VALUE.fullmatch(value):  # not shown: it may be a secret
            return f'has "{key!a}" in extra_headers, which is not one line of ASCII characters.'
        if holds_secret(key, value):
            return (
                f'has "{key}" in extra_headers with a value that looks like a key, which must not be in the file; name '
                'its variable with key_env, or write "${NAME}" for another secret that a gateway needs.'
            )
    return protocol.problem(model)


def _is_json(value: object) -> bool:
    if isinstance(value, dict | list):
        return all(map(_is_json, value.values() if isinstance(value, dict) else value))
    return math.isfinite(value) if isinstance(value, float) else isinstance(value, str | int)
