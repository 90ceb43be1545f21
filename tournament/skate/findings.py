"""What some games of SKATE came to, as of one game: the data of all tables and figures, and the headline.

The questions of several games stand in sequence, in the order in which the games were named; one that several games
hold, because one of them was played over another, is there once. The rating is that of the first one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import UsageError
from antemill.tournament.runs import Kind, RunFolder, RunStore, read_config
from antemill.tournament.runs.base import Rows, rows_of
from antemill.tournament.runs.costs import headline as cost
from antemill.tournament.runs.honest import standing
from antemill.tournament.runs.kind import Headline
from antemill.tournament.runs.status import spending
from antemill.tournament.skate import results
from antemill.tournament.skate.config import SkateConfig
from antemill.tournament.skate.embedders import Measured, measure
from antemill.tournament.skate.options import Sensitive, sensitive
from antemill.tournament.skate.results import Asked, Game
from antemill.tournament.skate.sampling import SHOWN
from antemill.tournament.statistics.sheets import Cell, Sheet, count, text, to_arrow
from antemill.tournament.statistics.statistic import Statistics
from antemill.tournament.statistics.trueskill import MU, RULES, SIGMA, Skills

CHANCE = 1.0 / (1 + SHOWN)  # the share of correct answers of a player who guesses
_SURE = 2.576  # standard deviations apart, at which a probability is .995
MEASURED = (
    "Skill: TrueSkill's mu \N{PLUS-MINUS SIGN} one sigma, from who answers which question better; "
    f"all players begin at {MU:.0f} \N{PLUS-MINUS SIGN} {SIGMA:.1f}. This is the rule \N{LEFT DOUBLE QUOTATION MARK}"
    f"{next(iter(RULES))}\N{RIGHT DOUBLE QUOTATION MARK}. The variants of a question differ in the options that they "
    f"offer and in their order; a player who guesses answers {CHANCE:.0%} of them correctly."
)
STATISTICS = Statistics["SkateFindings"]("Players", "Play")


class SkateFindings(Struct, frozen=True, eq=False, dict=True):
    """The data for tables and figures. games: each alone, with its strategy and its folder's name, where there are
    several; skills: TrueSkill by rule; slots: rows of all slots, empty ones among them; tests: of options; replies: of
    each player's answers the correct, the unread and all; unranked: players who did not play their own moves.
    """

    game: Game
    games: Sequence[tuple[str, Game]]
    skills: Mapping[str, Skills]
    asked: Sequence[Asked]
    measured: Measured
    slots: Sequence[Mapping[str, Any]] = ()
    tests: Sequence[Sensitive] = ()
    replies: Mapping[str, tuple[int, int, int]] = {}
    unranked: Sequence[str] = ()
    folders: Sequence[Path] = ()

    @cached_property
    def best_first(self) -> tuple[str, ...]:
        """The players by mu under the first rule: the order of all tables and figures. Ratings depend on the order of
        `game.players`, so they are computed in that one.
        """
        return best_first(self.game, self.skills)

    @property
    def places(self) -> list[int]:
        """The place in `game.players` of each of `best_first`."""
        return [self.game.players.index(player) for player in self.best_first]

    @property
    def shown(self) -> Game:
        """The game with its players in the order of display, for what does not depend on it."""
        return replace(self.game, players=self.best_first)

    @property
    def tests_by_player(self) -> list[Sensitive]:
        """The tests of options in the order of display."""
        return sorted(self.tests, key=lambda one: self.best_first.index(one.player))

    @cached_property
    def clusters(self) -> list[int] | None:
        """Of the questions in their order; None if they could not be measured."""
        if self.measured.vectors is None:
            return None
        return results.clusters(self.measured.vectors, self.measured.threshold).tolist()  # type: ignore[no-any-return]


def best_first(game: Game, skills: Mapping[str, Skills]) -> tuple[str, ...]:
    """The players by mu under the first rule, the highest first."""
    best = -next(iter(skills.values())).average()[:, 0]
    return tuple(game.players[i] for i in np.argsort(best, kind="stable"))


class _Part(Struct, frozen=True):
    """One game. numbers: of its slots in the sequence of all games; those of the first one stay."""

    folder: Path
    config: SkateConfig
    rows: Rows
    numbers: dict[int, int]


def _parts(kind: Kind[SkateConfig, Any], folders: Sequence[Path], clean: bool = False) -> list[_Part]:
    """clean: without players' answers that hold one that was not read."""
    known: dict[str, int] = {}
    found = []
    for folder, rows in zip(folders, rows_of(kind, folders), strict=True):
        first, slots = max(known.values(), default=0), {key: row for key, row in rows.items() if row["what"] == "set"}
        numbers = {row["number"]: known.setdefault(key, first + row["number"]) for key, row in slots.items()}
        answers = {key: row for key, row in rows.items() if key not in slots and not (clean and row["unread"])}
        config = read_config(RunFolder(folder).config, kind.config)
        found.append(_Part(folder, config, slots | answers, numbers))
    return found


def findings(kind: Kind[SkateConfig, Any], folders: Sequence[Path], clean: bool = False) -> SkateFindings:
    """Raises UsageError if no question is answered."""
    parts = _parts(kind, folders, clean)
    every, game = _numbered(parts), _game(parts)
    if not game.scores:
        raise UsageError(f"no question in {folders[0]} is answered yet: there is nothing to analyse.")
    replies: dict[str, tuple[int, int, int]] = {}
    for row in every:
        if row["what"] == "answer":
            had = replies.get(row["player"], (0, 0, 0))
            replies[row["player"]] = had[0] + row["correct"], had[1] + row["unread"], had[2] + row["asked"]
    alone = [(f"{one.config.skate.strategy} ({one.folder.resolve().name})", _game([one])) for one in parts]
    return SkateFindings(
        game=game,
        games=alone if len(parts) > 1 else [],
        skills={rule: results.rate(game, rule) for rule in RULES},
        asked=[one for part in parts for one in _asked(part, clean)],
        measured=measure(folders[0], parts[0].config.skate, [question.text for question in game.questions]),
        slots=[row for row in every if row["what"] == "set"],
        tests=sensitive([row for row in every if row["what"] == "option"]),
        replies=replies,
        unranked=[name for name in standing(folders).unranked if name in game.players],
        folders=folders,
    )


def rows(kind: Kind[SkateConfig, Any], folders: Sequence[Path]) -> pa.Table:
    """The players' scores on the questions, one row each."""
    scores = _game(_parts(kind, folders)).scores
    lines = [(n, name, one) for n, found in sorted(scores.items()) for name, one in sorted(found.items())]
    columns = [count("number", "Question"), text("player", "Player"), count("correct", "Correct")]
    columns += [count("asked", "Asked")]
    answers: list[list[Cell]] = [[number, name, one.correct, one.asked] for number, name, one in lines]
    return to_arrow(Sheet("answers", "Answers", columns, answers))


def _numbered(parts: Sequence[_Part]) -> list[dict[str, Any]]:
    """The rows of several games, each once, with the numbers of their questions in sequence."""
    every = {key: (row, part.numbers) for part in parts for key, row in part.rows.items()}
    return [{**row, "number": numbers[row["number"]]} for row, numbers in every.values()]


def _game(parts: Sequence[_Part]) -> Game:
    every = _numbered(parts)
    answers = [row for row in every if row["what"] == "answer"]
    named = [name for part in parts for name in part.config.players] + [row["player"] for row in answers]
    questions = [row for row in every if row["what"] == "set" and row["accepted"]]
    return results.read_game(tuple(dict.fromkeys(named)), questions, answers, parts[0].config.rating)


def _asked(part: _Part, clean: bool) -> Iterator[Asked]:
    """Every answered variant of a game itself, without those that it took over."""
    with RunStore(RunFolder(part.folder).database, read_only=True) as store:
        for one in store.records(finished_only=True):
            if one.row.get("what") == "answer" and not (clean and one.row["unread"]):
                number = part.numbers[one.row["number"]]
                for shown in store.transcript(one.item.key):
                    yield Asked(number, one.row["player"], tuple(shown["order"]), shown["correct"])


# ------------------------------------------------------------------------------------------ the headline


def headline(a: SkateFindings) -> Headline:
    """The first screen."""
    game, mu = a.game, next(iter(a.skills.values())).average()
    rated = [(name, float(mu[i, 0]), float(mu[i, 1])) for name, i in zip(a.best_first, a.places, strict=True)]
    answers = sum(score.asked for scores in game.scores.values() for score in scores.values())
    telling = sum(spread.discriminatory for spread in results.spreads(game))
    unread = sum(silent for _, silent, _ in a.replies.values())
    return Headline(
        sentence=sentence([one for one in rated if one[0] not in a.unranked], len(rated)),
        players=sorted(a.best_first, key=lambda name: name in a.unranked),
        table="ratings",
        figure="ratings",
        measured=MEASURED,
        tiles=(
            ("Players", f"{len(game.players)}", ""),
            ("Questions", f"{len(game.questions):,}", f"accepted, of {len(a.slots):,} asked for"),
            ("Answers", f"{answers:,}", f"variants; {unread:,} could not be read and count as wrong"),
            ("Discriminatory", f"{telling:,}", "only the setter passes"),
            cost([total for folder in a.folders for total in spending(folder)]),
        ),
    )


def sentence(rated: Sequence[tuple[str, float, float]], players: int) -> str:
    """Who is first by the first rule of TrueSkill, and how probably it is better than the next player.

    rated: players with mu and sigma, the best first, without those who take no rank; players: how many there are.
    """
    said = [f"{name} ({mu:.1f} \N{PLUS-MINUS SIGN} {sigma:.1f})" for name, mu, sigma in rated[:2]]
    if len(said) < 2:
        alone = "is the only player" if players < 2 else "is the only player that played its own moves"
        return f"{said[0]} {alone}." if said else "There is no ranking: no player played its own moves."
    (_, first, one), (_, second, other) = rated[:2]
    apart = (first - second) / math.hypot(one, other)
    better = f"{NormalDist().cdf(apart):.2f}".lstrip("0") if apart < _SURE else "above .99"
    return (
        f"{said[0]} has the highest skill, {said[1]} follows: the first is better than the second with probability "
        f"{better}."
    )
