"""Published tables that the statistics are tested on, and slot tables made of them.

Sources: GENSTRAT tables 1, 3, 4, 5 and 9; Token Games tables 1, 5 and 6.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable, from_codes

DATA = Path(__file__).parents[2] / "data"

MODELS = (
    "gpt-5",
    "gemini-3.1-pro",
    "claude-sonnet-4-6",
    "gemini-2.5-pro",
    "gemma-4-31b",
    "deepseek-v3.1",
    "gemini-3.1-flash-lite",
    "qwen-3.5",
    "llama-3.3-70b",
)  # in the order of the leaderboard
LEADERBOARD = np.array([0.85, 0.83, 0.64, 0.37, 0.25, 0.05, -0.27, -0.35, -2.37])
WITHOUT_LLAMA = np.array([0.56, 0.49, 0.30, 0.07, -0.03, -0.22, -0.52, -0.65])
TERTILES = np.array(
    [
        [0.35, 0.35, 0.24, 0.26, 0.21, 0.04, 0.01, 0.05, -1.52],
        [1.01, 0.93, 0.60, 0.27, 0.33, 0.06, -0.41, -0.60, -2.18],
        [1.19, 1.18, 1.02, 0.57, 0.19, 0.14, -0.45, -0.51, -3.32],
    ]
)
TERTILE_SIZES = (16, 17, 17)
_UPPER = (
    (0.22, 0.45, 0.28, 0.54, 1.01, 0.92, 1.00, 3.22),
    (0.17, 0.42, 0.58, 0.73, 0.83, 1.31, 3.54),
    (-0.01, 0.40, 0.68, 1.20, 0.77, 3.26),
    (0.07, 0.17, 0.76, 0.60, 2.71),
    (0.14, 0.45, 0.74, 2.54),
    (0.46, 0.22, 2.32),
    (0.33, 1.79),
    (2.08,),
)

DUELISTS = (
    "claude-haiku-4-5",
    "claude-opus-4-7",
    "claude-sonnet-4-6",
    "deepseek-v3.2-thinking",
    "gemini-3-flash-preview",
    "gemini-3.1-pro-preview",
    "gpt-5.4-mini",
    "gpt-5.5",
    "grok-4-fast-reasoning",
    "grok-4.20-0309-reasoning",
)  # in lexicographical order, as the anchor needs it
# Columns: Table 1 Elo, Solv%, Prop%; Table 5 solver S, F; proposer S, U, U%, P, P%.
DUELS = np.array(
    [
        [1000, 78.1, 0.0, 57, 16, 86, 0, 0.0, 4, 4.4],
        [1100, 93.9, 17.8, 62, 4, 69, 16, 18.8, 5, 5.6],
        [1043, 83.5, 10.0, 66, 13, 80, 9, 10.1, 1, 1.1],
        [1007, 69.7, 10.0, 53, 23, 52, 9, 14.8, 29, 32.2],
        [1011, 70.5, 11.1, 55, 23, 40, 10, 20.0, 40, 44.4],
        [1129, 89.2, 31.1, 66, 8, 52, 28, 35.0, 10, 11.1],
        [1068, 89.3, 12.2, 67, 8, 59, 11, 15.7, 20, 22.2],
        [1167, 97.2, 35.6, 69, 2, 53, 32, 37.6, 5, 5.6],
        [992, 74.4, 4.4, 64, 22, 63, 4, 6.0, 23, 25.6],
        [1057, 78.7, 17.8, 59, 16, 64, 16, 20.0, 10, 11.1],
    ]
)
ROUNDS_A_PAIR = 20  # two duels of ten rounds


def head_to_head() -> Floats:
    """float64[9, 9]: Table 5, 0 on the diagonal."""
    matrix = np.zeros((9, 9))
    for i, row in enumerate(_UPPER):
        matrix[i, i + 1 :] = row
    return matrix - matrix.T


def per_game() -> Floats:
    """float64[50, 9]: Table 9, games in ascending order of composite complexity, models as in MODELS."""
    with open(DATA / "genstrat_table9.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header[2:]) == MODELS
    assert len(rows) == 50
    return np.array([[float(value) for value in row[2:]] for row in rows])


def slots_of(margins: Floats) -> SlotTable:
    """One row for every game and pair. margins: float64[games, models, models], of the row over the column.

    Codes of models are those of the array; their names do not matter.
    """
    games, models = margins.shape[:2]
    low, high = np.triu_indices(models, 1)
    game = np.repeat(np.arange(games), len(low))
    a, b = np.tile(low, games), np.tile(high, games)
    names = tuple(f"m{k}" for k in range(models))
    return from_codes(names, tuple(f"g{k:02d}" for k in range(games)), game, game, a, b, margins[game, a, b])


def gaps(strengths: Floats) -> Floats:
    """float64[..., models, models]: differences of strengths float64[..., models]."""
    return np.asarray(strengths[..., :, None] - strengths[..., None, :], np.float64)
