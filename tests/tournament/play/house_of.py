"""A house for tests: opened, played in and closed within one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from antemill.llm import Model, Script
from antemill.tournament.play.asking import Asking
from antemill.tournament.play.games import GameList
from antemill.tournament.play.house import House
from antemill.tournament.play.kept import Kept
from antemill.tournament.play.opponents import Opponents

SECONDS = 120.0  # a new version compiles its engine once


@asynccontextmanager
async def house_in(
    folder: Path,
    person: str = "ada",
    models: Mapping[str, Model] | None = None,
    scripts: Mapping[str, Script] | None = None,
    seed: int = 7,
    games: Sequence[str] = (),
) -> AsyncIterator[House]:
    """A house whose hands are kept in the folder. models, scripts: fake ones. seed: of the cards. games: more games."""
    with Kept(folder, seed) as kept:
        async with Asking(models or {}, kept.folder, scripts=scripts) as asking:
            house = House(kept, GameList(extra=games), Opponents((), models), person, asking)
            await house.open()
            try:
                yield house
            finally:
                await house.close()


async def until(house: House, *stages: str) -> dict[str, Any]:
    """The state when the table is at one of these stages; "yours": when the person is to choose."""
    async with asyncio.timeout(SECONDS):
        while True:
            state = house.state()
            hand = (state["table"] or {}).get("hand")
            stage = "yours" if state["stage"] == "playing" and hand and hand["decision"] else state["stage"]
            if stage in stages:
                return state
            await house.newer(state["version"], SECONDS)


def picked(decision: dict[str, Any], place: int = 0) -> str | int:
    """A legal choice: an option by its place, or the least amount."""
    found: str | int = decision["options"][place] if decision["options"] else decision["low"]
    return found


async def finish_hand(house: House, place: int = 0) -> dict[str, Any]:
    """Play the hand to its end; the state then."""
    while True:
        state = await until(house, "yours", "over", "halted")
        hand = state["table"]["hand"]
        if state["stage"] != "playing":
            return state
        await house.choose(hand["turn"], picked(hand["decision"], place))


async def reviewed(house: House) -> dict[str, Any]:
    """The state when the hand has been reviewed, and every hand has an estimate."""
    async with asyncio.timeout(SECONDS):
        while True:
            state = house.state()
            table = state["table"]
            if table["coach_failed"]:
                raise AssertionError(table["coach_failed"])
            if table["review"] is not None and table["score"]["estimated"] == table["score"]["hands"]:
                return state
            await house.newer(state["version"], SECONDS)
