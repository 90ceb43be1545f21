"""Finds settings in an entry of the list of models that cannot work; each is one sentence that begins with "has"."""

from __future__ import annotations

import math
import re
import sys
from urllib.parse import urlsplit

from antemill.llm.headers import holds_secret
from antemill.llm.model import Model
from antemill.llm.protocols import PROTOCOLS
from antemill.llm.protocols.protocol import Options

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?")


def other_problem(model: Model) -> str | None:
    """The first setting that cannot work, in one sentence, or None."""
    rates = ("requests_per_minute", "tokens_per_minute")
    for key in ("max_output", "context", "concurrency", "timeout", "deadline", "body_limit", *rates):
        value = getattr(model, key)
        if value is not None and not 0 < value < float("inf"):
            return f"has {key} = {value}, which must be positive and finite."
    for key in ("input", "output", "cached_input", "cache_write"):
        price = getattr(model.prices, key, None)
        if price is not None and not 0 <= price < float("inf"):
            return f"has {key} = {price} in prices, which is not a positive number of dollars per million tokens."
    if model.key_env is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", model.key_env):
        return "has a key_env that cannot be the name of an environment variable; write the name, not the key itself."
    reserved = {key for protocol in PROTOCOLS.values() for key in protocol.reserved}
    for key, value in model.extra_body.items():
        if key in reserved and (key, value) != ("stream", False):
            return (
                f'has "{key}" in extra_body, which must not be changed there; see max_output for the answer\'s length.'
            )
    if any(rule.status is None and not rule.says for rule in model.errors):
        return "has errors with neither a status nor says, which would fit every error; give one of them."
    return _sampling_problem(model) or _extra_problem(model) or _thinking_problem(model) or _dropped_problem(model)


def _sampling_problem(model: Model) -> str | None:
    """A sampling value out of range. Values that turn an option off (top_k = 0 or -1) are in range."""
    limits = {"temperature": (0, None), "top_p": (0, 1), "min_p": (0, 1), "top_k": (-1, None)}
    for key, (least, most) in limits.items():
        value = getattr(model, key)
        if value is not None and not least <= value <= (sys.float_info.max if most is None else most):
            allowed = f"at least {least}" if most is None else f"from {least} to {most}"
            return f"has {key} = {value}, which must be a number {allowed}."
    return None


def _extra_problem(model: Model) -> str | None:
    """An extra that cannot be sent: JSON has no infinite numbers, and a header is one line."""
    for key, value in model.extra_body.items():
        if not _is_json(value):
            return f'has "{key}" in extra_body, which JSON cannot hold (nan, inf, or a date); write a number or a text.'
    for key, value in model.extra_headers.items():
        if not _HEADER.fullmatch(key):
            return f'has "{key!a}" in extra_headers, which is not a valid name; use letters, digits and hyphens.'
        if not _HEADER_VALUE.fullmatch(value):  # not shown: it may be a secret
            return f'has "{key}" in extra_headers with a value that is not one line of ASCII characters; correct it.'
        if holds_secret(key, value):
            return (
                f'has "{key}" in extra_headers with a value that looks like a key, which must not be in the file; name '
                'its variable with key_env, or write "${NAME}" for another secret that a gateway needs.'
            )
    return None


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    return math.isfinite(value) if isinstance(value, float) else isinstance(value, str | int)


def address_problem(model: Model) -> str | None:
    """A mistake in the address or the dialect."""
    try:
        parts = urlsplit(model.url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError as error:
        return f'has base_url = "{model.base_url}", which is not an address ({error}).'
    if not model.scripted and (parts.scheme not in ("http", "https") or not parts.hostname):
        return f'has base_url = "{model.base_url}", which must begin with http:// or https:// and name a host.'
    if parts.query or parts.fragment or "@" in parts.netloc:
        return "has a base_url with a key, a query or a fragment; keys come from the environment, see key_env."
    if model.dialect and "dialect" not in _options(model).taken:
        return f'has a dialect, which "{model.protocol}" does not know; leave it out.'
    return None


def _options(model: Model) -> Options:
    return PROTOCOLS[model.protocol].options(model)


def _thinking_problem(model: Model) -> str | None:
    taken = _options(model).taken
    if model.thinking and "thinking" not in taken:
        those = (name for name, protocol in PROTOCOLS.items() if "thinking" in protocol.options(model).taken)
        knows = ", ".join(f'"{name}"' for name in those)
        return f'has thinking = "{model.thinking}", which only {knows} knows; use effort or thinking_budget.'
    if model.thinking_budget is not None and "thinking_budget" not in taken:
        return "has a thinking_budget, which this protocol does not know; use effort."
    return PROTOCOLS[model.protocol].problem(model)


def _dropped_problem(model: Model) -> str | None:
    """An option that would not be sent, because the protocol or the entry's other keys exclude it."""
    options = _options(model)
    for key in ("top_k", "min_p", "verbosity"):
        if getattr(model, key) is not None and key not in options.taken:
            return f"has {key}, which {options.provider} does not know; leave it out."
    for key in ("temperature", "top_p", "top_k", "min_p"):
        if getattr(model, key) is not None and not model.sampling:
            return f"has {key} beside sampling = false, which sends none; leave one out."
    if not model.prompt_cache and "prompt_cache" not in options.taken:
        return f'has prompt_cache = false, which "{model.protocol}" does not know; leave it out.'
    if model.schema is not None and not model.structured:
        return "has schema without structured = true, without which none is sent; add it."
    return None
