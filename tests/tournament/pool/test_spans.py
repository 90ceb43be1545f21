"""Which seeds are missing, and which files hold them: against plain sets of seeds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antemill.tournament.pool.spans import GRAINS, SHARD, Known, Span, cover, gaps, grain, named, parse

SPANS = st.lists(
    st.tuples(st.integers(0, 99), st.integers(1, 40)).map(lambda each: Span(each[0], sum(each))), max_size=6
)


def seeds(spans: list[Span]) -> list[int]:
    return [seed for span in spans for seed in range(span.start, span.stop)]


@given(SPANS, st.sampled_from([1, 8, 64]))
def test_gaps_are_what_is_missing_in_pieces(there: list[Span], size: int) -> None:
    wanted = Span(20, 90)
    found = list(gaps(wanted, there, size))
    assert seeds(found) == sorted(set(seeds([wanted])) - set(seeds(there)))
    assert all(span.start // size == (span.stop - 1) // size for span in found)


@given(SPANS)
def test_a_cover_takes_every_seed_once(there: list[Span]) -> None:
    wanted = Span(20, 90)
    whole = [*there, *gaps(wanted, there, 16)]
    chosen = cover(wanted, whole)
    assert seeds([taken for _, taken in chosen]) == seeds([wanted])
    assert all(span in whole and span.start <= taken.start <= taken.stop <= span.stop for span, taken in chosen)
    if len(whole) > len(there):
        with pytest.raises(ValueError, match="is in none of the spans"):
            cover(wanted, there)


def test_grains_divide_shards_and_work_is_cut_for_many_workers() -> None:
    assert all(SHARD % size == 0 for size in GRAINS)
    assert (grain(1), grain(12_351), grain(10**6), grain(2**63)) == (128, 128, 2048, 2048)


def test_names_tell_all_and_what_is_no_name_is_left_alone() -> None:
    span = Span(7, 2**63)
    assert parse(span.file) == (span, "")
    assert parse(span.file.replace(".parquet", ".risk+brittleness.parquet")) == (span, "risk+brittleness")
    strange = ["x.parquet", f".{span.file}.12.partial", f"{span.file}.tmp", "1-2.parquet", "axes.json"]
    assert [parse(name) for name in strange] == [None] * 5
    assert named([span.file, *strange, span.file.replace(".parquet", ".risk.parquet")]) == [span]


def test_spans_are_known_by_their_shard() -> None:
    known = Known([Span(0, 10), Span(SHARD, SHARD + 5)])
    assert Span(0, 10) in known
    assert Span(0, 11) not in known
    assert known.of(Span(SHARD, 2 * SHARD)) == [Span(SHARD, SHARD + 5)]
    known.forget(Span(0, 10))
    assert list(known.of(Span(0, SHARD))) == []
