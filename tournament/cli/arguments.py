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
# The gate rejects: 4643.
Game = Annotated[
    str,
    Parameter(help=f"{GAMES}. 4643 names another game here than in the paper, whose sample game is appendix-b."),
]
Tier = Annotated[str, Parameter(help="fast or precise: how much is simulated.")]

if TYPE_CHECKING:
    KindName = str
else:
    KindName = Literal[tuple(KINDS)]

# Of all kinds of runs.
Config = Annotated[Path, Parameter(help="The configuration, a TOML file.", show_default=False)]
ItemKey = Annotated[str, Parameter(help="The item, as `list` and the column `item` of tables name it.")]
RunDir = Annotated[Path, Parameter(help="The run's folder.", show_default=False)]
Out = Annotated[Path | None, Parameter(name=["--out", "-o"], help="The run's folder; one that is there goes on.")]
DryRun = Annotated[bool, Parameter(negative="", help="Only say what it will cost; nothing is asked.")]
DryRunLocal = Annotated[
    bool,
    Parameter(
        name="--dry-run", negative="", help="Only say what would be done, how long it takes and what it would write."
    ),
]
Dollars = Annotated[float | None, Parameter(help="Another budget in dollars, for the whole run.")]
Check = Annotated[
    bool, Parameter(name="--check", negative="--no-check", help="First ask whether every model can be reached.")
]
Prior = Annotated[
    Literal["none", "draw", "normal"],
    Parameter(
        help="Of the ratings of duels, an assumption that makes every one finite: one more drawn match each, or normal "
        "strengths. Without it players who never lost, or never won, stand ∞ above or below somebody."
    ),
]
Again = Annotated[bool, Parameter(negative="", help="Play once more what was discarded.")]

# Of looking at them.
Players = Annotated[
    tuple[str, ...], Parameter(name="--player", negative="", help="Somebody who took part; several: all of them.")
]
What = Annotated[str, Parameter(help="The sort of item, as the column says.")]
About = Annotated[str, Parameter(help="The game, the puzzle or the question, as the column says.")]
Outcome = Annotated[str, Parameter(help="The winner's name, draw, or another outcome, as the column says.")]
Cause = Annotated[str, Parameter(help="Something that went wrong in it, as the column says.")]
Conflict = Annotated[
    bool, Parameter(negative="", help="Only answers of SKATE with a reply that claims more than one letter.")
]
Limit = Annotated[int, Parameter(help="How many lines; 0 for all.")]
WithPrompt = Annotated[bool, Parameter(negative="", help="With every message as it was sent.")]
WithReasoning = Annotated[bool, Parameter(negative="", help="With what the models let see of their thinking.")]
WithRaw = Annotated[bool, Parameter(negative="", help="With the replies as the servers sent them.")]
ExportFormat = Annotated[
    Literal["jsonl", "inspect"],
    Parameter(
        name="--format",
        help="jsonl: a line a decision; inspect: a log of Inspect (.eval or .json), a sample an item (the extra "
        "antemill[inspect]).",
    ),
]
ExportFile = Annotated[
    Path | None, Parameter(name=["--output", "-o"], help="The file; stdout if not given, with --json in the document.")
]
