"""What hands as vectors would save in games: `python -m benches.public_states SEED...` (docs/history/solver.md).

A walk through all nodes of each game counts its information sets, its public states, the hands in them, and the payoffs
that pairs of sequences and vectors of hands have. A hundred million nodes take a minute or so.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.execute import progress_bar
from antemill.solver.evaluation.public_states import PublicStates, public_states


def line(name: str, found: PublicStates) -> str:
    """The game's row: how many hands a player has in a public state, and by how much vectors have fewer payoffs."""
    gain = found.pairs / found.vectors
    cells = (
        name,
        f"{found.nodes:.2g}",
        f"{found.information_sets:.2g}",
        f"{found.states:.2g}",
        f"{found.hands / found.states / 2:.2g}",
        f"{found.pairs:.2g}",
        f"{found.vectors:.2g}",
        f"{gain:.1f}" if gain > 1.05 else "none",
    )
    return f"| {' | '.join(cells).replace('e+0', 'e').replace('e+', 'e')} |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="+", help="seeds, or names of games")
    given, rows = parser.parse_args(arguments), []
    with progress_bar("games", len(given.games), False) as bar:
        for number, name in enumerate(given.games, 1):
            rows.append(line(name, public_states(compile_spec(resolve(name)))))
            bar(number, None)
    print("\n".join(rows))


if __name__ == "__main__":
    main()
