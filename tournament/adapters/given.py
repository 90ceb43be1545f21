"""Checks of the arguments of environments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.arguments import ArgumentTypeError, ArgumentValueError, described, whole, wrong_type
from antemill.engine.builder.generate import builder_hash
from antemill.engine.disguise.disguise import distinct
from antemill.engine.match.game import spec_of
from antemill.engine.rules.spec import GameSpec, from_json
from antemill.engine.storage.store import GAMES, read
from antemill.tournament.extent import extent

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


def with_disguises(specs: Sequence[GameSpec], disguises: int) -> list[GameSpec]:
    """The games, each followed by so many disguises of it: the same games in any run. Raises UsageError for a number
    below 0, or if a game has not so many."""
    count = whole(disguises, "disguises", 0)
    return [one for spec in specs for one in (spec, *(made.game for made in distinct(spec, count, 0)))]


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
    """Raise UsageError for options of a reset that are no dictionary."""
    if options is not None and not isinstance(options, dict):
        wrong_type("options", options, "a dictionary", "leave it out")


def reset_mask(options: dict[str, Any] | None, lanes: int) -> npt.NDArray[np.bool_] | None:
    """bool[lanes]: gymnasium's option `reset_mask`, the lanes that are reset; None without it.

    Raises UsageError for options that are no dictionary, for another mask, and for one that marks no lane.
    """
    require_options(options)
    if options is None or "reset_mask" not in options:
        return None
    mask = np.asarray(options["reset_mask"])
    if mask.dtype != np.bool_ or mask.shape != (lanes,) or not mask.any():
        raise ArgumentValueError(f"reset_mask must be {lanes} truth values, at least one of them true.")
    return mask.copy()


class Reach(NamedTuple):
    """The largest values in any play of some games, at least 1: gymnasium warns of spaces with a single value."""

    score: int  # in chips
    stacks: float  # the score in starting stacks
    variable: int


def reach(specs: Sequence[GameSpec]) -> Reach:
    """The largest score and the largest variable of any of these games, of either sign."""
    found = [(extent(spec), spec.chips) for spec in specs]
    return Reach(
        max(1, *(one.score for one, _ in found)),
        max(1.0, *(one.score / chips for one, chips in found)),
        max(1, *(one.variable for one, _ in found)),
    )
