"""The caps of a pool's games beyond the benchmark's (GENSTRAT sections 3 and 10), as users name them.

    --caps larger        `LARGER`
    --caps caps.toml     some caps by name, the others being the benchmark's
    --caps pool/pool.json  those of another pool

The paper's next step is a benchmark "at higher complexity caps", whose numbers it does not give; `LARGER` is our
reading: about twice the benchmark's caps, ten times its information states, and a dial to 2.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import msgspec

from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.errors import StorageError, UsageError

LARGER = Caps(
    complexity=2.0,
    cards=52,
    ranks=13,
    hand=6,
    chips=60,
    ante=20,
    main_phases=14,
    phases=48,
    rounds=6,
    raises=3,
    options=6,
    simultaneous_options=4,
    events=8,
    effects=6,
    nesting=4,
    bid=10,
    states=150_000,
)
NAMED = {"benchmark": BENCHMARK_CAPS, "larger": LARGER}


def parse_caps(text: str | None) -> Caps:
    """Caps by name or from a file; None: the benchmark's. Raises UsageError or StorageError with one sentence."""
    if text is None:
        return BENCHMARK_CAPS
    if text in NAMED:
        return NAMED[text]
    if not text.endswith((".toml", ".json")):
        raise UsageError(
            f"'{text}' names no caps: write {' or '.join(NAMED)}, or a .toml or .json file with some of "
            f"{', '.join(_NAMES)}."
        )
    return caps_of(_read(Path(text)), text)


def caps_of(given: Mapping[str, Any] | None, source: str) -> Caps:
    """The benchmark's caps with these changes. Raises UsageError, which names the source."""
    changes = dict(given or {})
    if unknown := [name for name in changes if name not in _NAMES]:
        raise UsageError(f"{source} has no cap '{unknown[0]}': there are {', '.join(_NAMES)}.")
    try:
        return replace(BENCHMARK_CAPS, **changes)
    except ValueError as error:
        raise UsageError(f"{source}: {str(error)[:1].lower()}{str(error)[1:]}") from error


def changes_of(caps: Caps) -> dict[str, int | float] | None:
    """The caps that are not the benchmark's; None if all are."""
    plain = asdict(BENCHMARK_CAPS)
    return {name: value for name, value in asdict(caps).items() if value != plain[name]} or None


def named(caps: Caps) -> str | None:
    """The name of caps; None if they have none."""
    return next((name for name, known in NAMED.items() if known == caps), None)


def dial_of(complexity: tuple[float, float] | None, caps: Caps) -> tuple[float, float] | None:
    """The range of the dial: without one, all that the caps allow. Raises UsageError for one that they do not allow."""
    if complexity is None:
        return None if caps.complexity == BENCHMARK_CAPS.complexity else (0.0, caps.complexity)
    if not 0.0 <= complexity[0] <= complexity[1] <= caps.complexity:
        raise UsageError(
            f"the complexity {complexity[0]:g} to {complexity[1]:g} is not within 0 to {caps.complexity:g}, which the "
            "caps allow: name another range, or relax the cap."
        )
    return complexity


_NAMES = tuple(field.name for field in fields(Caps))


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text: write caps by name, as in `cards = 52`.") from error
    try:
        found = tomllib.loads(text) if path.suffix == ".toml" else msgspec.json.decode(text)
    except (tomllib.TOMLDecodeError, msgspec.DecodeError) as error:
        raise UsageError(f"{path} cannot be read ({error}): write caps by name, as in `cards = 52`.") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} has no caps: write them by name, as in `cards = 52`.")
    return dict(found["caps"] or {}) if "caps" in found and "seeds" in found else found
