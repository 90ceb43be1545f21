"""The games to choose from: known by name, drawn from a seed, or by their place among the axes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from antemill.axes.table import AXES
from antemill.engine.builder.resolve import resolve
from antemill.engine.builder.starters import KNOWN
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.themes import words_of
from antemill.engine.errors import UsageError
from antemill.engine.rules.spec import GameSpec, from_json
from antemill.engine.text.rulebook import rulebook
from antemill.engine.text.verdict import judged, rejection
from antemill.engine.text.vocabulary import said
from antemill.tournament.cards.pinned_games import PinnedGame, pin

_SEED = re.compile(r"[0-9]{1,19}(@[0-9.]{1,19})?", re.ASCII)
_LONGEST = 40  # characters of a typed name that an error repeats


class Placed(Struct, frozen=True, omit_defaults=True):
    """A game with its place among the axes. axes: values of the fast tier by name. nodes: of its tree; None if it has
    too many to be solved while the player waits. digest: of its program."""

    game: str
    title: str
    digest: str
    complexity: float
    axes: dict[str, float]
    nodes: int | None = None


class GameList:
    """The games on offer: those that come with antemill, by their axes, and those that are known by name.

    extra: games named on the command line, also files of rules. Raises UsageError or StorageError for one that cannot
    be read.
    """

    def __init__(self, extra: Sequence[str] = ()) -> None:
        self._specs: dict[str, GameSpec] = {}
        self.placed = _embedded()
        for name in extra:
            self._specs[Path(name).stem if name.endswith(".json") else name] = resolve(name)
        self.named = (*self._specs, *KNOWN)

    def find(self, name: str) -> tuple[PinnedGame, GameSpec]:
        """A game by its name in the list, or by a seed. Raises UsageError if there is none."""
        text = name.strip()
        spec = self._specs.get(text)
        if spec is None:
            if not (text in KNOWN or _SEED.fullmatch(text)):
                raise UsageError(
                    f"there is no game '{text[:_LONGEST]}': choose one of the list, or a seed such as 9 or 7@0.1."
                )
            spec = self._specs[text] = resolve(text)
        seed = text.partition("@")[0]
        return pin(text, spec, int(seed) if seed.isdigit() else None), spec

    def rejected(self, label: str, spec: GameSpec) -> str:
        """A sentence if the gate rejects a game, otherwise "".

        Named games and those with axes are accepted, so the gate's kernels are not loaded for them.
        """
        if label in KNOWN or any(label == one.game for one in self.placed):
            return ""
        return rejection(label, judged(label, compile_spec(spec)))

    def take(self, pinned: PinnedGame) -> GameSpec:
        """The rules of a recorded game, which joins the games on offer."""
        spec = from_json(bytes(pinned.spec))
        if pinned.label not in self._specs:
            self._specs[pinned.label] = spec
            if pinned.label not in self.named:
                self.named = (*self.named, pinned.label)
        return spec


def _embedded() -> list[Placed]:
    data = (files("antemill.tournament.play") / "selection.json").read_bytes()
    return msgspec.json.decode(data, type=list[Placed])


def axis_list() -> list[dict[str, str]]:
    """The axes as the page needs them: name, label, what it measures."""
    return [{"name": name, "label": axis.title, "what": axis.what} for name, axis in AXES.items()]


def rules_of(spec: GameSpec) -> str:
    """The rulebook, in Markdown; of a disguise in the words that its prompts have."""
    return said(rulebook(spec), words_of(spec))
