"""Parquet files of games, scores and benchmarks: exact round trips, fixed bytes, sentences for what is wrong (D9)."""

from itertools import accumulate, pairwise
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
    PART,
    VERSION,
    FileKind,
    Groups,
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
    """Three accepted games and one rejected candidate."""
    specs = [NAMED["kuhn"](), NAMED["appendix-b"](), generate(5)]
    found = []
    for seed, spec in enumerate(specs):
        row: dict[str, object] = {"seed": seed, "complexity": 0.5, "accepted": True, "reason": ""}
        row |= {"moves": 1.5, "rare_phases": 0.0, "dead_branches": 0.25, "spec": to_json(spec)}
        found.append(row | to_columns(compile_spec(spec)))
    rejected = {"seed": 2**63 - 1, "complexity": 0.1, "accepted": False, "reason": "rare phases"}
    return [*found, rejected | {"moves": 3.0, "rare_phases": 0.5, "dead_branches": 0.0}]


def games() -> bytes:
    return encode(PART, table(PART, rows()), BUILDER)


def with_header(header: object) -> bytes:
    """A file of games that says something else about itself."""
    content = table(PART, rows()).replace_schema_metadata({b"antemill": msgspec.json.encode(header)})
    sink = pa.BufferOutputStream()
    pq.write_table(content, sink)
    return bytes(sink.getvalue())


def refusal(data: bytes, kind: store.FileKind = PART, builder: str | None = None) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(StorageError) as raised:
        decode(data, kind, "it.parquet", builder)
    sentence = str(raised.value)
    assert "\n" not in sentence
    assert sentence.startswith("it.parquet")
    assert sentence.endswith(".")
    return sentence


def test_games_come_back_exactly(tmp_path: Path) -> None:
    write(tmp_path / "games.parquet", PART, table(PART, rows()), BUILDER)
    back = read(tmp_path / "games.parquet", PART, BUILDER)
    assert back.schema.equals(PART.schema)
    want = rows()
    for name in ("seed", "complexity", "accepted", "reason", "moves", "spec", "digest", "names"):
        assert back[name].to_pylist() == [row.get(name) for row in want]
    accepted = back.filter(back["accepted"])
    specs = [from_json(data) for data in accepted["spec"].to_pylist()]
    assert list(programs(accepted, "it")) == [compile_spec(spec) for spec in specs]


def test_bytes_depend_on_the_content_alone() -> None:
    assert games() == games()


@pytest.mark.parametrize("seeds", [(1023, 1024), (2500, 2600)])
def test_groups_without_the_wanted_seeds_are_passed_over(seeds: tuple[int, int]) -> None:
    content = pa.concat_tables([table(GAMES, rows())] * 625)
    content = content.set_column(0, GAMES.schema.field("seed"), pa.array(range(2500), pa.int64()))
    file = Groups(encode(GAMES, content, BUILDER), GAMES, "it.parquet", BUILDER)
    found = [file.read(number) for number in file.numbers(seeds)]
    there = [seed for each in found for seed in each["seed"].to_pylist()]
    groups = [range(first, min(first + 1024, 2500)) for first in range(0, 2500, 1024)]
    wanted = range(seeds[0], seeds[1] + 1)
    assert there == [seed for group in groups if any(seed in wanted for seed in group) for seed in group]
    assert pa.concat_tables([file.read(number) for number in file.numbers()]).equals(content)


def test_a_table_without_rows_round_trips() -> None:
    assert decode(encode(SCORES, table(SCORES, []), BUILDER), SCORES, "it").num_rows == 0


@pytest.mark.parametrize("keep", [0, 4, 0.5, -1])
def test_a_truncated_file_is_refused(keep: float) -> None:
    data = games()
    cut = int(keep * len(data)) if 0 < keep < 1 else int(keep)
    assert "damaged" in refusal(data[:cut])


def test_a_damaged_byte_is_refused_or_harmless() -> None:
    data = games()
    want = decode(data, PART, "it.parquet")
    refused = 0
    for at in range(4, len(data), max(1, len(data) // 50)):
        damaged = bytearray(data)
        damaged[at] ^= 0x55
        try:
            content = decode(bytes(damaged), PART, "it.parquet")
            if content.equals(want):
                continue
            list(programs(content.filter(content["accepted"]), "it.parquet"))
        except StorageError:
            refused += 1
    assert refused > 15


def test_a_file_that_is_no_parquet_file_is_refused() -> None:
    assert "not a Parquet file" in refusal(b"seed,complexity\n1,0.5\n" * 20)


def test_another_schema_version_is_refused() -> None:
    sentence = refusal(with_header(Header("part", VERSION + 1, BUILDER, machine())))
    assert f"schema version {VERSION + 1}" in sentence
    assert f"version {VERSION}:" in sentence


def test_another_kind_is_refused() -> None:
    assert "benchmark is needed" in refusal(games(), BENCHMARK)


def test_another_builder_is_refused() -> None:
    assert f"by builder {BUILDER}, not by builder feedbeef" in refusal(games(), builder="feedbeef")
    assert decode(games(), PART, "it.parquet", BUILDER).num_rows == 4


def test_another_instruction_set_is_refused() -> None:
    assert "another instruction set" in refusal(with_header(Header("part", VERSION, BUILDER, "0" * 16)))


def test_missing_columns_are_refused() -> None:
    content = table(PART, rows()).drop_columns(["spec"])
    header = msgspec.json.encode(Header("part", VERSION, BUILDER, machine()))
    sink = pa.BufferOutputStream()
    pq.write_table(content.replace_schema_metadata({b"antemill": header}), sink)
    assert "columns" in refusal(bytes(sink.getvalue()))


def test_a_program_that_is_not_what_it_claims_is_refused() -> None:
    changed = rows()
    changed[1]["chips"] = 11
    with pytest.raises(StorageError, match=r"it\.parquet cannot be used: .*damaged"):
        list(programs(table(PART, changed).slice(0, 3), "it.parquet"))


def pieces(content: pa.Table, *sizes: int) -> list[pa.Table]:
    ends = [0, *accumulate(sizes), content.num_rows]
    return [content.slice(start, stop - start) for start, stop in pairwise(ends)]


@pytest.mark.parametrize(("kind", "groups"), [(CANDIDATES, [2500]), (GAMES, [1024, 1024, 452])], ids=["narrow", "wide"])
def test_groups_of_rows_depend_on_the_kind_and_not_on_the_pieces(kind: FileKind, groups: list[int]) -> None:
    seeds = pa.array(range(2500), pa.int64())
    first = table(kind, [{"seed": 0, "complexity": 0.5, "accepted": True, "reason": "", "rulebook_length": 9}])
    content = first.take(pa.array([0] * 2500)).set_column(0, kind.schema.field("seed"), seeds)
    whole = encode(kind, content, BUILDER)
    assert encode(kind, pieces(content, 1, 0, 1023, 1025, 7), BUILDER) == whole
    metadata = pq.read_metadata(pa.BufferReader(whole))
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == groups
    assert decode(whole, kind, "here").equals(content)
