"""The configuration of a card tournament."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from antemill.llm.mistakes import meant
from antemill.tournament.players import BOTS
from antemill.tournament.runs import RunConfig

_OPPONENTS = 2  # of a model in a game, at least (GENSTRAT section 5, "Coverage")
_PLAYS = ("bot", "policy", "model", "script", "person")
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Disguises = Annotated[int, Meta(ge=0, le=100)]
ScheduleName = Literal["round-robin", "rotating", "adaptive", "none", "open"]


class TournamentTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[tournament].

    games: seeds, files or names, as the command line takes them; or benchmark: a file of selected games.
    matches_per_seat: of each pair and game (20 in the paper: 40 matches). schedule: "rotating" gives every player at
    least `opponents` opponents in every game; "adaptive" plays `matches` in all (by default as many as "rotating"), in
    batches of `batch` pairs of matches, each where it makes the leaderboard most certain for the money; "none" leaves
    the thinking ablation alone; "open" plans nothing: `antemill play` adds hands as they are played. seed: of the
    schedule and the cards. play_seed: what the cards depend on beside the game and the run: the "matchup", as in the
    paper, or only the "game", so that all pairs get the same cards.
    list_moves: whether prompts list the legal actions. disguises: in how many each game is also played, with the same
    cards; undisguised: whether it is played as itself too.
    """

    games: tuple[str, ...] = ()
    benchmark: str | None = None
    matches_per_seat: Count = 20
    schedule: ScheduleName = "round-robin"
    opponents: Count = 2
    matches: Count | None = None
    batch: Count = 20
    seed: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)] = 0
    play_seed: Literal["matchup", "game"] = "matchup"
    list_moves: bool = True
    disguises: Disguises = 0
    undisguised: bool = True


class PlayerTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[players.NAME]: exactly one of bot (its name), policy (a folder), model (an entry of models.toml), script
    ("module:factory" or "file.py:factory"), person = true (a person at `antemill play`).

    answer: of a model: "action", one action; or "mix", a probability for each, of which one is drawn. None: "action".
    """

    bot: str | None = None
    policy: str | None = None
    model: str | None = None
    script: str | None = None
    person: Literal[True] | None = None
    answer: Literal["action", "mix"] | None = None


class AblationTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[ablation] (N14). pairs: siblings, low effort first. anchors: their opponents, with the same cards for both."""

    pairs: tuple[tuple[str, str], ...]
    anchors: tuple[str, ...]
    matches_per_seat: Count = 20


class CardConfig(RunConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. Raises ValueError where parts of it do not fit together.

    paper: the protocol of GENSTRAT section 5 and appendix B: `PAPER`, with two opponents or more, and the paper's
    prompts. Models are sent the rulebook alone, and what the paper lists of a decision.
    """

    PAPER: ClassVar[Mapping[str, Any]] = {
        "tournament.matches_per_seat": 20,
        "tournament.schedule": "rotating",
        "tournament.play_seed": "matchup",
        "tournament.list_moves": True,
    }

    tournament: TournamentTable
    players: dict[str, PlayerTable]
    ablation: AblationTable | None = None

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        table = self.tournament
        if (table.benchmark is None) == (not table.games):
            raise ValueError("[tournament] needs either games or benchmark")
        if len(self.players) < 2:
            raise ValueError("a tournament needs at least two [players.NAME]")
        if table.schedule == "none" and self.ablation is None:
            raise ValueError('schedule = "none" needs an [ablation]')
        check_disguises("tournament", table.disguises, table.undisguised)
        if table.disguises and table.schedule in ("adaptive", "open"):
            raise ValueError(f'disguises need a schedule that is known from the start, not "{table.schedule}"')
        if self.paper and table.opponents < _OPPONENTS:
            raise ValueError(
                f"paper = true gives every player {_OPPONENTS} opponents or more in every game, and here opponents is "
                f"{table.opponents}: remove one of the two"
            )
        for name, player in self.players.items():
            check_player(name, player)
        if self.ablation is not None:
            _check_ablation(self.ablation, self.players)

    @property
    def asked(self) -> tuple[str, ...]:
        """The entries of models.toml that take part."""
        return tuple(dict.fromkeys(player.model for player in self.players.values() if player.model is not None))


def check_disguises(table: str, disguises: int, undisguised: bool) -> None:
    """Raise ValueError if no form of the games is left to play."""
    if not disguises and not undisguised:
        raise ValueError(f"[{table}] has undisguised = false and no disguises: say how many, as in disguises = 5")


def check_player_name(name: str) -> None:
    """Raise ValueError for a name that a player cannot have."""
    if not name or ":" in name or not name.isprintable() or name != name.strip():
        raise ValueError(
            f"a player cannot be called '{name}': use printable characters, no colon, no space at either end"
        )


def check_player(name: str, player: PlayerTable) -> None:
    """Raise ValueError for a table that is not one player."""
    check_player_name(name)
    given = [key for key in _PLAYS if getattr(player, key) is not None]
    if len(given) != 1:
        raise ValueError(f"[players.{name}] needs exactly one of {', '.join(_PLAYS)}")
    if player.answer is not None and player.model is None:
        raise ValueError(f"[players.{name}] is no model, so that it has no answer: leave `answer` out")
    if player.bot is not None and player.bot not in BOTS:
        raise ValueError(f"[players.{name}] has no bot '{player.bot}': use {', '.join(BOTS)}{meant(player.bot, BOTS)}")
    if player.script is not None and not all(player.script.rpartition(":")[::2]):
        raise ValueError(f'[players.{name}] needs script = "module:factory" or "file.py:factory"')


def _check_ablation(ablation: AblationTable, players: dict[str, PlayerTable]) -> None:
    for name in (*(name for pair in ablation.pairs for name in pair), *ablation.anchors):
        if name not in players:
            raise ValueError(f"[ablation] names '{name}', which is none of the players{meant(name, players)}")
    if not ablation.pairs or not ablation.anchors:
        raise ValueError("[ablation] needs pairs and anchors")
    if same := next((pair for pair in ablation.pairs if pair[0] == pair[1]), None):
        raise ValueError(f"[ablation] pairs '{same[0]}' with itself")
