"""Counter-based draws: Python and kernels agree, draws are uniform, streams are independent of call order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antemill.engine.kernel import kernel
from antemill.engine.machine import chance
from antemill.engine.seeding import Domain, Stream, derive, draws, mix64

words = st.integers(0, 2**64 - 1)


@given(words)
def test_mix64_agrees(word: int) -> None:
    assert chance.mix64(chance.signed(word)) == chance.signed(mix64(word))


def test_mix64_is_the_published_function() -> None:
    """First outputs of SplitMix64 seeded with 0 and 1234567, as published with the reference implementation."""
    golden = 0x9E3779B97F4A7C15
    assert mix64(golden) == 0xE220A8397B1DCDAF
    assert mix64(2 * golden % 2**64) == 0x6E789E6AA1B965F4
    assert [mix64((1234567 + i * golden) % 2**64) for i in (1, 2)] == [6457827717110365317, 3203168211198807973]


@given(st.lists(words, max_size=5), st.integers(0, 5))
def test_arrays_of_draws_agree(seeds: list[int], count: int) -> None:
    keys = np.array([derive(seed, Domain.GATE) for seed in seeds], np.uint64)
    streams = [Stream(seed, Domain.GATE) for seed in seeds]
    assert draws(keys, count).tolist() == [[stream.word() for _ in range(count)] for stream in streams]
    assert mix64(keys).tolist() == [mix64(word) for word in keys.tolist()]


@given(st.integers(0, 2**63 - 1), st.lists(st.integers(0, 2**31), max_size=4), st.integers(0, 2**31))
def test_substreams_agree(seed: int, path: list[int], last: int) -> None:
    assert chance.subkey(chance.key_of(seed, *path), last) == chance.signed(derive(seed, *path, last))


@given(st.integers(0, 2**63 - 1), st.integers(1, 1000))
def test_draws_agree(seed: int, n: int) -> None:
    stream, key = Stream(seed, Domain.GATE), chance.key_of(seed, Domain.GATE)
    for counter in range(1, 6):
        assert stream.below(n) == chance.below(key, counter, n)
    assert stream.uniform() == chance.uniform(key, 6)


@kernel
def _coin(key: int, kept: np.ndarray) -> bool:
    """Whether a draw that is compared with a number is the one that is kept."""
    drawn = chance.below(key, 0, 2)
    kept[0] = drawn
    return drawn == 0


def test_a_draw_is_compared_as_it_is_kept() -> None:
    """The sign of a product that wraps: LLVM knows it wrongly where numba promises that products do not wrap."""
    kept = np.zeros(1, np.int64)
    seen = {(_coin(chance.key_of(seed), kept), int(kept[0])) for seed in range(64)}
    assert seen == {(True, 0), (False, 1)}


def test_draws_are_uniform() -> None:
    from scipy import stats

    key = chance.key_of(3, Domain.CHANCE)
    for n in (2, 3, 7, 52):
        counts = np.bincount([chance.below(chance.subkey(key, i), 17, n) for i in range(20_000)], minlength=n)
        assert stats.chisquare(counts).pvalue > 1e-5


def test_domains_and_seeds_give_different_keys() -> None:
    keys = {derive(seed, domain, word) for seed in range(50) for domain in Domain for word in range(5)}
    assert len(keys) == 50 * len(Domain) * 5


def test_choices_of_a_stream() -> None:
    stream = Stream(1)
    assert {stream.between(2, 4) for _ in range(100)} == {2, 3, 4}
    assert sorted(stream.sample("abc", 3)) == ["a", "b", "c"]
    assert not stream.chance(0.0)
    assert stream.chance(1.0)
    assert stream.choice([5]) == 5
