"""What is known of a benchmark's solved games: `python -m studies.solved_games out/benchmark.parquet [--write]`.

Reads the table that `antemill solve out/benchmark.parquet -o FOLDER` has left beside the benchmark, and solves nothing
itself. Shown are the games without an exact solution on their tree: how much work their best responses are, what is
known of the exploitability of their policy, and how many histories share an information set, measured here by random
playouts. With --write the part of docs/solver.md is replaced.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antemill.engine.execute import progress_bar
from antemill.engine.machine.program import from_columns
from antemill.solver.evaluation.tree_size import NODES_A_SECOND, duration
from antemill.solver.policies.solution import MEASURED
from antemill.tournament.pool.select import read_benchmark
from antemill.tournament.solving.solved_games import read_solved, solved_path
from benches.pages import write
from studies.histories_alike import Alike, histories_alike

PAGE = Path(__file__).parents[1] / "docs" / "solver.md"
SOLVED, RESPONSE, _ = MEASURED
GOOD = 1e-3  # chips

Row = dict[str, Any]  # of `antemill.tournament.solving.solved_games.SCHEMA`


def left_over(rows: Sequence[Row]) -> list[Row]:
    """The games without an exact solution on their tree, the least work first; those without a policy last."""
    left = [row for row in rows if row["measured"] != SOLVED]
    return sorted(left, key=lambda row: row["response_nodes"] or float("inf"))


def lines(rows: Sequence[Row], alike: dict[int, Alike]) -> list[str]:
    """The summary and the table. alike: by the seed of every game of the table."""
    exact = [row for row in rows if row["exploitability"] is not None]
    whole = [row for row in rows if row["measured"] == SOLVED]
    suits = sum(row["abstraction"] == "suits" for row in whole)
    good = sum(row["exploitability"] <= GOOD for row in exact)
    found = [
        f"Of the {len(rows)} games, {len(whole)} are solved on their tree ({suits} of them but for names of suits), "
        f"{len(exact)} have an exact exploitability, and {good} of these are within {GOOD:.0e} chips.",
        "",
        "| seed | best responses visit | processor's time | sampled bound, 95% | exact exploitability "
        "| histories in a set | decisions counted |",
        "|---|---|---|---|---|---|---|",
    ]
    return found + [_line(row, alike[row["seed"]]) for row in left_over(rows)]


def _line(row: Row, alike: Alike) -> str:
    nodes, low, high, exact = (
        row[name] for name in ("response_nodes", "lower_bound_low", "lower_bound_high", "exploitability")
    )
    cells = (
        str(row["seed"]),
        "" if nodes is None else f"{nodes:.1e}".replace("e+0", "e").replace("e+", "e"),
        "" if nodes is None else f"about {duration(nodes / NODES_A_SECOND)}",
        "" if low is None else f"{_chips(low)} to {_chips(high)}",
        "" if exact is None else _chips(exact),
        _number(alike.histories),
        f"{alike.decisions} of {alike.longest}",
    )
    return f"| {' | '.join(cells)} |"


def _chips(value: float) -> str:
    return f"{value:z.4f}"


def _number(value: float) -> str:
    return "–" if value != value else f"{value:,.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("benchmark", type=Path, help="a benchmark that was solved")
    parser.add_argument("--write", action="store_true", help="replace the part of docs/solver.md")
    given = parser.parse_args(arguments)
    rows = read_solved(solved_path(given.benchmark))
    games = {game["seed"]: game for game in read_benchmark(given.benchmark).to_pylist()}
    left, alike = left_over(rows), {}
    with progress_bar("games", len(left), False) as bar:
        for number, row in enumerate(left, 1):
            alike[row["seed"]] = histories_alike(from_columns(games[row["seed"]]))
            bar(number, None)
    text = "\n".join(lines(rows, alike))
    print(text)
    if given.write:
        write(PAGE, "benchmark", text)


if __name__ == "__main__":
    main()
