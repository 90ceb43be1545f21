"""Saved policies: a Parquet file with one row per set of decisions, and a header that names the game.

A file belongs to one game, named by its program's digest, and to one version of the information keys (`keys_digest`):
it is refused for any other game or version. The bytes depend on the content alone.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from antemill.engine.arguments import ArgumentValueError
from antemill.engine.arguments import path as file_path
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.machine.program import Program
from antemill.engine.match import Game, Match
from antemill.engine.match.game import Rules, program_of
from antemill.engine.rules.named import appendix_b
from antemill.engine.storage.files import atomic_write, read_bytes
from antemill.engine.storage.parquet import DAMAGED, POLICY, Format, Opened, first_line
from antemill.solver.game import Array
from antemill.solver.policies.policy import Policy, check_table
from antemill.solver.policies.solution import VERSION, SavedPolicy, Solution
from antemill.solver.trees.abstraction import VERSION as ABSTRACTION_VERSION
from antemill.solver.trees.abstraction import Abstraction, abstraction_of

_FORMAT = Format(
    POLICY,
    Solution,
    "not a policy: name one that `antemill solve` wrote",
    "name a policy that antemill wrote",
)

_PIECE = 1 << 12  # rows that are written at a time

SCHEMA = pa.schema(
    [
        pa.field("key", pa.int64(), nullable=False),
        pa.field("seat", pa.int8(), nullable=False),
        pa.field("decision", pa.int16(), nullable=False),
        pa.field("actions", pa.list_(pa.int32()), nullable=False),  # option numbers, amounts, or bins of wagers
        pa.field("probabilities", pa.list_(pa.float64()), nullable=False),
    ]
)


@functools.cache
def keys_digest() -> str:
    """16 hex digits: a digest of the keys in a fixed match. It changes when information keys are computed otherwise."""
    match, met = Match(compile_spec(appendix_b()), 0), []
    while not match.over:
        met.append(match.keys())
        match.apply(match.menu.choice(0))
    return hashlib.blake2b(repr(met).encode(), digest_size=8).hexdigest()


def write_policy(path: str | os.PathLike[str], saved: SavedPolicy) -> None:
    """Write a policy atomically. Raises StorageError if that is not possible."""
    with atomic_write(path) as file:
        _FORMAT.write(file, _pieces(saved.table), _header(saved.solution), SCHEMA)


def encode_policy(saved: SavedPolicy) -> bytes:
    """The bytes of a policy's file."""
    return _FORMAT.encode(_pieces(saved.table), _header(saved.solution), SCHEMA)


def _header(solution: Solution) -> Solution:
    return msgspec.structs.replace(solution, keys=keys_digest())


def _pieces(table: Policy) -> Iterator[pa.Table]:
    """The rows of a policy sorted by seat and key, some at a time."""
    order = np.lexsort((table.key, table.seat))
    for low in range(0, len(order), _PIECE):
        yield _rows(table, order[low : low + _PIECE])


def _rows(table: Policy, rows: Array) -> pa.Table:
    """Some rows of a policy, in this order. rows: int64[any number]."""
    first = table.start[rows]
    width = table.start[rows + 1] - first
    offsets = np.concatenate((np.zeros(1, np.int32), np.cumsum(width, dtype=np.int32)))
    places = np.repeat(first - offsets[:-1], width) + np.arange(int(offsets[-1]))
    columns = [
        pa.array(table.key[rows], pa.int64()),
        pa.array(table.seat[rows], pa.int8()),
        pa.array(table.decision[rows], pa.int16()),
        pa.ListArray.from_arrays(offsets, pa.array(table.action[places], pa.int32())),
        pa.ListArray.from_arrays(offsets, pa.array(table.probability[places], pa.float64())),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def read_policy(path: str | os.PathLike[str], program: Program | None = None) -> SavedPolicy:
    """Read a policy; with a program, refuse that of another game.

    Raises StorageError for a file that is missing, damaged, foreign or of another version, UsageError for a policy of
    another game.
    """
    opened = _open(path)
    solution = _accept(opened, path)
    if program is not None:
        require_game(solution, program, f"the policy in {path}")
    try:
        table = _table(opened.file.read(), abstraction_of(solution.abstraction))
        return SavedPolicy(solution, check_table(table))
    except (*DAMAGED, UsageError) as error:
        raise StorageError(f"{path} is damaged ({first_line(error)}): solve the game again.") from error


def require_game(solution: Solution, program: Program, name: str) -> None:
    """Raise UsageError, calling the policy `name`, if it is for another game."""
    if solution.digest != program.digest:
        raise UsageError(
            f"{name} is for {solution.game} (digest {solution.digest[:12]}), not for "
            f"{program.names.game} ({program.digest[:12]}): solve this game, or play that one."
        )


def find_policy(folder: str | os.PathLike[str], program: Program) -> SavedPolicy:
    """The policy of a game among the Parquet files of a folder. Raises StorageError if there is none."""
    return read_policy(policy_path(folder, program), program)


def policy_path(path: str | os.PathLike[str], program: Program) -> Path:
    """The file of a game's policy: the one that has it in a folder, or the path itself. Raises StorageError."""
    folder = Path(path)
    if not folder.is_dir():
        return folder
    for file, solution in list_policies(folder):
        if solution.digest == program.digest:
            return file
    raise StorageError(
        f"{folder} has no policy for {program.names.game} (digest {program.digest[:12]}): "
        "make one with `antemill solve`, into this folder."
    )


def load_policy(path: str | os.PathLike[str], program: Rules | Game | None = None) -> SavedPolicy:
    """The game's policy in a file, or in a folder of them.

    program: the game: a program, a spec, a game's name, a seed, or the path of a file of rules. Only a folder needs it.
    Raises StorageError if the policy cannot be read; UsageError for a policy of another game, or for a folder without
    a `program`.
    """
    path = file_path(path, "path")
    if program is not None:
        program = program_of(program, "program")
        return read_policy(policy_path(path, program), program)
    if path.is_dir():
        raise ArgumentValueError(f"{path} is a folder of policies: say for which game as well, or name one file.")
    return read_policy(path)


def list_policies(folder: str | os.PathLike[str]) -> Iterator[tuple[Path, Solution]]:
    """The policies in a folder by name, of any game. Other Parquet files are skipped."""
    for path in sorted(Path(folder).glob("*.parquet")):
        opened = _open(path)
        if opened.header is not None:
            yield path, _accept(opened, path)


def read_solution(path: str | os.PathLike[str]) -> Solution:
    """What a policy's file says about itself. Raises StorageError if it is missing, damaged or foreign."""
    return _accept(_open(path), path)


def _open(path: str | os.PathLike[str]) -> Opened:
    return _FORMAT.open(read_bytes(path), path)


def _accept(opened: Opened, path: str | os.PathLike[str]) -> Solution:
    solution = _FORMAT.header_of(opened, path)
    if not opened.schema.equals(SCHEMA):
        raise StorageError(f"{path} is damaged (its columns are not those of a policy): solve the game again.")
    versions = solution.version, solution.abstraction_version, solution.keys
    if versions != (VERSION, ABSTRACTION_VERSION, keys_digest()):
        raise StorageError(f"the policy in {path} was saved by another version of antemill: solve the game again.")
    return solution


def _table(content: Any, abstraction: Abstraction) -> Policy:
    # Copies, because Arrow's arrays are read-only, for which kernels would be compiled again.
    actions, probabilities = (content[name].combine_chunks() for name in ("actions", "probabilities"))
    start = _offsets(actions)
    if not np.array_equal(start, _offsets(probabilities)):
        raise ValueError("actions and probabilities do not fit each other")
    key, seat, decision = (content[name].to_numpy().copy() for name in ("key", "seat", "decision"))
    return Policy(
        abstraction,
        key,
        seat,
        decision,
        start,
        actions.flatten().to_numpy().copy(),
        probabilities.flatten().to_numpy().copy(),
    )


def _offsets(lists: Any) -> Any:
    lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
