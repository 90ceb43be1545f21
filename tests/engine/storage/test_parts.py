"""Parts of pools: they come back as they were written, and all else is refused with a sentence (D9)."""

import io

import msgspec
import pyarrow as pa
import pytest

from antemill.engine.errors import StorageError
from antemill.engine.storage import parts as module
from antemill.engine.storage.parts import decode_part, encode_part
from antemill.engine.storage.store import CANDIDATES, PART, VERSION, Header, encode, machine
from antemill.tournament.pool.candidates import judged, table_of

BUILDER = "0123456789abcdef"


@pytest.fixture(scope="module")
def candidates() -> pa.Table:
    found = table_of(judged([(seed, 0.3) for seed in range(24)]))
    assert set(found["accepted"].to_pylist()) == {False, True}
    return found


@pytest.fixture(scope="module")
def written(candidates: pa.Table) -> bytes:
    return encode_part(PART, [candidates], BUILDER)


def refusal(data: bytes, builder: str | None = None) -> str:
    """The sentence with which a file is refused, whichever of its columns are wanted."""
    said = set()
    for columns in (None, ["seed"], ["spec", "accepted"]):
        with pytest.raises(StorageError) as raised:
            decode_part(data, PART, "it.arrow", builder, columns)
        said.add(str(raised.value))
    (sentence,) = said
    assert sentence.startswith("it.arrow")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def with_header(said: object, candidates: pa.Table) -> bytes:
    """A part that says something else about itself."""
    sink = io.BytesIO()
    marked = candidates.replace_schema_metadata({b"antemill": msgspec.json.encode(said)})
    with pa.ipc.new_stream(sink, marked.schema) as writer:
        writer.write_table(marked)
    return sink.getvalue() + module._checksum(sink.getvalue())


def test_candidates_come_back_exactly(candidates: pa.Table, written: bytes) -> None:
    back = decode_part(written, PART, "it.arrow", BUILDER)
    assert back.equals(candidates)
    assert back.schema.equals(PART.schema, check_metadata=True)


def test_some_columns_come_back_in_the_order_that_is_asked_for(candidates: pa.Table, written: bytes) -> None:
    for wanted in (["spec", "seed"], ["code"], list(CANDIDATES.schema.names)):
        assert decode_part(written, PART, "it.arrow", columns=wanted).equals(candidates.select(wanted))


def test_pieces_are_one_table(candidates: pa.Table) -> None:
    pieces = [candidates.slice(0, 5), candidates.slice(5, 0), candidates.slice(5)]
    back = decode_part(encode_part(PART, pieces, BUILDER), PART, "it.arrow")
    assert back.combine_chunks().equals(candidates.combine_chunks())
    assert decode_part(encode_part(PART, [], BUILDER), PART, "it.arrow").num_rows == 0


def test_any_damaged_byte_is_noticed(written: bytes) -> None:
    for at in [*range(0, len(written), 211), *range(len(written) - 20, len(written))]:
        damaged = bytearray(written)
        damaged[at] ^= 1
        assert "damaged" in refusal(bytes(damaged))


@pytest.mark.parametrize("keep", [0, 16, 1000, -1])
def test_a_file_that_was_cut_is_noticed(written: bytes, keep: int) -> None:
    assert "damaged" in refusal(written[:keep])


def test_what_is_another_file_is_refused(candidates: pa.Table) -> None:
    parquet = encode(CANDIDATES, candidates, BUILDER)
    assert "damaged" in refusal(parquet)
    assert "damaged" in refusal(parquet + module._checksum(parquet))
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, candidates.schema) as writer:
        writer.write_table(candidates)
    assert "damaged" in refusal(sink.getvalue() + module._checksum(sink.getvalue()))


def test_another_kind_version_machine_or_builder_is_refused(candidates: pa.Table, written: bytes) -> None:
    right = Header("part", VERSION, BUILDER, machine())
    assert decode_part(with_header(right, candidates), PART, "it.arrow", BUILDER).equals(candidates)
    assert f"by builder {BUILDER}, not by builder feedbeef" in refusal(written, "feedbeef")
    for change, said in (
        ({"kind": "games"}, "a file of games, but a part"),
        ({"version": VERSION + 1}, f"schema version {VERSION + 1}"),
        ({"machine": "0" * 16}, "another instruction set"),
        ({"kind": "poems"}, "damaged"),
    ):
        header = msgspec.structs.replace(right, **change)
        assert said in refusal(with_header(header, candidates))


def test_other_columns_are_refused(candidates: pa.Table) -> None:
    right = Header("part", VERSION, BUILDER, machine())
    renamed = candidates.rename_columns([*candidates.column_names[:-1], "others"][::-1])
    assert "damaged" in refusal(with_header(right, renamed))
