"""Distances between a game's questions by the embedder of its run, for clusters and figures (S5, S13).

Vectors of a model or a server, which take time or money, are kept in the run's folder (`vectors.parquet`), so that no
text is embedded twice. If the embedder cannot be used on this machine, the figures are left out with the reason; no
other embedder takes its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from antemill.engine.errors import AntemillError
from antemill.engine.storage.files import write_bytes
from antemill.engine.storage.parquet import parquet_bytes
from antemill.tournament.embedding import Embedder, Identity, TokenHash, Vectors
from antemill.tournament.runs.interrupts import run_async
from antemill.tournament.skate.config import SkateTable
from antemill.tournament.skate.embedders import run_embedder

KEPT = "vectors.parquet"


class Measured(Struct, frozen=True, eq=False):
    """The questions' vectors, float64[questions, dimensions], None if there are none; then `problem` says why.

    threshold: the distance up to which two questions were the same in this run.
    """

    embedder: str
    threshold: float
    vectors: Vectors | None
    problem: str = ""


def measure(folder: Path, table: SkateTable, texts: Sequence[str]) -> Measured:
    """Embed the questions with the run's embedder."""
    try:
        embedder, threshold = run_embedder(table)
    except AntemillError as error:
        return Measured(table.embedder.kind, float("nan"), None, str(error))
    try:
        return Measured(embedder.name, threshold, _vectors(folder / KEPT, embedder, texts))
    except AntemillError as error:
        return Measured(embedder.name, threshold, None, str(error))
    finally:
        embedder.close()


def _vectors(path: Path, embedder: Embedder, texts: Sequence[str]) -> Vectors:
    if isinstance(embedder, TokenHash | Identity) or not texts:
        return run_async(embedder.embed(texts))
    known = _read(path, embedder.name)
    if missing := [text for text in dict.fromkeys(texts) if _digest(text) not in known]:
        known |= dict(zip(map(_digest, missing), run_async(embedder.embed(missing)), strict=True))
        _write(path, embedder.name, known)
    return np.array([known[_digest(text)] for text in texts])


def _read(path: Path, name: str) -> dict[str, Vectors]:
    """The kept vectors of this embedder; none if the file is another one's or damaged."""
    try:
        rows = pq.read_table(path).to_pylist() if path.exists() else []
        return {row["text"]: np.array(row["vector"], np.float64) for row in rows if row["embedder"] == name}
    except (pa.ArrowInvalid, OSError, KeyError):
        return {}


def _write(path: Path, name: str, known: dict[str, Vectors]) -> None:
    columns = {"embedder": [name] * len(known), "text": list(known), "vector": [v.tolist() for v in known.values()]}
    write_bytes(path, parquet_bytes(pa.table(columns)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
