"""What a model's reply means: one form in, one reading out, asked for once more with the reader's own sentence.

With a JSON schema (`Reply.schema`) the whole reply is an object of it. Without one it is the form that the prompt asks
for: the last JSON object with the key, the last line `WORD: x`, one fenced block. What stands before it does not
matter, so that thoughts need no rule. A reply that was cut off has no answer. A reply that cannot be read, or is not
legal, is answered with a sentence in the same conversation, `tries` times in all. Then the paper's rule counts it, by
its cause:

    refusal         the model, or its provider, declined to answer
    illegal         the reply commits to something that is not allowed
    truncated       the reply was cut off at the limit of its length
    empty           there is no text
    unparsable      there is text, but not in the form that was asked for
    schema_ignored  a schema was sent, and the text is no JSON: the server's fault, not the model's
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import replace

from antemill import llm
from antemill.engine.match import IllegalChoiceError, Match, Menu, Played

Cause = Literal["illegal", "unparsable", "truncated", "empty", "refusal", "schema_ignored"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
TRIES = 2  # replies to a question
LONGEST = 50_000  # characters at the end of a reply that are read
_MOST = 200  # braces in them at which an object may begin
_SHOWN = 2_000  # characters at the end of a reply that its second question repeats
_HUGE = 10**18  # beyond all amounts
T = TypeVar("T")


class ReplyError(ValueError):
    """A reply cannot be read. Its text is the reason on record, and the sentence that the model is sent."""

    def __init__(self, sentence: str, cause: Cause = "unparsable") -> None:
        super().__init__(sentence)
        self.cause = cause


class Said(Struct, frozen=True):
    """One reply. problem: why it could not be read, "" if it could, and its cause. call: its row in the call store."""

    text: str
    finish: str
    call: int
    problem: str = ""
    cause: str = ""


class Read(Struct, Generic[T], frozen=True):
    """The answer to a question, None if no reply could be read, and all replies."""

    value: T | None
    said: tuple[Said, ...]
    last: llm.Reply

    @property
    def tries(self) -> int:
        """The number of replies."""
        return len(self.said)

    @property
    def cause(self) -> str:
        """Why there is no answer; "" if there is one."""
        return self.said[-1].cause

    @property
    def counted(self) -> tuple[int, str]:
        """For `Played.replies`: the last call, and why it could not be used."""
        return self.said[-1].call, self.cause


class Asks(Protocol):
    """Access to models by their names."""

    async def ask(self, model: str, request: llm.Request) -> llm.Reply:
        """One reply."""
        ...


async def ask_read(
    access: Asks, model: str, request: llm.Request, parse: Callable[[llm.Reply], T], tries: int = TRIES
) -> Read[T]:
    """Ask, and read the reply. parse: raises ReplyError for a reply that it cannot read."""
    said: list[Said] = []
    last: llm.Reply | None = None
    while True:
        try:
            reply = await access.ask(model, request)
        except llm.ItemError:
            if last is None:
                raise
            return Read(None, tuple(said), last)  # the longer conversation is refused, so the first reply counts
        last = reply
        text = reply.text.encode("utf-8", "backslashreplace").decode()  # a lone surrogate is no text
        try:
            value = _whole(reply, parse)
        except ReplyError as error:
            said.append(Said(text, reply.finish, reply.call, str(error), error.cause))
        else:
            return Read(value, (*said, Said(text, reply.finish, reply.call)), reply)
        if len(said) >= tries:
            return Read(None, tuple(said), reply)
        again = llm.Message("assistant", text.strip()[-_SHOWN:] or "(no text)"), llm.Message("user", said[-1].problem)
        request = replace(request, messages=(*request.messages, *again))


def _whole(reply: llm.Reply, parse: Callable[[llm.Reply], T]) -> T:
    """Read a reply that is complete. Raises ReplyError."""
    if reply.finish == "length":
        raise ReplyError("Your reply was cut off at the limit of its length. Answer in fewer words.", "truncated")
    if reply.finish == "refusal":
        raise ReplyError("Your reply was a refusal. This is a game; answer in the form that was asked for.", "refusal")
    if not reply.text.strip():
        raise ReplyError("Your reply was empty. Answer in the form that was asked for.", "empty")
    if not reply.schema or _object_at(reply.text.strip(), 0) is not None:
        return parse(reply)
    try:  # the server has ignored the schema, and the model may have kept to the prompt's form
        return parse(replace(reply, schema=False))
    except ReplyError as error:
        raise ReplyError(str(error), "schema_ignored") from None


# ---------------------------------------------------------------------------------------------- the forms


def json_answer(text: str, key: str, schema: bool = False) -> dict[str, Any]:
    """The last JSON object of a text that has the key; with a schema the whole text. Raises ReplyError."""
    text = text.strip()[-LONGEST:]
    if not schema and text.count("{") > _MOST:
        text = "{" + "{".join(text.split("{")[-_MOST:])
    found, place = None, 0 if schema else text.find("{")
    while place >= 0:
        one = _object_at(text, place)
        found = one if one is not None and key in one[0] else found
        place = -1 if schema else text.find("{", place + 1 if one is None else one[1])
    if found is None or key not in found[0]:
        raise ReplyError(f'Your reply has no JSON object with the key "{key}". End it with one.')
    return found[0]


_JSON = json.JSONDecoder(strict=False)  # texts may contain plain line breaks


def _object_at(text: str, place: int) -> tuple[dict[str, Any], int] | None:
    try:
        content, end = _JSON.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    return (content, end) if isinstance(content, dict) else None


def text_in(text: str, key: str) -> str:
    """A text of the object of a schema. Raises ReplyError."""
    found = json_answer(text, key, schema=True)[key]
    if not isinstance(found, str):
        raise ReplyError(f'"{key}" is no text.')
    return found


def last_line(text: str, word: str) -> tuple[str, int]:
    """What follows `WORD:` in the last line that begins with it, and the place of that line. Raises ReplyError."""
    lines = list(re.finditer(rf"^[ \t]*{word}:[ \t]*(.*?)[ \t]*$", text, re.MULTILINE))
    if not lines or not lines[-1][1]:
        raise ReplyError(f'Your reply has no line "{word}: x". End it with one.')
    return lines[-1][1], lines[-1].start()


_BLOCK = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*(?:python3?|py)?[ \t]*\n(.*?)^[ \t]*(?:```|~~~)[ \t]*$", re.M | re.S)


def blocks(text: str) -> list[re.Match[str]]:
    """The fenced blocks of Python or of no language; group 1 is the code."""
    return list(_BLOCK.finditer(text))


def object_schema(**properties: Any) -> dict[str, Any]:
    """A JSON schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# ---------------------------------------------------------------------------------------------- actions


class Reading(Struct, frozen=True):
    """The reading of a reply on a menu. action: what it commits to, or None. cause, problem: why it cannot be played as
    it is, None and "" if it can. An amount above the maximum is no failure: it is clamped (G24).
    """

    action: str | int | float | None
    cause: Cause | None = None
    problem: str = ""


def read_action(text: str, menu: Menu, finish: llm.Finish = "stop", schema: bool = False) -> Reading:
    """Read a reply. Never raises."""
    reply = replace(_NONE, text=text, finish=finish, schema=schema)
    try:
        return Reading(_whole(reply, lambda one: _action(one, menu)))
    except ReplyError as error:
        return Reading(getattr(error, "action", None), error.cause, str(error))


_NONE = llm.Reply(
    text="", finish="stop", usage=llm.Usage(), seconds=0.0, attempts=1, stored=False, call=0, model="", gateway=""
)


def action_parser(menu: Menu) -> Callable[[llm.Reply], str | int | float]:
    """Reads a legal action."""
    return lambda reply: _action(reply, menu)


def _action(reply: llm.Reply, menu: Menu) -> str | int | float:
    value = json_answer(reply.text, "action", reply.schema)["action"]
    action: str | int | float = value if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not isinstance(action, str):
        action = "" if action != action else max(-_HUGE, min(action, _HUGE))  # NaN
    if not menu.amounts and not isinstance(action, str):
        action = str(action)  # an option is named, not numbered, so a number stands for its digits
    if not legal(action, menu):
        allowed = f"an amount from {menu.low} to {menu.high}" if menu.amounts else ", ".join(menu.labels)
        error = ReplyError(f"`{str(value)[:80]}` is not among: {allowed}. Answer with a legal action.", "illegal")
        error.action = action  # type: ignore[attr-defined]  # an impossible amount becomes a random one
        raise error
    return action


def legal(action: str | int | float, menu: Menu) -> bool:
    """Whether an action, or an amount that is clamped, is on the menu."""
    try:
        return menu.resolve(action).place is not None
    except IllegalChoiceError:
        return False


def play_reading(match: Match, found: Reading, text: str) -> Played:
    """Play what was read on `Game.shown` of the menu, or a random legal action, which is recorded with the reply's text
    as what was submitted.

    Raises MatchOverError.
    """
    if found.cause is None and match.game.words and not match.menu.amounts:
        place = match.game.shown(match.menu).resolve(found.action).place
        assert place is not None  # a legal option
        return match.apply(match.menu.choice(place))
    if found.cause is None or (match.menu.amounts and found.action is not None):
        return match.apply(found.action)
    return match.apply_random(text[-LONGEST:])


def action_schema(menu: Menu, moves: bool = True) -> dict[str, Any]:
    """A JSON schema of the answers. moves: whether it may say which actions are legal."""
    kind: dict[str, Any] = {"type": "integer"} if menu.amounts else {"type": "string"}
    if moves:
        kind |= {"minimum": menu.low, "maximum": menu.high} if menu.amounts else {"enum": list(menu.labels)}
    return object_schema(action=kind)


def second_tries(reads: Sequence[Read[Any]]) -> int:
    """How many questions took more than one reply."""
    return sum(read.tries > 1 for read in reads)
