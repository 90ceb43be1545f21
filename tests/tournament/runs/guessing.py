"""A kind of runs in forty lines: players guess a number, told after each guess whether it is more or less."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antemill.llm import Message, Request
from antemill.tournament.runs import Headline, Item, Kind, Plan, Played, Record, RunConfig
from antemill.tournament.runs.items import Decision, Entry, Event, Items
from antemill.tournament.statistics.sheets import Sheet, count, text
from antemill.tournament.statistics.statistic import Statistics


class Config(RunConfig, frozen=True, kw_only=True):
    guess: dict[str, int]  # up_to, numbers
    players: tuple[str, ...]


class Guessing(Plan):
    def __init__(self, config: Config) -> None:
        self.up_to, self.numbers, self.players = config.guess["up_to"], config.guess["numbers"], config.players

    @property
    def models(self) -> tuple[str, ...]:
        return self.players

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        secrets = () if finished else [1 + 7 * i % self.up_to for i in range(self.numbers)]
        return [Item(f"{number}/{name}", {"secret": number}, (name,)) for number in secrets for name in self.players]

    async def play(self, item: Item, access: Any) -> Played:
        said: list[tuple[str, int, str]] = []
        while not said or said[-1][2] in ("more", "less"):
            asked = Message("user", f"1 to {self.up_to}. {[one[::2] for one in said]}")
            reply = await access.ask(item.models[0], Request(messages=(asked,), sample=f"{item.key}/{len(said)}"))
            off = item.data["secret"] - int(reply.text) if reply.text.isdigit() else None
            said.append(
                (reply.text, reply.call, "" if off is None else "more" if off > 0 else "less" if off else "right")
            )
        bad = int(not said[-1][2])
        return Played({"guesses": len(said)}, said, bad, counts={item.models[0]: (len(said), 0, bad)})


class GuessItems(Items):
    def entry(self, record: Record) -> Entry:
        about, outcome = str(record.item.data["secret"]), f"{record.row.get('guesses', 'no')} guesses"
        return Entry(item=record.item.key, what="guess", players=record.item.models, about=about, outcome=outcome)

    def events(self, record: Record, transcript: Any) -> list[Event]:
        name = record.item.models[0]
        return [Decision(player=name, purpose="guess", call=call, text=said) for said, call, _ in transcript]


class GuessKind(Kind[Config, dict[str, int]]):
    name, config, tables, title = "guess", Config, Statistics[dict[str, int]]("Players"), "Guessing"

    def make(self, config: Config, home: Path, materials: Mapping[str, bytes]) -> Plan:  # noqa: ARG002
        return Guessing(config)

    def items(self, *_: Any) -> Items:
        return GuessItems()

    def findings(self, folders: Sequence[Path], clean: bool = False) -> dict[str, int]:
        found: dict[str, int] = {}
        for record in self.finished(folders, clean):
            found[record.item.models[0]] = found.get(record.item.models[0], 0) + record.row["guesses"]
        return dict(sorted(found.items(), key=lambda one: one[1]))

    def headline(self, found: dict[str, int]) -> Headline:
        return Headline(f"{next(iter(found))} guesses least.", list(found), "guesses")


@GuessKind.tables("guesses", "guesses of each player", group="Players", printed=True)
def guesses(found: dict[str, int]) -> Sheet:
    return Sheet("guesses", "Guesses", [text("player", "player"), count("guesses", "guesses")], [*found.items()])


KIND = GuessKind()
