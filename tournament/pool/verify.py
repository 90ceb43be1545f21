"""`pool verify`: reads every file of a pool; names damaged and missing files and the command that repairs them.

Results never depend on earlier files, so the repair is to remove the damaged files and run the same command again,
which makes the missing ones.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.axes.exact.scores import version_of
from antemill.axes.exact.tier import TIERS
from antemill.engine.builder.generate import builder_hash
from antemill.engine.errors import ExecutionError, StorageError
from antemill.engine.rules.canonical.digests import form_hash
from antemill.engine.storage import store
from antemill.engine.storage.parts import fetch_part
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import PART, VERSION, fetch, machine, programs
from antemill.tournament.pool import given_caps, layout
from antemill.tournament.pool.lock import require_idle
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.shard_reading import candidates
from antemill.tournament.pool.spans import Known, Span, named, parse, parts
from antemill.tournament.pool.work import gate_constants

T = TypeVar("T")


class Problem(Struct, frozen=True):
    """What is wrong with a file of a pool. file: below the pool's folder. damaged: whether it exists and has to be
    removed."""

    file: str
    problem: str
    damaged: bool


class Verified(Struct, frozen=True):
    """What reading all files of a pool has found.

    files: how many were read. repair: the command line that repairs everything; None if nothing is wrong, or if this
    version of antemill cannot repair it. hint: what to do then.
    """

    pool: str
    files: int
    problems: list[Problem]
    repair: str | None
    hint: str = ""


def verify_pool(folder: str | os.PathLike[str] | Place) -> Verified:
    """Read every file of candidates, games, scores and, of an unfinished pool, parts.

    Raises StorageError if there is no pool, if its pool.json cannot be used, or if another process works on it.
    """
    pool = layout.open_pool(folder)
    require_idle(pool.folder)
    check = _Check(pool)
    check.run()
    repair, hint = _repair(pool, check) if check.problems else (None, "")
    return Verified(str(pool.folder), check.files, check.problems, repair, hint)


@contextmanager
def explaining(pool: layout.Pool) -> Iterator[None]:
    """Work on a pool; if damaged files make that fail, the error names them and the command that repairs them."""
    try:
        yield
    except (StorageError, ExecutionError) as error:
        if not pool.folder.local:  # the store itself may be what fails, and reading everything from it takes long
            raise
        check = _Check(pool)
        check.run()
        damaged = [problem for problem in check.problems if problem.damaged]
        if not damaged:
            raise
        repair, hint = _repair(pool, check)
        more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
        advice = f"repair it with `{repair}`." if repair else hint
        raise StorageError(
            f"the pool in {pool.folder} is damaged ({damaged[0].file}{more}; `antemill pool verify` lists all): "
            f"{advice}"
        ) from error


class _Check:
    """Reading a pool, and what was found."""

    def __init__(self, pool: layout.Pool) -> None:
        self.pool, self.files = pool, 0
        self.problems: list[Problem] = []
        self.tiers: dict[str, None] = {}  # whose scores have to be made again
        self.build = False  # whether candidates or games have to be

    def run(self) -> None:
        """Read all of it."""
        folder, shards = self.pool.folder, list(self.pool.shards)
        if not self.pool.settings.complete:
            self._note("pool.json", "the pool is not finished", damaged=False, build=True)
            for span in parts(folder.names(layout.PARTS)):
                self._read(f"{layout.PARTS}/{span.part}", self._part, build=True)
        there = {span for name in (layout.CANDIDATES, layout.GAMES) for span in named(folder.names(name))}
        for shard in shards if self.pool.settings.complete else sorted(there):
            self._shard(shard)
        for tier in folder.folders("scores"):
            self._scores(tier, shards)

    def _shard(self, shard: Span) -> None:
        """Its candidates and its games, and whether they belong together."""
        rows = self._read(f"{layout.CANDIDATES}/{shard.file}", lambda _: candidates(self.pool, shard), build=True)
        games = self._read(f"{layout.GAMES}/{shard.file}", self._games, build=True)
        if rows is not None and games is not None:
            accepted = rows.filter(rows["accepted"])["seed"]
            if not accepted.equals(games["seed"]):
                what = f"it does not hold the games that {layout.CANDIDATES}/{shard.file} says are accepted"
                self._note(f"{layout.GAMES}/{shard.file}", what, damaged=True, build=True)

    def _games(self, file: str) -> pa.Table:
        found = fetch(self.pool.folder, file, store.GAMES, self.pool.settings.builder)
        for _ in programs(found, self.pool.folder.path(file)):
            pass
        return found

    def _part(self, file: str) -> pa.Table:
        return fetch_part(self.pool.folder, file, PART, self.pool.settings.builder, PART.schema.names)

    def _scores(self, tier: str, shards: list[Span]) -> None:
        """The scores at a tier, of all versions of the axes; missing can be only those of the present one."""
        folder = self.pool.folder
        for version in folder.folders(f"scores/{tier}"):
            where, own = f"scores/{tier}/{version}", tier in TIERS and version == version_of(tier)
            known = Known()
            self._read(f"{where}/{layout.VERSIONS}", self._versions, tier=tier if own else "")
            for name in folder.names(where):
                if (found := parse(name)) is not None and self._read(
                    f"{where}/{name}", self._score_file, tier=tier if own else ""
                ) is not None:
                    known.add(found[0])
            for name in folder.names(f"{where}/parts"):
                if parse(name) is not None:
                    self._read(f"{where}/parts/{name}", self._score_file, tier=tier if own else "")
            for shard in shards if own and self.pool.settings.complete else ():
                stem = f"{where}/{shard.file.removesuffix('.parquet')}"
                if shard not in known and not any(problem.file.startswith(stem) for problem in self.problems):
                    self._note(f"{where}/{shard.file}", "it is missing", damaged=False, tier=tier)

    def _versions(self, file: str) -> dict[str, str]:
        try:
            return msgspec.json.decode(self.pool.folder.read(file), type=dict[str, str])
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StorageError(f"{self.pool.folder.path(file)} is damaged ({error}).") from error

    def _score_file(self, file: str) -> pa.Table:
        found = fetch(self.pool.folder, file, SCORES)
        span, _ = parse(file.rpartition("/")[2]) or (Span(0, 0), "")
        bounds = pc.min_max(found["seed"]).as_py()
        if found.num_rows and not (span.start <= bounds["min"] and bounds["max"] < span.stop):
            raise StorageError(f"{self.pool.folder.path(file)} does not hold the scores of {span}.")
        return found

    def _read(self, file: str, read: Callable[[str], T], build: bool = False, tier: str = "") -> T | None:
        """The result of `read` for a file; None, after noting a problem, if it fails."""
        if not self.pool.folder.exists(file):
            if tier or (build and self.pool.settings.complete):
                self._note(file, "it is missing", damaged=False, build=build, tier=tier)
            return None
        self.files += 1
        try:
            return read(file)
        except StorageError as error:
            text = str(error).removeprefix(f"{self.pool.folder.path(file)} ")
            text = (text.rpartition(": ")[0] or text).rstrip(".")
            self._note(file, text, damaged=True, build=build, tier=tier)
            return None

    def _note(self, file: str, problem: str, damaged: bool, build: bool = False, tier: str = "") -> None:
        self.problems.append(Problem(file, problem, damaged))
        self.build |= build
        if tier:
            self.tiers[tier] = None


def _repair(pool: layout.Pool, check: _Check) -> tuple[str | None, str]:
    """The command line that repairs a pool; or None, and what to do instead."""
    settings = pool.settings
    if check.build:
        here = layout.Settings(
            settings.seeds,
            settings.complexity,
            builder_hash(),
            machine(),
            gate_constants(),
            VERSION,
            form_hash(),
            settings.accept,
            settings.caps,
        )
        try:
            layout.refuse_other(pool, here)
        except StorageError:
            return None, "another version of antemill has built this pool: repair it with that one, or build it again."
        if settings.accept is not None and not settings.complete:
            return None, "remove what is damaged, and run the same `antemill pool build` again: it continues."
    files = [pool.folder.path(problem.file) for problem in check.problems if problem.damaged]
    if files and not pool.folder.local:
        listed = ", ".join(files)
        return None, f"remove {listed} from the store, then run `{' && '.join(_again(pool, check))}`."
    removed = [shlex.join(["rm", "--", *files])] if files else []
    return " && ".join([*removed, *_again(pool, check)]), ""


def _again(pool: layout.Pool, check: _Check) -> list[str]:
    """The commands that make what is missing."""
    settings, folder = pool.settings, str(pool.folder)
    commands = []
    if check.build:
        words = ["antemill", "pool", "build", folder, "--seeds", f"{settings.seeds[0]}:{settings.seeds[1]}"]
        if settings.complexity is not None:
            low, high = settings.complexity
            words += ["--complexity", f"{low!r}" if low == high else f"{low!r}:{high!r}"]
        if settings.caps is not None:
            known = given_caps.named(given_caps.caps_of(settings.caps, layout.NAME))
            words += ["--caps", known or pool.folder.path(layout.NAME)]
        if settings.accept is not None:
            words += ["--accept", str(settings.accept)]
        commands.append(shlex.join(words))
    commands += [shlex.join(["antemill", "pool", "score", folder, "--tier", tier]) for tier in check.tiers]
    return commands
