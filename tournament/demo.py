"""A card tournament, duels and a game of SKATE with scripted players, and their pages: all three without a model.

Everything is an ordinary run, in folders beside its configuration, and can be analysed, resumed and copied from.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.errors import AntemillError, StorageError
from engine.storage.files import write_text
from tournament.report.folder import page_of
from tournament.runs import RunType, start_run

TOURNAMENT = """\
# Four bots on five games, of which three have names and two are drawn from seeds.
[tournament]
games = ["kuhn", "leduc", "appendix-b", "7", "8@0.4"]
matches_per_seat = 20
seed = 1

[players.random]
bot = "random"
[players.passive]
bot = "passive"
[players.aggressive]
bot = "aggressive"
[players.l1]
bot = "l1"
"""

DUEL = """\
# Four scripted players. Two of them also solve all valid puzzles again, outside of the duels; one tags their topics.
[duel]
turns = 10
references = ["adept", "expert"]
resolve_own = true
tagger = "master"

[players.novice]
bot = "novice"
[players.adept]
bot = "adept"
[players.expert]
bot = "expert"
[players.master]
bot = "master"
"""

SKATE = """\
[skate]
rounds = 6

[players.novice]
bot = "novice"
[players.adept]
bot = "adept"
[players.expert]
bot = "expert"
[players.master]
bot = "master"
"""


class Shown(Struct, frozen=True):
    """One run of the demonstration. what: its kind; folder: of the run; page: its report."""

    what: str
    folder: Path
    page: Path


def run_demo(out: Path, quiet: bool = False) -> list[Shown]:
    """Run all three below a folder, or go on with them.

    Raises StorageError or UsageError, which says how to go on if something is finished. If nothing is, an exception
    leaves nothing behind.
    """
    with _cleared_unless_begun(out):
        out.mkdir(parents=True, exist_ok=True)
        return [_run(what, out, quiet) for what in _KINDS]


@contextmanager
def _cleared_unless_begun(out: Path) -> Iterator[None]:
    """After an exception, remove the configurations that have no run, and the folder if it is new and empty."""
    new = [folder for folder in (out, *out.parents) if not folder.exists()]
    ours = [out / f"{what}.toml" for what in _KINDS if not (out / f"{what}.toml").exists()]
    begun = [config.with_suffix("") for config in ours if not config.with_suffix("").exists()]
    try:
        yield
    except BaseException as error:
        for config in ours:
            if not config.with_suffix("").exists():
                config.unlink(missing_ok=True)
        for folder in new:
            with suppress(OSError):  # something is kept in it, or it was never made
                folder.rmdir()
        if isinstance(error, AntemillError) and any(folder.exists() for folder in begun):
            again = shlex.join(["antemill", "demo", "--out", str(out)])
            error.args = (f"{str(error).rstrip('.')}; what was finished is kept: `{again}` goes on.",)
        raise


def _run(what: str, out: Path, quiet: bool) -> Shown:
    text, opened = _KINDS[what]
    config, folder = out / f"{what}.toml", out / what
    if not config.exists():
        write_text(config, text)
    with opened() as (kind, analyze):
        with start_run(kind, config, folder) as session:
            session.run(quiet)
        analyze(folder)
    found, page = page_of(folder)
    if found != what:
        raise StorageError(f"{folder} holds a run of another kind: name another folder with --out.")
    write_text(folder / "report.html", page)
    return Shown(what, folder, folder / "report.html")


@contextmanager
def _tournament() -> Iterator[tuple[RunType[Any], Callable[[Path], object]]]:
    from tournament.cards import TOURNAMENT
    from tournament.cards.analyze import analyze_run

    yield TOURNAMENT, lambda folder: analyze_run(folder, None, 2000)


@contextmanager
def _duel() -> Iterator[tuple[RunType[Any], Callable[[Path], object]]]:
    from tournament.duel.analyze import analyze
    from tournament.duel.judge import sandbox_judges
    from tournament.duel.kind import duel_type

    with sandbox_judges() as judges:
        yield duel_type(judges), lambda folder: analyze(folder, None, 2000)


@contextmanager
def _skate() -> Iterator[tuple[RunType[Any], Callable[[Path], object]]]:
    from tournament.skate.analyze import analyze
    from tournament.skate.kind import skate_type
    from tournament.skate.making import game_rules

    with game_rules() as rules:
        yield skate_type(rules), lambda folder: analyze(folder, ())


_KINDS = {"tournament": (TOURNAMENT, _tournament), "duel": (DUEL, _duel), "skate": (SKATE, _skate)}
