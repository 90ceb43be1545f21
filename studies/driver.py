"""The process that drives a build, without the work: `python -m studies.driver 1e7 1e8 1e9 --write docs/scale.md`.

Builds pools with workers that do nothing (`tests.tournament.pool.driven`). Prints jobs a second of the driver's
processor time, the slowest and the fastest tenth of the build (a job costs the same at the end as at the beginning),
the driver's memory, what it sends, and the requests of driver and workers to the store.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from benches.pages import where, write
from studies.watch import resident
from tests.tournament.pool.driven import Figures, simulate


def own_memory() -> int:
    """Bytes of resident memory of this process."""
    return resident(os.getpid())[os.getpid()]


def table(found: Sequence[Figures]) -> str:
    """The figures as Markdown."""
    rows = [
        ["seeds", *(f"{one.seeds:,}" for one in found)],
        ["shards", *(f"{one.shards:,}" for one in found)],
        ["jobs", *(f"{one.jobs:,}" for one in found)],
        ["jobs a second of its processor", *(f"{one.jobs / one.seconds:,.0f}" for one in found)],
        ["µs a job, fastest and slowest tenth", *(f"{one.fastest:.0f}, {one.slowest:.0f}" for one in found)],
        ["driver's memory beyond its start, MB", *(f"{one.memory_mb:.0f}" for one in found)],
        ["sent to workers, bytes a job", *(f"{one.sent_mb * 1e6 / one.jobs:,.0f}" for one in found)],
        ["from the command again to its first job, s", *(f"{one.again:.2f}" for one in found)],
        *([f"requests: {name}", *(f"{one.asked.get(name, 0):,}" for one in found)] for name in found[0].asked),
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("seeds", type=float, nargs="+", help="sizes of pools")
    parser.add_argument("--write", type=Path, help="the page; without it the table is printed")
    given = parser.parse_args()
    found = table([simulate(int(seeds), resident=own_memory) for seeds in given.seeds])
    if given.write is None:
        print(found)
        return
    write(given.write, "driver", f"{found}\n\nMeasured on {where()}.")


if __name__ == "__main__":
    main()
