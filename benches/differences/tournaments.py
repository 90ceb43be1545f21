"""Strengths, ratings and their uncertainty by other readings, on planted tournaments with known strengths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from scipy.stats import spearmanr

from antemill.engine.machine.branches import count_nodes
from antemill.solver.solving import Settings, solve_game
from antemill.tournament.statistics.bootstrap import (
    FEWER,
    cluster_bootstrap,
    within_cell_bootstrap,
)
from antemill.tournament.statistics.bradley_terry import fit, outcomes, win_matrix
from antemill.tournament.statistics.cells import cells_of, game_spread
from antemill.tournament.statistics.intervals import bias_corrected, false_discovery, percentile
from antemill.tournament.statistics.jaggedness import beyond_profile, jaggedness, neighbourhoods, studentized
from antemill.tournament.statistics.matches import SlotTable, slot_table
from antemill.tournament.statistics.precision import gap_error
from antemill.tournament.statistics.profile import capability_profile
from antemill.tournament.statistics.stability import reversals
from antemill.tournament.statistics.strength import game_strengths, strengths
from antemill.tournament.statistics.variance import components
from benches.differences.page import percent, short
from benches.differences.readings import Floats
from benches.population import Candidate
from tests.tournament.statistics.planted import Truth, play, truth

MODELS, GAMES, RUNS, FEW_RUNS = 9, 50, 20, 6
REPLICATES = 200
LOST = 0.1  # share of the (model, game) strengths that are taken away
NODES = 20_000  # of a tree that is solved with both abstractions
Shown = defaultdict[str, list[float]]


def figures(candidates: Sequence[Candidate], worlds: int) -> dict[str, str]:
    """All figures of the section on statistics. worlds: planted tournaments."""
    shown: Shown = defaultdict(list)
    for seed in range(worlds):
        t = truth(MODELS, GAMES, seed, slope=0.15, rough=0.4)
        rows = play(t, RUNS, seed, noise=3.0, deal=4.0, whole=True)
        _schedule(shown, t, rows)
        _draws(shown, slot_table(rows))
        few = rows.filter(pa.array(np.asarray(rows["run"]) < FEW_RUNS))
        _clusters(shown, t, few, seed)
        even = slot_table(few)
        for part in (_within, _slopes, _jagged, _reversals):
            part(shown, t, even, seed)
    mean = {name: float(np.mean(values)) for name, values in shown.items()}
    shares = {"bt.draws", "boot.words", "boot.game_run", "boot.match", "within.held", "within.clusters"}
    counts = {"slopes.normal", "slopes.share", "reversals.printed", "reversals.fair"}
    found = {
        name: percent(value) if name in shares else short(value, 1) if name in counts else short(value, 2)
        for name, value in mean.items()
    }
    return {"worlds": str(worlds)} | found | _abstraction(candidates)


def _schedule(shown: Shown, t: Truth, rows: pa.Table) -> None:
    """Errors of strengths with as many matches: two opponents a model and game, and all of them."""
    a, b = (np.array([int(name[1:]) for name in rows[side].to_pylist()]) for side in ("alice", "bob"))
    game = np.array([int(name[1:]) for name in rows["game"].to_pylist()])
    apart = np.minimum((a - b) % MODELS, (b - a) % MODELS)
    ring = apart == 1 + game % (MODELS // 2)
    everybody = np.asarray(rows["run"]) < RUNS * 2 // (MODELS - 1)
    want = t.strengths.mean(axis=0)
    for name, kept in (("ring", ring), ("all", everybody)):
        error = strengths(slot_table(rows.filter(pa.array(kept)))) - want
        shown[f"schedule.{name}"].append(float(np.sqrt((error**2).mean())))


def _draws(shown: Shown, table: SlotTable) -> None:
    """Bradley-Terry with draws counted otherwise, on the Elo scale."""
    rated = {how: fit(win_matrix(cells_of(outcomes(table, how)))[None])[0] for how in ("lost", "half", "drop")}
    points = 400.0 / np.log(10.0)
    shown["bt.draws"].append(float(np.mean(table.margin == 0.0)))
    for how in ("half", "drop"):
        shown[f"bt.{how}"].append(float(np.abs(rated[how] - rated["lost"]).max() * points))


def _clusters(shown: Shown, t: Truth, rows: pa.Table, seed: int) -> None:
    """How often 95% intervals of the strengths on these games hold, and how wide they are."""
    want = t.strengths.mean(axis=0)
    together = [f"{game} {run}" for game, run in zip(rows["game"].to_pylist(), rows["run"].to_pylist(), strict=True)]
    alone = pa.array(np.arange(rows.num_rows))
    tables = {
        "words": rows,
        "game_run": rows.append_column("cluster", pa.array(together)),
        "match": rows.set_column(rows.column_names.index("run"), "run", alone),
    }
    widths = {}
    for name, one in tables.items():
        interval = percentile(strengths(cluster_bootstrap(slot_table(one), REPLICATES, seed)))
        shown[f"boot.{name}"].append(float(np.mean((interval.low <= want) & (want <= interval.high))))
        widths[name] = float((interval.high - interval.low).mean())
    for name in ("game_run", "match"):
        shown[f"boot.{name}_width"].append(widths[name] / widths["words"])


def _within(shown: Shown, t: Truth, table: SlotTable, seed: int) -> None:
    """The interval of the variance of model by game, from resampled edges of a cell and from resampled clusters."""
    point, want = components(game_strengths(table)), components(t.strengths)[1]
    drawn = {
        "held": within_cell_bootstrap(table, REPLICATES, seed),
        "clusters": game_strengths(cluster_bootstrap(table, REPLICATES, seed)),
    }
    widths = []
    for name, strength in drawn.items():
        interval = bias_corrected(point, np.array([components(one) for one in strength]))
        shown[f"within.{name}"].append(float(interval.low[1] <= want <= interval.high[1]))
        widths.append(float(interval.high[1] - interval.low[1]))
    shown["within.width"].append(widths[1] / widths[0])


def _slopes(shown: Shown, t: Truth, table: SlotTable, seed: int) -> None:
    """Significant slopes by p-values of the normal distribution, and by the share of replicates beyond zero."""
    drawn = game_strengths(cluster_bootstrap(table, REPLICATES, seed))
    profile = capability_profile(t.axes, game_strengths(table), drawn)
    refits = np.array([capability_profile(t.axes, one).slopes for one in drawn])
    beyond = np.minimum((refits <= 0.0).mean(axis=0), (refits >= 0.0).mean(axis=0))
    shown["slopes.normal"].append(float((profile.q < 0.05).sum()))
    shown["slopes.share"].append(float((false_discovery(np.minimum(2.0 * beyond, 1.0)) < 0.05).sum()))


def _jagged(shown: Shown, t: Truth, table: SlotTable, seed: int) -> None:
    """J with another scale of a game, of residuals, and with strengths missing, and slopes with strengths missing."""
    cells, per_game, overall = cells_of(table), game_strengths(table), strengths(table)
    near = neighbourhoods(t.axes)
    scale = game_spread(cells)
    ours = jaggedness(studentized(per_game, overall, scale), near)
    size = [np.abs(table.margin[table.game == game]).std() for game in range(GAMES)]
    other = jaggedness(studentized(per_game, overall, np.array(size)), near)
    shown["spread.ratio"].append(float((other / ours).mean()))
    shown["spread.rank"].append(float(spearmanr(ours, other).statistic))
    again = slot_table(play(t, FEW_RUNS, seed + 1_000, noise=3.0, deal=4.0, whole=True))
    second = jaggedness(studentized(game_strengths(again), strengths(again), game_spread(cells_of(again))), near)
    shown["spread.rank_seed"].append(float(spearmanr(ours, second).statistic))
    rest = jaggedness(beyond_profile(studentized(per_game, overall, scale), t.axes), near)
    shown["beyond.ratio"].append(float((rest / ours).mean()))
    gone = np.random.default_rng(seed).random(per_game.shape) < LOST
    z = np.where(gone, np.nan, studentized(per_game, overall, scale))
    kept = jaggedness(z, near)
    complete = np.array([_filled_up(z[:, model], t.axes) for model in range(MODELS)])
    shown["gaps.kept"].append(float(np.abs(kept / ours - 1.0).mean()))
    shown["gaps.filled"].append(float(np.abs(complete / ours - 1.0).mean()))
    whole = ~gone.any(axis=1)
    slopes = capability_profile(t.axes, per_game).slopes
    by_model = capability_profile(t.axes, np.where(gone, np.nan, per_game)).slopes
    by_game = capability_profile(t.axes[whole], per_game[whole]).slopes
    for name, found in (("gaps.slopes", by_model), ("gaps.slopes_all", by_game)):
        shown[name].append(float(np.sqrt(((found - slopes) ** 2).mean())))


def _filled_up(z: Floats, axes: Floats) -> float:
    """J of a model whose neighbourhoods are filled up with the next nearest games that it has."""
    there = np.isfinite(z)
    return float(jaggedness(z[there][:, None], neighbourhoods(axes[there]))[0])


def _reversals(shown: Shown, _: Truth, table: SlotTable, seed: int) -> None:
    """Significant reversals, with the printed p-values and with fair ones."""
    drawn = game_strengths(cluster_bootstrap(table, FEWER, seed))
    found = reversals(strengths(table), game_strengths(table), drawn, gap_error(table))
    shown["reversals.printed"].append(float((found.q < 0.05).sum()))
    shown["reversals.fair"].append(float((found.fair_q < 0.05).sum()))


def _abstraction(candidates: Sequence[Candidate], most: int = 8) -> dict[str, str]:
    """Exploitability of solved games in the whole game, by abstraction."""
    left: dict[str, list[float]] = {"default": [], "fine": []}
    for game in candidates:
        if len(left["fine"]) == most:
            break
        if not game.accepted or not game.parts & {"free wagers, uncapped", "observation, private", "peek, private"}:
            continue
        if count_nodes(game.program, NODES) > NODES:
            continue
        for name, values in left.items():
            solved = solve_game(game.program, Settings(abstraction=name, iterations=200, target=0.0))
            values.append(solved.saved.solution.exploitability or 0.0)
    return {"abstraction.games": str(len(left["fine"]))} | {
        f"abstraction.{name}": short(float(np.median(values)), 4) if values else "no game"
        for name, values in left.items()
    }
