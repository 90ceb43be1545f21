"""The matches behind the figures of tables: links to a page's list, narrowed down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antemill.tournament.cards.items import GAVE, OFF, fell_as, strayed_as
from antemill.tournament.pages.evidence import Behind, listed
from antemill.tournament.replies import CAUSES


def fallen(cause: str = "") -> Behind:
    """The matches in which the player of a row could not be read for this cause, "" for any."""
    return lambda row: listed(("fell", fell_as(str(row.get("player", row.get("model"))), cause)))


def strayed(how: str) -> Behind:
    """The matches in which the player of a row made such moves, in the game that the row names, the dearest first."""
    return lambda row: listed(("strayed", strayed_as(str(row["player"]), how)), *_of_game(row), ("sort", "-regret"))


def judged(row: Mapping[str, Any]) -> str:
    """The matches of a row's player in solved games, in the row's game if it names one."""
    return listed(("players", str(row["player"])), *_of_game(row), ("off", "0"))


def in_form(row: Mapping[str, Any]) -> str:
    """The matches of a row's player in one form of its game."""
    return listed(("players", str(row["player"])), *_of_game(row), ("form", str(row["form"])))


def _of_game(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [("about", str(row["game"]))] if "game" in row else []


CELLS: Mapping[str, Behind] = {
    **{"judged": judged, "off": strayed(OFF), "share": strayed(OFF), "gave": strayed(GAVE), "form": in_form},
    **{"fallbacks": fallen(), "causes": fallen(), **{cause: fallen(cause) for cause in CAUSES}},
}
