"""Prices and dollars as text."""

from __future__ import annotations

import math

from antemill.llm.entry import Prices


def price_text(prices: Prices | None) -> str:
    """For people: "$3 in, $0.3 cached, $15 out per million tokens (of the provider's page, 2026-11-09)"."""
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
