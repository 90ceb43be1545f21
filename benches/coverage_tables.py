"""The tables of docs/statistics.md from the figures of `benches.coverage`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Found = Mapping[str, Mapping[str, float]]  # by setting, by figure

STRENGTHS = {
    "strength, these, paper": "strength on these games: paper's",
    "strength, these": "*these games*",
    "strength, like, paper": "for games like these: paper's",
    "strength, like": "*games like these*",
    "slope, these, paper": "slope on these games: paper's",
    "slope, these": "*these games*",
    "slope, like, paper": "for games like these: paper's",
    "slope, like": "*games like these*",
    "game strength": "strength on one game: paper's",
    "level": "level of a profile: paper's",
}
SHARES = {
    "sigma2_M, paper": "σ²_M: paper's",
    "sigma2_M, beside": "without noise",
    "sigma2_MG, paper": "σ²_MG: paper's",
    "sigma2_MG, beside": "without noise",
    "ratio, paper": "ratio: paper's",
    "ratio, beside": "without noise",
    "J, paper": "J: paper's",
    "J, beside": "without noise",
}
ALARMS = {
    "order, paper": "tournaments with a game of q < .05: paper's",
    "order, beside": "joint",
    "order p, paper": "games with p < .05: paper's",
    "order p, beside": "joint",
    "reversal, paper": "tournaments with a reversal of q < .05: as printed",
    "reversal, beside": "fair",
    "J = 0 rejected": "models with p of J = 0 below .05",
}
FEW = {
    "few, paper": "its interval: paper's",
    "few, beside": "*these games*",
    "others, paper": "the others': paper's",
    "others, beside": "*these games*",
}


def tables(found: Found, worlds: int) -> str:
    """All tables as Markdown, with what they are of."""
    few = {name: row for name, row in found.items() if "few, paper" in row}
    most = {name: row for name, row in found.items() if name not in few}
    level = {name: row for name, row in most.items() if "order, paper" in row}
    width = [f"{row['width']:.1f}" for row in most.values()]
    bias = [[f"{row[f'sigma2_MG bias, {kind}']:+.3f}" for row in most.values()] for kind in ("paper", "beside")]
    parts = [
        f"Shares of 95% intervals that hold the truth, {worlds} tournaments a line. The first line is the base; every "
        "other differs from it in what its name says.",
        _shares(most, STRENGTHS, {"paper's width over that on these games": width}),
        _shares(most, SHARES, {"mean error of σ²_MG: as printed": bias[0], "of that without noise": bias[1]}),
        "False alarms, where no game orders the players otherwise and J is 0; 5% would be right.",
        _shares(level, ALARMS),
        "One player with few runs in all, in the base tournament without interaction.",
        _shares(few, FEW),
        "Written by `python -m benches.coverage --write`.",
    ]
    return "\n\n".join(parts)


def _shares(found: Found, columns: Mapping[str, str], more: Mapping[str, Sequence[str]] | None = None) -> str:
    """A line a setting, a column a figure, as whole percents; then columns of text."""
    extra = more or {}
    rows = [
        [name, *(f"{row[key]:.0%}" if key in row else "–" for key in columns), *(cells[i] for cells in extra.values())]
        for i, (name, row) in enumerate(found.items())
    ]
    return markdown(["", *columns.values(), *extra], rows)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are figures."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
