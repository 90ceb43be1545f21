"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from antemill.engine.builder.starters import KNOWN
from antemill.tournament.kinds import KINDS

Folder = Annotated[
    str,
    Parameter(
        help="The pool's folder; it may lie in a store: s3://BUCKET/FOLDER, gs://BUCKET/FOLDER.", show_default=False
    ),
]
Seeds = Annotated[str, Parameter(help="Candidate seeds A:B, the numbers A to B-1.")]
Workers = Annotated[
    int | None, Parameter(help="Worker processes, by default one per processor; never changes a result.")
]
ExecutorName = Annotated[str, Parameter(help="local (this machine) or ray (a cluster, the extra antemill[ray]).")]
AsJson = Annotated[bool, Parameter(negative="", help="Print one JSON document and nothing else.")]
GAMES = f"SEED or SEED@COMPLEXITY, a .json file with rules, or one of {', '.join(KNOWN)}"
OUTSIDE_GAMES = "a game from outside: an .efg file (Gambit's format), or openspiel:NAME"
# The gate rejects: 4643.
Game = Annotated[
    str,
    Parameter(help=f"{GAMES}. 4643 names another game here than in the paper, whose sample game is appendix-b."),
]
Tier = Annotated[
    str,
    Parameter(
        help="fast or precise: how much is simulated. exact: all ways to play are enumerated instead; a game that is "
        "too large for that gets precise scores, and its row says so in the column `tier`."
    ),
]

if TYPE_CHECKING:
    KindName = str
else:
    KindName = Literal[tuple(KINDS)]

# Of all kinds of runs.
Config = Annotated[Path, Parameter(help="The configuration, a TOML file.", show_default=False)]
ItemKey = Annotated[str, Parameter(help="The item, as named by `list` and by the column `item` of tables.")]
RunDir = Annotated[Path, Parameter(help="The run's folder.", show_default=False)]
Out = Annotated[
    Path | None, Parameter(name=["--out", "-o"], help="The run's folder. A run that is already there continues.")
]
DryRun = Annotated[bool, Parameter(negative="", help="Only say what it will cost; no model is called.")]
DryRunLocal = Annotated[
    bool,
    Parameter(
        name="--dry-run", negative="", help="Only say what would be done and written, and how long it would take."
    ),
]
Dollars = Annotated[float | None, Parameter(help="A new budget in dollars for the whole run.")]
Check = Annotated[
    bool, Parameter(name="--check", negative="--no-check", help="First check that every model can be reached.")
]
Prior = Annotated[
    Literal["none", "draw", "normal"],
    Parameter(
        help="An assumption that makes every rating of duels finite: one more drawn match for each player, or "
        "normally distributed strengths. Without it a player who never lost, or never won, is rated ∞ above or "
        "below others."
    ),
]
Again = Annotated[bool, Parameter(negative="", help="Play discarded items again.")]

# Of looking at them.
Players = Annotated[
    tuple[str, ...],
    Parameter(name="--player", negative="", help="A player who took part. Given several times: all of them took part."),
]
What = Annotated[str, Parameter(help="The sort of item, as in the column.")]
About = Annotated[str, Parameter(help="The game, puzzle or question, as in the column.")]
Outcome = Annotated[str, Parameter(help="The winner's name, draw, or another outcome, as in the column.")]
Cause = Annotated[str, Parameter(help="Something that went wrong in it, as in the column.")]
Conflict = Annotated[
    bool, Parameter(negative="", help="Only answers of SKATE with a reply that claims more than one letter.")
]
Limit = Annotated[int, Parameter(help="How many lines; 0 for all.")]
WithPrompt = Annotated[bool, Parameter(negative="", help="With every message as it was sent.")]
WithReasoning = Annotated[bool, Parameter(negative="", help="With the reasoning that the models disclose.")]
WithRaw = Annotated[bool, Parameter(negative="", help="With the replies as the servers sent them.")]
ExportFormat = Annotated[
    Literal["jsonl", "inspect"],
    Parameter(
        name="--format",
        help="jsonl: one line for each decision; inspect: a log for Inspect (.eval or .json), one sample for each "
        "item (the extra antemill[inspect]).",
    ),
]
ExportFile = Annotated[
    Path | None, Parameter(name=["--output", "-o"], help="The file. [default: stdout; with --json inside the document]")
]
