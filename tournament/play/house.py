"""The one table of a process: the state that the page shows, and the actions of the page.

    lobby ─ sit ─▶ preparing ─▶ playing ─ choose ─▶ ... ─▶ over ─ deal ─▶ playing
                                  │  a model that fails: halted ─ again ─▶ playing

Every change makes a new version of the state, for which pages wait instead of polling. A choice names its turn, so
that if two pages choose, the second is refused. Slow work (solving, reviewing) runs in a thread; only the event loop's
thread touches the state.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Literal

import msgspec

from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.match import Game, Transcript
from antemill.solver.algorithms.loop import Progress
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.slots import Slot
from antemill.tournament.play.asking import Asking
from antemill.tournament.play.background import Work
from antemill.tournament.play.coach import Coach, Without
from antemill.tournament.play.games import GameList, axis_list, rules_of
from antemill.tournament.play.hand import Hand
from antemill.tournament.play.kept import Kept
from antemill.tournament.play.opponents import CFR, Opponents, Seated, solution_of, take_seat
from antemill.tournament.play.table import RULES, Table
from antemill.tournament.play.tally import Line, Tally

Stage = Literal["lobby", "preparing", "playing", "halted", "over"]
_PAUSE = 0.5  # seconds between two reports of the solver


class StaleError(UsageError):
    """A choice was made for a turn that is over."""


class House:
    """The table. person: the player's name in the folder of hands. asking: the models.

    Its methods are called on one event loop. Raises UsageError if a bot or a model has the person's name.
    """

    def __init__(self, kept: Kept, games: GameList, opponents: Opponents, person: str, asking: Asking) -> None:
        if person in opponents.all:
            raise UsageError(f"an opponent is called {person}: take another --name.")
        self._kept, self.games, self.opponents, self.person, self._asking = kept, games, opponents, person, asking
        for pinned in kept.games:
            games.take(pinned)
        self._work = Work()
        self._changed = asyncio.Condition()
        self._playing: asyncio.Task[None] | None = None  # the task that the hand waits for
        self._leaving = False
        self._begun = time.monotonic()
        self.version = time.time_ns() // 1_000_000  # above those of earlier processes, whose pages may be open
        self.stage: Stage = "lobby"
        self.said = ""  # the current activity or error, one sentence
        self.solving = ""  # the solver's progress, one sentence
        self._table: Table | None = None

    # ------------------------------------------------------------------------------------------ what the page can do

    async def sit(self, game: str, opponent: str, rule: str, leave: bool = False) -> None:
        """Sit down at a game against an opponent. leave: whether to give up a hand in progress.

        Raises UsageError for an unknown game, opponent or seat, while the table is being prepared, or if a hand is in
        progress and is not given up.
        """
        if rule not in RULES:
            raise UsageError(f"there is no seat '{rule[:40]}': choose {', '.join(RULES)}.")
        chosen = self.opponents.find(opponent)
        pinned, spec = self.games.find(game)
        if self.stage == "preparing":
            raise UsageError("the table is being prepared: wait a moment.")
        await self._leave(leave)
        self._table = Table(pinned, Game(spec), chosen, rule)
        await self._set("preparing", "The table is being prepared.")
        self._play(self._prepare(self._table, None))

    async def choose(self, turn: str, choice: object) -> None:
        """Make the decision at hand. turn: its identifier in the state. Raises StaleError if that decision has been
        made, UsageError if the choice is not legal."""
        table = self._at_table()
        hand = table.hand
        if hand is not None and turn != hand.turn:
            raise StaleError("that decision has been made: look at the table again, then choose.")
        if self.stage != "playing" or hand is None:
            raise UsageError("no hand is being played: deal one.")
        hand.choose(choice)
        self._kept.note(hand.slot, hand.choices)
        await self._set("playing", "")
        self._play(self._go_on(table, hand))

    async def deal(self, turn: str) -> None:
        """Deal the next hand. turn: the identifier in the state of the finished hand. Raises StaleError if the next
        hand is dealt already, UsageError if there is no table or a hand is being played."""
        table = self._at_table()
        if table.hand is not None and turn != table.hand.turn:
            raise StaleError("the next hand is dealt already.")
        if self.stage != "over":
            raise UsageError("this hand is not over: play it first.")
        await self._set("preparing", "The cards are dealt.")
        self._play(self._deal(table))

    async def again(self) -> None:
        """Retry after a failure. Raises UsageError if nothing has failed."""
        if self.stage != "halted":
            raise UsageError("nothing has failed, so there is nothing to try again.")
        table = self._at_table()
        if table.hand is None or table.seated is None:
            await self._set("preparing", "The table is being prepared.")
            self._play(self._prepare(table, None))
            return
        if table.hand.kept:
            await self._set("preparing", "The cards are dealt.")
            self._play(self._deal(table))
            return
        await self._set("playing", "")
        self._play(self._go_on(table, table.hand))

    async def stand_up(self, leave: bool) -> None:
        """Return to the choice of games. leave: whether to give up a hand in progress. Raises UsageError if a hand is
        in progress and is not given up, or while the table is being prepared."""
        if self.stage == "preparing":
            raise UsageError("the table is being prepared: wait a moment.")
        await self._leave(leave)
        self._table = None
        await self._set("lobby", "")

    # ------------------------------------------------------------------------------------------ what it shows

    async def newer(self, version: int, seconds: float) -> None:
        """Wait for a state other than `version`, for at most so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self._leaving or self.version != version)

    def state(self) -> dict[str, Any]:
        """The table as plain JSON, with the cards that the person's seat knows; when a hand is over, with all cards."""
        table = self._table
        found: dict[str, Any] = {
            "version": self.version,
            "stage": self.stage,
            "said": self.said,
            "solving": self.solving,
            "person": self.person,
            "folder": str(self._kept.folder.path),
            "table": None,
        }
        if table is not None:
            found["table"] = table.shown()
        return found

    def choices(self) -> dict[str, Any]:
        """The choices: games with their places among the axes, and opponents."""
        return {
            "axes": axis_list(),
            "named": list(self.games.named),
            "games": msgspec.to_builtins(self.games.placed),
            "opponents": [
                {"name": one.name, "title": one.title, "note": one.note} for one in self.opponents.all.values()
            ],
        }

    def rulebook(self, game: str) -> dict[str, str]:
        """A game's rulebook, in Markdown, and a sentence if the gate rejects it. Raises UsageError if there is none."""
        pinned, spec = self.games.find(game)
        rejected = self.games.rejected(pinned.label, spec)
        return {"game": pinned.label, "title": spec.name, "markdown": rules_of(spec), "rejected": rejected}

    # ------------------------------------------------------------------------------------------ opening and closing

    async def open(self) -> None:
        """Continue the hand that the last process left unfinished, if there is one."""
        found = self._kept.unfinished()
        if found is None:
            return
        slot, choices = found
        other = slot.bob if slot.alice == self.person else slot.alice
        missing = [name for name in (slot.alice, slot.bob) if name not in (self.person, *self.opponents.all)]
        if missing:
            await self._give_up(slot, "one of its players is not available", f"without {missing[0]}")
            return
        pinned = self._kept.game(slot.game)
        game = Game(self.games.take(pinned))
        if game.digest != pinned.digest:
            why = "this antemill compiles the game differently"
            await self._give_up(slot, why, "with this version of antemill, which plays the game differently")
            return
        table = self._table = Table(pinned, game, self.opponents.find(other), "turns")
        await self._set("preparing", "The hand that was interrupted goes on.")
        self._play(self._prepare(table, (slot, choices)))

    async def _give_up(self, slot: Slot, reason: str, lacking: str) -> None:
        """Discard the hand that was interrupted, and tell the person."""
        await self._kept.abandon(slot, reason)
        self.said = f"The hand that was interrupted in {slot.game} cannot go on {lacking}. It does not count."

    async def say_goodbye(self) -> None:
        """Answer the requests that wait for news; later ones do not wait."""
        self._leaving = True
        await self._news()

    async def close(self) -> None:
        """Stop all work in progress."""
        self._leaving = True
        await self._work.close()

    # ------------------------------------------------------------------------------------------ at work

    async def _prepare(self, table: Table, unfinished: tuple[Slot, tuple[Any, ...]] | None) -> None:
        """Seat the opponent; then begin or continue the hand."""
        folder = self._kept.folder.path
        watch = self._watch(table, "The opponent solves the game")
        table.seated = await self._work.aside(lambda: take_seat(table.opponent, table.game, folder, watch))
        self.solving = ""
        table.tally = Tally(self._kept.records(), table.pinned.label, self.person, table.opponent.name)
        self._beside(table, self._employ_coach(table, table.seated))
        if unfinished is None:
            await self._deal(table)
            return
        slot, choices = unfinished
        hand = table.hand = Hand(slot, table.game, self.person)
        try:
            await hand.resume(choices, table.seated.seat, self._asking)
        except UsageError:  # choices of other rules: the hand starts over
            hand = table.hand = Hand(slot, table.game, self.person)
        await self._go_on(table, hand)

    async def _deal(self, table: Table) -> None:
        assert table.tally is not None
        assert table.seated is not None
        alice = table.next_seat() == 0
        other = table.opponent
        names = (self.person, other.name) if alice else (other.name, self.person)
        players = {self.person: PlayerTable(person=True), other.name: other.table}
        slot = await self._kept.deal(table.pinned, players, *names)
        if table.seated.solved is not None and other.name == CFR:
            self._kept.save_policy(table.seated.solved)
        table.hand, table.review, table.began = Hand(slot, table.game, self.person), None, time.monotonic()
        self._keep_solution(table)
        await self._go_on(table, table.hand)

    async def _go_on(self, table: Table, hand: Hand) -> None:
        """The opponent's moves, until the person is to choose or the hand is over."""
        assert table.seated is not None
        while not hand.over and not hand.yours:
            await self._set("playing", f"{table.opponent.title} is thinking.")
            await hand.opponent(table.seated.seat, self._asking)
        if not hand.over:
            await self._set("playing", "")
            return
        now = time.monotonic()
        cost = self._asking.take_cost()
        await self._kept.finish(hand.slot, hand.played(), cost, now - table.began, now - self._begun)
        hand.kept = True
        assert table.tally is not None
        payoff = hand.match.result.payoffs[hand.seat]
        table.tally.add(Line(hand.slot.key, hand.seat, payoff))
        await self._set("over", "")
        self._beside(table, self._review(table))

    async def _employ_coach(self, table: Table, seated: Seated) -> None:
        """Solve the game if possible, then review the hands played so far."""
        folder = self._kept.folder.path
        watch = self._watch(table, "The game is being solved for the review of your hands")
        table.coach = await self._work.aside(
            lambda: Coach(table.game, seated, lambda: solution_of(table.game, folder, watch))
        )
        self.solving = ""
        self._keep_solution(table)
        await self._news()
        await self._review(table)

    def _keep_solution(self, table: Table) -> None:
        """Save the coach's solution, once the folder exists."""
        saved = None if table.coach is None else table.coach.saved
        own = None if table.seated is None else table.seated.solved
        if saved is not None and saved is not own and saved.solution.stopped != "interrupted":
            with suppress(AntemillError, OSError):  # an unsaved solution is computed again in the next session
                self._kept.save_policy(saved)

    async def _review(self, table: Table) -> None:
        """Review the finished hand, then compute the missing estimates of earlier hands."""
        coach, hand, tally = table.coach, table.hand, table.tally
        if coach is None or tally is None:
            return
        if hand is not None and hand.over and table.review is None:
            transcript, seat = hand.match.transcript(), hand.seat
            found = await self._work.aside(lambda: coach.review(transcript, seat))
            if table.hand is hand:
                table.review = found
            for line in tally.lines:
                if line.item == hand.slot.key:
                    line.luckless, line.without = found.luckless, found.without
            await self._news()
        while table is self._table and (lines := tally.open()):
            line = lines[0]
            record = read_match(self._kept.transcript(line.item)).transcript
            line.luckless, line.without = await self._estimate(coach, record, line.seat)
            await self._news()

    async def _estimate(self, coach: Coach, transcript: Transcript, seat: int) -> tuple[float, Without]:
        return await self._work.aside(lambda: coach.luckless(transcript, seat))

    def _watch(self, table: Table, what: str) -> Callable[[Progress], bool]:
        """The solver's callback, called in its thread: shows the progress, and stops it when the player has left."""
        loop, last = asyncio.get_running_loop(), 0.0

        def watch(progress: Progress) -> bool:
            nonlocal last
            wanted = not self._leaving and table is self._table
            if time.monotonic() - last < _PAUSE:
                return wanted
            last = time.monotonic()
            far = f", within {progress.measure:.2g} chips of an equilibrium" if progress.measure >= 0.0 else ""
            sentence = f"{what}: {progress.iteration:,} iterations{far}."
            loop.call_soon_threadsafe(self._tell_solving, table, sentence)
            return wanted

        return watch

    def _tell_solving(self, table: Table, sentence: str) -> None:
        if table is self._table:
            self.solving = sentence
            self._beside(table, self._news())

    async def _leave(self, leave: bool) -> None:
        """Give up the hand in progress, if there is one. Raises UsageError unless `leave` allows it."""
        hand = None if self._table is None else self._table.hand
        if hand is None or hand.kept or self.stage not in ("playing", "halted"):
            return
        if not leave:
            raise UsageError("a hand is being played: finish it, or give it up.")
        if self._playing is not None:
            self._playing.cancel()
        self._asking.take_cost()
        await self._kept.abandon(hand.slot, "given up by the person")

    def _at_table(self) -> Table:
        if self._table is None:
            raise UsageError("no game is chosen: choose one first.")
        return self._table

    async def _set(self, stage: Stage, said: str) -> None:
        self.stage, self.said = stage, said
        await self._news()

    async def _news(self) -> None:
        """Make a new version of the state; the stage is unchanged."""
        self.version += 1
        async with self._changed:
            self._changed.notify_all()

    def _play(self, work: Coroutine[Any, Any, None]) -> None:
        """Work that the hand waits for. If it fails, the page says so, and the table waits for a retry."""

        async def failed(why: str) -> None:
            await self._set("halted", why)

        self._playing = self._work.start(work, failed)

    def _beside(self, table: Table, work: Coroutine[Any, Any, None]) -> None:
        """Work beside the hand, which does not wait for it."""

        async def failed(why: str) -> None:
            table.coach_failed, self.solving = why, ""
            await self._news()

        self._work.start(work, failed)
