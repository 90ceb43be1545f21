"""The gate's other readings, and what would become of games whose constructs were read otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from antemill.axes import AXES, FAST, score
from antemill.axes.scores import default_seed
from antemill.engine.builder.caps import BENCHMARK_CAPS
from antemill.engine.builder.generate import generate
from antemill.engine.builder.sizes import sizes
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import EPISODES, MOST_DEAD_BRANCHES, MOST_MOVES, RARE
from antemill.engine.machine.readings import READINGS
from antemill.engine.machine.rollout import Log, rollout, streams
from antemill.engine.rules.canonical.digests import canonical_digest
from antemill.engine.rules.named import appendix_b
from antemill.engine.rules.spec import Auction, GameSpec
from antemill.engine.seeding import Domain
from antemill.engine.text.rulebook import rulebook
from benches.differences.page import percent, short
from benches.differences.readings import compared, spaced
from benches.population import Candidate, share, shares_by_complexity

LOGGED = 300  # candidates whose random play is looked at in detail
CHANGED = 60  # games of a kind that are read otherwise
PAPERS_WORDING = 1.33  # characters of the paper's rulebook of its sample game, over those of ours
Json = dict[str, Any]
Change = Callable[[Json], Json | None]


def figures(candidates: Sequence[Candidate]) -> dict[str, str]:
    """All figures of the section on games and the gate."""
    accepted = [game for game in candidates if game.accepted]
    return (
        {"candidates": f"{len(candidates):,}", "accepted": f"{len(accepted):,}"}
        | _caps(candidates, accepted)
        | _moves(candidates, accepted)
        | _branches(candidates)
        | _phases(candidates)
        | _repeats(candidates)
        | _constructs(accepted)
        | _empty_stacks()
    )


def _caps(candidates: Sequence[Candidate], accepted: Sequence[Candidate]) -> dict[str, str]:
    over = sum(bool(game.exceeded) for game in candidates)
    at = [
        any(size >= getattr(BENCHMARK_CAPS, cap) for cap, size in sizes(generate(game.seed)).items() if size > 0)
        for game in accepted
    ]
    sample = sizes(appendix_b())
    used = max(size / getattr(BENCHMARK_CAPS, cap) for cap, size in sample.items() if getattr(BENCHMARK_CAPS, cap))
    return {"caps.over": str(over), "caps.at": percent(_mean(at)), "caps.sample": percent(used)}


def _moves(candidates: Sequence[Candidate], accepted: Sequence[Candidate]) -> dict[str, str]:
    return {
        "moves.above": percent(_mean([game.verdict.moves > MOST_MOVES / 2 for game in accepted])),
        "moves.rejected": str(sum("too many moves" in game.verdict.broken for game in candidates)),
        "moves.most": short(max(game.verdict.moves for game in candidates), 1),
    }


def _branches(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Dead branches by both readings, and how often a loop's test ends it before its first round."""
    never, seldom, fall, kept = [], [], 0, 0
    idle: list[float] = []
    for place in spaced(LOGGED, len(candidates)):
        game = candidates[place]
        log = rollout(game.program, EPISODES, streams(game.seed, Domain.GATE))
        taken = _bits(log.taken, 2 * len(game.program.names.conditionals)).mean(axis=0)
        dead, rare = (float(np.mean(flags)) if len(taken) else 0.0 for flags in (taken == 0.0, taken < RARE))
        never.append(dead > MOST_DEAD_BRANCHES)
        seldom.append(rare > MOST_DEAD_BRANCHES)
        kept += game.accepted
        fall += game.accepted and rare > MOST_DEAD_BRANCHES
        if game.accepted:
            idle += _idle_loops(game, log)
    return {
        "dead.logged": str(len(never)),
        "dead.never": percent(_mean(never)),
        "dead.seldom": percent(_mean(seldom)),
        "dead.kept": str(kept),
        "dead.fall": str(fall),
        "loop.idle": percent(_mean(idle)),
    }


def _idle_loops(game: Candidate, log: Log) -> list[float]:
    """For every loop the share of the episodes that reach it in which none of its rounds is played."""
    spec, names = generate(game.seed), game.program.names
    fired = _bits(log.fired, len(names.phases))
    found = []
    for phase in msgspec.to_builtins(spec)["phases"]:
        if phase["type"] == "betting-loop":
            reached = fired[:, names.phases.index(phase["name"])]
            played = fired[:, [names.phases.index(name) for name in phase["rounds"]]].any(axis=1)
            if reached.any():
                found.append(float((reached & ~played).sum() / reached.sum()))
    return found


def _bits(words: Any, count: int) -> Any:
    """bool[episodes, count] of bit sets int64[episodes, words]."""
    place = np.arange(count)
    return (words[:, place >> 6] >> (place & 63)) & 1 == 1


def _phases(candidates: Sequence[Candidate]) -> dict[str, str]:
    """The table of what a phase is, for this generator."""
    lengths = {
        game.seed: len(rulebook(generate(game.seed))) if not game.rulebook else game.rulebook
        for game in candidates
        if game.verdict.accepted_by
    }
    found: dict[str, str] = {}
    for reading in READINGS:
        games = [game for game in candidates if reading in game.verdict.accepted_by]
        found |= {
            f"{reading}.accepted": percent(len(games) / len(candidates)),
            f"{reading}.betting": percent(share(games, "betting")),
            f"{reading}.highest": _or_none(shares_by_complexity(games, "betting")[-1]),
            f"{reading}.longest": f"{PAPERS_WORDING * max((lengths[game.seed] for game in games), default=0):,.0f}",
        }
    return found


def _repeats(candidates: Sequence[Candidate]) -> dict[str, str]:
    """How many games come up twice."""
    found: dict[str, str] = {}
    for name, complexity in (("repeats.at_0", 0.0), ("repeats.at_1", 0.1)):
        digests = [canonical_digest(generate(game.seed, complexity)) for game in candidates]
        found[name] = percent(1.0 - len(set(digests)) / len(digests))
    passed = [game for game in candidates if game.verdict.accepted]
    simple = [game for game in passed if game.complexity < 0.1]
    return found | {
        "repeats.simple": percent(_mean([game.repeat for game in simple])),
        "repeats.all": percent(_mean([game.repeat for game in passed])),
    }


def _constructs(accepted: Sequence[Candidate]) -> dict[str, str]:
    """Games with a construct, and how their scores move if it is read otherwise."""
    kinds: dict[str, tuple[tuple[str, ...], Change]] = {
        "score": (("score",), _dropped("score")),
        "side": (("side bet",), _emptied("side-bet")),
        "positions": (
            ("positions by chips", "positions by cards", "positions alternate"),
            _with("positions", criterion="random"),
        ),
        "raises": (("fixed bets",), _with("fixed-betting", raises=0)),
        "raised": (("fixed bets",), _with("fixed-betting", raises=2)),
    }
    found: dict[str, str] = {}
    for name, (parts, change) in kinds.items():
        games = [game for game in accepted if any(part in game.parts for part in parts)]
        found |= {f"{name}.share": percent(len(games) / max(len(accepted), 1))} | _moved(name, games, change)
    prices = np.array([_prices(generate(game.seed)) for game in accepted if _has(generate(game.seed), Auction)])
    first, second = prices.mean(axis=0) if len(prices) else (0.0, 0.0)
    auctions = percent(len(prices) / max(len(accepted), 1))
    found.pop("raised.share")
    return found | {"auction.share": auctions, "auction.first": short(first, 1), "auction.second": short(second, 1)}


def _moved(name: str, games: Sequence[Candidate], change: Change) -> dict[str, str]:
    """The axis that another reading moves most, and the rank correlation over the games.

    chance: that of two scores of the same games with other cards.
    """
    lists: list[list[tuple[float, ...]]] = [[], [], []]
    for place in spaced(CHANGED, len(games)):
        program = games[place].program
        spec = _rewritten(generate(games[place].seed), change)
        if spec is None:
            continue
        seed = default_seed(program)
        for scored, played, cards in zip(lists, (program, compile_spec(spec), program), (0, 0, 1), strict=True):
            scored.append(score(played, FAST, seed + cards).point())
    found = {f"{name}.games": str(len(lists[0]))}
    if len(lists[0]) < 3:
        return found | {f"{name}.axis": "no axis", f"{name}.rank": "no rank", f"{name}.chance": "no rank"}
    ours, other, again = (np.array(points).T for points in lists)
    ranks = np.array([compared(a, b).rank for a, b in zip(ours, other, strict=True)])
    chance = np.array([compared(a, b).rank for a, b in zip(ours, again, strict=True)])
    most = int(np.nanargmax(chance - ranks))
    return found | {
        f"{name}.axis": list(AXES.values())[most].label,
        f"{name}.rank": short(ranks[most], 2),
        f"{name}.chance": short(chance[most], 2),
    }


def _rewritten(spec: GameSpec, change: Change) -> GameSpec | None:
    """The game with every part of it changed; None if nothing is left to play."""
    try:
        new = msgspec.convert(_walked(msgspec.to_builtins(spec), change), GameSpec)
        compile_spec(new)
    except ValueError:
        return None
    return new


def _walked(node: Any, change: Change) -> Any:
    """Every object with a type is replaced by what `change` makes of it, and left out of its list for None."""
    if isinstance(node, dict):
        inside = {key: _walked(value, change) for key, value in node.items()}
        return change(inside) if "type" in inside else inside
    if isinstance(node, list | tuple):
        walked = [_walked(value, change) for value in node]
        return [new for new, old in zip(walked, node, strict=True) if new is not None or old is None]
    return node


def _with(kind: str, **values: Any) -> Change:
    return lambda node: node | values if node["type"] == kind else node


def _dropped(kind: str) -> Change:
    """Nothing in the place of these steps."""
    return lambda node: {"type": "no-action"} if node["type"] == kind else node


def _emptied(kind: str) -> Change:
    """A phase that asks for nothing in the place of such a phase."""

    def change(node: Json) -> Json:
        if node["type"] != kind:
            return node
        return {"type": "steps", "name": node["name"], "steps": [{"type": "no-action"}]}

    return change


def _has(spec: GameSpec, kind: type[Auction]) -> bool:
    return any(isinstance(phase, kind) for phase in spec.phases)


def _prices(spec: GameSpec) -> tuple[float, float]:
    """Chips that the winner pays at two random bids: its own, and the other's. Means over the game's auctions."""
    most = [min(phase.max_bid, spec.chips) for phase in spec.phases if isinstance(phase, Auction)]
    bids = [np.add.outer(np.arange(m + 1), np.zeros(m + 1)) for m in most]
    first, second = ([f(b, b.T).mean() for b in bids] for f in (np.maximum, np.minimum))
    return _mean(first), _mean(second)


def _empty_stacks() -> dict[str, str]:
    """Random play of the paper's sample game: the share of the games in which a player who cannot bet is asked."""
    program = compile_spec(appendix_b())
    log = rollout(program, EPISODES * 5, streams(0, Domain.GATE))
    asked = np.array([kind.move_name == "bet/check" for kind in program.names.decisions])
    short_menu = (log.menu == 1) & asked[log.decision]
    episodes = np.unique(log.episode[short_menu])
    return {"empty.share": percent(len(episodes) / log.episodes)}


def _or_none(value: float) -> str:
    return percent(value) if value == value else "no game"


def _mean(values: Sequence[Any]) -> float:
    return float(np.mean(values)) if len(values) else 0.0
