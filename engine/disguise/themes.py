"""The words of disguises. A theme's words say nothing about what a rule does: the rulebook explains that."""

from __future__ import annotations

from msgspec import Struct


class Theme(Struct, frozen=True):
    """What things are called. If a list of words is too short, its words are numbered."""

    name: str
    title: str  # of the game
    suits: tuple[str, ...]
    phases: tuple[str, ...]
    options: tuple[str, ...]
    variables: tuple[str, ...]
    texts: tuple[str, ...]  # of announcements, each a sentence
    words: tuple[str, ...]  # for a bet, check, fold, call, raise, wager, all-in, take and pass, in prompts; () for none


BARE = Theme(
    name="bare",
    title="Card game",
    suits=("suit 1", "suit 2", "suit 3", "suit 4"),
    phases=("Phase",),
    options=("Option",),
    variables=("variable",),
    texts=("Announcement.",),
    words=("deed K", "deed L", "deed M", "deed N", "deed P", "deed R", "spent", "deed S", "deed T"),
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
        words=("cast", "float", "sink", "berth", "surge", "freight", "stranded", "claim", "waive"),
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
        words=("scatter", "pause", "wilt", "root", "sprout", "bushel", "picked bare", "bag", "leave"),
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
        words=("beam", "blink", "fade", "relay", "flare", "charge", "burnt out", "keep", "skip"),
    ),
    BARE,
)
