"""Parquet files of games, scores and benchmarks: exact round trips, fixed bytes, sentences for what is wrong (D9)."""

import re
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
    HAS,
    PART,
    VERSION,
    FileKind,
    Groups,
    Header,
    chunks,
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


def test_some_columns_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "games.parquet").write_bytes(games())
    assert read(tmp_path / "games.parquet", PART, columns=["seed", "reason"]).column_names == ["seed", "reason"]


def test_every_column_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "pools.md").read_text(encoding="utf-8")
    sections = re.split(r"\n`(candidates|games|scores)`, one row", page)
    told = dict(zip(sections[1::2], sections[2::2], strict=True))
    for kind in (CANDIDATES, GAMES, SCORES):
        columns = set(kind.schema.names) - set(HAS.values())
        rows = "".join(line.split("|")[1] for line in told[kind.name].splitlines() if line.startswith("| `"))
        named = set(re.findall(r"`(\w+)`", rows))
        assert named - set(HAS.values()) == columns, kind.name


@pytest.mark.slow
def test_how_a_table_came_in_pieces_does_not_show() -> None:
    content = pa.concat_tables([table(PART, rows())] * 800)
    pieces = [content.slice(first, 700) for first in range(0, content.num_rows, 700)]
    assert encode(PART, iter(pieces), BUILDER) == encode(PART, content, BUILDER)
    back = pa.concat_tables(list(chunks(encode(PART, content, BUILDER), PART, "it.parquet")))
    assert back.equals(content)


@pytest.mark.parametrize("seeds", [(0, 2499), (1023, 1024), (1024, 1500), (2499, 9999), (2500, 2600), (700, 700)])
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


@pytest.mark.parametrize("keep", [0, 1, 4, 11, 0.1, 0.5, 0.9, -1])
def test_a_truncated_file_is_refused(keep: float) -> None:
    data = games()
    cut = int(keep * len(data)) if 0 < keep < 1 else int(keep)
    assert "damaged" in refusal(data[:cut])


def test_a_damaged_byte_is_refused_or_harmless() -> None:
    data = games()
    want = decode(data, PART, "it.parquet")
    refused = 0
    for at in range(4, len(data), max(1, len(data) // 150)):
        damaged = bytearray(data)
        damaged[at] ^= 0x55
        try:
            content = decode(bytes(damaged), PART, "it.parquet")
            if content.equals(want):
                continue
            list(programs(content.filter(content["accepted"]), "it.parquet"))
        except StorageError:
            refused += 1
    assert refused > 50


def test_a_file_that_is_no_parquet_file_is_refused() -> None:
    assert "not a Parquet file" in refusal(b"seed,complexity\n1,0.5\n" * 20)


def test_somebody_elses_parquet_file_is_refused() -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"seed": [1, 2]}), sink)
    assert "not one of ours" in refusal(bytes(sink.getvalue()))


def test_a_saved_policy_is_called_one() -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"key": [1]}).replace_schema_metadata({b"antemill policy": b"{}"}), sink)
    assert "holds a saved policy, but a part of a pool that is being built is needed" in refusal(bytes(sink.getvalue()))


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


def test_an_unreadable_header_is_refused() -> None:
    assert "cannot read" in refusal(with_header({"kind": "poems"}))


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


def test_what_can_not_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no file"):
        read(tmp_path / "missing.parquet", PART)
    with pytest.raises(StorageError, match="cannot read"):
        read(tmp_path, PART)


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


def test_a_file_of_no_rows_has_its_columns() -> None:
    for kind in (CANDIDATES, GAMES):
        empty = kind.schema.empty_table()
        assert decode(encode(kind, empty, BUILDER), kind, "here").equals(empty)
        assert decode(encode(kind, [], BUILDER), kind, "here").equals(empty)


@pytest.mark.slow
def test_a_group_is_not_in_memory_twice() -> None:
    """Sixty tables become one group of rows, beside which there is no more in memory than the copy of a column."""
    row = {"seed": 0, "complexity": 0.5, "accepted": True, "reason": "", "moves": 1.5, "canonical_digest": "0" * 32}
    few = table(CANDIDATES, [row]).take(pa.array([0] * 2048))

    def made(first: int) -> pa.Table:
        seeds = pa.array(range(first, first + 2048), pa.int64())
        own = pa.table([column.take(pa.array(range(2048))) for column in few.columns], schema=few.schema)
        return own.set_column(0, own.schema.field(0), seeds)

    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.system_memory_pool())
    pa.set_memory_pool(pool)
    try:
        data = encode(CANDIDATES, (made(first) for first in range(0, 122_880, 2048)), BUILDER)
    finally:
        pa.set_memory_pool(before)
    assert pool.max_memory() < 1.5 * decode(data, CANDIDATES, "here").nbytes
