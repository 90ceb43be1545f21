"""Specs as JSON: they come back equal, and what does not fit the types is refused with the place of the fault."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from antemill.engine.rules.named import NAMED, kuhn
from antemill.engine.rules.spec import (
    Condition,
    Phase,
    Shuffle,
    Step,
    Steps,
    from_json,
    to_json,
)
from tests.specs import every_construct

SPECS = {**{name: make() for name, make in NAMED.items()}, "every construct": every_construct()}
KINDS = [*get_args(Phase), *get_args(Step), *get_args(Condition)]


def structs(value: Any) -> Iterator[msgspec.Struct]:
    """Every struct inside a value, by its fields alone (independent of `antemill.engine.rules.walk`)."""
    if isinstance(value, msgspec.Struct):
        yield value
        for field in value.__struct_fields__:
            yield from structs(getattr(value, field))
    elif isinstance(value, tuple):
        for item in value:
            yield from structs(item)


def edited(path: list[str | int], value: Any) -> bytes:
    """Kuhn poker as JSON with one value replaced or added."""
    data = msgspec.json.decode(to_json(kuhn()))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return msgspec.json.encode(data)


@pytest.mark.parametrize("name", SPECS)
def test_round_trip_is_exact(name: str) -> None:
    spec = SPECS[name]
    data = to_json(spec)
    assert from_json(data) == spec
    assert from_json(data.decode()) == spec
    assert to_json(from_json(data)) == data
    assert hash(from_json(data)) == hash(spec)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_construct_has_every_member_of_the_unions(kind: type) -> None:
    assert kind in {type(node) for node in structs(every_construct())}


def test_the_unions_are_all_there_is() -> None:
    """Every class on the common base belongs to one of the three unions, under a tag of its own."""
    phase, base = Steps.__mro__[1:3]
    step = Shuffle.__mro__[1]
    assert set(phase.__subclasses__()) == set(get_args(Phase))
    assert set(step.__subclasses__()) == set(get_args(Step))
    assert set(base.__subclasses__()) == {phase, step, *get_args(Condition)}
    for union in (Phase, Step, Condition):
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert len(set(tags)) == len(tags)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["surprise"], 1, "unknown field `surprise`"),
        (["phases", 2, "type"], "tournament", r"Invalid value 'tournament' - at `\$\.phases\[2\]\.type`"),
        (
            ["phases", 0, "steps", 1, "count"],
            "1",
            r"Expected `int`, got `str` - at `\$.*\[1\]\.count`",
        ),
        (["phases", 0, "steps", 1, "count"], 61, "Expected `int` <= 60"),
        (["phases", 0, "steps", 1, "player"], "winners", "Invalid enum value 'winners'"),
        (["phases", 2, "raises"], 5, "Expected `int` <= 4"),
        (["phases", 2, "amount"], 1.5, "Expected `int`, got `float`"),
        (["chips"], 0, "Expected `int` >= 1"),
        (["chips"], True, "Expected `int`, got `bool`"),
        (["name"], "", "Expected `str` of length >= 1"),
        (["name"], "x" * 81, "Expected `str` of length <= 80"),
        (["version"], 2, "Invalid enum value 2"),
        (["deck"], None, "Expected `object`, got `null`"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(path: list[str | int], value: Any, message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        from_json(edited(path, value))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'"kuhn"', b"{}", to_json(kuhn())[:-1]])
def test_what_is_no_spec_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        from_json(data)


def test_defaults_may_be_left_out() -> None:
    data = msgspec.json.decode(to_json(kuhn()))
    del data["variables"], data["version"], data["phases"][2]["raises"], data["phases"][3]["metric"]
    assert from_json(msgspec.json.encode(data)) == kuhn()
