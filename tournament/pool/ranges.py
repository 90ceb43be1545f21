"""Ranges of seeds and complexities as users write them; importing this loads little
(`antemill.tournament.pool.early`)."""

from __future__ import annotations

from antemill.engine.errors import UsageError

MAX_SEED = 1 << 63


def parse_seeds(text: str) -> tuple[int, int]:
    """Read "A:B", the seeds A to B-1. Raises UsageError unless 0 <= A < B <= 2^63."""
    first, colon, last = text.partition(":")
    if not (colon and first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        raise UsageError(f"'{text}' is not a range of seeds: write A:B with whole numbers, such as 0:400 for 0 to 399.")
    start, stop = int(first), int(last)
    if start >= stop:
        raise UsageError(f"the range of seeds {text} is empty: its second number must be larger than its first.")
    if stop > MAX_SEED:
        raise UsageError(f"the range of seeds {text} is too high: seeds are below 2^63.")
    return start, stop


def parse_complexity(text: str | None, most: float = 1.0) -> tuple[float, float] | None:
    """Read "C" or "LO:HI" with 0 <= LO <= HI <= most; None stays None. Raises UsageError otherwise.

    most: a cap of the generator, 1 for the benchmark's games.
    """
    if text is None:
        return None
    low, _, high = text.partition(":")
    try:
        bounds = float(low), float(high or low)
    except ValueError:
        bounds = 1.0, 0.0
    if not 0.0 <= bounds[0] <= bounds[1] <= most:
        more = "" if most > 1.0 else "; --caps larger allows it up to 2"
        raise UsageError(
            f"'{text}' is not a complexity: write a number from 0 to {most:g}, or a range such as 0.2:0.6{more}."
        )
    return bounds
