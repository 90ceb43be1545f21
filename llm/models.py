"""The list of models, `models.toml`: one table per model. Players and reports use the table's name.

    [opus]
    protocol = "anthropic"
    model = "claude-opus-5-5"                 # the provider's name; with a version, results can be reproduced
    key_env = "ANTHROPIC_API_KEY"             # the variable that holds the key; a key itself is refused
    sampling = false
    prices = { input = 4.0, cached_input = 0.2, cache_write = 5.0, output = 20.0 }

The fields of `antemill.llm.entry.Entry` are the keys of a table. Sampling parameters that are not set are not sent,
other options go into `extra_body`, and one that the protocol does not have is refused. `prices` may also be "free".
"""

from __future__ import annotations

import os
import tomllib
import unicodedata
from pathlib import Path

import msgspec

from antemill.llm.errors import ModelFileError
from antemill.llm.mistakes import explain
from antemill.llm.model import Model
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.protocol import OPTIONS
from antemill.llm.redact import holds_secret

_THINKING_OUTPUT = 16_000  # tokens: the default `max_output` of models that think


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
    if table.get("prices") == "free":
        table = {**table, "prices": {"input": 0, "output": 0}}
    try:
        model = msgspec.convert({"name": name, **table}, Model)
        thinks = model.thinks
    except (msgspec.ValidationError, ValueError) as error:
        mistake, _ = explain(error, Model)
        raise ModelFileError(f"[{name}] {mistake}{'' if mistake.endswith('?') else '.'}") from None
    if "max_output" not in table and thinks:
        model = msgspec.structs.replace(model, max_output=_THINKING_OUTPUT)
    if problem := _problem(model):
        raise ModelFileError(f"[{name}] {problem}")
    return model


def _problem(model: Model) -> str | None:
    """A setting that would not be sent, or would put a secret into the run's folder."""
    protocol = PROTOCOLS[model.protocol]
    for key in OPTIONS:
        if getattr(model, key) not in (None, True) and key not in protocol.options:
            return f'has {key}, which "{model.protocol}" does not know; leave it out.'
    for key in model.extra_body:
        if key in protocol.reserved:
            return f'has "{key}" in extra_body, which the other keys of the entry determine.'
    for key, value in model.extra_headers.items():
        if holds_secret(key, value):
            return (
                f'has "{key}" in extra_headers with a value that looks like a key, which must not be in the file; name '
                'its variable with key_env, or write "${NAME}" for another secret that a gateway needs.'
            )
    return None
