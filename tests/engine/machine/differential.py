"""Machine and plain interpreter on one game under the same choices: every question, event, key and result."""

from __future__ import annotations

from collections.abc import Iterable

from antemill.engine.machine.events import Chance
from antemill.engine.machine.program import Program
from antemill.engine.rules.spec import GameSpec
from tests.differing import assert_same
from tests.engine.machine.machine import Playback, play_machine, script
from tests.naive import Decision, Playout, play


class Follower:
    """Answers the interpreter's questions as the machine's were answered, and insists on equal questions."""

    def __init__(self, game: Playback) -> None:
        self.stops = iter(game.stops)
        self.draws = iter(game.draws)
        self.indices = iter(game.outcomes)

    def decide(self, decision: Decision) -> int:
        stop = next(self.stops)
        asked = (decision.seat, (decision.phase, decision.move_type, decision.move_name), decision.menu)
        assert asked == (stop.seat, stop.decision, stop.menu)
        return stop.action

    def chance(self, kind: Chance, seat: int, occurrence: int, n: int) -> int:
        assert next(self.draws) == (int(kind), seat, occurrence, n)
        return next(self.indices)


class Keys:
    """Collects (information, key) pairs of one game and checks that they map one to one."""

    def __init__(self) -> None:
        self.key_of: list[dict[object, int]] = [{}, {}, {}]
        self.info_of: list[dict[int, object]] = [{}, {}, {}]

    def add(self, decision: Decision, keys: tuple[int, int, int]) -> None:
        for place, (information, key) in enumerate(
            zip((decision.recall, decision.info, decision.context), keys, strict=True)
        ):
            assert self.key_of[place].setdefault(information, key) == key, "one information set has two keys"
            assert self.info_of[place].setdefault(key, information) == information, "two information sets share a key"


def compare(spec: GameSpec, program: Program, choices: Iterable[int], keys: Keys) -> Playback:
    """Play one game in both and compare everything."""
    game = play_machine(program, script(list(choices)))
    want: Playout = play(spec, Follower(game))
    rows = [tuple(int(v) if isinstance(v, bool) else v for v in row) for row in want.events]
    assert_same(game.events, rows)
    assert (game.payoff, game.phases, game.branches) == (want.payoff, want.phases, want.branches)
    assert len(game.stops) == len(want.decisions)
    for stop, (decision, action) in zip(game.stops, want.decisions, strict=True):
        assert stop.action == action
        keys.add(decision, stop.keys)
    return game
