"""The tables of docs/statistics.md from the figures of `benches.coverage`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Found = Mapping[str, Mapping[str, float]]  # by setting, by figure

_NULL = "p of J = 0"
COLUMNS: dict[str, tuple[str, ...]] = {  # heading: the paper's figure and ours, or one of them
    "strength on these games": ("strength, these, paper", "strength, these"),
    "for games like these": ("strength, like, paper", "strength, like"),
    "slope on these games": ("slope, these, paper", "slope, these"),
    "for games like these ": ("slope, like, paper", "slope, like"),
    "paper's width over ours on these games": ("width",),
    "strength on one game": ("game strength",),
    "level of a profile": ("level",),
    "σ²_M": ("sigma2_M, paper", "sigma2_M, beside"),
    "σ²_MG": ("sigma2_MG, paper", "sigma2_MG, beside"),
    "ratio": ("ratio, paper", "ratio, beside"),
    "J": ("J, paper", "J, beside"),
    "J beyond the profile": ("J beyond, beside",),
    "`rate`": ("rate",),
    "all ranks": ("ranks",),
    "alarms: a game is reordered": ("order, paper", "order, beside"),
    "p of a game": ("order p, paper", "order p, beside"),
    "a pair is reversed": ("reversal, paper", "reversal, beside"),
    _NULL: ("J = 0 rejected",),
    "a player with few runs": ("few, paper", "few, beside"),
    "its `rate`": ("few, rate",),
    "the others' `rate`": ("others, rate",),
    "the others', if it is in the fit": ("others, fitted",),
    "the others": ("others, paper", "others, beside"),
    "gain by thinking": ("effect, paper", "effect"),
}
_HEADINGS = list(COLUMNS)
_RANKS, _FEW = _HEADINGS.index("all ranks") + 1, _HEADINGS.index("a player with few runs")
TABLES = (  # the headings of each table
    _HEADINGS[:_RANKS],
    _HEADINGS[:_FEW],
    [_HEADINGS[0], *_HEADINGS[_RANKS - 2 : _RANKS]],
    _HEADINGS[_FEW:-1],
    _HEADINGS[-1:],
)


def tables(found: Found, worlds: int, guests: int = 0) -> str:
    """The tables as Markdown, with what they are of; each line is in the narrowest one with all its figures."""
    places = [(_place(row), name, row) for name, row in found.items()]
    parts = [
        _part(columns, {name: row for at, name, row in places if at == place})
        for place, columns in enumerate(TABLES)
        if any(at == place for at, _, _ in places)
    ]
    return "\n\n".join(
        [
            f"Percent of 95% intervals that hold the truth, {worlds} tournaments a line, {guests} for a guest of "
            "single matches and for two groups, 400 for thinking; where two stand, the paper's and ours. The first "
            "line is the base; every other differs from it in what its name says. *All ranks*: tournaments whose "
            "intervals of ranks hold all at once. *Alarms*, where no game orders the players otherwise and J is 0: "
            "tournaments with a game, or a reversal, of q < .05, and games and models with p < .05; 5 would be right.",
            *parts,
            "Written by `python -m benches.coverage --write`.",
        ]
    )


def _place(row: Mapping[str, float]) -> int:
    """The number of the narrowest table that has a column for each of the line's figures."""
    shown = {heading for heading, keys in COLUMNS.items() if _cell(row, keys) != "–"}
    return min((len(columns), place) for place, columns in enumerate(TABLES) if shown <= set(columns))[1]


def _part(columns: Sequence[str], rows: Found) -> str:
    cells = [[name, *(_cell(row, COLUMNS[heading]) for heading in columns)] for name, row in rows.items()]
    return markdown(["", *(heading.strip() for heading in columns)], cells)


def _cell(row: Mapping[str, float], keys: Sequence[str]) -> str:
    """A percentage, or two; a dash for what the setting does not have."""
    if not any(key in row for key in keys):
        return "–"
    if keys == COLUMNS[_NULL] and "order, paper" not in row:  # J is not 0 there
        return "–"
    return " / ".join(f"{100 * row[key]:.0f}" if key in row else "–" for key in keys)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are figures."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
