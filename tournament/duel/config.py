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

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import permutations
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from antemill.engine.errors import UsageError
from antemill.tournament.duel.rounds import TURNS
from antemill.tournament.runs.bots import PlayersConfig

Positive = Annotated[float, Meta(gt=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Pair = tuple[str, str]


class DuelTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[duel].

    turns: of a duel, half of them for each proposer. show_attempts: whether a proposer's history shows attempts: its
    own on the opponent's puzzles, and the opponent's on its own (T4). first_turn: the text in place of past turns
    before there are any; None: `history.FIRST_TURN`. judge_rules: whether the prompts state the judge's rules (T3).
    seconds, memory (MB): the judge's. base: folders of earlier sets of duels, whose results count; then pairs
    = "all" are those with a newcomer. resolve_own: proposers solve their own valid puzzles again (T10, "self").
    """

    pairs: Literal["all"] | tuple[Pair, ...] = "all"
    turns: Annotated[int, Meta(ge=2, multiple_of=2)] = TURNS
    show_attempts: bool = True
    first_turn: str | None = None
    judge_rules: bool = True
    seconds: Positive = 5.0
    memory: AtLeastOne = 256
    base: tuple[str, ...] | None = None
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

    def pairs(self, known: Collection[str] = ()) -> list[Pair]:
        """The duels to play, each with its first proposer first. known: the players of the base, who are no newcomers.

        Raises UsageError for invalid pairs.
        """
        if len(self.players) < 2:
            raise UsageError("duels need at least two players: add a [players.NAME].")
        every = (pair for pair in permutations(self.players, 2) if not {*pair} <= {*known})
        pairs = list(every if self.duel.pairs == "all" else self.duel.pairs)
        self.require_players([name for pair in pairs for name in pair], "duel", "pairs")
        self.require_players(self.duel.references, "duel", "references")
        self.require_players([self.duel.tagger] if self.duel.tagger else [], "duel", "tagger")
        for pair, times in Counter(pairs).items():
            if pair[0] == pair[1]:
                raise UsageError(f"{pair[0]} cannot duel with itself: correct `pairs`.")
            if times > 1:
                raise UsageError(f"the pair {pair[0]}, {pair[1]} is there twice: remove one from `pairs`.")
        if not pairs and known:
            raise UsageError("every player is in the base: add a [players.NAME] who is not, or name `pairs`.")
        if not pairs:
            raise UsageError("there is no duel to play: name one in `pairs`.")
        return pairs
