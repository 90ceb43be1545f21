"""The work on seeds of a pool. It runs in a worker, which reads and writes the pool's files itself.

A worker is told where the pool is and what it holds (`Order`), and returns counts. The slow imports are here and not in
the modules that plan the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.engine.builder.generate import builder_hash, default_complexity
from antemill.engine.errors import StorageError
from antemill.engine.execute import checkpoint
from antemill.engine.machine import gate as gates
from antemill.engine.machine.readings import READING
from antemill.engine.rules.canonical.digests import form_hash
from antemill.engine.storage import store
from antemill.engine.storage.memory import in_turn, returning_freed_memory
from antemill.engine.storage.parts import decode_part, encode_part, fetch_part
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import PART, FileKind, Groups, encode, fetch, fill
from antemill.tournament.pool.candidates import TOO_LARGE, judged, table_of
from antemill.tournament.pool.given_caps import caps_of
from antemill.tournament.pool.layout import CANDIDATES, GAMES, NAME, PARTS, Settings
from antemill.tournament.pool.repeats import COLUMNS, REPEAT, Repeats, rejected, without
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.seed_rows import within
from antemill.tournament.pool.spans import Span, cover, parse, shards
from antemill.tournament.pool.versions import numba_version, require_same

_ASSEMBLY = "assembly"  # of a shard, which takes sixty megabytes for some seconds
_DRAWN = 128  # candidates that are drawn before the first of them is gated

# Where Arrow was there before `antemill.engine.storage.lean`, as in the workers of Ray, this is what can still be done.
pa.set_memory_pool(pa.system_memory_pool())


class Verdicts(Struct):
    """Candidates by the gate's verdict, counted in two ways. A rejected one may break several rules."""

    first: Counter[str] = msgspec.field(default_factory=Counter)  # by the first rule that they break; "": accepted
    broken: Counter[str] = msgspec.field(default_factory=Counter)  # by every rule that they break

    def add(self, other: Verdicts) -> None:
        """Count the others, too."""
        self.first.update(other.first)
        self.broken.update(other.broken)


class Order(Struct, frozen=True):
    """The order for a worker on any machine. folder: where the pool is. settings: of the pool. numba: the version in
    the process that gives the order.
    """

    folder: Place
    settings: Settings
    numba: str

    def require_same(self) -> None:
        """Raise ExecutionError unless this process would make the same as the process that gives the order."""
        require_same(
            {
                "builder": (self.settings.builder, builder_hash()),
                "instruction set": (self.settings.machine, store.machine()),
                "form of games": (self.settings.digests, form_hash()),
                "gate": (self.settings.gate, gate_constants()),
                "numba": (self.numba, numba_version()),
            }
        )


def gate_constants() -> dict[str, int | float | str]:
    """The constants that the gate's verdict depends on."""
    return {
        "episodes": gates.EPISODES,
        "rare": gates.RARE,
        **{f"most_{rule.figure}": rule.most for rule in gates.RULES},
        "reading": READING,
    }


def complexity_of(seed: int, bounds: tuple[float, float] | None) -> float:
    """The seed's own complexity, scaled from 0..1 to `bounds`."""
    own = default_complexity(seed)
    return own if bounds is None else bounds[0] + (bounds[1] - bounds[0]) * own


def build_part(start: int, stop: int, order: Order) -> int:
    """Write the part of the seeds start..stop-1; returns how many are accepted."""
    order.require_same()
    pieces = [
        _drawn(range(first, min(first + _DRAWN, stop)), order.settings.complexity, order.settings.caps)
        for first in range(start, stop, _DRAWN)
    ]
    with returning_freed_memory():  # not while games are drawn: every candidate would map its own memory
        order.folder.write(f"{PARTS}/{Span(start, stop).part}", encode_part(PART, pieces, order.settings.builder))
    return sum(pc.sum(piece["accepted"], min_count=0).as_py() for piece in pieces)


def _drawn(
    seeds: range, complexity: tuple[float, float] | None, caps: Mapping[str, int | float] | None = None
) -> pa.Table:
    """Rows of a part. As a table they take a tenth of what they take as objects."""
    return table_of(judged([(seed, complexity_of(seed, complexity)) for seed in seeds], caps_of(caps, NAME)))


def build_shard(start: int, stop: int, order: Order, parts: Sequence[Span], earlier: Sequence[Span]) -> int:
    """Write the shard of the seeds start..stop-1 from parts and from earlier, smaller shards, which then vanish.

    Its games stand before its candidates, whose file says that the shard is whole. Repeats within the shard are
    rejected. An existing shard was made by a worker that was lost before it could report it. Returns how many are
    accepted.
    """
    order.require_same()
    shard = Span(start, stop)
    if not all(order.folder.exists(f"{name}/{shard.file}") for name in (GAMES, CANDIDATES)):
        with in_turn(_ASSEMBLY), returning_freed_memory():
            _assemble(order, shard, parts, earlier)
    for span in parts:
        order.folder.remove(f"{PARTS}/{span.part}")
    for span in earlier:
        remove_shard(order.folder, span)
    made = fetch(order.folder, f"{CANDIDATES}/{shard.file}", store.CANDIDATES, columns=["accepted"])
    return int(pc.sum(made["accepted"], min_count=0).as_py())


def _assemble(order: Order, shard: Span, parts: Sequence[Span], earlier: Sequence[Span]) -> None:
    """Write both files of a shard."""
    pieces = [_Piece(span, taken, span in earlier) for span, taken in cover(shard, [*earlier, *parts])]
    _write_shard(order, shard, pieces, _repeats(order, shard, pieces))


def _repeats(order: Order, shard: Span, pieces: Sequence[_Piece]) -> npt.NDArray[np.int64]:
    """The seeds of the repeats among the pieces, which hold all seeds of a shard."""
    digests = pa.concat_tables(list(_candidates(order, pieces, COLUMNS)))
    if not np.array_equal(digests["seed"].to_numpy(), np.arange(shard.start, shard.stop)):
        raise StorageError(f"the files about the {shard} in {order.folder} do not hold them: delete them.")
    search = Repeats()
    search.add(digests)
    return search.found()


def find_repeats(number: int, ranges: int, order: Order) -> bytes:
    """The pool's repeats among the digests of one of several ranges: seeds, ascending (int64)."""
    search = Repeats(number, ranges)
    for shard in shards(*order.settings.seeds):
        checkpoint()
        search.add(fetch(order.folder, f"{CANDIDATES}/{shard.file}", store.CANDIDATES, columns=COLUMNS))
    return search.found().tobytes()


def strike_repeats(start: int, stop: int, order: Order, seeds: bytes) -> int:
    """Reject these seeds (int64) of a shard, which repeat games of lower seeds; returns their number."""
    order.require_same()
    shard = Span(start, stop)
    repeats = np.frombuffer(seeds, np.int64)
    for file in _score_files(order.folder, shard):
        scores = fetch(order.folder, file, SCORES)
        order.folder.write(file, encode(SCORES, without(scores, repeats), order.settings.builder))
    with in_turn(_ASSEMBLY), returning_freed_memory():
        _write_shard(order, shard, [_Piece(shard, shard, True)], repeats)
    return len(repeats)


def remove_shard(folder: Place, span: Span) -> None:
    """Remove both files of a shard; first that which says that it is whole."""
    folder.remove(f"{CANDIDATES}/{span.file}")
    folder.remove(f"{GAMES}/{span.file}")


def _score_files(folder: Place, shard: Span) -> Iterator[str]:
    """The shard's files of scores, of all tiers and versions."""
    for tier in folder.folders("scores"):
        for version in folder.folders(f"scores/{tier}"):
            for name in folder.names(f"scores/{tier}/{version}"):
                if (found := parse(name)) and found[0] == shard:
                    yield f"scores/{tier}/{version}/{name}"


class _Piece(Struct, frozen=True):
    """A part, or a whole shard, and the seeds that are taken from it."""

    span: Span
    taken: Span
    whole: bool


def _write_shard(order: Order, shard: Span, pieces: Sequence[_Piece], repeats: npt.NDArray[np.int64]) -> None:
    """Write both files of a shard, without the repeats. Killed between them, it still has its repeats as candidates."""
    games = map(partial(without, seeds=repeats), _games(order, pieces))  # a loop would keep the last ones
    _write(order, GAMES, store.GAMES, shard, games)
    candidates = map(partial(rejected, repeats=repeats), _candidates(order, pieces))
    _write(order, CANDIDATES, store.CANDIDATES, shard, candidates)


def _candidates(order: Order, pieces: Sequence[_Piece], columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The candidates of the pieces, one table after the other."""
    wanted = columns or store.CANDIDATES.schema.names
    for piece in pieces:
        if piece.whole:
            file = f"{CANDIDATES}/{piece.span.file}"
            there = fetch(order.folder, file, store.CANDIDATES, order.settings.builder, wanted)
        else:
            there = _part(order, piece.span, wanted)
        yield within(there, piece.taken)


def _games(order: Order, pieces: Sequence[_Piece]) -> Iterator[pa.Table]:
    """The games of the pieces, one table after the other: those of a shard are too large to be held at once."""
    for piece in pieces:
        if piece.whole:
            file = f"{GAMES}/{piece.span.file}"
            there = Groups(order.folder.source(file), store.GAMES, order.folder.path(file), order.settings.builder)
            yield from (within(there.read(number), piece.taken) for number in there.numbers())
        else:
            rows = _part(order, piece.span, ["accepted", *store.GAMES.schema.names])
            yield within(rows.filter(rows["accepted"]).drop_columns("accepted"), piece.taken)


def _part(order: Order, span: Span, columns: Sequence[str]) -> pa.Table:
    """Some columns of a part."""
    return fetch_part(order.folder, f"{PARTS}/{span.part}", PART, order.settings.builder, columns)


def _write(order: Order, folder: str, kind: FileKind, span: Span, content: pa.Table | Iterable[pa.Table]) -> None:
    file = f"{folder}/{span.file}"
    order.folder.fill(file, lambda sink: fill(sink, kind, content, order.settings.builder, order.settings.gate))


def write_and_read() -> int:
    """Draw a few candidates, bring them into the forms of files and back; returns how many are accepted."""
    there = decode_part(encode_part(PART, [_drawn(range(8), None)], ""), PART, "memory")
    there = store.decode(encode(store.GAMES, there.filter(there["accepted"]), ""), store.GAMES, "memory")
    return int(without(there, np.zeros(1, np.int64)).num_rows)


VERDICT_COLUMNS = ["seed", "reason", *(rule.figure for rule in gates.RULES)]


def verdicts(candidates: pa.Table, constants: dict[str, int | float | str]) -> Verdicts:
    """The verdicts on candidates, from their `VERDICT_COLUMNS` and the gate's constants when it was made."""
    first = Counter(candidates["reason"].to_pylist())
    broken = {reason: first[reason] for reason in (TOO_LARGE, REPEAT)}
    for rule in gates.RULES:
        above = pc.greater(candidates[rule.figure], constants[f"most_{rule.figure}"])
        broken[rule.reason] = pc.sum(above, min_count=0).as_py()
    return Verdicts(first, Counter({reason: count for reason, count in broken.items() if count}))
