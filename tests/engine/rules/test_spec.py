"""Specs as JSON: they come back equal, and what does not fit the types is refused with the place of the fault."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
import pytest

from antemill.engine.rules.named import NAMED, appendix_b, kuhn, leduc
from antemill.engine.rules.spec import (
    Condition,
    Cost,
    EndGame,
    GameSpec,
    HasHigherCard,
    If,
    NoAction,
    Phase,
    Shuffle,
    SideBet,
    Step,
    Steps,
    TakePot,
    from_json,
    to_json,
)
from tests.specs import every_construct

SPECS = {**{name: make() for name, make in NAMED.items()}, "every construct": every_construct()}
KINDS = [*get_args(Phase), *get_args(Step), *get_args(Condition)]
UNUSED = {("Positions", "criterion"), *((kind.__name__, "op") for kind in KINDS)}


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


def test_every_construct_uses_most_settings() -> None:
    """Each word of each choice among words appears, but for the metrics (one showdown) and those of `UNUSED`."""
    used = {
        (type(node).__name__, field, getattr(node, field))
        for node in structs(every_construct())
        for field in _choices(type(node))
    }
    possible = {
        (kind.__name__, field, word)
        for kind in KINDS
        for field, words in _choices(kind).items()
        for word in words
        if field in ("visibility", "which", "subject", "signal", "criterion", "op")
    }
    assert {setting[:2] for setting in possible - used} <= UNUSED, sorted(possible - used)


def _choices(kind: type) -> dict[str, tuple[str, ...]]:
    """The fields of a struct that take one of several words."""
    hints = get_type_hints(kind)
    return {
        field: get_args(hint)
        for field, hint in hints.items()
        if get_args(hint) and all(isinstance(word, str) for word in get_args(hint))
    }


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["surprise"], 1, "unknown field `surprise`"),
        (["phases", 2, "surprise"], 1, r"unknown field `surprise` - at `\$\.phases\[2\]`"),
        (["deck", "colour"], "red", r"unknown field `colour` - at `\$\.deck`"),
        (["phases", 2, "type"], "tournament", r"Invalid value 'tournament' - at `\$\.phases\[2\]\.type`"),
        (["phases", 2, "type"], "shuffle", r"Invalid value 'shuffle'"),
        (
            ["phases", 0, "steps", 1, "count"],
            "1",
            r"Expected `int`, got `str` - at `\$.*\[1\]\.count`",
        ),
        (["phases", 0, "steps", 1, "count"], 61, "Expected `int` <= 60"),
        (["phases", 0, "steps", 1, "player"], "winners", "Invalid enum value 'winners'"),
        (["phases", 0, "steps"], [], "Expected `array` of length >= 1"),
        (["phases", 2, "raises"], 5, "Expected `int` <= 4"),
        (["phases", 2, "amount"], 1.5, "Expected `int`, got `float`"),
        (["phases"], [], "Expected `array` of length >= 1"),
        (["chips"], 0, "Expected `int` >= 1"),
        (["chips"], True, "Expected `int`, got `bool`"),
        (["name"], "", "Expected `str` of length >= 1"),
        (["name"], "x" * 81, "Expected `str` of length <= 80"),
        (["version"], 2, "Invalid enum value 2"),
        (["deck", "suits"], ["a", "b", "c", "d", "e"], "Expected `array` of length <= 4"),
        (["deck", "ranks"], list(range(1, 17)), "Expected `array` of length <= 15"),
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


@pytest.mark.parametrize(
    "node", [HasHigherCard("bob"), EndGame(), NoAction(), If(HasHigherCard("bob"), (TakePot("bob"),))]
)
def test_nodes_are_immutable_and_hashable(node: msgspec.Struct) -> None:
    assert hash(node) == hash(msgspec.structs.replace(node))
    if node.__struct_fields__:
        with pytest.raises(AttributeError):
            setattr(node, node.__struct_fields__[0], None)


def test_phase_by_name() -> None:
    assert leduc().phase("Betting").name == "Betting"
    with pytest.raises(KeyError, match="Nowhere"):
        leduc().phase("Nowhere")


def test_named_games_are_the_papers() -> None:
    """Kuhn and Leduc as usually defined; the sample game as its rulebook has it."""
    assert (kuhn().chips, len(kuhn().deck.ranks), kuhn().deck.suits) == (2, 3, ("hearts",))
    assert (leduc().chips, len(leduc().deck.ranks) * len(leduc().deck.suits)) == (13, 6)
    sample = appendix_b()
    assert (sample.chips, len(sample.deck.ranks), len(sample.phases)) == (10, 3, 11)
    assert sample.sequence == ("Setup", "Ante Phase", "Betting Phase", "Post-Betting Phase", "Showdown")
    checks = [node.public for node in structs(sample) if isinstance(node, If)]
    assert (checks.count(True), checks.count(False)) == (3, 3)


def test_side_bets_and_costs_keep_their_optional_parts() -> None:
    nodes = list(structs(from_json(to_json(every_construct()))))
    assert {cost.odds for cost in nodes if isinstance(cost, Cost)} == {None, (1, 2), (1, 3)}
    assert sum(isinstance(node, SideBet) for node in nodes) == 2
    assert {node.winner for node in nodes if isinstance(node, EndGame)} == {None, "alice"}


def test_every_field_has_a_type_that_json_can_carry() -> None:
    """No field is `Any`, a list or a dict: a spec is immutable all through."""
    for kind in {type(node) for node in structs(every_construct())} | {GameSpec}:
        for field, hint in get_type_hints(kind, include_extras=True).items():
            plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
            assert get_origin(plain) not in (list, dict), (kind, field)
            assert plain is not Any, (kind, field)
