"""Solved games (S14): what is a generated card game worth if it is played well? The solver knows.

The setter chooses a game by its seed and complexity, and one of three questions: what Alice wins with a best response
to Bob's random play; what the game is worth to her if both play optimally; who is then ahead, and by how much. The
truth is exact up to rounding: the whole tree is built, and the equilibrium is that of the linear program, whose
exploitability is measured. To run the rules does not answer such a question, so a player with tools needs a solver.
The wrong answers are the engine's. None of this is in the papers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import AntemillError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.seeding import Stream
from antemill.engine.text.rulebook import rulebook
from antemill.llm import Reply
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.evaluation.measures import best_response, expected_value
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides, uniform_policy
from antemill.tournament.replies import ReplyError, json_answer, object_schema
from antemill.tournament.skate import prompts
from antemill.tournament.skate.prompts import Brief
from antemill.tournament.skate.tasks.task import Ask, Draft, InvalidQuestionError

VERSION = 1
LARGEST = 20_000  # nodes of a game's tree
PRECISE = 1e-4  # chips: the most that an equilibrium may be exploitable by
DISTRACTORS = 9
_APART = 0.05  # chips between any two options
_LAST = 999_999_999  # seed

SETTER = """\
You choose a card game for a quiz. Everybody reads its rules, and has to say what good play is worth. You win if you \
can tell and the others can not.

Games are drawn from a seed (a whole number from 0 to 999999999) and a complexity (a number from 0 to 1). Low \
complexities give short games; a game with more than {largest} positions is not accepted. There are three questions:

- "best-response": Bob chooses uniformly at random, and Alice knows it and plays as well as possible. What does she win?
- "equilibrium": both play optimally. What does Alice win?
- "ahead": both play optimally. Who is ahead, and by how much?

Round: {round number} of {rounds}

Failed attempts ({num attempts left} left in this round):

{failed attempts}

{archive}Answer with a JSON object and nothing else: {"seed": 123, "complexity": 0.2, "ask": "equilibrium"}"""

QUESTION = """\
Here are the rules of a card game.

{question}

Exactly one of these options is right:

{options}

End your reply with the line `ANSWER: C`, where C is its letter."""

ASKED = {
    "best-response": (
        "Bob chooses uniformly at random among his legal actions whenever he has to choose. Alice knows this, and "
        "plays as well as possible. How many chips does she win on average (a negative number: she loses)?"
    ),
    "equilibrium": (
        "Both players play optimally (an equilibrium, mixed strategies included). How many chips does Alice win on "
        "average (a negative number: she loses)?"
    ),
    "ahead": (
        "Both players play optimally (an equilibrium, mixed strategies included). Who is ahead on average, and by how "
        "many chips?"
    ),
}
SCHEMA = object_schema(
    seed={"type": "integer", "minimum": 0, "maximum": _LAST},
    complexity={"type": "number", "minimum": 0, "maximum": 1},
    ask={"type": "string", "enum": [*ASKED]},
)


class SolvedGame:
    """A question about good play in a generated game, judged by the solver."""

    name = "solved-game"
    judged: Mapping[str, str] = {"backend": "", "python": ""}

    async def make(self, ask: Ask, brief: Brief) -> Draft:
        """The rulebook of the setter's game and its question; seed, complexity and question are the explanation."""
        prompt = brief.prompt(SETTER.replace("{largest}", f"{LARGEST:,}"))
        seed, complexity, asked = await ask(prompt, "question", read_choice, SCHEMA)
        return Draft(f"{rulebook(generate(seed, complexity))}\n\n{ASKED[asked]}", f"{seed}@{complexity} {asked}")

    async def validate(self, draft: Draft) -> str:
        """The amount in chips to two places, with the player who is ahead if the question asks for that."""
        seed, complexity, asked = _chosen(draft)
        try:
            program = compile_spec(generate(seed, complexity))
            if count_nodes(program, LARGEST) > LARGEST:
                raise InvalidQuestionError(f"not verifiable: more than {LARGEST:,} positions", draft.explanation)
            return worded(truth(sides(build_tree(program, LARGEST)), asked), asked)
        except (AntemillError, RuntimeError) as error:
            raise InvalidQuestionError(f"not verifiable: {error}", draft.explanation) from error

    async def options(self, _ask: Ask, draft: Draft, truth: str) -> list[str]:
        """Nine other amounts, of either sign, at least 0.05 apart."""
        seed, _, asked = _chosen(draft)
        amounts = wrong_amounts(_amount(truth), Stream(seed, VERSION, len(asked)))
        return [worded(amount, asked) for amount in amounts]

    def prompt(self, text: str, options: Sequence[str]) -> str:
        """The rules, the question and the amounts."""
        return prompts.answer_prompt(text, options, QUESTION)


def truth(both: Sides, asked: str) -> float:
    """Alice's expected payoff in chips. asked: a key of ASKED. Raises RuntimeError if the game could not be solved."""
    if asked == "best-response":
        random = uniform_policy(both[1])
        return expected_value(both, (best_response(both, 0, random), random))
    found = solve_exactly(both)
    if found.exploitability > PRECISE:
        raise RuntimeError(f"the solution is exploitable by {found.exploitability:.2g} chips")
    return found.value


def wrong_amounts(truth: float, stream: Stream) -> list[float]:
    """Nine amounts beside the truth: its negative, what rounds to it, others around it."""
    scale = max(1.0, abs(truth))
    kept = [truth]
    candidates = [-truth, 0.0, truth / 2, 2 * truth, round(truth)]
    while len(kept) <= DISTRACTORS:
        amount = candidates.pop(0) if candidates else truth + scale * (4.0 * stream.uniform() - 2.0)
        if all(abs(round(amount, 2) - other) >= _APART for other in kept):
            kept.append(round(amount, 2))
    return kept[1:]


def worded(amount: float, asked: str) -> str:
    """An amount as an option, in chips to two places."""
    shown = f"{amount + 0.0:.2f}".replace("-0.00", "0.00")
    if asked != "ahead":
        return shown
    return "nobody" if float(shown) == 0.0 else f"{'Bob' if shown[0] == '-' else 'Alice'}, by {shown.lstrip('-')}"


def _amount(text: str) -> float:
    name, _, size = text.rpartition(", by ")
    return 0.0 if text == "nobody" else -float(size) if name == "Bob" else float(size)


def read_choice(reply: Reply) -> tuple[int, float, str]:
    """The seed, the complexity and the question that a setter's reply names. Raises ReplyError."""
    found = json_answer(reply.text, "seed", reply.schema)
    seed, complexity, asked = found["seed"], found.get("complexity"), found.get("ask")
    numbers = isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed <= _LAST
    if not numbers or not isinstance(complexity, int | float) or not 0 <= complexity <= 1:
        raise ReplyError(f"A seed is a whole number from 0 to {_LAST}, a complexity a number from 0 to 1.", "illegal")
    if asked not in ASKED:
        raise ReplyError(f'"ask" is none of {", ".join(ASKED)}.', "illegal")
    return seed, round(float(complexity), 6), asked


def _chosen(draft: Draft) -> tuple[int, float, str]:
    """What a question's explanation names ("SEED@COMPLEXITY ASKED")."""
    game, _, asked = draft.explanation.partition(" ")
    seed, _, complexity = game.partition("@")
    return int(seed), float(complexity), asked
