"""Duels turn by turn, and puzzles solved or tagged outside of a duel: in lists, in the terminal and in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from antemill.tournament.duel.analysis.resolve import TOTAL
from antemill.tournament.duel.findings import DuelFindings
from antemill.tournament.duel.judge import puzzle_name
from antemill.tournament.duel.rounds import UNREADABLE, Outcome, ended
from antemill.tournament.pages.evidence import listed
from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.finished import FinishedCounter
from antemill.tournament.runs.items import Decision, Entry, Event, Items, Row
from antemill.tournament.runs.kind import Behind

Said = Mapping[str, Any]  # a reply on record, as of `antemill.tournament.replies.Said`
Found = Mapping[str, Any] | None  # a verdict of the judge, None if nothing was judged


class DuelItems(Items):
    """See `antemill.tournament.runs.items.Items`."""

    facets = ("what", "players", "pair", "outcome", "outcomes", "turned", "proposer", "tags", "causes", "status")
    measures = ("strip",)

    def __init__(self, store: RunStore, *_: object) -> None:
        self._store = store
        self._finished = FinishedCounter(store)
        self._tags: dict[str, list[str]] = {}  # by puzzle
        self._proposers: dict[str, dict[str, None]] = {}

    def entry(self, record: Record) -> Entry:
        """The outcome of a duel is the winner's name, that of a solution whether it is right."""
        data, row = record.item.data, record.row
        duel = data["what"] == "duel"
        outcome, causes = (_winner(row), _causes(row)) if duel and row else (_outcome(row), _causes(row))
        return Entry(
            item=record.item.key,
            what=data["what"],
            players=(data["first"], data["second"]) if duel else (data["player"],),
            about="" if duel else puzzle_name(data["code"]),
            outcome=outcome if row else record.status,
            score="{}:{}".format(*row["points"]) if duel and row else "",
            causes={cause: count for cause, count in causes.items() if count},
            cost=record.cost,
            seconds=record.seconds,
            figures=_figures(row),
        )

    def columns(self, record: Record) -> Row:
        """Of a duel the pair, the points, the outcome of each turn, and the tags of the puzzles; of the others the tags
        of their puzzle, and who proposed it.
        """
        data, row = record.item.data, record.row
        if data["what"] != "duel":
            self._read()
            puzzle = puzzle_name(data["code"])
            found: Row = {"proposer": [*self._proposers.get(puzzle, ())], "interest": 0.0}
            return found | ({"tags": self._tags.get(puzzle, [])} if row else {})
        first, second = data["first"], data["second"]
        found = {"pair": " · ".join(sorted((first, second))), "first": first, "second": second, "interest": 10.0}
        if not row:
            return found
        self._read()
        turns = row["turns"]
        return found | {
            "interest": 10.0 + sum(turn["outcome"] != Outcome.SOLVED for turn in turns),
            "points": row["points"],
            "strip": strip(turns),
            "outcomes": dict(Counter(name for turn in turns for name in _names(turn))),
            "turned": dict(Counter(one for turn in turns for one in self._turned(turn))),
            "tags": sorted({tag for turn in turns for tag in self._tags.get(turn["puzzle"], ())}),
        }

    def _turned(self, turn: Mapping[str, Any]) -> Iterator[str]:
        """What the column `turned` says of a turn: how it ended, by number and by player, and the proposer's tags."""
        for where in (f"turn {turn['number']}", f"{turn['proposer']} as proposer", f"{turn['solver']} as solver"):
            yield from (_turned_as(where, name) for name in _names(turn))
        for tag in self._tags.get(turn["puzzle"], ()):
            yield _turned_as(f"{turn['proposer']} as proposer", tag)

    def _read(self) -> None:
        if not self._finished.finished():
            return
        rows = [one.row for one in self._store.records(finished_only=True) if one.status == "done"]
        self._tags = {row["puzzle"]: row["tags"] for row in rows if row["what"] == "tag"}
        self._proposers = {}
        for turn in (turn for row in rows for turn in row.get("turns", ())):
            self._proposers.setdefault(turn["puzzle"], {})[turn["proposer"]] = None

    def events(self, record: Record, transcript: Any) -> list[Event]:
        """Every turn with its puzzle, all replies and the judge's verdicts."""
        data, row = record.item.data, record.row
        if data["what"] == "duel":
            head = f"{record.item.key}: {row['first']} {row['points'][0]}, {row['second']} {row['points'][1]}"
            turns = zip(row["turns"], transcript, strict=True)
            return [head, *(event for turn, told in turns for event in _turn_events(turn, told))]
        found: list[Event] = [f"{record.item.key}: {data['player']}", "", *_code(data["code"]), ""]
        found += _heard(transcript["replies"], data["player"], data["what"], transcript.get("verdict"))
        if data["what"] == "solve":
            return [*found, _verdict("its attempt", transcript["attempt"], transcript["verdict"])]
        return [*found, f"tags: {', '.join(row['tags']) or 'none'}"]


def _turn_events(row: Mapping[str, Any], told: Mapping[str, Any]) -> Iterator[Event]:
    proposer, solver = row["proposer"], row["solver"]
    about = {"turn": row["number"], "puzzle": row["puzzle"], "turn_outcome": ended(row)}
    yield from ("", f"Turn {row['number']}: {proposer} proposes, {solver} solves: {ended(row)}")
    yield from _heard(told["proposed"], proposer, "propose", told["sample"], about)
    if row["code"]:
        yield from _code(row["code"])
        yield _verdict("its own solution", row["solution"], told["sample"])
    if told["solved"]:
        yield from _heard(told["solved"], solver, "solve", told["attempt"], about)
        yield _verdict(f"{solver}'s attempt", row["attempt"], told["attempt"])


def _heard(
    replies: Sequence[Said], player: str, purpose: str, verdict: Found, about: Mapping[str, Any] = {}
) -> Iterator[Decision]:
    """All replies. Only the last one can have been read and judged."""
    for one in replies:
        problem = one["problem"]
        judged = verdict["verdict"] if verdict and not problem else None
        yield Decision(
            player=player,
            purpose=purpose,
            call=one["call"],
            text=one["text"],
            data={**about, "problem": problem, "verdict": judged},
            notes=(f"could not be read: {problem}",) if problem else (),
        )


def _code(code: str) -> list[str]:
    return [f"    {line}" for line in code.splitlines()]


def _verdict(what: str, solution: str, found: Found) -> str:
    if found is None:
        return f"{what} could not be read"
    why = f" ({found['detail']})" if found["detail"] and found["verdict"] != "true" else ""
    return f"{what}: {solution} -> {found['verdict']}{why}, {found['seconds']:.2f} s, {found['backend']}"


def strip(turns: Sequence[Mapping[str, Any]]) -> str:
    """A duel as letters, one a turn: s(olved), u(nsolved), p(enalty), f for a penalty for the form; capitals if the
    second player proposed.
    """
    letters = ("f" if ended(turn) == UNREADABLE else turn["outcome"][0] for turn in turns)
    return "".join(letter.upper() if i % 2 else letter for i, letter in enumerate(letters))


def _names(turn: Mapping[str, Any]) -> list[str]:
    """How a turn ended; a penalty for the form is both."""
    return [*dict.fromkeys((turn["outcome"], ended(turn)))]


def _winner(row: Mapping[str, Any]) -> str:
    first, second = row["points"]
    return "draw" if first == second else str(row["first"] if first > second else row["second"])


def _outcome(row: Mapping[str, Any]) -> str:
    if row.get("what") == "solve":
        return "solved" if row["solved"] else "unsolved"
    return "tagged" if row.get("tags") else "untagged"


def _figures(row: Mapping[str, Any]) -> dict[str, float]:
    """The points of a duel, whether a puzzle was solved, or the number of its tags."""
    if not row:
        return {}
    if row["what"] == "duel":
        return {"first": float(row["points"][0]), "second": float(row["points"][1])}
    return {"solved": float(row["solved"])} if row["what"] == "solve" else {"tags": float(len(row["tags"]))}


def _causes(row: Mapping[str, Any]) -> Counter[str]:
    found = Counter[str]()
    for part in row.get("turns", [row]):
        found["penalty"] += part.get("outcome") == Outcome.PENALTY
        found["unread"] += sum(bool(part.get(key)) for key in ("unread", "proposer_unread", "solver_unread"))
        verdicts = (part.get(f"{side}_verdict", "") for side in ("sample", "attempt"))
        found.update(verdict for verdict in verdicts if verdict not in ("", "true"))
    return found


# ------------------------------------------------------------------------------------------ what is behind cells


def _turned_as(where: str, what: str) -> str:
    """A value of the column `turned`. where: "turn 3" or "ada as proposer"; what: an outcome or a tag."""
    return f"{where}: {what}"


def _with(outcome: str, role: str) -> Behind:
    """The duels that have a turn with this outcome: that of the row's number, or one with its player in this role."""

    def of(row: Mapping[str, Any]) -> str:
        if "turn" in row:
            return listed(("turned", _turned_as(f"turn {row['turn']}", outcome)))
        if row["player"] == TOTAL:
            return listed(("outcomes", outcome))
        return listed(("turned", _turned_as(f"{row['player']} as {role}", outcome)))

    return of


def _tagged(tag: str) -> Behind:
    """The duels with such puzzles of the row's proposer. tag: the column that names it."""
    return lambda row: listed(("turned", _turned_as(f"{row['proposer']} as proposer", str(row[tag]))))


def _again(player: str = "", *more: tuple[str, str]) -> Behind:
    """A player's attempts on the puzzles of the row's proposer, outside of duels; without a name, on its own."""

    def of(row: Mapping[str, Any]) -> str:
        proposer = str(row["proposer"] if player else row["player"])
        mine = [("proposer", proposer)] if proposer != TOTAL else []
        return listed(("what", "solve"), ("players", player or proposer), *mine, *more) if player or mine else ""

    return of


def cells(a: DuelFindings) -> dict[str, Behind]:
    """What is behind the cells of some columns."""
    results = a.results
    found = {
        "solved": _with("solved", "solver"),
        "failed": _with("unsolved", "solver"),
        "unsolved": _with("unsolved", "solver"),
        "spared": _with("penalty", "solver"),
        "proposed_solved": _with("solved", "proposer"),
        "proposed_unsolved": _with("unsolved", "proposer"),
        "penalties": _with("penalty", "proposer"),
        "unreadable": _with(UNREADABLE, "proposer"),
        "tag": lambda row: listed(("what", "tag"), ("tags", str(row["tag"]))),
    }
    for name in ("top", "distinctive", "exclusive"):
        found |= {name: _tagged(name), f"{name}_count": _tagged(name)}
    for player in results.references:
        found |= {f"{player}_solved": _again(player, ("outcome", "solved")), f"{player}_of": _again(player)}
    return found | ({"self_rate": _again()} if results.own else {})


items = DuelItems
