"""Write the speed of docs/training.md: `python -m benches.training --write docs/training.md` measures and replaces it.

Nothing else should run on the machine; it takes a few minutes. `--figures FILE` takes the figures from a document of
`antemill bench --only vector --json`; `--comparison FILE...` puts the environments of others beside it, from documents
of `antemill bench --compare --only compare-vector-kuhn,compare-vector-leduc --json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import msgspec

from antemill.tournament.bench.measure import Figure
from antemill.tournament.bench.peers.compare import TASKS
from antemill.tournament.bench.training import BATCHES, GAMES, MEASUREMENTS, name_of
from benches.pages import figures, shown, where, write
from benches.performance import comparison


def speed(found: Mapping[str, Figure], path: Path | None = None) -> str:
    """The table: a row for each game and batch. path: the document that has the figures, if not measured here."""
    rows = [
        "| decisions a second | batch | the present | copied | the present and all events | copied |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for game, what in GAMES:
        for batch in BATCHES:
            ways = ((events, copy) for events in (False, True) for copy in (False, True))
            cells = (shown(found[name_of(game, batch, *way)].value) for way in ways)
            rows.append(f"| {what} | {batch:,} | {' | '.join(cells)} |")
    return "\n".join(rows) + f"\n\nMedians, measured on {where(path)}."


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, required=True, help="the page")
    parser.add_argument("--figures", type=Path, help="a document of `antemill bench --json`, instead of measuring")
    parser.add_argument("--comparison", type=Path, nargs="+", default=[], help="of `antemill bench --compare --json`")
    given = parser.parse_args()
    content = speed(figures(given.figures, [one.name for one in MEASUREMENTS]), given.figures)
    if given.comparison:
        documents = [msgspec.json.decode(path.read_bytes()) for path in given.comparison]
        tasks = [task for task in TASKS if task.name.startswith("compare-vector-")]
        content += f"\n\n{comparison(documents, tasks)}"
    write(given.write, "speed", content)


if __name__ == "__main__":
    main()
