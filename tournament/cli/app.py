"""The tree of commands. What a command does, its parameters and its help are in its own module, which is imported when
the command runs: the help of a list is read from the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from inspect import cleandoc
from textwrap import dedent
from typing import Any

from cyclopts import App, Group, Parameter, Token, convert

HELP = "Generated betting card games: build and score them, rank players on them."

MAKE, SOLVE, RUN, LOOK, MACHINE = (
    Group(name, sort_key=number)
    for number, name in enumerate(("Make games", "Solve", "Run models", "Look at results", "This machine"))
)
COMMANDS = (  # group, command, place below `antemill.tournament.cli`
    (MAKE, "run", "pools:run"),
    (MAKE, "pool", "Pools of candidate games: build, score, select, split, stats, verify."),
    (MAKE, "pool build", "pools:build"),
    (MAKE, "pool score", "pools:score"),
    (MAKE, "pool select", "pools:select"),
    (MAKE, "pool split", "pools:split"),
    (MAKE, "pool stats", "pools:stats"),
    (MAKE, "pool verify", "pools:verify"),
    (MAKE, "game", "One game: show, rulebook, play, check, disguise, export, compare."),
    (MAKE, "game show", "game:show"),
    (MAKE, "game rulebook", "game:rulebook"),
    (MAKE, "game play", "game_play:play"),
    (MAKE, "game check", "game:check"),
    (MAKE, "game disguise", "game:disguise"),
    (MAKE, "game export", "game:export"),
    (MAKE, "game compare", "game_compare:compare"),
    (SOLVE, "solve", "solve:solve"),
    (SOLVE, "play", "pages:play"),
    (RUN, "init", "demo:init"),
    (RUN, "models", "Check the models of models.toml."),
    (RUN, "models check", "models:check"),
    (RUN, "start", "runs:start"),
    (RUN, "eval", "eval:score"),
    (RUN, "verify", "Judge puzzles and programs in the sandbox: puzzle, output."),
    (RUN, "verify puzzle", "verify:puzzle"),
    (RUN, "verify output", "verify:output"),
    (LOOK, "status", "runs:status"),
    (LOOK, "list", "runs:list_items"),
    (LOOK, "show", "runs:show"),
    (LOOK, "export", "runs:export"),
    (LOOK, "analyze", "analyze:analyze"),
    (LOOK, "report", "pages:report"),
    (LOOK, "view", "pages:view"),
    (LOOK, "rate", "rate:rate"),
    (MACHINE, "demo", "demo:demo"),
    (MACHINE, "doctor", "doctor:doctor"),
    (MACHINE, "warm", "warm:warm"),
)


def _exactly(kind: Any, tokens: Sequence[Token]) -> Any:
    """The value of an argument. Where a whole number is wanted, 1.5 is refused; cyclopts alone would round it."""
    if kind is int and not re.fullmatch(r"[+-]?[0-9]+", tokens[0].value):
        raise ValueError(f'"{tokens[0].value}" is not a whole number')
    return convert(kind, tokens)


@cache
def _source(module: str) -> str:
    return (files(__package__) / f"{module}.py").read_text(encoding="utf-8")


def docstring(place: str) -> str:
    """The docstring of a command's function, read from the source without an import."""
    module, _, name = place.partition(":")
    found = re.search(rf'^def {name}\(.*?^    """(.*?)"""', _source(module), re.MULTILINE | re.DOTALL)
    assert found is not None, place
    return cleandoc(found[1])


def _help(place: str) -> str:
    """The help of a command: its docstring, with the lines to be typed as a block."""
    told = docstring(place).partition("\n\nArgs:")[0]
    return re.sub(
        r"(?:^ *antemill .*(?:\n|\Z))+", lambda found: f"```\n{dedent(found[0])}\n```\n", told, flags=re.MULTILINE
    )


app = App(
    name="antemill",
    help=HELP,
    version=lambda: version("antemill"),
    help_format="markdown",
    group_commands=MACHINE,
    suppress_keyboard_interrupt=False,
    exit_on_error=False,
    print_error=False,
    result_action="return_value",
    default_parameter=Parameter(converter=_exactly, negative=""),
)
for _number, (_group, _words, _place) in enumerate(COMMANDS):
    _parent, _, _name = _words.rpartition(" ")
    _where = app[_parent] if _parent else app
    if ":" in _place and " " not in _place:
        _shown: Any = {} if _parent else {"group": _group}
        _where.command(f"antemill.tournament.cli.{_place}", name=_name, help=_help(_place), sort_key=_number, **_shown)
    else:
        _where.command(App(name=_name, help=_place, group=_group, group_commands="Commands", sort_key=_number))
app.register_install_completion_command(help="Let the shell complete commands and options.")
