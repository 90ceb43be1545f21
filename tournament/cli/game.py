"""The commands about one game: `show`, `rulebook`, `check`, `disguise` and `export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from antemill.engine.builder.resolve import is_path, read_rules, resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.themes import words_of
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.rules.check import check as faults_of
from antemill.engine.rules.spec import GameSpec, to_json
from antemill.engine.storage.files import atomic_path
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook import rulebook as rulebook_text
from antemill.engine.text.rulebook.wording import chips
from antemill.engine.text.verdict import NO_SEED, gate_seed, rejection
from antemill.engine.text.vocabulary import WORDS, legend, said
from antemill.tournament.cli.arguments import GAMES, OUTSIDE_GAMES, AsJson, File
from antemill.tournament.cli.arguments import Game as GameName
from antemill.tournament.cli.output import console, number, percent, print_json, print_table, remark, say

if TYPE_CHECKING:
    from antemill.engine.machine.gate import Gate
    from antemill.engine.machine.program import Program
    from antemill.engine.text.describe import Playout

PAPER_SEED = "4643"  # of the sample game (GENSTRAT appendix B), which another builder drew
_PlaySeed = Annotated[int, Parameter(help="The seed for the cards and the players' choices.")]


def _require_play_seed(seed: int) -> None:
    if not 0 <= seed < 1 << 63:
        raise UsageError(f"the play seed {seed} is out of range: give a whole number from 0 to 2^63 - 1.")


def show(
    game: GameName,
    *,
    play_seed: _PlaySeed = 0,
    tier: str | None = None,
    raw: bool = False,
    json: AsJson = False,
) -> None:
    """A game's cards, phases, decisions, verdict, and a random playout.

    antemill game show starter-3
    antemill game show 7@0.1 --tier fast --play-seed 3
    antemill game show kuhn --raw

    Args:
        tier: Also score the axes: fast, precise or exact.
        raw: Print the program instead: names, decisions, one line for each instruction.
    """
    from antemill.axes.exact.tier import TIERS
    from antemill.axes.table import AXES
    from antemill.engine.machine.gate import gate
    from antemill.engine.text.describe import random_playout

    if tier is not None and tier not in TIERS:
        raise UsageError(f"there is no tier '{tier}': use {' or '.join(TIERS)}.")
    _require_play_seed(play_seed)
    spec = resolve(game)
    program = compile_spec(spec)
    if raw and not json:
        print(program.to_text(), end="")
        return
    verdict, played = gate(program, gate_seed(game)), random_playout(program, play_seed)
    if game.partition("@")[0] == PAPER_SEED:
        remark(
            f"the paper calls its sample game seed {PAPER_SEED}; here that game is `appendix-b`, and our builder draws "
            "another one from this seed."
        )
    axes = None if tier is None else _scores(program, tier)
    if json:
        found = _overview(spec, program, verdict) | {"playout": _playout(played, play_seed)}
        found |= {} if axes is None else {"tier": tier, "axes": axes}
        print_json(found | ({"program": program.to_text()} if raw else {}))
        return
    remark(rejection(game, verdict))
    _print_overview(spec, program, verdict)
    if axes is not None:
        print_table(f"Axes ({tier} tier)", ("axis", "score"), [(axis, number(axes[axis])) for axis in AXES])
    parts = f"A random playout, play seed {play_seed}", legend(words_of(spec)), str(played)
    print("\n\n".join(filter(None, parts)), end="")


def _playout(played: Playout, play_seed: int) -> dict[str, Any]:
    log = [{"sees": entry.sees, "text": entry.text} for entry in played.entries]
    payoff = {"alice": played.payoff, "bob": -played.payoff}
    return {"play_seed": play_seed, "decisions": played.decisions, "payoff": payoff, "log": log}


def _scores(program: Program, tier: str) -> dict[str, float]:
    from antemill.axes.table import AXES
    from antemill.tournament.pool.work import score_game

    scores = score_game(program, tier)
    return {axis: scores[axis] for axis in AXES}


def _overview(spec: GameSpec, program: Program, verdict: Gate) -> dict[str, Any]:
    from antemill.engine.rules.same import canonical_digest, rules_digest

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
    from antemill.engine.rules.same import canonical_digest

    deck = f"{program.cards} cards, ranks {' '.join(map(str, spec.deck.ranks))}, suits {' '.join(spec.deck.suits)}"
    say(f"{spec.name}  digest {program.digest}", f"{deck}; {chips(spec.chips)} each")
    say(f"The same game under any name: {canonical_digest(spec)}")
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


# ------------------------------------------------------------------------------------------------ rulebook


def rulebook(
    game: GameName,
    *,
    prompt: bool = False,
    paper: bool = False,
    json: AsJson = False,
) -> None:
    """What a person or a model needs to know to play a game.

    As Markdown, or formatted for a terminal; of a disguise in the words that its prompts have. With --prompt: the two
    messages that a model gets before its first decision, as it gets them, without asking a model. In JSON: messages
    [{role, content}], as servers take them, and seat.

        antemill game rulebook starter-4 > rules.md
        antemill game rulebook kuhn --prompt

    Args:
        prompt: Print what a model is sent instead: the system prompt, and the message of the first
            decision.
        paper: With --prompt: the paper's prompts, as `paper = true` sends them.
    """
    spec = resolve(game)
    if prompt:
        _print_messages(spec, paper, json)
        return
    if paper:
        raise UsageError("--paper needs --prompt: give it too, or leave it out.")
    text = said(rulebook_text(spec), words_of(spec))
    if json:
        digest = compile_spec(spec).digest
        print_json({"game": spec.name, "digest": digest, "characters": len(text), "markdown": text})
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        sys.stdout.write(text)


def _print_messages(spec: GameSpec, paper: bool, json: bool) -> None:
    from antemill.engine.match import Game, Match
    from antemill.engine.match import prompt as prompts

    match = Match(Game(spec), 0)
    if match.over:
        raise UsageError(f"in {spec.name} nobody has anything to decide.")
    texts = {"system": prompts.system(spec, paper), "user": prompts.turn(match, paper=paper)}
    if json:
        found = {"game": spec.name, "digest": match.game.digest, "seat": ("alice", "bob")[match.seat]}
        messages = [{"role": role, "content": text} for role, text in texts.items()]
        print_json(found | {"messages": messages})
        return
    print(f"--- system\n\n{texts['system']}\n--- user: {SEATS[match.seat]}\n\n{texts['user']}")


# ------------------------------------------------------------------------------------------------ check


def check(
    game: Annotated[str, Parameter(help=f"{GAMES}; or {OUTSIDE_GAMES}.")],
    other: str | None = None,
    *,
    json: AsJson = False,
) -> None:
    """Whether rules are a game, or whether two games are one.

    Of one game: every fault of its rules as a sentence, and whether the gate accepts it. The exit code is 2 if the
    rules are not legal. A game that the gate rejects can be played, but no benchmark has it. A game from outside is
    legal if it can be solved. In JSON: legal, faults [sentences], accepted (null if not legal, or from outside), broken
    [rules of the gate].

    Two games are the same if their normal forms are: names, the order of listing, unreachable phases, the scale of
    chips and the seats do not count. Different forms are shown side by side. In JSON: same, same_as_written, digests,
    forms.

        antemill game check my-rules.json
        antemill game check kuhn.efg
        antemill game check my-rules.json 9

    Args:
        other: A second game: are the two one?
    """
    from antemill.tournament.adapters.outside_games import is_outside

    if other is not None:
        _check_same(game, other, json)
    elif is_outside(game):
        _check_outside(game, json)
    else:
        _check_rules(game, json)


def _check_rules(name: str, json: bool) -> None:
    """Print what is wrong; then raise SpecError if the rules are not legal."""
    from antemill.engine.machine.gate import gate

    spec = read_rules(Path(name)) if is_path(name) else resolve(name)
    faults = faults_of(spec)
    verdict = None if faults else gate(compile_spec(spec), NO_SEED)
    if json:
        accepted = None if verdict is None else verdict.accepted
        found = {"game": spec.name, "legal": not faults, "faults": faults, "accepted": accepted}
        print_json(found | {"broken": [] if verdict is None else verdict.broken})
    for fault in () if json else faults:
        say(fault)
    if faults:
        count = "one fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise SpecError(f"the rules in {name} have {count}: correct them, and check again.")
    if verdict is None or json:
        return
    reason = rejection(spec.name, verdict)
    told = f"T{reason[1:]}" if reason else "The gate accepts it."
    say(f"The rules of {spec.name} are legal.\n{told}")


def _check_outside(name: str, json: bool) -> None:
    """Raises SpecError with the reason if the game cannot be solved, UsageError if it is too large to be checked."""
    from antemill.solver.trees.outside import OUTSIDE_LIMIT, TooManyNodesError
    from antemill.tournament.adapters.outside_games import outside_tree

    try:
        tree = outside_tree(name, OUTSIDE_LIMIT)
    except SpecError as error:
        if json:
            print_json({"game": name, "legal": False, "faults": [str(error)], "accepted": None, "broken": []})
        raise
    except TooManyNodesError as error:
        raise UsageError(
            f"{name} has more than {OUTSIDE_LIMIT:,} nodes, the most that `game check` reads: `antemill solve` reads "
            "larger games with its --limit, and says what is wrong with them."
        ) from error
    sets = [mine.size for mine in tree.sets]
    if json:
        found = {"game": tree.game, "legal": True, "faults": [], "accepted": None, "broken": []}
        print_json(found | {"nodes": tree.nodes, "information_sets": sets})
        return
    say(f"{tree.game} can be solved: it has {tree.nodes:,} nodes, and {sets[0]:,} and {sets[1]:,} information sets.")


def _check_same(first: str, second: str, json: bool) -> None:
    from antemill.engine.rules.same import canonical_digest, normal_form, rules_digest, side_by_side

    specs = resolve(first), resolve(second)
    forms = [normal_form(spec) for spec in specs]
    digests = [canonical_digest(spec) for spec in specs]
    written = rules_digest(specs[0]) == rules_digest(specs[1])
    same = forms[0] == forms[1]
    if json:
        print_json({"same": same, "same_as_written": written, "digests": digests, "forms": forms})
    elif same:
        how = "The rules differ in names at most." if written else "The rules are written in two ways."
        say(f"{first} and {second} are the same game ({digests[0]}). {how}")
    else:
        say(f"{first} and {second} are not the same game.\n\n{side_by_side(forms[0], forms[1])}")


# ------------------------------------------------------------------------------------------------ disguise


def disguise(
    game: GameName,
    *,
    seed: int = 0,
    output: File = None,
    json: AsJson = False,
) -> None:
    """The same game under other names, ranks, chips and seats.

    The disguise has the canonical digest of the game, so `antemill game check` calls them one game. A seed draws the
    theme, the ranks, the order and whether the seats are exchanged; what the digest would count as another game (chips
    where players choose amounts, seats where positions are assigned) stays as it is. In JSON: digest, changed, kept,
    scale (of chips), exchanged, turned (seats in words only), names {old: new}, words {word: the one of prompts},
    rules.

        antemill game disguise kuhn --seed 3 -o disguise.json
        antemill game check kuhn disguise.json

    Args:
        seed: The seed of what is drawn: theme, ranks, order, seats.
    """
    from antemill.engine.public.games import disguise as disguised

    found = disguised(game, seed)
    rules = msgspec.json.format(to_json(found.game), indent=2).decode()
    if output is not None:
        with atomic_path(output) as path:
            path.write_text(rules + "\n", encoding="utf-8")
    if json:
        document = {"game": found.original.name, "disguise": found.game.name, "theme": found.theme, "seed": found.seed}
        document |= {"digest": found.digest, "changed": found.changed, "kept": found.kept, "scale": found.scale}
        document |= {"exchanged": found.exchanged, "turned": found.turned, "names": msgspec.to_builtins(found.names)}
        document["words"] = dict(zip(WORDS, found.words, strict=True))
        print_json(document | {"output": None if output is None else str(output), "rules": msgspec.json.decode(rules)})
        return
    if output is None:
        print(rules)
        return
    kept = f" Unchanged: {', '.join(found.kept)}." if found.kept else ""
    say(
        f"{found.original.name} in disguise written to {output} ({found.digest}). Changed: "
        f"{', '.join(found.changed)}.{kept}"
    )


# ------------------------------------------------------------------------------------------------ export


def export(
    game: GameName,
    *,
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"], help="The file: .efg for the tree, .json for the rules. [default: rules to stdout]"
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """A game for other programs: its tree as .efg, its rules as JSON.

    Gambit and OpenSpiel read .efg. Without a file the text goes to stdout; with --json it becomes part of the document.

        antemill game export kuhn -o kuhn.efg
        antemill game export starter-1 > starter-1.json
    """
    from antemill.engine.text.efg import NODE_LIMIT, write_efg

    spec = resolve(game)
    if output is not None and output.suffix not in (".efg", ".json"):
        raise UsageError(f"{output} says no format: name a file that ends in .efg (the tree) or .json (the rules).")
    rules = msgspec.json.format(to_json(spec), indent=2).decode() + "\n"
    found: dict[str, Any] = {"game": spec.name, "output": None if output is None else str(output)}
    if output is None:
        found["rules"] = msgspec.json.decode(rules)
    else:
        with atomic_path(output) as path, open(path, "w", encoding="utf-8") as file:
            if output.suffix == ".efg":
                written = write_efg(compile_spec(spec), file, NODE_LIMIT)
                found |= written._asdict()
                found["information_sets"] = dict(zip(("alice", "bob"), written.information_sets, strict=True))
            else:
                file.write(rules)
    if json:
        print_json(found)
    elif output is None:
        sys.stdout.write(rules)
    else:
        size = f", {found['nodes']:,} nodes" if "nodes" in found else ""
        say(f"{spec.name} written to {output}{size}")
