"""Expected value (S14): what is a generated card game worth to Alice if both play at random? The engine knows.

The setter chooses a game by its seed and complexity. The other players read the rulebook and pick one of four amounts.
The truth is exact: the whole tree is walked. The wrong amounts are the engine's too, so a setter can only win by a game
that is hard to think through. None of this is in the papers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import AntemillError
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import Program
from antemill.engine.seeding import Stream
from antemill.engine.text.rulebook import rulebook
from antemill.llm import Reply
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides, uniform_policy
from antemill.tournament.replies import ReplyError, json_answer
from antemill.tournament.skate import prompts
from antemill.tournament.skate.prompts import Brief
from antemill.tournament.skate.tasks.task import Ask, Draft, InvalidQuestionError

VERSION = 1
LARGEST = 60_000  # nodes of a game's tree
DISTRACTORS = 9
_APART = 0.05  # chips between any two options

SETTER = """\
You choose a card game for a quiz. Everybody reads its rules, and has to say how many chips Alice wins on average if \
both players choose uniformly at random among their legal actions. You win if you can tell and the others can not.

Games are drawn from a seed (a whole number from 0 to 999999999) and a complexity (a number from 0 to 1). Low \
complexities give short games; a game with more than {largest} positions is not accepted.

Round: {round number} of {rounds}

Failed attempts ({num attempts left} left in this round):

{failed attempts}

{archive}Answer with a JSON object and nothing else: {"seed": 123, "complexity": 0.2}"""

QUESTION = """\
Here are the rules of a card game.

{question}

Both players choose uniformly at random among their legal actions whenever they have to choose. How many chips does \
Alice win on average (a negative number: she loses)? Exactly one of these options is right:

{options}

End your reply with the line `ANSWER: C`, where C is its letter."""


class ExpectedValue:
    """A question about a generated game, judged by the engine."""

    name = "expected-value"
    judged: Mapping[str, str] = {"backend": "", "python": ""}

    async def make(self, ask: Ask, brief: Brief) -> Draft:
        """The rulebook of the game that the setter chose; its seed and complexity are the explanation."""
        template = SETTER.replace("{largest}", f"{LARGEST:,}")
        seed, complexity = await ask(brief.prompt(template), "question", choice)
        return Draft(rulebook(generate(seed, complexity)), f"{seed}@{complexity}")

    async def validate(self, draft: Draft) -> str:
        """Alice's expected payoff in chips, to two places."""
        program = program_of(draft)
        if count_nodes(program, LARGEST) > LARGEST:
            raise InvalidQuestionError(f"not verifiable: more than {LARGEST:,} positions", draft.explanation)
        return shown_amount(value(program))

    async def options(self, _ask: Ask, draft: Draft, truth: str) -> list[str]:
        """Nine other amounts, of either sign, at least 0.05 apart: what careless thinking could arrive at."""
        return wrong_amounts(float(truth), Stream(int(draft.explanation.partition("@")[0]), VERSION))

    def prompt(self, text: str, options: Sequence[str]) -> str:
        """The rules and the amounts."""
        return prompts.answer_prompt(text, options, QUESTION)


def value(program: Program) -> float:
    """Alice's expected payoff under uniformly random play, exact up to rounding."""
    both = sides(build_tree(program, LARGEST))
    return expected_value(both, (uniform_policy(both[0]), uniform_policy(both[1])))


def wrong_amounts(truth: float, stream: Stream) -> list[str]:
    """Nine amounts beside the truth: its negative, what rounds to it, others around it."""
    scale = max(1.0, abs(truth))
    kept = [truth]
    candidates = [-truth, 0.0, truth / 2, 2 * truth, round(truth)]
    while len(kept) <= DISTRACTORS:
        amount = candidates.pop(0) if candidates else truth + scale * (4.0 * stream.uniform() - 2.0)
        if all(abs(round(amount, 2) - other) >= _APART for other in kept):
            kept.append(round(amount, 2))
    return [shown_amount(amount) for amount in kept[1:]]


def choice(reply: Reply) -> tuple[int, float]:
    """The seed and the complexity that a setter's reply names. Raises ReplyError."""
    found = json_answer(reply.text, "seed", reply.schema)
    seed, complexity = found["seed"], found.get("complexity")
    numbers = isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed <= 999_999_999
    if not numbers or not isinstance(complexity, int | float) or not 0 <= complexity <= 1:
        raise ReplyError("A seed is a whole number from 0 to 999999999, a complexity a number from 0 to 1.", "illegal")
    return seed, round(float(complexity), 6)


def program_of(draft: Draft) -> Program:
    """The game that a question's explanation names ("SEED@COMPLEXITY ..."). Raises InvalidQuestionError."""
    seed, _, complexity = draft.explanation.partition(" ")[0].partition("@")
    try:
        return compile_spec(generate(int(seed), float(complexity)))
    except AntemillError as error:
        raise InvalidQuestionError(f"not verifiable: {error}", draft.explanation) from error


def shown_amount(amount: float) -> str:
    """Chips to two places."""
    return f"{amount + 0.0:.2f}".replace("-0.00", "0.00")
