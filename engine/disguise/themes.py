"""The words of disguises. A theme's words do not hint at the effect of a rule; the rulebook explains it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from antemill.engine.rules.spec import GameSpec

_NUMBER = re.compile(r" [0-9]+\Z")


class Theme(Struct, frozen=True):
    """The names of a game's parts. If a list of words is too short, its words are numbered."""

    name: str
    title: str  # of the game
    suits: tuple[str, ...]
    phases: tuple[str, ...]
    options: tuple[str, ...]
    variables: tuple[str, ...]
    texts: tuple[str, ...]  # of announcements, each a sentence
    words: tuple[str, ...]  # in prompts, as `antemill.engine.text.vocabulary.Vocabulary`


BARE = Theme(
    name="bare",
    title="Card game",
    suits=("suit 1", "suit 2", "suit 3", "suit 4"),
    phases=("Part",),
    options=("Option",),
    variables=("variable",),
    texts=("Announcement.",),
    words=(
        *("blen", "darv", "ferm", "gort", "holp", "lomp", "spent", "nelm", "rulm"),
        *("velk", "contest", "due", "store", "close", "blenning"),
    ),
)

THEMES = (
    Theme(
        name="harbour",
        title="The Harbour Master's Table",
        suits=("anchors", "shells", "sails", "ropes"),
        phases=("Quay", "Lighthouse", "Slipway", "Breakwater", "Boathouse", "Customs Shed", "Ferry", "Crane", "Pier"),
        options=("Moor", "Drift", "Hoist", "Lower", "Haul", "Tack", "Signal", "Dredge", "Row", "Beach", "Load", "Coil"),
        variables=("tide", "swell", "wind", "fog"),
        texts=("A gull cries.", "A bell rings across the water.", "A rope creaks.", "The lamp turns once."),
        words=(
            *("cast", "float", "sink", "berth", "surge", "freight", "stranded", "claim", "waive"),
            *("tender", "salvage", "toll", "chest", "landfall", "casting"),
        ),
    ),
    Theme(
        name="orchard",
        title="Four Baskets",
        suits=("apples", "pears", "plums", "figs"),
        phases=("Gate", "Long Row", "Cider Press", "Ladder", "Well", "Beehives", "Barn", "Stone Wall", "Footpath"),
        options=(
            "Pick",
            "Prune",
            "Graft",
            "Water",
            "Climb",
            "Sort",
            "Press",
            "Rake",
            "Plant",
            "Weigh",
            "Crate",
            "Rest",
        ),
        variables=("season", "rain", "shade", "frost"),
        texts=("A branch bends.", "Bees pass over the table.", "Somewhere a gate closes.", "A leaf falls."),
        words=(
            *("scatter", "pause", "wilt", "root", "sprout", "bushel", "picked bare", "bag", "leave"),
            *("measure", "harvest", "tithe", "barrel", "tasting", "scattering"),
        ),
    ),
    Theme(
        name="observatory",
        title="Night Watch",
        suits=("comets", "moons", "rings", "novae"),
        phases=("Dome", "Mirror", "Chart Room", "Eyepiece", "Sundial", "Archive", "Lens Store", "Terrace", "Clock"),
        options=(
            "Focus",
            "Sweep",
            "Record",
            "Dim",
            "Align",
            "Track",
            "Expose",
            "Compare",
            "Turn",
            "Log",
            "Filter",
            "Plot",
        ),
        variables=("seeing", "exposure", "drift", "glow"),
        texts=("The dome turns.", "A cloud passes.", "A clock strikes.", "A page is turned."),
        words=(
            *("beam", "blink", "fade", "relay", "flare", "charge", "burnt out", "keep", "skip"),
            *("gauge", "transit", "fee", "vault", "sunrise", "beaming"),
        ),
    ),
    BARE,
)


def words_of(spec: GameSpec) -> tuple[str, ...]:
    """The words of the theme in whose names a game is written: a disguise's own; () for other games.

    So a disguise is known by its rules alone, from whichever file they come.
    """
    return next((theme.words for theme in THEMES if _written_in(spec, theme)), ())


def _written_in(spec: GameSpec, theme: Theme) -> bool:
    return (
        spec.name == theme.title
        and _among(spec.deck.suits, theme.suits)
        and _among((phase.name for phase in spec.phases), theme.phases)
    )


def _among(names: Iterable[str], words: Sequence[str]) -> bool:
    return all(name in words or _NUMBER.sub("", name) in words for name in names)
