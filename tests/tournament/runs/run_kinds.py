"""A small kind of runs for the tests of the run core: questions to scripted models, in rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from antemill.llm import Message, Reach, Request
from antemill.tournament.runs import Access, Expected, Item, Kind, Plan, Played, Record, RunConfig, start_run
from antemill.tournament.runs.store import RunStore


class ToyTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[toy]: rounds of questions; the questions of a round depend on the answers of the one before."""

    questions: int = 4
    rounds: int = 1
    calls: int = 2
    models: tuple[str, ...] = ("echo",)


class ToyConfig(RunConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    toy: ToyTable = ToyTable()


class Toy(Plan):
    """Asks each question's model several times; the row has the answers."""

    def __init__(self, config: ToyConfig) -> None:
        self.table = config.toy
        self.plans: list[int] = []  # how many finished items each plan was made from

    @property
    def models(self) -> tuple[str, ...]:
        """All of them."""
        return self.table.models

    @property
    def total(self) -> int | None:
        """Known from the start."""
        return self.table.questions * self.table.rounds

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """The next round; its questions carry a number made of all answers so far."""
        self.plans.append(len(finished))
        size, models = self.table.questions, self.table.models
        number = len(finished) // size
        if number == self.table.rounds:
            return ()
        mark = sum(len(answer) for record in finished for answer in record.row.get("answers", ()))
        return [
            Item(f"{number}.{i}", {"text": f"question {i} after {mark}"}, (models[i % len(models)],))
            for i in range(size)
        ]

    async def play(self, item: Item, access: Access) -> Played:
        """Ask."""
        answers, replies = [], []
        for call in range(self.table.calls):
            request = Request(messages=(Message("user", item.data["text"]),), sample=f"{item.key}/{call}")
            reply = await access.ask(item.models[0], request)
            answers.append(reply.text)
            replies.append((reply.call, reply.text.removeprefix("failed: ") if "failed: " in reply.text else ""))
        transcript = {"asked": item.data["text"], "answers": answers}
        return Played({"answers": answers}, transcript, fallbacks=1, replies=tuple(replies))

    async def check(self) -> Sequence[Reach]:
        """Nothing else is needed."""
        return ()

    def parts(self) -> dict[str, int]:
        """Questions."""
        return {"questions": self.total or 0}

    def estimate(self) -> list[Expected]:
        """The first round."""
        return [Expected(name, self.table.questions * self.table.calls, 100, 20) for name in self.models]


class ToyKind(Kind[ToyConfig, Any]):
    """Questions."""

    name, config = "toy", ToyConfig

    def materials(self, _config: ToyConfig, _home: Path) -> dict[str, bytes]:
        """One."""
        return {"question": b"?"}

    def make(self, config: ToyConfig, _home: Path, materials: Mapping[str, bytes]) -> Plan:
        """A run."""
        assert materials == {"question": b"?"}
        return Toy(config)


TOY = ToyKind()

MODEL = """
[{name}]
protocol = "scripted"
deadline = {timeout}
timeout = {timeout}
prices = {{ input = 1000.0, output = 1000.0 }}
max_output = 10
concurrency = {concurrency}
"""


def write_models(folder: Path, *names: str, timeout: float = 5.0, concurrency: int = 8) -> None:
    """A file of scripted models. They give up at a failure that asks to wait for longer than the time-out."""
    text = "".join(MODEL.format(name=name, timeout=timeout, concurrency=concurrency) for name in names)
    (folder / "models.toml").write_text(text)


def write_toy(folder: Path, table: str = "", rest: str = "") -> Path:
    """A configuration."""
    path = folder / "toy.toml"
    path.write_text(f"[toy]\n{table}\n{rest}\n")
    return path


def run_toy(config: Path, out: Path, scripts: Mapping[str, Any]) -> None:
    """Run it to its end."""
    with start_run(TOY, config, out) as session:
        session.run(quiet=True, scripts=scripts)


def table_of(out: Path) -> list[tuple[int, str, str, dict[str, Any], float, int]]:
    """What must not depend on how the run went."""
    store = RunStore(out / "run.sqlite", read_only=True)
    try:
        return [(r.position, r.item.key, r.status, r.row, r.cost, r.fallbacks) for r in store.records()]
    finally:
        store.close()
