"""The list of models, `models.toml`: one table per model. Players and reports use the table's name.

    [opus]
    protocol = "anthropic"
    model = "claude-opus-5-5"                 # the provider's name; with a version, results can be reproduced
    key_env = "ANTHROPIC_API_KEY"             # the variable that holds the key; a key itself is refused
    effort = "low"
    sampling = false
    prices = { input = 4.0, cached_input = 0.2, cache_write = 5.0, output = 20.0 }
    concurrency = 8

The fields of `antemill.llm.model.Model` are the keys of a table. The entry states the model's capabilities; none is
guessed. Sampling parameters that are not set are not sent, options without a field go into `extra_body`, and an option
that the protocol does not have is refused.

`prices` may also be "free" (a local model), or "genai-prices" (see `antemill.llm.prices`).
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import get_args

import msgspec

from antemill.llm.entry import Prices, SchemaKind, Thinking
from antemill.llm.errors import ModelFileError
from antemill.llm.mistakes import line_of, meant, none_of
from antemill.llm.model import Model
from antemill.llm.prices import published_prices
from antemill.llm.problems import address_problem, other_problem

_THINKING_OUTPUT = 16_000  # tokens: the default `max_output` of models that think

_ALLOWED: dict[str, tuple[str, ...]] = {"thinking": get_args(Thinking), "schema": get_args(SchemaKind)}


def read_models(path: str | os.PathLike[str]) -> dict[str, Model]:
    """The entries by name, in the file's order. Raises ModelFileError, which names file, table and key."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
        tables = tomllib.loads(text)
    except OSError as error:
        raise ModelFileError(
            f"The model list {file} cannot be read ({error.strerror}); write it, or name another."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelFileError(f"The model list {file} is not TOML: {error}.") from None
    try:
        return {name: read_model(name, table) for name, table in tables.items()}
    except ModelFileError as error:
        raise ModelFileError(f"The model list {file} is wrong: {_placed(str(error), text)}") from None


def read_model(name: str, table: object) -> Model:
    """One entry from its table. Raises ModelFileError."""
    if not isinstance(table, dict):
        raise ModelFileError(f'"{name}" is outside of a table; models are tables such as [{name}].')
    if "protocol" not in table and table and all(isinstance(value, dict) for value in table.values()):
        inner = next(iter(table))
        raise ModelFileError(f'[{name}.{inner}] is a table within a table; quote the name: ["{name}.{inner}"].')
    prices = table.get("prices")
    if prices == "free":
        table = {**table, "prices": {"input": 0, "output": 0}}
    elif prices == "genai-prices":
        table = {key: value for key, value in table.items() if key != "prices"}
    elif isinstance(prices, str):
        raise ModelFileError(f'[{name}] has prices = "{prices}"; give a table of prices, "free" or "genai-prices".')
    if "name" in table:
        raise ModelFileError(f"[{name}] has the key \"name\"; the table's name is the model's, leave it out.")
    try:
        model = msgspec.convert({"name": name, **table}, Model)
    except msgspec.ValidationError as error:
        raise ModelFileError(f"[{name}] {_sentence(str(error))}") from None
    problem = address_problem(model)  # before all checks that depend on the host
    if not problem and "max_output" not in table and model.thinks:
        model = msgspec.structs.replace(model, max_output=_THINKING_OUTPUT)
    problem = problem or other_problem(model)
    if problem:
        raise ModelFileError(f"[{name}] {problem}")
    if prices == "genai-prices":
        model = msgspec.structs.replace(model, prices=published_prices(model))
    return model


def _sentence(error: str) -> str:
    """msgspec's message with the key first."""
    reason, _, where = error.partition(" - at ")
    key = where.strip("`").removeprefix("$").removeprefix(".")
    unknown = re.search(r"unknown field `(.+)`", reason)
    missing = re.search(r"missing required field `(.+)`", reason)
    inside = f" in {key}" if key else ""
    if unknown:
        secret = "; name the variable that holds it with key_env" if "key" in unknown[1] else ""
        hint = secret or meant(unknown[1], (Prices if key == "prices" else Model).__struct_fields__)
        return f'has the unknown key "{unknown[1]}"{inside}{hint}{"" if hint.endswith("?") else "."}'
    if missing:
        return f'lacks the key "{missing[1]}"{inside}.'
    wrong = re.search(r"enum value '(.*)'", reason)
    allowed = _ALLOWED.get(key, ())
    if wrong and allowed:
        return none_of(key, wrong[1], allowed)
    if checked := re.search(r"has .*", reason):  # raised by the entry's own check
        return checked[0]
    return f'has a wrong value for "{key}": {reason[:1].lower()}{reason[1:]}.'


_NAMED = re.compile(
    rf"has (?:an? |both )?({'|'.join([*Model.__struct_fields__, *Prices.__struct_fields__])})\b" + r'|"([\w.-]+)"'
)


def _placed(mistake: str, text: str) -> str:
    """The mistake with the line of the key that it names, or of the table."""
    table = re.match(r"\[([^\]]+)\]", mistake)
    named = _NAMED.search(mistake)
    keys = (named[1] or named[2]).split(".") if named else []
    if inside := re.search(r"(?<!\w)in (prices|extra_body|extra_headers)\b", mistake):
        keys = [inside[1], *keys]
    line = line_of(text, (table[1], *keys)) if table else None
    return mistake if line is None else f"line {line}: {mistake}"
