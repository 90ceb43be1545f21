"""A duels' configuration (T1, T9): who plays, which ordered pairs, the limits of the judge, who solves and tags again.

[duel]
pairs = "all"                        # every ordered pair once, or a list of some: [["a", "b"], ["b", "c"]]
references = ["a"]                   # players that solve every valid puzzle once more, outside of the duels
tagger = "a"                         # the player that tags the puzzles' topics
[players.a]
model = "smollm2"                    # an entry of models.toml
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Annotated, Literal

from msgspec import Meta, Struct

from antemill.engine.errors import UsageError
from antemill.tournament.duel.rounds import TURNS
from antemill.tournament.runs.bots import PlayersConfig

Positive = Annotated[float, Meta(gt=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Pair = tuple[str, str]


class DuelTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[duel].

    turns: of a duel, half of them for each proposer. format_attempts: replies asked for until one can be read (T5; the
    paper does not say). show_attempts: whether a proposer's history shows its own attempts on the opponent's puzzles
    (T4). judge_rules: whether the prompts tell the judge's rules, behind the paper's text (T3). strip_backticks: take
    one pair of backticks off a solution. seconds, memory (MB), sandbox: the judge's.
    resolve_own: proposers solve their own valid puzzles again (T10, "self").
    """

    pairs: Literal["all"] | tuple[Pair, ...] = "all"
    turns: Annotated[int, Meta(ge=2, multiple_of=2)] = TURNS
    format_attempts: AtLeastOne = 4
    show_attempts: bool = True
    judge_rules: bool = True
    strip_backticks: bool = False
    seconds: Positive = 5.0
    memory: AtLeastOne = 256
    sandbox: Literal["auto", "native", "wasm"] = "auto"
    references: tuple[str, ...] = ()
    resolve_own: bool = False
    tagger: str | None = None


class DuelConfig(PlayersConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a set of duels."""

    duel: DuelTable = DuelTable()

    def pairs(self) -> list[Pair]:
        """The duels to play, first proposer first. Raises UsageError if they make no sense."""
        if len(self.players) < 2:
            raise UsageError("duels need two players at least: add a [players.NAME].")
        pairs = list(permutations(self.players, 2)) if self.duel.pairs == "all" else list(self.duel.pairs)
        self.require_players([name for pair in pairs for name in pair], "duel", "pairs")
        self.require_players(self.duel.references, "duel", "references")
        self.require_players([self.duel.tagger] if self.duel.tagger else [], "duel", "tagger")
        if own := next((pair for pair in pairs if pair[0] == pair[1]), None):
            raise UsageError(f"{own[0]} can not duel with itself: correct `pairs`.")
        if double := _double(pairs):
            raise UsageError(f"the pair {double[0]}, {double[1]} is there twice: remove one from `pairs`.")
        if not pairs:
            raise UsageError("there is no duel to play: name one in `pairs`.")
        return pairs


def _double(pairs: Sequence[Pair]) -> Pair | None:
    seen: set[Pair] = set()
    return next((pair for pair in pairs if pair in seen or seen.add(pair)), None)  # type: ignore[func-returns-value]
