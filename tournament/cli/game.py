"""The commands about one game."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from antemill.axes.exact.tier import TIERS
from antemill.axes.table import AXES
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.themes import words_of
from antemill.engine.errors import UsageError
from antemill.engine.machine.gate import Gate, gate
from antemill.engine.machine.program import Program
from antemill.engine.rules.canonical.digests import canonical_digest, rules_digest
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.describe import random_playout
from antemill.engine.text.rulebook.wording import chips
from antemill.engine.text.verdict import gate_seed, rejection
from antemill.engine.text.vocabulary import legend
from antemill.tournament.cli.arguments import AsJson, Game
from antemill.tournament.cli.output import console, number, percent, print_json, print_table, remark

PAPER_SEED = "4643"  # of the sample game (GENSTRAT appendix B), which another builder drew


def show(
    name: Game,
    *,
    scores: Annotated[str | None, Parameter(help="Also score the axes: fast, precise or exact.")] = None,
    json: AsJson = False,
) -> None:
    """`game show`."""
    if scores is not None and scores not in TIERS:
        raise UsageError(f"there is no tier '{scores}': use {' or '.join(TIERS)}.")
    spec = resolve(name)
    program = compile_spec(spec)
    verdict = gate(program, gate_seed(name))
    if name.partition("@")[0] == PAPER_SEED:
        remark(
            f"the paper calls its sample game seed {PAPER_SEED}; here that game is `appendix-b`, and our builder draws "
            "another one from this seed."
        )
    axes = None if scores is None else _scores(program, scores)
    if json:
        print_json(_overview(spec, program, verdict) | ({} if axes is None else {"tier": scores, "axes": axes}))
        return
    remark(rejection(name, verdict))
    _print_overview(spec, program, verdict)
    if axes is not None:
        print_table(f"Axes ({scores} tier)", ("axis", "score"), [(axis, number(axes[axis])) for axis in AXES])


def playout(
    name: Game,
    *,
    play_seed: Annotated[int, Parameter(help="The seed for the cards and the players' choices.")] = 0,
    json: AsJson = False,
) -> None:
    """`game playout`."""
    if not 0 <= play_seed < 1 << 63:
        raise UsageError(f"the play seed {play_seed} is out of range: give a whole number from 0 to 2^63 - 1.")
    spec = resolve(name)
    played = random_playout(compile_spec(spec), play_seed)
    if not json:
        parts = f"{spec.name}, play seed {play_seed}", legend(words_of(spec)), str(played)
        print("\n\n".join(filter(None, parts)), end="")
        return
    log = [{"sees": entry.sees, "text": entry.text} for entry in played.entries]
    payoff = {"alice": played.payoff, "bob": -played.payoff}
    print_json({"game": spec.name, "play_seed": play_seed, "decisions": played.decisions, "payoff": payoff, "log": log})


def disassemble(name: Game, *, json: AsJson = False) -> None:
    """`game disassemble`."""
    program = compile_spec(resolve(name))
    if json:
        print_json({"game": program.names.game, "digest": program.digest, "text": program.to_text()})
    else:
        print(program.to_text(), end="")


def _scores(program: Program, tier: str) -> dict[str, float]:
    from antemill.tournament.pool.scoring import score_game

    scores = score_game(program, tier)
    return {axis: scores[axis] for axis in AXES}


def _overview(spec: GameSpec, program: Program, verdict: Gate) -> dict[str, Any]:
    names = program.names
    return {
        "name": spec.name,
        "digest": program.digest,
        "rules_digest": rules_digest(spec),
        "canonical_digest": canonical_digest(spec),
        "chips": spec.chips,
        "ranks": spec.deck.ranks,
        "suits": spec.deck.suits,
        "sequence": spec.sequence,
        "phases": [{"name": phase.name, "kind": _kind(phase)} for phase in spec.phases],
        "decisions": [
            {
                "seat": ("alice", "bob")[d.seat],
                "phase": d.phase,
                "type": d.move_type,
                "name": d.move_name,
                "actions": d.labels or [d.low, d.high],
            }
            for d in names.decisions
        ],
        "conditionals": len(names.conditionals),
        "gate": verdict._asdict(),
    }


def _kind(phase: object) -> str:
    tag: str = type(phase).__struct_config__.tag  # type: ignore[attr-defined]
    return tag.replace("-", " ")


def _print_overview(spec: GameSpec, program: Program, verdict: Gate) -> None:
    deck = f"{program.cards} cards, ranks {' '.join(map(str, spec.deck.ranks))}, suits {' '.join(spec.deck.suits)}"
    console().print(spec.name, style="bold", end="")
    console().print(f"  digest {program.digest}\n{deck}; {chips(spec.chips)} each")
    console().print(f"The same game under any name: {canonical_digest(spec)}")
    rows = [(phase.name, _kind(phase), "yes" if phase.name in spec.sequence else "") for phase in spec.phases]
    print_table("Phases", ("phase", "kind", "in the main sequence"), rows, texts=3)
    decisions = [
        (d.phase, ("Alice", "Bob")[d.seat], d.move_type, "/".join(d.labels) or f"{d.low} to {d.high}")
        for d in program.names.decisions
    ]
    print_table("Decisions", ("phase", "player", "type", "actions"), decisions, texts=4)
    figures = [
        ("verdict", "accepted" if verdict.accepted else f"rejected: {', '.join(verdict.broken)}"),
        ("decisions per player", number(verdict.moves)),
        ("rare phases", percent(verdict.rare_phases)),
        ("dead branches", percent(verdict.dead_branches)),
        ("accepted by these readings of the gate", ", ".join(verdict.accepted_by) or "none"),
    ]
    print_table("Gate (2,000 random episodes)", ("", ""), figures, texts=2)
