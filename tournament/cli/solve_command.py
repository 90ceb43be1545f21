"""The parameters of `solve`; what it does is in `tournament.cli.solve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from solver.algorithms.table import AUTO, choices_help
from tournament.cli.app import AsJson

_GAME = (
    "SEED or SEED@COMPLEXITY, a .json file with rules, or kuhn, leduc, appendix-b; "
    "or a benchmark (.parquet), whose games are all solved."
)
_ABSTRACTION = "none, default (drops signals and roles, bins wagers) or fine (the paper's information states)."


def solve(
    name: Annotated[str, Parameter(help=_GAME)],
    *,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="The policy's file; for a benchmark the policies' folder.")
    ] = None,
    algorithm: Annotated[str, Parameter(help=choices_help())] = AUTO,
    target: Annotated[float, Parameter(help="Stop at this exploitability (NashConv / 2), in chips per game.")] = 1e-3,
    abstraction: Annotated[str, Parameter(help=_ABSTRACTION)] = "none",
    seconds: Annotated[float | None, Parameter(help="Stop after so many seconds (per game of a benchmark).")] = None,
    iterations: Annotated[int | None, Parameter(help="Stop after so many iterations.")] = None,
    warm_start: Annotated[Path | None, Parameter(help="A policy of the same game to begin with.")] = None,
    limit: Annotated[int | None, Parameter(help="The largest tree to build, in nodes.")] = None,
    workers: Annotated[int | None, Parameter(help="Threads for one game; processes for a benchmark.")] = None,
    seed: Annotated[int, Parameter(help="Of whatever is sampled.")] = 0,
    episodes: Annotated[
        int | None, Parameter(help="Episodes of the sampled lower bound, where there is no tree; 0 for none.")
    ] = None,
    json: AsJson = False,
) -> None:
    """`solve`."""
    from solver.solving import EPISODES, LIMIT, Settings
    from tournament.cli import solve as command

    settings = Settings(
        algorithm=algorithm,
        target=target,
        abstraction=abstraction,
        seconds=seconds,
        iterations=iterations,
        limit=LIMIT if limit is None else limit,
        workers=1 if workers is None else workers,
        seed=seed,
        episodes=EPISODES if episodes is None else episodes,
    )
    if name.endswith(".parquet"):
        command.benchmark(Path(name), output, settings, warm_start, workers, json)
    else:
        command.game(name, output, settings, warm_start, json)
