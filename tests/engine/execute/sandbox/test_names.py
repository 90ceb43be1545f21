"""The names that a solution takes from outside."""

import pytest

from antemill.engine.execute.sandbox.inside.values.expression import free_names, parse

NAMES = {
    "1": "",
    "a.b[c]": "a c",
    "[n for n in n]": "n",
    "[n for n in A]": "A",
    "lambda a, b=a, *c, d=e, **f: a + b + c + d + f + g": "a e g",
    "lambda a, /, *, b: a + b + c": "c",
    "lambda f=lambda n: n: n": "n",
    "[x + y for x in A for y in x if z]": "A z",
    "[x for x in A for A in x]": "A",
    "{k: v for k, v in d.items()}": "d",
    "(y := 5, y)": "y",
    "[[i for i in row] for row in M]": "M",
    "[lambda: i + j for i in [1]]": "j",
    "[i for i in [i for i in i]]": "i",
    "f'{a:{b}}'": "a b",
    "(lambda: [a for a in b])()": "b",
    "sum(x for x in range(n))": "sum range n",
}


@pytest.mark.parametrize("text", NAMES)
def test_free_names(text: str) -> None:
    assert free_names(parse(text)) == set(NAMES[text].split())


def test_long_and_deep_expressions_have_names_too() -> None:
    assert free_names(parse("+".join(["a"] * 2000))) == {"a"}
    assert free_names(parse("[i for i in " * 60 + "a" + "]" * 60)) == {"a"}
