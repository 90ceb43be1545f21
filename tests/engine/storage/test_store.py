"""Parquet files of games, scores and benchmarks: exact round trips, fixed bytes, sentences for what is wrong (D9)."""

from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError
from antemill.engine.machine.program import to_columns
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import from_json, to_json
from antemill.engine.storage import store
from antemill.engine.storage.store import (
    CANDIDATES,
    GAMES,
    VERSION,
    FileKind,
    Header,
    decode,
    encode,
    machine,
    programs,
    read,
    table,
    write,
)
from antemill.tournament.pool.schemas import BENCHMARK, SCORES

BUILDER = "0123456789abcdef"


def rows() -> list[dict[str, object]]:
    """Three games."""
    specs = [NAMED["kuhn"](), NAMED["appendix-b"](), generate(5)]
    return [
        {"seed": seed, "complexity": 0.5, "spec": to_json(spec)} | to_columns(compile_spec(spec))
        for seed, spec in zip((0, 1, 2**63 - 1), specs, strict=True)
    ]


def games() -> bytes:
    return encode(GAMES, table(GAMES, rows()), BUILDER)


def with_header(header: object) -> bytes:
    """A file of games that says something else about itself."""
    content = table(GAMES, rows()).replace_schema_metadata({b"antemill": msgspec.json.encode(header)})
    sink = pa.BufferOutputStream()
    pq.write_table(content, sink)
    return bytes(sink.getvalue())


def refusal(data: bytes, kind: store.FileKind = GAMES, builder: str | None = None) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(StorageError) as raised:
        decode(data, kind, "it.parquet", builder)
    sentence = str(raised.value)
    assert "\n" not in sentence
    assert sentence.startswith("it.parquet")
    assert sentence.endswith(".")
    return sentence


def test_games_come_back_exactly(tmp_path: Path) -> None:
    write(tmp_path / "games.parquet", GAMES, table(GAMES, rows()), BUILDER)
    back = read(tmp_path / "games.parquet", GAMES, BUILDER)
    assert back.schema.equals(GAMES.schema)
    for name in ("seed", "complexity", "spec", "digest", "names"):
        assert back[name].to_pylist() == [row[name] for row in rows()]
    specs = [from_json(data) for data in back["spec"].to_pylist()]
    assert list(programs(back, "it")) == [compile_spec(spec) for spec in specs]
    assert read(tmp_path / "games.parquet", GAMES, columns=["digest", "seed"]).equals(back.select(["digest", "seed"]))


def test_bytes_depend_on_the_content_alone() -> None:
    assert games() == games()


def test_a_table_without_rows_round_trips() -> None:
    assert decode(encode(SCORES, table(SCORES, []), BUILDER), SCORES, "it").num_rows == 0


@pytest.mark.parametrize("keep", [0, 4, 0.5, -1])
def test_a_truncated_file_is_refused(keep: float) -> None:
    data = games()
    cut = int(keep * len(data)) if 0 < keep < 1 else int(keep)
    assert "damaged" in refusal(data[:cut])


def test_a_damaged_byte_is_refused() -> None:
    """Wherever it is: a digest of all bytes stands among them."""
    data = games()
    for at in range(0, len(data), max(1, len(data) // 200)):
        damaged = bytearray(data)
        damaged[at] ^= 0x55
        refusal(bytes(damaged))


def test_a_file_that_any_library_has_written_anew_is_refused() -> None:
    assert "damaged (its digest" in refusal(with_header(Header("games", VERSION, BUILDER, machine())))


def test_a_file_that_is_no_parquet_file_is_refused() -> None:
    assert "not a Parquet file" in refusal(b"seed,complexity\n1,0.5\n" * 20)


def test_another_schema_version_is_refused() -> None:
    sentence = refusal(with_header(Header("games", VERSION + 1, BUILDER, machine())))
    assert f"schema version {VERSION + 1}" in sentence
    assert f"version {VERSION}:" in sentence


def test_another_kind_is_refused() -> None:
    assert "benchmark is needed" in refusal(games(), BENCHMARK)


def test_another_builder_is_refused() -> None:
    assert f"by builder {BUILDER}, not by builder feedbeef" in refusal(games(), builder="feedbeef")
    assert decode(games(), GAMES, "it.parquet", BUILDER).num_rows == 3


def test_another_instruction_set_is_refused() -> None:
    assert "another instruction set" in refusal(with_header(Header("games", VERSION, BUILDER, "0" * 16)))


def test_missing_columns_are_refused() -> None:
    fewer = FileKind("games", pa.schema([field for field in GAMES.schema if field.name != "spec"]))
    assert "columns" in refusal(encode(fewer, table(fewer, rows()), BUILDER))


def test_a_program_that_is_not_what_it_claims_is_refused() -> None:
    changed = rows()
    changed[1]["chips"] = 11
    with pytest.raises(StorageError, match=r"it\.parquet cannot be used: .*damaged"):
        list(programs(table(GAMES, changed), "it.parquet"))


@pytest.mark.parametrize(("kind", "groups"), [(CANDIDATES, [2500]), (GAMES, [1024, 1024, 452])], ids=["narrow", "wide"])
def test_groups_of_rows_depend_on_the_kind(kind: FileKind, groups: list[int]) -> None:
    seeds = pa.array(range(2500), pa.int64())
    first = table(kind, [{"seed": 0, "complexity": 0.5, "accepted": True, "reason": ""}])
    content = first.take(pa.array([0] * 2500)).set_column(0, kind.schema.field("seed"), seeds)
    whole = encode(kind, content, BUILDER)
    assert encode(kind, pa.concat_tables([content.slice(0, 1000), content.slice(1000)]), BUILDER) == whole
    metadata = pq.read_metadata(pa.BufferReader(whole))
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == groups
    assert decode(whole, kind, "here").equals(content)
