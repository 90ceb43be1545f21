"""Reference models solve all valid puzzles again, outside of the duels (T10; TTG tables 4 and 5, section 4.4).

A puzzle that was proposed in several turns is solved again once, and counts for each of these turns, as in the paper's
table 4 (753 valid turns); in `by_first_proposer`, which is ours, it counts once. "Self" is the proposer on its own
puzzles, which is a reference for no other; "either" adds the opponent who solved the puzzle in the duel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from antemill.tournament.duel.analysis.turns import TurnRow, share, valid
from antemill.tournament.duel.rounds import Outcome

TOTAL = "total"  # the name of sums: of a model's row, and of all rows


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt on one puzzle outside of the duels."""

    puzzle: str
    model: str
    solved: bool


class Cell(Struct, frozen=True):
    """Solved out of attempted."""

    solved: int = 0
    attempted: int = 0

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.solved + other.solved, self.attempted + other.attempted)

    @property
    def rate(self) -> float | None:
        """Share solved; None if nothing was attempted."""
        return share(self.solved, self.attempted)


Grid = dict[str, dict[str, Cell]]  # row -> model -> cell


def by_proposer(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> Grid:
    """Table 4: how often each reference model solved each proposer's valid puzzles."""
    rows: dict[str, list[str]] = defaultdict(list)
    for turn in valid(turns):
        rows[turn.puzzle] += [turn.proposer, TOTAL]
    return _grid(rows, attempts)


def by_first_proposer(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> Grid:
    """The same with each puzzle once, for its first proposer: `turns` come in the order of play."""
    proposer = {turn.puzzle: turn.proposer for turn in reversed(valid(turns))}
    return _grid({puzzle: [name, TOTAL] for puzzle, name in proposer.items()}, attempts)


def by_turn(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> Grid:
    """Section 4.4: the same by the turn's number, as text."""
    rows: dict[str, list[str]] = defaultdict(list)
    for turn in valid(turns):
        rows[turn.puzzle].append(str(turn.number))
    return _grid(rows, attempts)


def _grid(rows: Mapping[str, Sequence[str]], attempts: Iterable[Attempt]) -> Grid:
    grid: Grid = defaultdict(lambda: defaultdict(Cell))
    for attempt in attempts:
        for row in rows.get(attempt.puzzle, ()):
            for model in (attempt.model, TOTAL):
                grid[row][model] += Cell(attempt.solved, 1)
    return {row: dict(cells) for row, cells in grid.items()}


def self_and_either(turns: Sequence[TurnRow], attempts: Iterable[Attempt]) -> dict[str, tuple[Cell, Cell]]:
    """Table 5's last columns for every proposer that attempted its own puzzles: of these, those that it solved itself,
    and those that it or its opponent solved.
    """
    again = {(attempt.puzzle, attempt.model): attempt.solved for attempt in attempts}
    found: dict[str, tuple[Cell, Cell]] = {}
    for turn in valid(turns):
        own = again.get((turn.puzzle, turn.proposer))
        if own is not None:
            mine, either = found.get(turn.proposer, (Cell(), Cell()))
            found[turn.proposer] = mine + Cell(own, 1), either + Cell(own or turn.outcome == Outcome.SOLVED, 1)
    return found


def unsolved_by_all(
    puzzles: Collection[str], attempts: Iterable[Attempt], references: Collection[str]
) -> tuple[int, int]:
    """Of the puzzles, how many no reference model solved, and of how many that is known: one of them has solved it, or
    all have tried.
    """
    failed: dict[str, set[str]] = defaultdict(set)
    solved: set[str] = set()
    for attempt in attempts:
        if attempt.puzzle in puzzles and attempt.model in references:
            if attempt.solved:
                solved.add(attempt.puzzle)
            else:
                failed[attempt.puzzle].add(attempt.model)
    unsolved = sum(puzzle not in solved and who == set(references) for puzzle, who in failed.items())
    return unsolved, unsolved + len(solved)
