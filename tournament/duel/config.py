"""The configuration of duels (T1, T9): players, ordered pairs, the judge's limits, and who solves and tags afterwards.

paper = true                         # the paper's protocol: all settings of `DuelConfig.PAPER`
[duel]
pairs = "all"                        # every ordered pair once, or a list of some: [["a", "b"], ["b", "c"]]
references = ["a"]                   # players that solve every valid puzzle once more, outside of the duels
tagger = "a"                         # the player that tags the puzzles' topics
[players.a]
model = "smollm2"                    # an entry of models.toml
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from antemill.engine.errors import UsageError
from antemill.tournament.duel.rounds import TURNS
from antemill.tournament.runs.bots import PlayersConfig
from antemill.tournament.runs.config import MisplacedError

Positive = Annotated[float, Meta(gt=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Pair = tuple[str, str]


class DuelTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[duel].

    turns: of a duel, half of them for each proposer. show_attempts: whether a proposer's history shows attempts: its
    own on the opponent's puzzles, and the opponent's on its own (T4). first_turn: the text in place of past turns
    before there are any; None: `history.FIRST_TURN`. judge_rules: whether the prompts state the judge's rules (T3).
    seconds, memory (MB): the judge's. base: folders of earlier sets of duels, whose results count; then pairs
    = "all" are those with a newcomer, and with opponents each newcomer meets as many of the base's players, chosen by
    schedule (by default "spread", see `antemill.tournament.duel.schedule`). resolve_own: proposers solve their own
    valid puzzles again (T10, "self").
    """

    pairs: Literal["all"] | tuple[Pair, ...] = "all"
    turns: Annotated[int, Meta(ge=2, multiple_of=2)] = TURNS
    show_attempts: bool = True
    first_turn: str | None = None
    judge_rules: bool = True
    seconds: Positive = 5.0
    memory: AtLeastOne = 256
    base: tuple[str, ...] | None = None
    opponents: AtLeastOne | None = None
    schedule: Literal["spread", "adaptive"] | None = None
    references: tuple[str, ...] = ()
    resolve_own: bool = False
    tagger: str | None = None


class DuelConfig(PlayersConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a set of duels. PAPER: TTG's sections 3 and 4, and its appendix E. A question is asked once:
    table 7 counts as many calls as turns."""

    PAPER: ClassVar[Mapping[str, Any]] = {
        "duel.turns": TURNS,
        "duel.judge_rules": False,
        "duel.first_turn": "",
        "duel.show_attempts": True,
    }

    duel: DuelTable = DuelTable()

    def pairs(self) -> list[Pair]:
        """The duels to play, each with its first proposer first. Raises UsageError for invalid pairs."""
        if len(self.players) < 2:
            raise UsageError("duels need at least two players: add a [players.NAME].")
        pairs = list(permutations(self.players, 2)) if self.duel.pairs == "all" else list(self.duel.pairs)
        self.require_players([name for pair in pairs for name in pair], "duel", "pairs")
        self.require_players(self.duel.references, "duel", "references")
        self.require_players([self.duel.tagger] if self.duel.tagger else [], "duel", "tagger")
        for key, needs in (("opponents", "base"), ("schedule", "opponents")):
            if getattr(self.duel, key) is not None and getattr(self.duel, needs) is None:
                raise MisplacedError(f"`{key}` needs `{needs}`: add it, or leave `{key}` out.", "duel", key)
        if self.duel.opponents is not None and self.duel.pairs != "all":
            raise MisplacedError("`opponents` chooses the pairs: leave one of the two out.", "duel", "pairs")
        if own := next((pair for pair in pairs if pair[0] == pair[1]), None):
            raise UsageError(f"{own[0]} cannot duel with itself: correct `pairs`.")
        if double := _double(pairs):
            raise UsageError(f"the pair {double[0]}, {double[1]} is there twice: remove one from `pairs`.")
        if not pairs:
            raise UsageError("there is no duel to play: name one in `pairs`.")
        return pairs


def _double(pairs: Sequence[Pair]) -> Pair | None:
    seen: set[Pair] = set()
    return next((pair for pair in pairs if pair in seen or seen.add(pair)), None)  # type: ignore[func-returns-value]
