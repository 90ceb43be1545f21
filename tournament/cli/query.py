"""`pool query`: SQL over pools, and the formats of its answer."""

from __future__ import annotations

import sys
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from antemill.engine.errors import UsageError
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import console, print_json, print_table

if TYPE_CHECKING:
    from antemill.tournament.pool.query import Answer

SHOWN = 100  # rows of the table for people
_LONG = 60  # characters of one of its cells


def query(
    sql: Annotated[str, Parameter(help="One statement that only reads: SELECT …", show_default=False)],
    /,
    *folders: Annotated[
        str, Parameter(help="The pools' folders, which may lie in stores (s3://BUCKET/FOLDER).", show_default=False)
    ],
    json: AsJson = False,
    csv: Annotated[bool, Parameter(negative="", help="Print comma-separated values with a heading.")] = False,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Write the answer as a Parquet file and print nothing.")
    ] = None,
) -> None:
    """`pool query`."""
    from antemill.tournament.pool.query import answering

    if not folders:
        raise UsageError('name the folder of a pool: `antemill pool query "SELECT …" DIR`.')
    if json + csv + (output is not None) > 1:
        raise UsageError("the answer has one format: choose --json, --csv or --output FILE.")
    with answering(sql, folders) as answer:
        if output is not None:
            _write(answer, output)
        elif csv:
            _print_csv(answer)
        elif json:
            rows = [_plain(row) for batch in answer for row in batch.to_pylist()]
            print_json({"columns": answer.schema.names, "rows": rows})
        else:
            _print(answer)


def _write(answer: Answer, path: Path) -> None:
    """Write the answer as a Parquet file, batch by batch."""
    import pyarrow.parquet as pq

    from antemill.engine.storage.files import atomic_write

    with atomic_write(path) as file, pq.ParquetWriter(file, answer.schema, compression="zstd") as writer:
        for batch in answer:
            writer.write_batch(batch)


def _print_csv(answer: Answer) -> None:
    """Print comma-separated values. Lists and records, which CSV does not have, are JSON."""
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.schema.names)
    for batch in answer:
        writer.writerows([_cell(value) for value in _plain(row).values()] for row in batch.to_pylist())


def _print(answer: Answer) -> None:
    """Print a table of the first rows."""
    import pyarrow.types as kinds

    rows = list(islice((row for batch in answer for row in batch.to_pylist()), SHOWN + 1))
    cells = [[_short(value) for value in _plain(row).values()] for row in rows[:SHOWN]]
    numbers = (kinds.is_integer, kinds.is_floating, kinds.is_decimal)
    texts = {i for i, field in enumerate(answer.schema) if not any(is_one(field.type) for is_one in numbers)}
    print_table("", answer.schema.names, cells, texts)
    if len(rows) > SHOWN:
        console().print(f"  The first {SHOWN} rows; --csv, --json and --output FILE give all of them.")


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row with plain numbers: SQL gives the sum of whole numbers as a decimal."""
    return {name: _number(value) if isinstance(value, Decimal) else value for name, value in row.items()}


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _cell(value: object) -> object:
    if value is None or isinstance(value, str | int | float):
        return value
    import msgspec

    text = msgspec.json.encode(value).decode()
    return text.strip('"') if text.startswith('"') else text


def _short(value: object) -> str:
    text = f"{value:,.4g}" if isinstance(value, float) else "–" if value is None else str(_cell(value))
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"
