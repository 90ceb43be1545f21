"""The parameters of `game compare`; what it does is in `tournament.cli.head_to_head`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tournament.cli.app import AsJson

_GAME = (
    "SEED or SEED@COMPLEXITY, a .json file with rules, or kuhn, leduc, appendix-b; "
    "or a benchmark (.parquet), whose solved games are all played."
)
_PLAYER = "random, passive, aggressive, l1, mixed, cfr, or a policy or a folder of policies."


def compare(
    name: Annotated[str, Parameter(help=_GAME)],
    *,
    player: Annotated[str, Parameter(help=_PLAYER)],
    against: Annotated[Path, Parameter(help="The solved policy, or a folder of policies (`antemill solve`).")],
    seeds: Annotated[int, Parameter(help="Play seeds per game; each is played with both seat assignments.")] = 50,
    aivat: Annotated[bool, Parameter(negative="", help="Also estimate the margins without the luck.")] = False,
    seed: Annotated[int, Parameter(help="Changes all play seeds.")] = 0,
    json: AsJson = False,
) -> None:
    """`game compare`."""
    from tournament.cli import head_to_head

    head_to_head.compare(name, player, against, seeds, aivat, seed, json)
