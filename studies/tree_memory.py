"""What a game tree needs, measured: `python -m studies.tree_memory [GAME ...] [--write]`.

A process for each game solves it as `antemill solve` does, and notes how far its memory has risen above what it was
before: at the peak of building the tree, of making its sequence form, and from then on; then, how far it rises again
while the policy's file is written. Other games are solved before, so that what is loaded and compiled does not count.
Linux only. With --write the table of docs/solver.md is replaced.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import msgspec
from msgspec import Struct

import antemill.engine.storage.lean  # noqa: F401 (before Arrow)
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.execute import progress_bar
from antemill.solver import solving
from antemill.solver.game import END, ExtensiveForm
from antemill.solver.policies.file import write_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides
from benches.pages import write as write_page

P = ParamSpec("P")
R = TypeVar("R")

# The first three are the largest that fit of a benchmark, the other ones have many sequences for their size.
GAMES = ("9393", "10943", "11299", "11056", "11690", "11934", "11948", "12122")
BEFORE = ("appendix-b", "12013")  # with numbers of 64 bits, and of 32
PAGE = Path(__file__).parents[1] / "docs" / "solver.md"


class Needed(Struct, frozen=True):
    """What a game needed. Bytes are at the peak, above what the process had before."""

    game: str
    abstraction: str
    nodes: int
    ends: int
    sequences: int
    entries: int  # of the payoff matrix
    bytes: dict[str, int]  # by part of the work
    file: int  # bytes at the peak of writing the policy down, above what is held then
    seconds: dict[str, float]  # of the processor, likewise
    iterations: int
    exploitability: float


def memory(what: str) -> int:
    """Bytes of this process: VmRSS now, or VmHWM at the peak since `forget_peak`."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{what}:")) * 1024


def forget_peak() -> None:
    """Reset the peak (proc(5))."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def write(saved: SavedPolicy) -> None:
    """Write a policy's file, which is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        write_policy(Path(folder) / "policy.parquet", saved)


def measured(game: str, settings: Settings) -> Needed:
    """Solve a game in this process."""
    for name in BEFORE:
        other = msgspec.structs.replace(settings, abstraction="none")
        write(solve_game(compile_spec(resolve(name)), other).saved)
    program = compile_spec(resolve(game))
    sizes, bytes_, seconds = list[int](), dict[str, int](), dict[str, float]()

    def noting(name: str, work: Callable[P, R], note: Callable[[R], None]) -> Callable[P, R]:
        def noted(*args: P.args, **kwargs: P.kwargs) -> R:
            begun = time.process_time()
            forget_peak()
            found = work(*args, **kwargs)
            bytes_[name], seconds[name] = memory("VmHWM") - before, time.process_time() - begun
            note(found)
            return found

        return noted

    def tree_sizes(tree: ExtensiveForm) -> None:
        sizes.extend((tree.nodes, tree.count(END), sum(mine.sequences for mine in tree.sets)))

    def form_sizes(both: Sides) -> None:
        sizes.append(len(both[0].columns))

    vars(solving)["build_tree"] = noting("tree", build_tree, tree_sizes)
    vars(solving)["sides"] = noting("sequence form", sides, form_sizes)
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # returns freed memory, whose reuse would not be counted
    before, begun = memory("VmRSS"), time.process_time()
    forget_peak()
    saved = solve_game(program, settings).saved
    solution = saved.solution
    bytes_["rest"], seconds["rest"] = memory("VmHWM") - before, time.process_time() - begun - sum(seconds.values())
    held = memory("VmRSS")
    forget_peak()
    write(saved)
    file = memory("VmHWM") - held
    nodes, ends, sequences, entries = sizes
    exploitability = float("nan") if solution.exploitability is None else solution.exploitability
    figures = nodes, ends, sequences, entries, bytes_, file, seconds, solution.iterations, exploitability
    return Needed(game, solution.abstraction, *figures)


def line(found: Needed) -> str:
    """A row of the table."""
    cells = (
        found.game,
        found.abstraction,
        f"{found.nodes:,}",
        f"{found.ends / found.nodes:.0%}",
        f"{found.sequences / found.nodes:.2f}",
        f"{found.entries / found.nodes:.2f}",
        *(f"{found.bytes[name] / found.nodes:.1f}" for name in found.bytes),
        f"{found.file / 1e6:.0f} MB",
        f"{found.iterations:,}",
        f"{found.exploitability:.1e}",
    )
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| game | abstraction | nodes | ends | sequences a node | payoffs a node | building | sequence form | solving "
    "| file | iterations | exploitability |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--seconds", type=float, default=60.0, help="of solving")
    parser.add_argument("--target", type=float, default=1e-3, help="exploitability, chips")
    parser.add_argument("--abstraction", default="none")
    parser.add_argument("--write", action="store_true", help="replace the table of docs/solver.md")
    parser.add_argument("--one", action="store_true", help="measure one game in this process and print it as JSON")
    given = parser.parse_args()
    asked = {"seconds": given.seconds, "target": given.target, "abstraction": given.abstraction}
    if given.one:
        print(msgspec.json.encode(measured(given.games[0], Settings(**asked))).decode())
        return
    found = []
    with progress_bar("games", len(given.games)) as bar:
        for number, game in enumerate(given.games, 1):
            options = [word for name, value in asked.items() for word in (f"--{name}", str(value))]
            command = [sys.executable, "-m", "studies.tree_memory", game, "--one", *options]
            out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            found.append(msgspec.json.decode(out, type=Needed))
            bar(number, None)
    text = "\n".join((HEAD, *map(line, found)))
    print(text)
    if given.write:
        write_page(PAGE, "memory", text)


if __name__ == "__main__":
    main()
