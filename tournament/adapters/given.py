"""Checks of the arguments of environments."""

from __future__ import annotations

import os
from collections.abc import Iterable
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from antemill.engine.arguments import ArgumentTypeError, ArgumentValueError, described, wrong_type
from antemill.engine.builder.generate import builder_hash
from antemill.engine.match.game import spec_of
from antemill.engine.rules.spec import GameSpec, from_json
from antemill.engine.storage.store import GAMES, read

Table = str | int | os.PathLike[str] | GameSpec  # a GAME as on our command line, a seed, or rules
_ONE = (str, int, np.integer, os.PathLike, GameSpec)


def whole_number(given: Any, what: str) -> int:
    """A whole number of Python's or numpy's. Raises UsageError for anything else, also for a truth value."""
    try:
        if isinstance(given, bool):
            raise TypeError
        return index(given)
    except TypeError:
        raise ArgumentTypeError(f"{what} is {described(given)}: pass a whole number.") from None


def games_of(games: Table | Iterable[Table]) -> list[GameSpec]:
    """The rules of a game, or of several; a file of `pool split` stands for all its games.

    Raises UsageError, StorageError or SpecError for what is no game, and for a file of another builder or of a
    benchmark.
    """
    if not isinstance(games, _ONE) and (isinstance(games, bytes) or not several(games)):
        raise ArgumentTypeError(f"{described(games)} is no game: name one, or a sequence of them.")
    return [spec for game in ([games] if isinstance(games, _ONE) else games) for spec in _specs_of(game)]


def several(given: object) -> bool:
    """Whether it can be iterated; an array without dimensions cannot."""
    return isinstance(given, Iterable) and getattr(given, "shape", None) != ()


def _specs_of(game: Table) -> list[GameSpec]:
    """The game, or all games of a file of `pool split`."""
    if isinstance(game, GameSpec):
        return [game]
    if isinstance(game, bool) or not isinstance(game, _ONE):
        raise ArgumentTypeError(f"{described(game)} is no game: pass a name, a seed, the path of a file, or rules.")
    if os.path.isdir(path := str(game)):
        raise ArgumentValueError(
            f"{path} is a folder: name a file of `antemill pool split`, or draw games by a Curriculum."
        )
    if path.endswith(".parquet"):
        rows = read(path, GAMES, builder_hash(), ["spec"])
        return [from_json(spec) for spec in rows["spec"].to_pylist() if spec is not None]
    return [spec_of(path, "games")]


def actions_of(given: npt.ArrayLike, lanes: int) -> npt.NDArray[np.int64]:
    """int64[lanes]: an action for each lane. Raises UsageError for another shape, or for other numbers."""
    try:
        actions = np.asarray(given)
    except ValueError:  # rows of different lengths
        raise ArgumentValueError(f"actions do not fit: {lanes} lanes need one whole number each.") from None
    if actions.shape != (lanes,):
        raise ArgumentValueError(f"actions of shape {actions.shape} do not fit: {lanes} lanes need one each.")
    whole = actions.dtype.kind in "iub"
    if actions.dtype.kind == "f":
        whole = bool((np.isfinite(actions) & (actions == np.rint(actions))).all())
    if not whole:
        raise ArgumentValueError(f"actions are whole numbers, not {actions.dtype}: {lanes} lanes need one each.")
    fits = actions.dtype == np.int64 and actions.flags.carray  # kernels are compiled for writable arrays
    return actions if fits else np.array(actions, np.int64, order="C")


def require_options(options: dict[str, Any] | None) -> None:
    """Raise UsageError for the option `reset_mask`: a reset of some lanes only is not supported."""
    if options is not None and not isinstance(options, dict):
        wrong_type("options", options, "a dictionary", "leave it out")
    if options is not None and "reset_mask" in options:
        raise ArgumentValueError("a reset begins an episode in every lane, so reset_mask is not taken: leave it out.")
