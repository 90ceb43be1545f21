"""The axes of the fifty games that `antemill run` selects by default, beside which larger games are shown."""

from __future__ import annotations

FIFTY: dict[str, tuple[float, float, float]] = {
    "state_space": (1.255, 2.840, 4.080),
    "temporal_depth": (0.000, 0.111, 1.205),
    "information_sensitivity": (0.000, 0.293, 0.667),
    "opponent_modeling": (0.102, 0.307, 0.635),
    "risk": (0.000, 0.043, 0.690),
    "brittleness": (-3.576, -2.319, -1.275),
}
"""Least, median and most of each axis at the precise tier, as docs/axes.md prints them."""
