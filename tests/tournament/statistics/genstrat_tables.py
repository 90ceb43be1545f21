"""The tables that GENSTRAT prints, as arrays: models in leaderboard order, games in the order of the table."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
FOLDER = Path(__file__).parents[2] / "data" / "genstrat"


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file; the first column's name may be empty."""
    with open(FOLDER / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def column(name: str, key: str) -> Floats:
    """A column of numbers."""
    return np.array([float(row[key]) for row in rows(name)])


MODELS = [row["model"] for row in rows("table1_leaderboard")]
OVERALL = column("table1_leaderboard", "alpha")
SEEDS = [row["seed"] for row in rows("table9_alpha_mg")]
COMPOSITE = column("table9_alpha_mg", "composite_pc1")


def by_model(name: str) -> Floats:
    """float64[rows, models]: the columns of the models."""
    return np.column_stack([column(name, model) for model in MODELS])


def strengths() -> Floats:
    """Table 9, float64[games, models]."""
    return by_model("table9_alpha_mg")


def slopes() -> Floats:
    """Table 7, float64[models, axes]."""
    axes = ("state_space", "temporal_depth", "info_sens", "opp_mod", "risk", "brittleness")
    return np.column_stack([column("table7_slopes", axis) for axis in axes])
