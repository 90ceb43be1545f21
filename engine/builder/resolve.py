"""The meaning of a GAME argument: a seed, a file of rules, or a named game."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import msgspec

from antemill.engine.arguments import described
from antemill.engine.builder.generate import generate
from antemill.engine.builder.starters import KNOWN, STARTERS
from antemill.engine.errors import SpecError, StorageError, UsageError
from antemill.engine.rules.check import check
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec, from_json

_SEED = re.compile(r"([0-9]+)(?:@(.*))?")
_PARQUET = b"PAR1"  # the first bytes of such a file


def resolve(text: str) -> GameSpec:
    """The game that a text names: seed[@complexity], the path of a .json spec, or a name.

    Raises UsageError for a text that names no game, StorageError for a file that cannot be read, and SpecError for
    rules that are not legal.
    """
    if text in NAMED:
        return NAMED[text]()
    if text in STARTERS:
        return STARTERS[text].spec()
    if match := _SEED.fullmatch(text):
        return _generated(text, match)
    if is_path(text):
        return read_spec(Path(text))
    raise UsageError(
        f"there is no game {described(text)}: name a seed (9 or 7@0.1), a .json file with rules, or one of "
        f"{', '.join(KNOWN)}{_nearest(text) or '.'}"
    )


def is_path(text: str) -> bool:
    """Whether a text means a file: it is the path of a file, or has the ending of a file of rules."""
    if not text or "\0" in text:
        return False
    try:
        return text.endswith(".json") or Path(text).exists()
    except (OSError, ValueError):  # too long for a path, or not a possible file name
        return False


def _nearest(text: str) -> str:
    near = difflib.get_close_matches(text, KNOWN, 1, 0.6)
    return f'; did you mean "{near[0]}"?' if near else ""


def read_spec(path: Path) -> GameSpec:
    """The legal game in a JSON file."""
    spec = read_rules(path)
    if faults := check(spec):
        raise SpecError(f"the game in {path} is not legal: {' '.join(faults)}")
    return spec


def read_rules(path: Path) -> GameSpec:
    """The game in a JSON file, legal or not."""
    try:
        data = path.read_bytes()
        if path.suffix.lower() == ".efg":
            raise SpecError(
                f"{path} is a game from outside, which only solve, check, compare and exploitability take: name a file "
                "of rules."
            )
        if data.startswith(_PARQUET):
            raise SpecError(
                f"{path} is a Parquet file, not one game: name a game by its seed, or a .json file with rules."
            )
        return from_json(data)
    except FileNotFoundError as error:
        raise StorageError(f"there is no file {path}.") from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        reason = str(error) or "it is nested too deeply"
        raise SpecError(f"{path} is no game ({reason}); engine/rules/spec/ defines the parts of a game.") from error


def _generated(text: str, match: re.Match[str]) -> GameSpec:
    seed, complexity = match.groups()
    try:
        return generate(int(seed), None if complexity is None else float(complexity))
    except ValueError as error:
        raise UsageError(
            f"{described(text)} is no game: give a seed below 2^63, and after an @ a number from 0 to 1."
        ) from error
