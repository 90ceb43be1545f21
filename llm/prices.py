"""Prices from the package `genai-prices` (an extra), for entries that say `prices = "genai-prices"`.

The package contains a table of providers' published prices, as old as its release, with which they are shown. If a
price rises with the length of the prompt, the price of short prompts is used, because a game's prompts are short.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from antemill.llm.entry import Prices
from antemill.llm.errors import ModelFileError
from antemill.llm.model import Model

PACKAGE = "genai-prices"


def published_prices(model: Model) -> Prices:
    """The package's prices of a model. Raises ModelFileError if the package is not installed or has no price."""
    try:
        package = import_module("genai_prices")
        snapshot = import_module("genai_prices.data_snapshot").get_snapshot()
    except ImportError:
        raise ModelFileError(
            f'[{model.name}] has prices = "{PACKAGE}", which needs that package: pip install "antemill[prices]".'
        ) from None
    try:
        found = snapshot.find_provider_model(model.remote, None, None, model.url)[1].get_prices(datetime.now(UTC))
    except LookupError:
        raise _unknown(model) from None
    rates = {ours: _rate(getattr(found, theirs, None)) for ours, theirs in _NAMES.items()}
    if rates["input"] is None or rates["output"] is None:
        raise _unknown(model)
    return Prices(**rates, source=f"{PACKAGE} {package.__version__}")  # type: ignore[arg-type]


def price_text(prices: Prices | None) -> str:
    """For people: "$3 in, $0.3 cached, $15 out per million tokens (genai-prices 0.2.3, 2026-11-09)"."""
    if prices is None:
        return "no prices"
    where = ", ".join(text for text in (prices.source, prices.date) if text)
    suffix = f" ({where})" if where else ""
    if prices.free:
        return f"free{suffix}"
    cached = "" if prices.cached_input is None else f"${prices.cached_input:g} cached, "
    return f"${prices.input:g} in, {cached}${prices.output:g} out per million tokens{suffix}"


def dollar_text(amount: float, digits: int = 4) -> str:
    """An amount as "$1,234.5678", with more decimals if these would all be 0: "$0.0000046"."""
    return f"${amount:z,.{dollar_digits(amount, digits)}f}"


def dollar_digits(amount: float, digits: int) -> int:
    """The number of decimals to show: `digits`, or more if an amount needs them for two significant digits."""
    if not _DUST < amount < 0.5 * 10.0**-digits:
        return digits
    return 1 - math.floor(math.log10(amount))


_DUST = 1e-12  # dollars, of rounding
_NAMES = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cached_input": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}


def _rate(value: Any) -> float | None:
    """Dollars per million tokens."""
    return None if value is None else float(getattr(value, "base", value))


def _unknown(model: Model) -> ModelFileError:
    return ModelFileError(
        f'[{model.name}] has prices = "{PACKAGE}", which knows no price of {model.remote} at {model.gateway}; '
        "write the prices, or correct the name."
    )
