"""Reference models solve all valid puzzles again, outside of the duels (T10; TTG tables 4 and 5, section 4.4).

A puzzle that was proposed in several turns is solved again once, and counts for each of these turns, as in the paper's
table 4 (753 valid turns); in `by_first_proposer`, which is ours, it counts once. "Self" is the proposer on its own
puzzles, which is a reference for no other; "either" adds the opponent who solved the puzzle in the duel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec

from antemill.tournament.duel.analysis.turns import TurnRow, share, valid
from antemill.tournament.duel.rounds import Outcome


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt on one puzzle outside of the duels."""

    puzzle: str
    model: str
    solved: bool


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """Solved out of attempted."""

    solved: int
    attempted: int

    @property
    def rate(self) -> float | None:
        """Share solved; None if nothing was attempted."""
        return share(self.solved, self.attempted)


Grid = dict[str, dict[str, Cell]]  # row -> model -> cell; the model "total" is the sum of the row


def by_proposer(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> Grid:
    """Table 4: how often each reference model solved each proposer's valid puzzles; the row "total" sums them."""
    rows: dict[str, list[str]] = defaultdict(list)
    for turn in valid(turns):
        rows[turn.puzzle] += [turn.proposer, "total"]
    return _grid(rows, attempts)


def by_first_proposer(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> Grid:
    """The same with each puzzle once, for its first proposer: `turns` come in the order of play."""
    proposer: dict[str, str] = {}
    for turn in valid(turns):
        proposer.setdefault(turn.puzzle, turn.proposer)
    return _grid({puzzle: [name, "total"] for puzzle, name in proposer.items()}, attempts)


def by_turn(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> Grid:
    """Section 4.4: the same by the turn's number, as text."""
    rows: dict[str, list[str]] = defaultdict(list)
    for turn in valid(turns):
        rows[turn.puzzle].append(str(turn.number))
    return _grid(rows, attempts)


def _grid(rows: dict[str, list[str]], attempts: Iterable[Attempt]) -> Grid:
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for attempt in attempts:
        for row in rows.get(attempt.puzzle, ()):
            for model in (attempt.model, "total"):
                counts[row, model][0] += attempt.solved
                counts[row, model][1] += 1
    grid: Grid = defaultdict(dict)
    for (row, model), (solved, attempted) in counts.items():
        grid[row][model] = Cell(solved=solved, attempted=attempted)
    return dict(grid)


class SelfEither(msgspec.Struct, frozen=True, kw_only=True):
    """Table 5's last columns for one proposer: of the valid puzzles it attempted again, those that it solved itself,
    and those that it or its opponent solved.
    """

    player: str
    self_solved: Cell
    either_solved: Cell


def self_and_either(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> list[SelfEither]:
    """The columns for every proposer that attempted its own puzzles, by name; puzzles not attempted are left out."""
    again = {(attempt.puzzle, attempt.model): attempt.solved for attempt in attempts}
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for turn in valid(turns):
        own = again.get((turn.puzzle, turn.proposer))
        if own is not None:
            count = counts[turn.proposer]
            count[0] += own
            count[1] += own or turn.outcome == Outcome.SOLVED
            count[2] += 1
    return [
        SelfEither(
            player=player,
            self_solved=Cell(solved=own, attempted=attempted),
            either_solved=Cell(solved=either, attempted=attempted),
        )
        for player, (own, either, attempted) in sorted(counts.items())
    ]


def all_of(rows: Sequence[SelfEither]) -> SelfEither | None:
    """The sums over all proposers; None without any."""
    if not rows:
        return None
    own, either = ([getattr(row, name) for row in rows] for name in ("self_solved", "either_solved"))
    return SelfEither(player="", self_solved=_sum(own), either_solved=_sum(either))


def _sum(cells: Sequence[Cell]) -> Cell:
    return Cell(solved=sum(cell.solved for cell in cells), attempted=sum(cell.attempted for cell in cells))


def unsolved_by_all(
    puzzles: Collection[str], attempts: Iterable[Attempt], references: Collection[str] | None = None
) -> tuple[int, int]:
    """Of the puzzles, how many no reference model solved, and of how many that is known.

    It is known when one has solved the puzzle, or all have tried. references: all of them; None: those that attempted
    anything.
    """
    tried = list(attempts)
    models = {attempt.model for attempt in tried} if references is None else set(references)
    failed: dict[str, set[str]] = defaultdict(set)
    solved: set[str] = set()
    for attempt in tried:
        if attempt.puzzle in puzzles and attempt.model in models:
            if attempt.solved:
                solved.add(attempt.puzzle)
            else:
                failed[attempt.puzzle].add(attempt.model)
    unsolved = sum(puzzle not in solved and who == models for puzzle, who in failed.items())
    return unsolved, unsolved + len(solved)
