"""Reading the configuration of a run, and the keys that the configurations of all kinds share."""

from __future__ import annotations

import hashlib
import math
import os
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from antemill.engine.arguments import path as file_path
from antemill.engine.arguments import wrong_type
from antemill.engine.errors import UsageError
from antemill.engine.storage.files import read_bytes
from antemill.llm.mistakes import explain
from antemill.tournament.kinds import KINDS
from antemill.tournament.runs.breaker import IN_A_ROW
from antemill.tournament.runs.origin import hashes
from antemill.tournament.runs.paper import ContradictionError, as_printed
from antemill.tournament.toml import line_of


class Budget(Struct, frozen=True, forbid_unknown_fields=True):
    """[budget]. dollars: the limit for the whole run, earlier sessions included; None: no limit."""

    dollars: Annotated[float, Meta(ge=0)] | None = None


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """[limits]: how a run works. These keys never change its tables.

    in_flight: items at the same time. patience: the run stops after this many seconds without any answer in which every
    model that is asked fails. fallbacks: the run pauses after this many replies of a model in a row that could not be
    used, or if all of its first eight could not; 0: it goes on.
    truncated: whether the run stops when a server seems to cut prompts.
    """

    in_flight: Annotated[int, Meta(ge=1, le=10_000)] = 16
    patience: Annotated[float, Meta(gt=0)] = 600.0
    fallbacks: Annotated[int, Meta(ge=0)] = IN_A_ROW
    truncated: Literal["stop", "go on"] = "stop"


class RunConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part that all kinds share. models: the file of models, relative to the configuration's folder.

    paper: whether the run follows the paper's protocol; PAPER has the settings that this stands for, by their paths
    (`antemill.tournament.runs.paper`).
    """

    PAPER: ClassVar[Mapping[str, Any]] = {}

    paper: bool | None = None
    models: str = "models.toml"
    budget: Budget = Budget()
    limits: Limits = Limits()


class MisplacedError(UsageError):
    """A value that names something unknown. keys: the path to the value in the file, from the outermost table."""

    def __init__(self, sentence: str, *keys: str) -> None:
        super().__init__(sentence)
        self.keys = keys


C = TypeVar("C", bound=RunConfig)
GIVEN = "the configuration"  # the source in errors about a configuration without a file, which has no line numbers
_CHANGEABLE = ("budget", "limits", "models", "rating")  # the run keeps its own copy of the models' file


def configured_kind(path: Path) -> str | None:
    """The kind of runs that a file configures, by its command's name; None for other files, such as lists of models."""
    try:
        content = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    return kind_in(content)


def kind_in(content: Mapping[str, Any]) -> str | None:
    """As `configured_kind`, from the content of a file."""
    tables = (name for name in KINDS if isinstance(content.get(name), dict))
    return next((name for name in tables if "protocol" not in content[name]), None)


def read_config(path: str | os.PathLike[str], shape: type[C]) -> C:
    """The configuration in a TOML file. Raises StorageError if there is no file, UsageError if it does not fit."""
    path = file_path(path, "path")
    if not (isinstance(shape, type) and issubclass(shape, RunConfig)):
        wrong_type("shape", shape, "a class of configurations", "give one that derives from RunConfig")
    return parse_config(read_bytes(path), shape, str(path))


def parse_config(data: bytes, shape: type[C], source: str) -> C:
    """As `read_config`, from the content of a file; `source` names it in errors."""
    text, content = _read_toml(data, source)
    for kind in KINDS:
        if kind in content and kind not in shape.__struct_fields__:
            where = _where(source, line_of(text, (kind,)))
            raise UsageError(f"{where}: [{kind}] is of another kind of run: name another file.")
    if keys := _not_finite(content):
        where = _where(source, line_of(text, keys))
        raise UsageError(f'{where}: "{keys[-1]}" is no finite number: give one, or leave it out.')
    if alike := _alike(content.get("players", ())):
        where = _where(source, line_of(text, ("players", alike[1])))
        raise UsageError(f"{where}: the players {alike[0]!a} and {alike[1]!a} look alike: rename one.")
    try:
        return msgspec.convert(as_printed(content, shape.PAPER), shape)
    except ContradictionError as error:
        raise UsageError(f"{_where(source, line_of(text, error.keys))}: {error}.") from error
    except (msgspec.ValidationError, ValueError) as error:
        mistake, keys_wrong = explain(error, shape)
        line = line_of(text, keys_wrong)
        raise UsageError(f"{_where(source, line)}: {mistake}{'' if mistake.endswith('?') else '.'}") from error


def read_toml(data: bytes, source: str) -> dict[str, Any]:
    """The content of a TOML file. Raises UsageError, which names `source`, if it is not TOML."""
    return _read_toml(data, source)[1]


def _read_toml(data: bytes, source: str) -> tuple[str, dict[str, Any]]:
    try:
        text = unicodedata.normalize("NFC", data.decode("utf-8-sig"))
        return text, tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{source} is no TOML file ({str(error).rstrip('.')}): correct it.") from error


def _where(source: str, line: int | None) -> str:
    return source if line is None or source == GIVEN else f"{source}, line {line}"


def _alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Two names that look alike."""
    return next((pair for pair in combinations(names, 2) if _look_alike(*map(_letters, pair))), None)


def _letters(name: str) -> list[tuple[str, str]]:
    """Its characters, each with its script, as Unicode names them ("CYRILLIC", "SMALL LETTER A"); without those that
    have no width, and compatible forms as one."""
    seen = [one for one in unicodedata.normalize("NFKC", name) if unicodedata.category(one) not in ("Cf", "Mn")]
    named = [unicodedata.name(one, one).partition(" ") if one.isalpha() else ("", "", one) for one in seen]
    return [(script, letter) for script, _, letter in named]


def _look_alike(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> bool:
    """Whether two names differ in the scripts of letters alone: the letters have one name, or one of the names mixes
    scripts, which only a disguise does."""
    mixed = any(len({script for script, _ in name if script}) > 1 for name in (one, other))
    return len(one) == len(other) and all(
        a[1] == b[1] or (mixed and a[0] != b[0] and "" not in (a[0], b[0])) for a, b in zip(one, other, strict=True)
    )


def _not_finite(value: object, keys: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """The keys of a number that is nan or infinite."""
    if isinstance(value, dict):
        return next((found for key, inner in value.items() if (found := _not_finite(inner, (*keys, key)))), None)
    if isinstance(value, list):
        return next((found for inner in value if (found := _not_finite(inner, keys))), None)
    return keys if isinstance(value, float) and not math.isfinite(value) else None


@contextmanager
def placed(text: bytes, source: str) -> Iterator[None]:
    """Within it, a MisplacedError gets the file and the line of its value."""
    try:
        yield
    except MisplacedError as error:
        line = line_of(text.decode("utf-8-sig"), error.keys)
        raise UsageError(f"{_where(source, line)}: {error}") from error


_NO_DISGUISES: dict[str, object] = {"disguises": 0, "undisguised": True}


def digest(config: RunConfig, materials: Mapping[str, bytes]) -> str:
    """The hash of all that a run's tables depend on: not of budget, limits, rating and the models' file's name.

    Keys that are None are left out, so that a new optional key does not change the identity of older runs; and so are
    those of disguises in a run that has none.
    """
    content = {name: value for name, value in msgspec.to_builtins(config).items() if name not in _CHANGEABLE}
    content = _without_nothing(content)
    return hashlib.sha256(msgspec.json.encode([content, hashes(materials)], order="sorted")).hexdigest()


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        says = {key: each for key, each in value.items() if each is not None and _NO_DISGUISES.get(key) != each}
        return {key: _without_nothing(each) for key, each in says.items()}
    if isinstance(value, list | tuple):
        return [_without_nothing(each) for each in value]
    return value
