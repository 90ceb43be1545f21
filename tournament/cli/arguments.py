"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from antemill.engine.builder.starters import KNOWN

AsJson = Annotated[bool, Parameter(negative="", help="Print one JSON document and nothing else.")]
GAMES = f"SEED or SEED@COMPLEXITY, a .json file with rules, or one of {', '.join(KNOWN)}"
OUTSIDE_GAMES = "a game from outside: an .efg file (Gambit's format), or openspiel:NAME"
Game = Annotated[  # the gate rejects 4643
    str,
    Parameter(help=f"{GAMES}. 4643 names another game here than in the paper, whose sample game is appendix-b."),
]
Workers = Annotated[
    int | None, Parameter(help="Worker processes, by default one per processor; never changes a result.")
]
ExecutorName = Annotated[str, Parameter(help="local (this machine) or ray (a cluster, the extra antemill[ray]).")]

RunDir = Annotated[Path, Parameter(help="The run's folder.", show_default=False)]
Out = Annotated[
    Path | None, Parameter(name=["--out", "-o"], help="The run's folder. A run that is already there continues.")
]
Dollars = Annotated[float | None, Parameter(help="The most that the whole run may cost, in dollars.")]
DryRun = Annotated[bool, Parameter(negative="", help="Only say what it will cost; no model is called.")]
Check = Annotated[
    bool, Parameter(name="--check", negative="--no-check", help="First check that every model can be reached.")
]
File = Annotated[Path | None, Parameter(name=["--output", "-o"], help="The file. [default: stdout]")]
