"""Figures of the GENSTRAT paper, shown beside ours: counts of its pool, and axes of its 50 selected games."""

from __future__ import annotations

CANDIDATES = 12_351
ACCEPTED = 2_000
CORRELATIONS = {
    ("state_space", "information_sensitivity"): 0.65,
    ("state_space", "temporal_depth"): 0.57,
    ("information_sensitivity", "opponent_modeling"): 0.50,
}
VIF = {
    "state_space": 3.31,
    "temporal_depth": 1.97,
    "information_sensitivity": 2.70,
    "opponent_modeling": 1.45,
    "risk": 1.24,
    "brittleness": 1.19,
}
# (lowest, median, highest) as far as it is printed; the information states are a count, the axis is its log10.
INFORMATION_STATES = (20.0, None, 16_000.0)
TEMPORAL_DEPTH = (0.01, 0.11, 0.76)
