"""The cost of answered and of planned calls.

Tokens are estimated without a tokenizer: one per 3.5 bytes of UTF-8. English prose has about 4.5, JSON and card names
about 3. The bound for the budget is safe: a request has at most as many tokens as its body has bytes.
"""

from __future__ import annotations

import math

import msgspec

from antemill.llm.entry import Entry, Prices
from antemill.llm.types import Usage

BYTES_PER_TOKEN = 3.5
_CACHE_WRITE = 1.25  # times the price of input, at the providers that charge for writing
_BYTES = 8  # the most bytes of text for a token
_LONG = 8192  # bytes of a prompt that is long enough to be judged
_SAME, _GROWN, _LEAST = 4, 1.25, 256  # minima: answers with one count, longest over shortest prompt, tokens


def count_tokens(text: str) -> int:
    """The tokens of a text, estimated within about a third."""
    return math.ceil(len(text.encode(errors="replace")) / BYTES_PER_TOKEN)


def estimate_cost(model: Entry, input_tokens: float, output_tokens: float) -> float:
    """Dollars for these tokens without a prompt cache; 0 for a model without prices."""
    if model.prices is None:
        return 0.0
    return (input_tokens * model.prices.input + output_tokens * model.prices.output) / 1e6


def worst_cost(model: Entry, body_bytes: int, max_output: int) -> float:
    """The most dollars that a request with a body of this size can cost; 0 for a model without prices."""
    if model.prices is None:
        return 0.0
    dearest = max(model.prices.input, cache_write_price(model.prices), model.prices.cached_input or 0.0)
    return (body_bytes * dearest + max_output * model.prices.output) / 1e6


def cache_write_price(prices: Prices) -> float:
    """Dollars per million tokens that are written to a prompt cache."""
    return _CACHE_WRITE * prices.input if prices.cache_write is None else prices.cache_write


def charged(model: Entry, usage: Usage, worst: float) -> Usage:
    """The usage of an answer with its dollars, from its counts, or else the call's `worst` case, marked as assumed."""
    if usage.counted or model.prices is None:
        return msgspec.structs.replace(usage, cost_estimated=usage_cost(model, usage))
    return msgspec.structs.replace(usage, cost_assumed=worst)


def usage_cost(model: Entry, usage: Usage) -> float | None:
    """Dollars for the usage, by the entry's prices; None without prices."""
    prices = model.prices
    if prices is None:
        return None
    cached = prices.input if prices.cached_input is None else prices.cached_input
    write = usage.cache_write * cache_write_price(prices)
    read = usage.input_uncached * prices.input + usage.input_cached * cached + write
    return (read + usage.output * prices.output) / 1e6


class Cutting:
    """The token counts of one model's server, which show whether it cuts prompts to its window without an error.

    A token is rarely more than six bytes of text. A server that counts fewer tokens than an eighth of a prompt's bytes,
    or its largest number for prompts of very different lengths, has not read the whole prompt, or its counts are wrong.
    """

    def __init__(self) -> None:
        self._most = 0
        self._sizes: list[int] = []  # of the prompts with that count

    def noticed(self, size: int, tokens: int) -> str:
        """The problem with a count, as a part of a sentence; "" if there is none. size: bytes of the prompt's texts."""
        if size >= _LONG and tokens * _BYTES < size:
            return f"it counts {tokens:,} tokens of a prompt of {size:,} bytes"
        if tokens > self._most:
            self._most, self._sizes = tokens, []
        self._sizes += [size] * (tokens == self._most)
        least, most = min(self._sizes), max(self._sizes)
        if tokens < max(self._most, _LEAST) or len(self._sizes) < _SAME or most < max(_LONG, _GROWN * least):
            return ""
        return f"it counts {tokens:,} tokens whether a prompt has {least:,} or {most:,} bytes"
