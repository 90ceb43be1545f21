"""Damage to a pool: one reading of all its files, one sentence about what is wrong, and the one line that repairs it.

Results never depend on earlier files, so the repair is to remove the damaged files and run the same commands again,
which make the missing ones. `pool verify` reads everything; `explained` does so for a command that met damage.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from msgspec import Struct

from antemill.axes.exact.scores import version_of
from antemill.axes.exact.tier import TIERS
from antemill.engine.errors import StorageError
from antemill.engine.storage import store
from antemill.engine.storage.places import Place, place
from antemill.engine.storage.store import FileKind, programs
from antemill.tournament.pool import given_caps, layout
from antemill.tournament.pool.grid import Span, named
from antemill.tournament.pool.layout import AGAIN, CANDIDATES, GAMES, NAME, REPEATS, DamageError, Pool
from antemill.tournament.pool.lock import require_idle
from antemill.tournament.pool.repeats import find_repeats
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.work import settings_here


class Problem(Struct, frozen=True):
    """What is wrong with a file of a pool. file: below the pool's folder. damaged: whether it exists and has to be
    removed."""

    file: str
    problem: str
    damaged: bool


class Verified(Struct, frozen=True):
    """What reading all files of a pool has found.

    files: how many were read. repair: the command line that repairs everything; None if nothing is wrong, or if this
    version of antemill cannot repair it. sentence: all of it in words.
    """

    pool: str
    files: int
    problems: list[Problem]
    repair: str | None
    sentence: str


def verify_pool(folder: str | os.PathLike[str] | Place) -> Verified:
    """Read every file of a pool. Raises StorageError if there is none, or if another process works on it."""
    there = place(folder)
    require_idle(there)
    return _Check(there).verified()


@contextmanager
def explained(folder: str | os.PathLike[str] | Place) -> Iterator[None]:
    """Work on a pool. If a file is damaged or missing, the error names all such files and the line that repairs."""
    try:
        yield
    except DamageError as error:
        there = place(folder)
        found = _Check(there).verified()
        if not found.problems:  # it was repaired meanwhile
            raise StorageError(f"{there.path(error.file)}: {error.problem}: run the same command again.") from error
        raise StorageError(found.sentence) from error


class _Check:
    """Reading a pool, and what was found."""

    def __init__(self, folder: Place) -> None:
        self.folder, self.files = folder, 0
        self.problems: dict[str, Problem] = {}
        self.tiers: dict[str, None] = {}  # whose scores have to be made again
        self.build = False  # whether candidates or games have to be
        self.pool = self._description()
        self.settings = self.pool.settings
        self._cells()
        for tier in folder.folders("scores"):
            self._scores(tier)

    def verified(self) -> Verified:
        """What was found, in words."""
        problems = list(self.problems.values())
        if not problems:
            return Verified(str(self.folder), self.files, [], None, "")
        repair, advice = self._repair()
        damaged = [problem for problem in problems if problem.damaged] or problems
        more = f" and {len(problems) - 1:,} more" if len(problems) > 1 else ""
        said = f"{damaged[0].file}{more}: {damaged[0].problem}"
        sentence = f"the pool in {self.folder} is damaged or not finished ({said}): {advice}"
        return Verified(str(self.folder), self.files, problems, repair, sentence)

    def _description(self) -> Pool:
        """The pool as its files tell, or as pool.json does if there are none."""
        data, told = self.folder.find(NAME), layout.told_by(self.folder)
        if data is None:
            return layout.open_pool(self.folder)
        self.files += 1
        try:
            written = layout.read_settings(data)
        except DamageError as error:
            if not told:
                raise StorageError(
                    f"{self.folder.path(NAME)}: {error.problem}, and no file says what the pool is: build it again in "
                    "another folder."
                ) from error
            self._note(NAME, error.problem, True)
            return layout.pool_of_files(self.folder, told)
        wrong = layout.disagreement(written, told)
        lost = [
            span
            for span in named(self.folder.names(REPEATS))
            if span.start < written.seeds[0] or span.stop > written.seeds[1]
        ]
        if not wrong and lost:
            wrong = f"the pool has the {lost[0]}"
        if wrong:
            self._note(NAME, wrong, True)
            return layout.pool_of_files(self.folder, told)
        return Pool(self.folder, written)

    def _cells(self) -> None:
        """Candidates and games, whether they belong together, and the repeats."""
        pool = self.pool
        for cell in pool.cells:
            rows = self._read(CANDIDATES, cell, store.CANDIDATES, build=True)
            games = self._read(GAMES, cell, store.GAMES, build=True)
            if games is not None:
                try:
                    for _ in programs(games, "its game"):
                        pass
                except StorageError as error:
                    self._note(f"{GAMES}/{cell.file}", str(error).rstrip("."), True, build=True)
                if rows is not None and not rows.filter(rows["accepted"])["seed"].equals(games["seed"]):
                    what = f"it does not hold the games that {CANDIDATES}/{cell.file} says are accepted"
                    self._note(f"{GAMES}/{cell.file}", what, True, build=True)
        whole = not self.build
        found = self._read(REPEATS, pool.span, store.REPEATS, build=True)
        if whole and found is not None and not pool.repeats.equals(find_repeats(pool)):
            self._note(f"{REPEATS}/{pool.span.file}", "it does not hold the pool's repeats", True, build=True)

    def _scores(self, tier: str) -> None:
        """The scores at a tier, of all versions of the axes; missing can be only those of the present one."""
        for version in self.folder.folders(f"scores/{tier}"):
            where, own = f"scores/{tier}/{version}", tier in TIERS and version == version_of(tier)
            there = named(self.folder.names(where))
            for cell in self.pool.cells if own else there:
                found = self._read(where, cell, SCORES, tier=tier if own else "")
                games = self.folder.exists(f"{GAMES}/{cell.file}") and f"{GAMES}/{cell.file}" not in self.problems
                if found is not None and games:
                    digests = self.pool.read(GAMES, cell, store.GAMES, ["digest"])["digest"]
                    if not found["digest"].equals(digests):
                        what = "it does not hold the scores of the pool's games"
                        self._note(f"{where}/{cell.file}", what, True, tier=tier if own else "")
            for span in [self.pool.span] if own else named(self.folder.names(f"{where}/{AGAIN}")):
                self._read(f"{where}/{AGAIN}", span, SCORES, tier=tier if own else "")

    def _read(self, folder: str, span: Span, kind: FileKind, build: bool = False, tier: str = "") -> pa.Table | None:
        """The content of a file; None, after noting a problem, if it cannot be used."""
        file = f"{folder}/{span.file}"
        there = self.folder.exists(file)
        if not there and not (build or tier):
            return None
        self.files += there
        try:
            return self.pool.read(folder, span, kind)
        except DamageError as error:
            self._note(file, error.problem, there, build, tier)
            return None

    def _note(self, file: str, problem: str, damaged: bool, build: bool = False, tier: str = "") -> None:
        self.problems.setdefault(file, Problem(file, problem, damaged))
        self.build |= build
        if tier:
            self.tiers[tier] = None

    def _repair(self) -> tuple[str | None, str]:
        """The command line that repairs the pool, or None, and the advice."""
        files = [self.folder.path(problem.file) for problem in self.problems.values() if problem.damaged]
        if self.build:
            try:
                layout.refuse_other(self.pool, settings_here(self.settings))
            except StorageError:
                return None, "another antemill has built this pool: repair it with that one, or build it again."
        again = self._again()
        if files and not self.folder.local:
            return None, f"remove {', '.join(files)} from the store, then run `{' && '.join(again)}`."
        line = " && ".join([*([shlex.join(["rm", "--", *files])] if files else []), *again])
        return line, f"repair it with `{line}`."

    def _again(self) -> list[str]:
        """The commands that make what is missing."""
        settings, folder = self.settings, str(self.folder)
        commands = []
        if self.build:
            words = ["antemill", "pool", "build", folder, "--seeds", f"{settings.seeds[0]}:{settings.seeds[1]}"]
            if settings.complexity is not None:
                low, high = settings.complexity
                words += ["--complexity", f"{low!r}" if low == high else f"{low!r}:{high!r}"]
            if settings.caps is not None:
                known = given_caps.named(given_caps.caps_of(settings.caps, NAME))
                words += ["--caps", known or self.folder.path(NAME)]
            if settings.accept is not None:
                words += ["--accept", str(settings.accept)]
            commands.append(shlex.join(words))
        commands += [shlex.join(["antemill", "pool", "score", folder, "--tier", tier]) for tier in self.tiers]
        return commands or [shlex.join(["antemill", "pool", "verify", folder])]
