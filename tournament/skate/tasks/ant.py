"""The ant's world (S14): a small deterministic world whose rules the setter writes. Our simulator knows what happens.

An ant walks on a grid that wraps around. Its rules say for each state and colour what it paints, how it turns and which
state it takes; then it moves one cell forward (turmites, two-dimensional Turing machines). The question is where it is
after some steps, or how many cells have a colour. All rules are stated in the question. The wrong answers are the
engine's: those of other numbers of steps and of common mistakes. None of this is in the papers; their limitation that
code execution answers output prediction is why it exists: a world is no program, and has to be written as one first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from antemill.engine.seeding import Stream
from antemill.llm import Reply
from antemill.tournament.replies import ReplyError, json_answer
from antemill.tournament.skate import prompts
from antemill.tournament.skate.play_key import word
from antemill.tournament.skate.prompts import Brief
from antemill.tournament.skate.tasks.task import Ask, Draft

VERSION = 1
DISTRACTORS = 9
_TURNS = {"none": 0, "right": 1, "back": 2, "left": 3}
_FACES = ("north", "east", "south", "west")

Name = Annotated[str, Meta(pattern="^[a-z]{1,12}$")]
Side = Annotated[int, Meta(ge=4, le=12)]
Turn = Literal["none", "right", "back", "left"]


class World(Struct, frozen=True, forbid_unknown_fields=True):
    """A setter's world. All cells have the first colour but for `painted` (x, y, colour).

    rules: by "STATE COLOUR" the colour to paint, the turn and the next state. ask: "place", or "count COLOUR".
    """

    width: Side
    height: Side
    colours: Annotated[tuple[Name, ...], Meta(min_length=2, max_length=5)]
    states: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=4)]
    rules: dict[str, tuple[Name, Turn, Name]]
    start: tuple[int, int]
    steps: Annotated[int, Meta(ge=1, le=500)]
    ask: str
    painted: Annotated[tuple[tuple[int, int, Name], ...], Meta(max_length=30)] = ()

    def __post_init__(self) -> None:
        """Raise ValueError where parts of it do not fit together."""
        if len({*self.colours}) < len(self.colours) or len({*self.states}) < len(self.states):
            raise ValueError("a name is there twice")
        want = {f"{state} {colour}" for state in self.states for colour in self.colours}
        if {*self.rules} != want:
            raise ValueError(f"the rules are not those for {', '.join(sorted(want))}")
        if any(paint not in self.colours or state not in self.states for paint, _, state in self.rules.values()):
            raise ValueError("a rule names an unknown colour or state")
        places = [self.start, *((x, y) for x, y, _ in self.painted)]
        if any(not (0 <= x < self.width and 0 <= y < self.height) for x, y in places):
            raise ValueError("a place is outside of the grid")
        if any(colour not in self.colours for _, _, colour in self.painted):
            raise ValueError("a painted cell has an unknown colour")
        if self.ask != "place" and self.ask.removeprefix("count ") not in self.colours:
            raise ValueError('"ask" is neither "place" nor "count COLOUR"')


class Habit(NamedTuple):
    """How the world is walked: as stated, or with a mistake."""

    mirrored: bool = False  # left and right swapped
    late: bool = False  # painted after the move
    upward: bool = False  # y grows to the north
    walled: bool = False  # no wrapping around


STATED = Habit()
MISTAKES = (Habit(mirrored=True), Habit(late=True), Habit(upward=True), Habit(walled=True))

SETTER = """\
You design a small world for a quiz. Everybody reads its rules and has to say what happens. You win if you can tell \
and the others can not.

An ant walks on a grid that wraps around at all edges. x grows to the east, y to the south. It begins at `start`, \
faces north and is in the first state; all cells have the first colour but for those in `painted`. In each step, by \
its state and the colour of its cell, it paints the cell, turns (none, right, back or left), takes a state, and moves \
one cell forward. The question is where it is after `steps` steps and which way it faces ("place"), or how many cells \
have a colour then ("count COLOUR").

Width and height are 4 to 12. There are 2 to 5 colours, 1 to 4 states (names of your own: words in lower case), a rule \
for each state and colour, and 1 to 500 steps. The world has to differ from all your earlier ones.

Round: {round number} of {rounds}

Failed attempts ({num attempts left} left in this round):

{failed attempts}

{archive}Answer with a JSON object and nothing else:
{"width": 5, "height": 4, "colours": ["white", "black"], "states": ["calm"], "rules": {"calm white": ["black", \
"right", "calm"], "calm black": ["white", "left", "calm"]}, "start": [2, 2], "painted": [[0, 1, "black"]], \
"steps": 20, "ask": "place"}"""

QUESTION = """\
{question}

Exactly one of these options is right:

{options}

End your reply with the line `ANSWER: C`, where C is its letter."""


class AntWorld:
    """A question about an ant's world, judged by the simulator."""

    name = "ant-world"
    judged: Mapping[str, str] = {"backend": "", "python": ""}

    async def make(self, ask: Ask, brief: Brief) -> Draft:
        """The setter's world in words; the explanation is the world itself, as JSON."""
        world = await ask(brief.prompt(SETTER), "question", read_world)
        return Draft(described(world), msgspec.json.encode(world).decode())

    async def validate(self, draft: Draft) -> str:
        """What is so after the steps."""
        world = msgspec.json.decode(draft.explanation, type=World)
        return answer(world, world.steps)

    async def options(self, _ask: Ask, draft: Draft, truth: str) -> list[str]:
        """Nine answers of mistakes, of other numbers of steps, and of chance."""
        world = msgspec.json.decode(draft.explanation, type=World)
        found = dict.fromkeys(text for text in _wrong(world) if text != truth)
        return list(found)[:DISTRACTORS]

    def prompt(self, text: str, options: Sequence[str]) -> str:
        """The world and the options."""
        return prompts.answer_prompt(text, options, QUESTION)


def read_world(reply: Reply) -> World:
    """The last world in a reply. Raises ReplyError with the reason."""
    try:
        return msgspec.convert(json_answer(reply.text, "rules", reply.schema), World)
    except (msgspec.ValidationError, ValueError) as error:
        if isinstance(error, ReplyError):
            raise
        raise ReplyError(f"{error}.", "illegal") from None


def described(world: World) -> str:
    """The world in words: everything that the answer follows from."""
    painted = [f"({x}, {y}) is {colour}" for x, y, colour in world.painted]
    lines = [
        f"An ant walks on a grid of {world.width} by {world.height} cells that wraps around at all edges. Cell (0, 0) "
        "is at the north-west; x grows to the east, y to the south.",
        f"At first all cells are {world.colours[0]}{', but ' + ', '.join(painted) if painted else ''}.",
        f"The ant begins at ({world.start[0]}, {world.start[1]}), faces north and is {world.states[0]}.",
        "In each step it goes by its state and the colour of its cell: it paints the cell, turns, takes a state, and "
        "then moves one cell forward.",
    ]
    for rule, (paint, turn, state) in world.rules.items():
        here, colour = rule.split(" ")
        turned = {"none": "goes straight on", "back": "turns back"}.get(turn, f"turns {turn}")
        lines.append(f"- {here} on {colour}: it paints {paint}, {turned}, and becomes {state}")
    count = world.ask.removeprefix("count ")
    asked = "where is the ant, and which way does it face" if world.ask == "place" else f"how many cells are {count}"
    return "\n".join([*lines, f"After {world.steps} steps, {asked}?"])


def answer(world: World, steps: int, habit: Habit = STATED) -> str:
    """What is so after some steps, in the words of an option."""
    cells = {(x, y): colour for x, y, colour in world.painted}
    (x, y), face, state = world.start, 0, world.states[0]
    for _ in range(steps):
        paint, turn, state = world.rules[f"{state} {cells.get((x, y), world.colours[0])}"]
        before = (x, y)
        if not habit.late:
            cells[before] = paint
        face = (face + _TURNS[turn] * (-1 if habit.mirrored else 1)) % 4
        x, y = _forward(world, x, y, face, habit)
        if habit.late:
            cells[x, y] = paint
    if world.ask == "place":
        return f"({x}, {y}), facing {_FACES[face]}"
    wanted = world.ask.removeprefix("count ")
    every = ((i, j) for i in range(world.width) for j in range(world.height))
    return str(sum(cells.get(place, world.colours[0]) == wanted for place in every))


def _forward(world: World, x: int, y: int, face: int, habit: Habit) -> tuple[int, int]:
    x += (0, 1, 0, -1)[face]
    y += (-1, 0, 1, 0)[face] * (-1 if habit.upward else 1)
    if habit.walled:
        return min(max(x, 0), world.width - 1), min(max(y, 0), world.height - 1)
    return x % world.width, y % world.height


def _wrong(world: World) -> Iterator[str]:
    """Answers that careless thinking could arrive at, then others, without end; the truth may be among them."""
    for habit in MISTAKES:
        yield answer(world, world.steps, habit)
    for steps in (world.steps - 1, world.steps + 1, world.steps + 2, max(0, world.steps - 2)):
        yield answer(world, steps)
    stream = Stream(word(described(world)), VERSION)
    cells = world.width * world.height
    for _ in range(100 * cells):
        if world.ask == "place":
            place = stream.below(world.width), stream.below(world.height)
            yield f"({place[0]}, {place[1]}), facing {_FACES[stream.below(4)]}"
        else:
            yield str(stream.below(cells + 1))
