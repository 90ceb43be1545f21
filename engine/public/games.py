"""Games from seeds, files, names, rules and programs."""

from __future__ import annotations

import os
from typing import Any, SupportsIndex, TypeAlias

import msgspec

from antemill.engine import arguments
from antemill.engine.arguments import ArgumentValueError, wrong_type
from antemill.engine.builder import generate as builder
from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler import compile as compiler
from antemill.engine.disguise.disguise import Disguise, disguised
from antemill.engine.disguise.themes import THEMES
from antemill.engine.errors import SpecError
from antemill.engine.machine.program import Program
from antemill.engine.rules import check as checker
from antemill.engine.rules import same
from antemill.engine.rules import spec as rules
from antemill.engine.rules.spec import GameSpec

GameLike: TypeAlias = "GameSpec | str | SupportsIndex | os.PathLike[str]"
ProgramLike: TypeAlias = "Program | GameSpec | str | SupportsIndex | os.PathLike[str]"
_GAME = (
    "a seed (9), a seed and a complexity ('7@0.1'), the path of a .json file with rules, the name of a game, or rules"
)
_RULES = "make rules by generate, game or from_json"


def game(what: GameLike) -> GameSpec:
    """The rules of the game that a seed, a text or a path names, like the argument GAME of the command line.

    what: a seed (0 to 2^63 - 1), a seed and a complexity as in "7@0.1", the path of a .json file with rules, or a name
    ("kuhn", "leduc", "appendix-b"). Rules are returned unchanged. Raises UsageError if `what` names no game,
    StorageError if the file cannot be read, SpecError if its rules are not legal.
    """
    return as_spec(what, "what")


def generate(seed: SupportsIndex, complexity: float | None = None, caps: Caps = BENCHMARK_CAPS) -> GameSpec:
    """The game that the builder draws from a seed (GENSTRAT section 3 and appendix A).

    seed: 0 to 2^63 - 1. complexity: 0 (like Kuhn poker) to 1 (many phases), or more up to `caps.complexity`; None for
    the seed's own. caps: the limits on a game's content. The same arguments give the same game on every machine with
    the same `builder_hash`. Raises TypeError or ValueError for an argument of another type, or out of range.
    """
    number = arguments.seed(seed)
    limits = arguments.kind(caps, "caps", Caps, "leave it out, or change BENCHMARK_CAPS by dataclasses.replace")
    dial = None if complexity is None else arguments.number(complexity, "complexity", 0, limits.complexity)
    return builder.generate(number, dial, limits)


def check(spec: GameSpec) -> list[str]:
    """The faults of a game's rules, one sentence each in the order of its phases; empty if the rules are legal.

    Raises TypeError for anything but rules.
    """
    return checker.check(arguments.kind(spec, "spec", GameSpec, _RULES))


def compile_spec(spec: ProgramLike, suited: bool | None = None) -> Program:
    """Compile a game to a program of the machine.

    spec: legal rules, or anything that names a game, see `game`. suited: whether information keys distinguish suits;
    None: only if some rule reads suits. Raises SpecError if the rules are not legal or too large for the machine,
    TypeError or UsageError for anything that does not name a game.
    """
    if suited is not None:
        suited = arguments.truth(suited, "suited")
    if isinstance(spec, Program):
        return spec
    return compiler.compile_spec(_legal(as_spec(spec, "spec")), suited)


def from_json(data: bytes | str | os.PathLike[str]) -> GameSpec:
    """Read rules from JSON, or from the file at a path; `check` says whether they are legal.

    Raises SpecError with the place of the fault, StorageError for a file that cannot be read, TypeError for anything
    but a text, bytes or a path.
    """
    if isinstance(data, os.PathLike):
        return as_spec(arguments.path(data, "data"), "data")
    if not isinstance(data, str | bytes | bytearray):
        wrong_type("data", data, "JSON as a text or as bytes, or a Path of a file")
    try:
        return rules.from_json(bytes(data) if isinstance(data, bytearray) else data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotJSONError(
            f"the argument `data` is not the JSON of a game: {str(error) or 'it is nested too deeply'}."
        ) from error


class NotJSONError(SpecError, ArgumentValueError):
    """A text is not the JSON of a game."""


def to_json(spec: GameSpec) -> bytes:
    """Rules as compact JSON, from which `from_json` makes equal ones. Raises TypeError for anything but rules."""
    return rules.to_json(arguments.kind(spec, "spec", GameSpec, _RULES))


def canonical_digest(spec: GameSpec) -> str:
    """32 hex digits that identify a game whatever its names, order of listing and scale of chips.

    Games with equal digests are the same game. The converse holds for most but not all: see
    `antemill.engine.rules.same`. Raises TypeError for anything but rules, SpecError for rules that are not legal.
    """
    return same.canonical_digest(_legal(spec))


def disguise(game: GameLike, seed: SupportsIndex = 0, theme: str | None = None, seats: bool = True) -> Disguise:
    """The same game in disguise: other names, ranks and chips, another order of listing, seats exchanged.

    game: as `game` takes it. seed: 0 to 2^63 - 1, of all draws. theme: "harbour", "orchard", "observatory" or "bare"
    (numbers in place of names); None: drawn by the seed. seats: whether the rules may exchange Alice and Bob. If False,
    a play seed deals the same cards to both games, and `Disguise.turned` says whether prompts exchange the names.
    `Disguise.game` has the canonical digest of the game; this is checked. The other fields map suits, seats and payoffs
    between the games. Raises the errors of `game`, SpecError for rules that are not legal, and TypeError or ValueError
    for other wrong arguments.
    """
    number = arguments.seed(seed)
    words = None if theme is None else arguments.one_of(theme, "theme", [one.name for one in THEMES])
    return disguised(_legal(as_spec(game, "game")), number, words, arguments.truth(seats, "seats"))


def rules_digest(spec: GameSpec) -> str:
    """32 hex digits of the rules as written, without names: cheaper than `canonical_digest`, and weaker.

    Raises TypeError for anything but rules, SpecError for rules that are not legal.
    """
    return same.rules_digest(_legal(spec))


def _legal(spec: Any) -> GameSpec:
    """Rules that the checker accepts."""
    found = arguments.kind(spec, "spec", GameSpec, _RULES)
    if faults := checker.check(found):
        raise SpecError(f"the rules of {found.name!r} are not legal: {faults[0]}")
    return found


def as_spec(value: Any, name: str) -> GameSpec:
    """The rules that an argument names."""
    if isinstance(value, GameSpec):
        return value
    if isinstance(value, str | os.PathLike):
        return resolve(str(arguments.path(value, name)))
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        wrong_type(name, value, _GAME)
    return builder.generate(arguments.seed(value, name))


def as_program(value: Any, name: str) -> Program:
    """The program of the game that an argument names."""
    return value if isinstance(value, Program) else compile_spec(as_spec(value, name))
