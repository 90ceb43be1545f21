"""The parameters of `game play` and `game rulebook`; what the commands do is in `tournament.cli.play`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tournament.cli.app import AsJson, Game

_PLAYERS = "human, random, passive, aggressive, l1, mixed, cfr, best (of responses), or a saved policy's path"


def play(
    name: Game,
    *,
    alice: Annotated[str, Parameter(help=f"Who plays Alice: {_PLAYERS}.")] = "human",
    bob: Annotated[str, Parameter(help=f"Who plays Bob: {_PLAYERS}.")] = "l1",
    play_seed: Annotated[int, Parameter(help="The seed of the cards; match number i of several has this plus i.")] = 0,
    matches: Annotated[int, Parameter(help="How many matches.")] = 1,
    json: AsJson = False,
) -> None:
    """`game play`."""
    from tournament.cli import play

    play.play(name, alice, bob, play_seed, matches, json)


def rulebook(name: Game, *, json: AsJson = False) -> None:
    """`game rulebook`."""
    from tournament.cli import play

    play.rulebook(name, json)
