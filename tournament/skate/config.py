"""The configuration of a game of SKATE (S1, S2, S6, S9, S12 to S14).

    [skate]
    rounds = 50
    strategy = "historical-performance"
    [players.a]
    model = "smollm2"                    # an entry of models.toml

With `base`, the folder of an earlier game, its questions and scores are taken over: new players answer them too, and no
answered question is asked again. New questions are then set by `setters` only; without `setters` none are set.

[rating] says how scores become ratings. It changes nothing that is played, so it may change in a run that exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from antemill.engine.errors import UsageError
from antemill.llm import Model, ModelFileError
from antemill.llm.mistakes import meant
from antemill.llm.models import read_model
from antemill.tournament.runs.bots import PlayersConfig
from antemill.tournament.runs.config import MisplacedError
from antemill.tournament.skate.prompts import Strategy
from antemill.tournament.skate.sampling import STEP, THRESHOLD, Sampling
from antemill.tournament.statistics.trueskill import Rating

OUTPUT, GAMES = TASKS = ("output-prediction", "solved-game")
AtLeastOne = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]
_LONGEST_REPLY = 64 << 20  # bytes: hundreds of vectors with thousands of numbers


class EmbedderTable(Struct, frozen=True, forbid_unknown_fields=True):
    """[skate.embedder]: the embedder that measures distances between questions (S5).

    kind: token-hash, minilm (the extra antemill[minilm]), or openai: any server with /v1/embeddings. threshold: the
    distance up to which two questions are the same; each kind has a default, which for `openai` is the paper's.
    """

    kind: Literal["token-hash", "minilm", "openai"] = "token-hash"
    threshold: Annotated[float, Meta(ge=0, le=2)] | None = None
    base_url: str = "https://api.openai.com/v1"
    model: str = "text-embedding-3-small"
    key_env: str | None = None

    def entry(self) -> Model:
        """The entry for asking its server. Raises UsageError for an address or a variable that models may not have."""
        table: dict[str, Any] = {"protocol": "openai-chat", "model": self.model, "base_url": self.base_url}
        table |= {"body_limit": _LONGEST_REPLY} | ({"key_env": self.key_env} if self.key_env else {})
        try:
            return read_model("embedder", table)
        except ModelFileError as error:
            key = "base_url" if "base_url" in str(error) else "key_env"
            sentence = f"the {error}".replace("[embedder]", "embedder")
            raise MisplacedError(sentence, "skate", "embedder", key) from None


class SkateTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[skate].

    task: the kind of questions, one of TASKS, or a class of the user's: "file.py:Name" or "module:Name". attempts: of a
    setter in a round. step, least, deviation: of Algorithm 1. temperature: of all calls, or "model" for the value in
    models.toml. options_of: players whose sensitivity to the options is measured when the game is over, on options_on
    questions (10; figure 8). seed: of the shuffles. seconds, memory (MB): of programs.
    """

    task: str = OUTPUT
    rounds: AtLeastOne = 50
    attempts: AtLeastOne = 3
    strategy: Strategy = Strategy.HISTORICAL_PERFORMANCE
    step: AtLeastOne = STEP
    least: AtLeastOne | None = None
    deviation: Positive = float(THRESHOLD)
    temperature: Annotated[float, Meta(ge=0, le=2)] | Literal["model"] = 0.7
    seed: int = 1
    embedder: EmbedderTable = EmbedderTable()
    base: str | None = None
    setters: tuple[str, ...] | None = None
    options_of: tuple[str, ...] | None = None
    options_on: AtLeastOne | None = None
    seconds: Positive = 5.0
    memory: AtLeastOne = 256

    @property
    def sampling(self) -> Sampling:
        """Algorithm 1's parameters. The deviation is the exact decimal fraction in the file."""
        threshold = Fraction(str(self.deviation))
        return Sampling(step=self.step, least=self.least or self.step, threshold=threshold)


class SkateConfig(PlayersConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a game of SKATE. PAPER: sections 3 to 5 and the appendices A and B."""

    PAPER: ClassVar[Mapping[str, Any]] = {
        "skate.task": OUTPUT,
        "skate.rounds": 50,
        "skate.attempts": 3,
        "skate.strategy": str(Strategy.HISTORICAL_PERFORMANCE),
        "skate.step": STEP,
        "skate.least": STEP,
        "skate.deviation": float(THRESHOLD),
        "skate.temperature": 0.7,
        "skate.embedder.kind": "openai",
        "skate.embedder.model": "text-embedding-3-small",
        "skate.embedder.threshold": 0.336,
    }

    skate: SkateTable = SkateTable()
    rating: Rating = Rating()

    def setters(self) -> tuple[str, ...]:
        """The setters of questions, in the order of the players. Raises UsageError for a name that is not a player."""
        named = self.skate.setters
        if named is None:
            return () if self.skate.base else tuple(self.players)
        self.require_players(named, "skate", "setters")
        return tuple(name for name in self.players if name in named)

    @property
    def options_on(self) -> int:
        """On how many questions the sensitivity to options is measured."""
        return 10 if self.skate.options_on is None else self.skate.options_on

    def check(self) -> None:
        """Raise UsageError if this is not a valid game."""
        if not self.players:
            raise UsageError("SKATE needs players: add a [players.NAME].")
        if self.skate.task not in TASKS and not all(self.skate.task.rpartition(":")[::2]):
            near = meant(self.skate.task, TASKS)
            known = ", ".join(TASKS)
            raise MisplacedError(
                f'there is no task "{self.skate.task}": use {known}, or "file.py:Name" for your own{near or "."}',
                "skate",
                "task",
            )
        self.require_players(self.skate.options_of or (), "skate", "options_of")
        if self.skate.embedder.kind == "openai":
            self.skate.embedder.entry()
        if not self.setters() and not self.skate.base:
            raise UsageError("no player sets a question: name players in `setters`, or a `base`.")
