"""Measure the figures of docs/differences.md, and write them into it.

    python -m benches.differences                     measure what --store does not have yet, and print all figures
    python -m benches.differences --only skate        one section
    python -m benches.differences --write docs/differences.md          put the figures between the page's markers
    python -m benches.differences --seeds 0:12351 --write docs/differences.md

Five sections: games and axes, of the pool that the gate accepts of --seeds; tournaments, duels and skate, on --worlds
simulated ones each. Each is kept in --store (out/differences) when it is finished, with the seeds, the sizes and the
code that it was measured with: change one of these, and it is measured again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from antemill.engine.storage.files import write_text
from benches.differences import axes, duels, games, skate, tournaments
from benches.differences.page import figures_on, filled
from benches.population import Candidate, draw

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PRODUCT = ("engine", "axes", "solver", "tournament")


def sections(seeds: range, count: int, worlds: int) -> Mapping[str, Callable[[], dict[str, str]]]:
    """What measures the figures of each section. count: games whose axes are read otherwise."""

    @cache
    def candidates() -> Sequence[Candidate]:
        return draw(seeds)

    return {
        "games": lambda: {"seeds": f"{seeds.start} to {seeds.stop - 1:,}"} | games.figures(candidates()),
        "axes": lambda: axes.figures(candidates(), count),
        "tournaments": lambda: tournaments.figures(candidates(), worlds),
        "duels": lambda: duels.figures(10 * worlds),
        "skate": lambda: skate.figures(max(1, worlds // 4)),
    }


def collect(
    measures: Mapping[str, Callable[[], dict[str, str]]], store: Path, sizes: str, only: Sequence[str]
) -> dict[str, str]:
    """The figures of all finished sections, of these sizes and this code; those of `only` are measured if need be."""
    store.mkdir(parents=True, exist_ok=True)
    found: dict[str, str] = {}
    for number, (name, measure) in enumerate(measures.items(), start=1):
        path, origin = store / f"{name}.json", origin_of(name, sizes)
        kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if kept.get("origin") != origin and name in only:
            print(f"{number} of {len(measures)}, {name} ...", file=sys.stderr, end=" ", flush=True)
            start = time.perf_counter()
            kept = {"origin": origin, "figures": measure()}
            write_text(path, json.dumps(kept, indent=1))
            print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        if kept.get("origin") == origin:
            found |= kept["figures"]
    return found


def origin_of(section: str, sizes: str) -> str:
    """The sizes, and a digest of all code that a section's figures may come from."""
    product = (path for package in PRODUCT for path in sorted((ROOT / package).rglob("*.py")))
    own = (HERE / f"{name}.py" for name in (section, "page", "readings"))
    code = b"".join(path.read_bytes() for path in (*product, *own))
    return f"{sizes} {sha256(code).hexdigest()[:16]}"


def _seeds(text: str) -> range:
    first, _, stop = text.partition(":")
    if not (first.isdigit() and stop.isdigit() and int(first) < int(stop)):
        raise argparse.ArgumentTypeError(f"{text!r} is no range of seeds: give two whole numbers, such as 0:3000")
    return range(int(first), int(stop))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(
        prog="python -m benches.differences",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", type=_seeds, default=range(3_000), metavar="A:B", help="candidates (0:3000)")
    parser.add_argument("--games", type=int, default=120, help="accepted games whose axes are measured (%(default)s)")
    parser.add_argument("--worlds", type=int, default=20, help="simulated tournaments (%(default)s)")
    parser.add_argument("--only", nargs="+", metavar="SECTION", help="measure these sections alone")
    parser.add_argument("--store", type=Path, default=ROOT / "out" / "differences", help="folder of finished sections")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the figures into this page")
    options = parser.parse_args(arguments)
    measures = sections(options.seeds, options.games, options.worlds)
    only = options.only or list(measures)
    if unknown := sorted(set(only) - set(measures)):
        parser.error(f"there is no section {unknown[0]!r}; there are {', '.join(measures)}")
    sizes = f"{options.seeds} {options.games} {options.worlds}"
    found = collect(measures, options.store, sizes, only)
    for name, text in found.items():
        print(f"{name:28}{text}")
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        if missing := sorted(set(figures_on(page)) - set(found)):
            parser.error(f"{len(missing)} figures of the page are not measured, the first is {missing[0]}")
        write_text(options.write, filled(page, found))


if __name__ == "__main__":
    main()
