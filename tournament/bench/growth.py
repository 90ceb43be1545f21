"""How time grows with the input: each work is done on four sizes, of which each is ten times the one before.

The last decade shows how it grows, and the smaller sizes what a command costs at least. Seconds are those of this
process's processor.
"""

from __future__ import annotations

import gc
import io
import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.kernel_plain import compiled_at_once
from antemill.engine.rules.canonical.digests import canonical_digest
from antemill.engine.rules.check import check
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import Announce, FixedBetting, GameSpec, Steps
from antemill.tournament.runs.folder import RunFolder

LINEAR = 1.15  # the largest exponent that counts as linear: caches of the processor bend a straight line

Work = Callable[[], object]


class Place(NamedTuple):
    """Where a measurement is made. folder: a new one. run: runs a command line and returns its exit code."""

    folder: Path
    run: Callable[[Sequence[str]], int]

    def command(self, *words: object) -> Work:
        """A command line as work, which raises GrowthError if it fails."""
        return partial(self._run, list(map(str, words)))

    def _run(self, words: Sequence[str]) -> None:
        if code := self.run(words):
            raise GrowthError(f"`antemill {' '.join(words)}` ended with {code}.")


class GrowthError(AntemillError):
    """What is to be measured failed; the text says what."""


class Grown(NamedTuple):
    """What grows. sizes: of the input. prepare: makes the work on an input of this size, in a folder.

    reason: why it is more than linear, if it is.
    """

    name: str
    what: str  # the input, and what is done with it
    sizes: tuple[int, ...]
    prepare: Callable[[int, Place], Work]
    reason: str = ""


class Growth(Struct, frozen=True):
    """A result. seconds: by size. exponent: e, where ten times the input takes 10^e times as long, at the end."""

    name: str
    what: str
    sizes: list[int]
    seconds: list[float]
    exponent: float
    linear: bool
    reason: str

    def verdict(self) -> str:
        """In a few words."""
        return "linear" if self.linear else self.reason or "more than linear"


def chosen_growth(only: str | None) -> Sequence[Grown]:
    """What a comma-separated list of names chooses; None chooses all. Raises UsageError for an unknown name."""
    known = {grown.name: grown for grown in GROWTH}
    names = list(known) if only is None else [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"there is no measurement of growth '{unknown[0]}': name some of {', '.join(known)}.")
    return [known[name] for name in names]


def grow(grown: Grown, run: Callable[[Sequence[str]], int], quick: bool = False) -> Growth:
    """Measure one. run: as in `Place`. quick: only the two smallest sizes. Raises GrowthError if the work fails."""
    sizes = list(grown.sizes[:2] if quick else grown.sizes)
    seconds = [_seconds(grown, size, run) for size in sizes]
    exponent = math.log(seconds[-1] / seconds[-2]) / math.log(sizes[-1] / sizes[-2])
    return Growth(grown.name, grown.what, sizes, seconds, exponent, exponent <= LINEAR, grown.reason)


def _seconds(grown: Grown, size: int, run: Callable[[Sequence[str]], int]) -> float:
    """Of the processor, for one size. The smallest is done twice, since its first time also loads and compiles."""
    with ExitStack() as stack, compiled_at_once():
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="antemill-growth-")))
        work = grown.prepare(size, Place(folder, run))
        stack.enter_context(redirect_stdout(stack.enter_context(open(os.devnull, "w"))))
        if size == grown.sizes[0]:
            work()
        stack.enter_context(_frozen())
        begun = time.process_time()
        work()
        return max(time.process_time() - begun, 1e-9)


@contextmanager
def _frozen() -> Iterator[None]:
    """In this block the garbage collector searches new objects only, so it does not search all modules again."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


# ------------------------------------------------------------------------------------------------ works


def _rate(matches: int, place: Place) -> Work:
    """Players meet others of about their strength, as in a ladder; there are as many as a thirtieth of the matches."""
    random, players = np.random.default_rng(1), max(matches // 30, 4)
    a = random.integers(0, players, matches)
    b = (a + random.integers(1, 1 + max(players // 10, 3), matches)) % players
    won = random.random(matches) < 1 / (1 + np.exp((a - b) / players))
    lines = (f"p{i},p{j},{int(w)},{1 - int(w)}" for i, j, w in zip(a, b, won, strict=True))
    (place.folder / "results.csv").write_text("\n".join(["a,b,score_a,score_b", *lines, ""]))
    return place.command("rate", place.folder / "results.csv", "--json")


def _efg(nodes: int, place: Place) -> Work:
    """Twelve chains that the player cannot distinguish; their depth and the number of labels are a 25th of the
    nodes."""
    from antemill.solver.trees.efg import read_efg

    depth = max(nodes // 25, 1)
    chances = " ".join(f'"{chain}" 1/12' for chain in range(12))
    chain = "".join(f'p "" 1 {i} "label {i}" {{ "stop" "go" }} 0\nt "" 1 "" {{ 1 }}\n' for i in range(1, depth + 1))
    text = f'EFG 2 R "grown" {{ "one" }}\nc "" 1 "" {{ {chances} }} 0\n' + (chain + 't "" 2 "" { 2 }\n') * 12
    (place.folder / "grown.efg").write_text(text)
    return partial(read_efg, place.folder / "grown.efg", 2 * nodes + 100)


def _spec(steps: int) -> GameSpec:
    """Kuhn poker with so many announcements before the betting, in a hundred phases at most."""
    kuhn = NAMED["kuhn"]()
    phases = min(steps, 100)
    announced = [
        Steps(f"News {i}", tuple(Announce(f"news {i} {k}") for k in range(len(range(i, steps, phases)))))
        for i in range(phases)
    ]
    names = tuple(phase.name for phase in announced)
    return msgspec.structs.replace(
        kuhn, phases=(*kuhn.phases, *announced), sequence=(*kuhn.sequence[:2], *names, *kuhn.sequence[2:])
    )


def _raised(raises: int) -> GameSpec:
    """Kuhn poker, whose betting has more raises than any game may have."""
    kuhn = NAMED["kuhn"]()
    return msgspec.structs.replace(
        kuhn,
        phases=tuple(
            msgspec.structs.replace(phase, raises=raises) if isinstance(phase, FixedBetting) else phase
            for phase in kuhn.phases
        ),
    )


def _refuse(raises: int, _place: Place) -> Work:
    return partial(check, _raised(raises))


def _of_spec(call: Callable[[GameSpec], object], steps: int, _place: Place) -> Work:
    return partial(call, _spec(steps))


# ------------------------------------------------------------------------------------------------ runs


def _cup(matches: int, folder: Path, players: int = 2, games: Sequence[str] = ("kuhn",)) -> Path:
    """The folder of a tournament of bots with about so many matches."""
    from antemill.tournament.running import run

    cells = players * (players - 1) // 2 * len(games)
    names = {f"bot-{i:02d}": {"bot": ("random", "passive", "aggressive")[i % 3]} for i in range(players)}
    table = {"games": list(games), "matches_per_seat": max(round(matches / cells / 2), 1), "opponents": players - 1}
    run({"tournament": table, "players": names}, folder / "cup", progress=False)
    return folder / "cup"


def _many(matches: int, folder: Path) -> Path:
    """The folder of a tournament of two bots: a few hundred matches are played, and then copied."""
    cup = _cup(min(matches, _PLAYED), folder)
    with closing(sqlite3.connect(RunFolder(cup).database)) as database, database:
        columns = ", ".join(name for _, name, *_ in database.execute("PRAGMA table_info(items)").fetchall()[2:])
        copies = "WITH RECURSIVE copy(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copy WHERE k + 1 < ?)"
        copied = f"SELECT position + k * ?, key || ':' || k, {columns} FROM copy, items WHERE k * ? < ? ORDER BY 1"
        values = (matches // _PLAYED, _PLAYED, _PLAYED, matches)
        database.execute(f"{copies} INSERT INTO items (position, key, {columns}) {copied}", values)
        database.execute("UPDATE meta SET value = ? WHERE name = 'total'", (str(matches),))
    return cup


def _of_many(words: str, matches: int, place: Place) -> Work:
    """The first line that a command prints about a tournament of two bots. words: of the command, in which CUP is the
    folder."""
    cup = _many(matches, place.folder)
    command = place.command(*(str(cup) if word == "CUP" else word for word in words.split()))
    return partial(_first_line, command)


class _Enough(BaseException):
    """The first line is printed. No command catches it."""


class _FirstLine(io.TextIOBase):
    def write(self, text: str) -> int:
        if "\n" in text:
            raise _Enough
        return len(text)


def _first_line(command: Work) -> None:
    with redirect_stdout(_FirstLine()):
        try:
            command()
        except _Enough:
            return
    raise GrowthError("The command prints nothing.")


def _view(matches: int, place: Place) -> Work:
    """The page's list as its server reads it, to the last match; the first page of the list is there before."""
    from antemill.tournament.view.watch import Watched

    cup = _many(matches, place.folder)

    def work() -> None:
        with closing(Watched("grown", cup)) as run:
            while run.update():
                pass

    return work


def _of_cup(words: str, matches: int, place: Place) -> Work:
    """A command on a tournament of two bots. words: of the command, in which CUP and OUT are paths."""
    cup, out = _cup(matches, place.folder), place.folder / "out"
    return place.command(*(word.replace("CUP", str(cup)).replace("OUT", str(out)) for word in words.split()))


def _analyze(matches: int, place: Place) -> Work:
    """Thirty players, and as many of fifty games as the matches suffice for."""
    games = max(min(50, matches // 870), 1)
    cup = _cup(matches, place.folder, 30 if matches >= 870 else 4, [f"{seed}@0.2" for seed in range(games)])
    return place.command("tournament", "analyze", cup, "--bootstrap", 200, "--json")


def _of_pool(words: str, scored: bool, seeds: int, place: Place) -> Work:
    """A command on a pool. words: of the command, in which POOL is its folder and SEEDS the number of its seeds."""
    from antemill.tournament.bench.growing_pools import grown_pool

    pool = grown_pool(seeds, place.folder / "pool", scored)
    return place.command(*(word.replace("POOL", str(pool)).replace("SEEDS", str(seeds)) for word in words.split()))


def _score(seeds: int, place: Place) -> Work:
    """Scoring a pool: each time all of its games."""
    from antemill.tournament.bench.growing_pools import grown_pool

    pool = grown_pool(seeds, place.folder / "pool", scored=False)
    command = place.command("pool", "score", pool, "--workers", "1", "--json")

    def work() -> None:
        rmtree(pool / "scores", ignore_errors=True)
        command()

    return work


_MATCHES = (40, 400, 4_000, 40_000)
_MORE = (400, 4_000, 40_000, 400_000)
_BUILD = "pool build POOL --seeds 0:SEEDS --workers 1 --json"
_SEEDS = (1_000, 10_000, 100_000, 1_000_000)
_PLAYED = 400  # matches that are played where more would be copies
_OF_MANY = (
    ("list", "tournament list CUP", "matches of a tournament, listed: until the first line"),
    ("show", "tournament show CUP kuhn:7:bot-01:bot-00", "matches of a tournament, one shown: until its first line"),
    ("export-first", "tournament export CUP", "matches of a tournament, exported: until the first line"),
)
_OF_CUP = (
    ("list-all", "tournament list CUP --json", "matches of a tournament, all listed"),
    ("export", "tournament export CUP -o OUT.jsonl", "matches of a tournament, all exported"),
    ("report", "report CUP -o OUT.html", "matches of a tournament, its page"),
)
GROWTH: tuple[Grown, ...] = (
    Grown(
        "rate",
        "matches of a thirtieth as many players, rated",
        (100, 1_000, 10_000, 100_000),
        _rate,
        reason="the errors come from the covariance of all players",
    ),
    Grown("efg", "nodes of an .efg file, read", (1_000, 10_000, 100_000, 1_000_000), _efg),
    *(
        Grown(name, f"steps of a game's rules, {what}", (10, 100, 1_000, 10_000), partial(_of_spec, call))
        for name, what, call in (
            ("check", "checked", check),
            ("compile", "compiled", compile_spec),
            ("digest", "their canonical digest", canonical_digest),
        )
    ),
    Grown("raises", "raises of a betting round, which check refuses", (100, 1_000, 10_000, 100_000), _refuse),
    *(Grown(name, what, _MATCHES, partial(_of_cup, words)) for name, words, what in _OF_CUP),
    *(Grown(name, what, _MORE, partial(_of_many, words)) for name, words, what in _OF_MANY),
    *(
        Grown(name, what, _SEEDS, partial(_of_pool, words, scored))
        for name, words, scored, what in (
            ("resume", _BUILD, False, "seeds of a finished pool, built again"),
            ("stats", "pool stats POOL --json", True, "seeds of a scored pool, its statistics"),
        )
    ),
    Grown("score", "seeds of a pool, scored at the fast tier by one process", (100, 1_000, 10_000, 100_000), _score),
    Grown("view", "matches of a tournament, read for the list of its page", _MORE, _view),
    Grown("analyze", "matches of up to 30 players and 43 games, all tables", (40, 400, 4_000, 40_000), _analyze),
)
