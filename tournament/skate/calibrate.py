"""Suggests the distance at which questions count as different, for any embedder (S5; SKATE appendix B).

The paper looked at the distribution of all pairwise distances and tried percentiles. Here, among unrelated
questions pairs below the threshold should be rare, so the suggested threshold is the first percentile; other
percentiles are listed beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from antemill.engine.errors import UsageError
from antemill.engine.storage.files import write_bytes
from antemill.tournament.charts.chart import to_svg
from antemill.tournament.embedding import pairwise
from antemill.tournament.runs import RunFolder, RunStore, read_config
from antemill.tournament.runs.interrupts import run_async
from antemill.tournament.runs.store import NAME
from antemill.tournament.skate.config import EmbedderTable, SkateConfig
from antemill.tournament.skate.embedders import make_embedder
from antemill.tournament.skate.figures import histogram
from antemill.tournament.skate.kind import rows_of

PERCENTILES = (0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
PROPOSED = 1.0


class Calibration(Struct, frozen=True):
    """Pairwise distances of different questions. percentiles: distance by percentile."""

    embedder: str
    questions: int
    pairs: int
    percentiles: dict[float, float]
    proposed: float
    current: float


def calibrate(source: Path, table: EmbedderTable | None, figure: Path | None = None) -> Calibration:
    """Measure the questions of a game's folder, or of a file of JSON lines with the field "code".

    table: the embedder; None: the game's, or the default for a file. figure: the path of an SVG with the distribution.
    Raises UsageError for fewer than ten questions.
    """
    texts = list(dict.fromkeys(_texts(source)))
    if len(texts) < 10:
        raise UsageError(f"{source} has {len(texts)} different questions: a calibration needs at least ten.")
    table = _table(source) if table is None else table
    embedder = make_embedder(table)
    try:
        vectors = run_async(embedder.embed(texts))
    finally:
        embedder.close()
    apart = pairwise(vectors)
    found = {percent: float(np.percentile(apart, percent)) for percent in PERCENTILES}
    current = embedder.threshold if table.threshold is None else table.threshold
    if figure:
        marks = {f"proposed {found[PROPOSED]:.3f}": found[PROPOSED], f"now {current:.3f}": current}
        chart = histogram(apart, f"{len(texts)} questions, {embedder.name}", "distance (1 - cosine)", marks)
        write_bytes(figure, to_svg(chart))
    return Calibration(embedder.name, len(texts), len(apart), found, found[PROPOSED], current)


def _table(source: Path) -> EmbedderTable:
    """The embedder of the game in a folder, else the default."""
    config = RunFolder(source).config
    if not source.is_dir() or not config.exists():
        return EmbedderTable()
    return read_config(config, SkateConfig).skate.embedder


def _texts(source: Path) -> list[str]:
    if source.is_dir():
        if not (source / NAME).exists():
            raise UsageError(f"there is no game of SKATE in {source}: name its folder, or a file of JSON lines.")
        with RunStore(source / NAME, read_only=True) as store:
            return [str(row["text"]) for row in rows_of(store.records()).questions]
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {source}: {error}.") from None
    return [_code(line, number, source) for number, line in enumerate(lines, 1) if line.strip()]


def _code(line: str, number: int, source: Path) -> str:
    try:
        row: Any = json.loads(line)
        return str(row["code"])
    except (ValueError, KeyError, TypeError):
        raise UsageError(f'{source}, line {number}: a JSON object with the field "code" is needed.') from None
