"""What users import: three packages, a few names. Behind each is what the package says, and importing loads little."""

import importlib
import inspect
import subprocess
import sys

import pytest

import engine

PROMISED = {  # a contract: scripts depend on these names
    "engine": "GameSpec NAMED check compile_spec from_json gate generate rollout streams to_json",
    "axes": "AXES FAST PRECISE score",
    "solver": "Policy build_tree exploitability solve",
}


@pytest.mark.parametrize(("package", "names"), PROMISED.items())
def test_a_facade_has_what_is_promised_and_says_what_it_is(package: str, names: str) -> None:
    module = importlib.import_module(package)
    assert set(names.split()) <= set(module.__all__)
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert thing.__doc__, name
            assert thing.__module__.startswith(f"{package}."), name


def test_a_game_can_be_drawn_checked_compiled_and_played_through_the_facade() -> None:
    spec = engine.generate(7, 0.1)
    assert isinstance(spec, engine.GameSpec)
    assert engine.check(spec) == []
    assert engine.from_json(engine.to_json(spec)) == spec
    program = engine.compile_spec(spec)
    log = engine.rollout(program, 10, engine.streams(1))
    assert len(log.payoff) == 10
    assert engine.gate(program, 7, 10).moves > 0
    assert set(engine.NAMED) >= {"kuhn", "leduc"}


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'generat'"):
        engine.generat  # noqa: B018


def test_importing_the_facade_loads_no_compiler() -> None:
    script = "import engine, sys; print([m for m in ('numba', 'numpy', 'pyarrow') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"
