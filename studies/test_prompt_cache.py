"""What the simulated prompt caches of `studies.prompt_cache` say, and that the default schema follows from it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from antemill.llm import Model
from antemill.llm.estimate import BYTES_PER_TOKEN
from studies.prompt_cache import RULES, Cache, measured


def texts(tokens: float, letter: bytes) -> bytes:
    return letter * int(tokens * BYTES_PER_TOKEN)


def test_a_cache_in_steps_by_hand() -> None:
    cache = Cache(replace(RULES[0], least=100, step=10, read=0.1, write=2.0))
    rules = texts(100, b"r")
    cache.ask(texts(2, b"s"), rules, texts(10, b"a"))  # 112 tokens: 110 are written
    assert (cache.tokens, cache.cached, cache.cost) == pytest.approx((112, 0, 222))
    cache.ask(texts(2, b"s"), rules, texts(10, b"b"))  # the first 100 are known, 10 more are written
    assert (cache.tokens, cache.cached, cache.cost) == pytest.approx((224, 100, 222 + 10 + 20 + 2))
    cache.ask(texts(2, b"t"), rules, texts(10, b"b"))  # another schema comes first
    assert (cache.cached, cache.cost) == pytest.approx((100, 254 + 222))
    cache.ask(b"", texts(80, b"r"), texts(10, b"b"))  # too short
    assert (cache.cached, cache.cost) == pytest.approx((100, 476 + 90))


def test_a_cache_with_a_mark_by_hand() -> None:
    cache = Cache(replace(RULES[2], least=100, read=0.1, write=2.0))
    for schema, letter in ((b"s", b"a"), (b"s", b"b"), (b"t", b"a")):
        cache.ask(texts(2, schema), texts(100, b"r"), texts(10, letter))
    assert (cache.tokens, cache.cached, cache.cost) == pytest.approx((336, 102, 2 * (204 + 10) + 10.2 + 10))


def test_the_default_is_the_schema_that_is_cheaper_in_a_cache() -> None:
    caches = measured(games=2, matches=3)
    for rule in RULES:
        menu, wide = caches[rule, "menu"], caches[rule, "wide"]
        assert wide.cached >= menu.cached
        assert wide.cost < menu.cost or not rule.first
        assert Model(name="m", protocol=rule.protocol).schema_kind == "wide"
