"""Matches: in lists, event by event in the terminal, and as a replay in pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from antemill.engine.match import DecisionRecord, Game
from antemill.engine.match import prompt as prompts
from antemill.engine.text.describe import entry as event_line
from antemill.engine.text.labels import SEATS
from antemill.engine.text.vocabulary import legend
from antemill.tournament.cards.equilibrium import Judged
from antemill.tournament.cards.forms import ITSELF
from antemill.tournament.cards.judgements import Judgements, judgements_of
from antemill.tournament.cards.pinned_games import any_disguise
from antemill.tournament.cards.plan import GAMES, read_games
from antemill.tournament.cards.play import SIDES, MatchRecord, read_match
from antemill.tournament.cards.replay import frames, table_names
from antemill.tournament.cards.seats import Move
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.items import Calls, Decision, Entry, Event, Items, Row, said
from antemill.tournament.statistics.disguise_sheets import form_name

EXCHANGED = "Prompts call Alice Bob, and Bob Alice."  # of a match in disguise
_KEYS = {cause: (f"{cause}_{SIDES[0]}", f"{cause}_{SIDES[1]}") for cause in CAUSES}  # of a row
_FAR = 8  # chips: a swing beyond it is worth a look


class MatchItems(Items):
    """Matches."""

    facets = ("players", "alice", "bob", "about", "form", "outcome", "winner", "causes", "fell", "strayed", "status")
    measures = ("won", "swing", "regret", "off", "moves", "fallbacks", "run", "payoff", "ablation")

    def __init__(self, store: RunStore, calls: Calls, path: Path) -> None:
        self._store = store
        self._calls = calls
        self._path = path
        self._names: dict[str, Row] = {}

    def entry(self, record: Record) -> Entry:
        """A match: its outcome is the name of who won."""
        data, row = record.item.data, record.row
        payoff = row.get("payoff")
        winner = "draw" if not payoff else data["alice"] if payoff > 0 else data["bob"]
        return Entry(
            item=record.item.key,
            what="match",
            players=(data["alice"], data["bob"]),
            about=data["game"],
            outcome=winner if payoff is not None else record.status,
            score="" if payoff is None else f"{payoff:+d}",
            causes=_causes(row),
            cost=record.cost,
            seconds=record.seconds,
            figures={} if payoff is None else {"alice": float(payoff), "bob": float(-payoff)},
        )

    def columns(self, record: Record) -> Row:
        """See `named`; which seat won, how many chips, how many decisions and fallbacks, how far the lead swung.

        In a solved game also `regret`, what all moves gave away by the equilibrium, in chips, `off`, how many it would
        not have made, and `strayed` with the players of these moves.
        """
        data, row = record.item.data, record.row
        found = self.named(record)
        if record.status != "done":
            return found
        payoff = row["payoff"]
        if judged := self._judged(record):
            found |= _by_equilibrium(judged, (data["alice"], data["bob"]))
        found |= {
            "winner": "draw" if payoff == 0 else "Alice" if payoff > 0 else "Bob",
            "payoff": payoff,
            "won": abs(payoff),
            "moves": sum(row.get(f"moves_{side}", 0) for side in SIDES),
            "fallbacks": sum(_causes(row).values()),
            "swing": row["swing"],
        }
        return found | {"interest": _interest(found)}

    def named(self, record: Record) -> Row:
        """What a list says of a match that need not be finished: the game without its disguise, under `form` whether it
        is one, the seats, the run, the sibling pair, and what `fell` says of it."""
        data = record.item.data
        found: Row = {name: data[name] for name in ("alice", "bob", "run", "ablation")} | fell(record)
        if self._in_forms:
            form = data.get("disguise") or {"of": data["game"], "number": ITSELF}
            found |= {"about": form["of"], "form": form_name(form["number"])}
        return found

    def events(self, record: Record, transcript: Any) -> list[Event]:
        """Every event with whom it was told, every decision with its menu."""
        match = read_match(transcript)
        played, moves = match.transcript, iter(match.moves)
        game = self._game(record.item.data["game"])
        found: list[Event] = [f"{record.item.key}: Alice is {played.seats[0]}, Bob is {played.seats[1]}"]
        found += [*_in_prompts(game), ""]
        for one in played.entries:
            if isinstance(one, DecisionRecord):
                menu = ", ".join(one.options) or f"{one.low} to {one.high}"
                found.append(f"?     {SEATS[one.seat]}, {one.phase}: {menu} -> {one.choice}")
                found.append(_decision(one, next(moves), played.seats[one.seat]))
            else:
                found.append(str(event_line(game.wording, one.row)))
        payoffs = played.payoffs
        found.append("not over" if payoffs is None else "payoff: Alice {:+d}, Bob {:+d}".format(*payoffs))
        return found

    def replay(self, record: Record, transcript: Any) -> Row:
        """The match: the seats, the game with its deck and rulebook, the payoffs, and the frames of its replay.

        Each decision of a frame has the player, why a random action was played, and the call as it was recorded.
        """
        match, label = read_match(transcript), record.item.data["game"]
        game = self._game(label)
        found = frames(game, match.transcript.entries)
        over = match.transcript.payoffs is not None
        judged = self._judged(record, match) if over else []
        for frame in found:
            if (decision := frame["decision"]) is not None:
                number = decision["number"]
                decision |= self._said(match.moves[number], match.transcript.seats)
                decision["solver"] = judged[number].as_row() if judged else None
        if label not in self._names:
            assert game.spec is not None  # games of a tournament are pinned with their rules
            rules = prompts.system(game.spec, match.prompts.endswith(".paper"), turned=game.turned, words=game.words)
            told = " ".join(_in_prompts(game))
            self._names[label] = table_names(game) | {"rules": {"role": "system", "text": rules}, "told": told}
        return {
            "seats": match.transcript.seats,
            "payoffs": match.transcript.payoffs,
            "play_seed": str(match.transcript.play_seed),  # beyond what a script's numbers hold
            "frames": found,
            **self._names[label],
        }

    def _said(self, move: Move, seats: tuple[str, str]) -> Row:
        call = said(self._calls, move.call)
        return {
            "player": seats[move.seat],
            "fallback": move.cause,
            "clamped": move.clamped,
            "second": move.second,
            "problem": move.problem,
            "mix": None if move.mix is None else list(move.mix),
            "drawn": move.drawn,
            "reply": None if call is not None else move.text,
            "call": call,
        }

    def _judged(self, record: Record, match: MatchRecord | None = None) -> list[Judged]:
        """The decisions of a finished match; none if its game is not solved, or it does not come out as recorded."""
        judge = self._judgements.judges.of(self._game(record.item.data["game"]))
        return [] if judge is None else self._judgements.of(self._store, record.item.key, judge, match)

    def _game(self, label: str) -> Game:
        return self._games[label]

    @cached_property
    def _in_forms(self) -> bool:
        return any_disguise(self._store.materials()[GAMES])

    @cached_property
    def _games(self) -> dict[str, Game]:
        return read_games(self._store.materials())

    @cached_property
    def _judgements(self) -> Judgements:
        return judgements_of(self._store, self._path, self._games)


def _interest(columns: Row) -> float:
    """Fallbacks before all, then disagreements with the solver, then matches that swung far."""
    fallbacks, regret, far = (float(columns.get(name) or 0.0) for name in ("fallbacks", "regret", "swing"))
    return 1e6 * fallbacks + 1e3 * regret + max(0.0, far - _FAR)


def _causes(row: Row) -> dict[str, int]:
    """How many replies of both players could not be read, by why."""
    if not any(row.get(f"fallbacks_{side}", 1) for side in SIDES):
        return {}
    counts = {cause: row.get(alice, 0) + row.get(bob, 0) for cause, (alice, bob) in _KEYS.items()}
    return {cause: count for cause, count in counts.items() if count}


def _in_prompts(game: Game) -> list[str]:
    """What prompts of a game in disguise call otherwise than records, in sentences."""
    found = [EXCHANGED] if game.turned else []
    return found + ([legend(game.words)] if game.words else [])


def fell(record: Record) -> Row:
    """The column `fell` of a list: the players whose replies could not be read, "ada", and why, "ada: empty"."""
    found: dict[str, None] = {}
    for seat, side in enumerate(SIDES):
        player, any_of_them = record.item.data[side], record.row.get(f"fallbacks_{side}", 1)
        causes = [cause for cause, keys in _KEYS.items() if record.row.get(keys[seat])] if any_of_them else []
        found |= dict.fromkeys(fell_as(player, cause) for cause in ("", *causes) if causes)
    return {"fell": list(found)} if found else {}


def fell_as(player: str, cause: str = "") -> str:
    """A value of the column `fell`. cause: "" for any."""
    return f"{player}: {cause}" if cause else player


def _decision(record: DecisionRecord, move: Move, player: str) -> Decision:
    notes = []
    if move.cause is not None:
        notes.append(f"fallback: {move.cause}; a random legal action was played")
    if move.clamped:
        notes.append("the amount was lowered to the most that is allowed")
    if move.mix is not None:
        notes.append(f"drawn by {move.drawn:.6f} from the stated mix: {_mix_text(record, move.mix)}")
    if move.second:
        notes.append(f"asked once more: {move.problem}")
    data = {
        "seat": SIDES[move.seat],
        "phase": record.phase,
        "menu": record.options or {"low": record.low, "high": record.high},
        "submitted": record.submitted,
        "choice": record.choice,
        "fallback": move.cause,
        "clamped": move.clamped,
        "second": move.second,
        "problem": move.problem,
        **({} if move.mix is None else {"mix": list(move.mix), "drawn": move.drawn}),
    }
    return Decision(player=player, purpose="move", call=move.call, text=move.text, data=data, notes=tuple(notes))


def _mix_text(record: DecisionRecord, mix: tuple[float, ...]) -> str:
    """A stated mix in words, without what has no probability."""
    names = record.options or tuple(str(amount) for amount in range(record.low, record.high + 1))
    return ", ".join(f"{name} {share:.0%}" for name, share in zip(names, mix, strict=True) if share > 0)


def _by_equilibrium(judged: Sequence[Judged], players: Sequence[str]) -> Row:
    """Their columns of the list. players: Alice and Bob."""
    costs = [one.cost for one in judged if one.cost is not None]
    by = [(players[one.seat], one) for one in judged]
    strayed = [strayed_as(player, GAVE) for player, one in by if one.given]
    strayed += [strayed_as(player, OFF) for player, one in by if one.off]
    found: Row = {"off": sum(one.off for one in judged)} | ({"regret": round(sum(costs), 4)} if costs else {})
    return found | ({"strayed": sorted(set(strayed))} if strayed else {})


GAVE, OFF = "gave", "off"  # what the column `strayed` says of a player


def strayed_as(player: str, how: str) -> str:
    """A value of the column `strayed`. how: `GAVE` for chips that were given away, `OFF` for a move off the solver."""
    return f"{player}: {how}"
