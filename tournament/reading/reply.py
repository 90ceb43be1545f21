"""A reply without what does not belong to its answer, removed round after round."""

# ruff: noqa: RUF001  (brackets that look alike are meant)

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from antemill.tournament.reading.forms import OTHERS, OWN, PLAIN, TAG, THINKS
from antemill.tournament.reading.source import MOST, fences, protected
from antemill.tournament.reading.tags import Mark, kind_of, marks_in

What = Literal["thought", "token", "turn", "mark"]

_ROUNDS = 20  # most rounds: a removed part may uncover another
_ANSWERS = re.compile(
    r"answer|\bans\b|final|respon[sd]|reply|output|result|solution|choice|option|letter|select|\bmove|action|decision|"
    r"json|code|python|program|puzzle|question|explanation|array|\blist\b|distractor|conclu|antwort|réponse|respuesta|"
    r"ответ|答|turn|text|content|message|begin|start|\bs\b|[be]os|tool",
    re.IGNORECASE,
)
_LAST = frozenset(("token", "over"))
_SPOKEN = re.compile(r"\s*([a-z]+)(?=\s|<|\Z)", re.IGNORECASE)

_CHANNEL = re.compile(
    r"(?:<\|channel\|>[ ]*|\A\s*(?=\w+<\|message\|>))"
    r"(?P<name>(?:analysis|commentary|final)|[a-z][\w-]*(?=[^<>\n]{0,60}<))"
    r"(?:[^<>\n]{0,60}(?:<\|constrain\|>[^<>\n]{0,40})?<\|message\|>)?",
    re.IGNORECASE,
)
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_BARE_CHANNEL = re.compile(r"\Aanalysis(?=[A-Z\"'{*]|\s*The\b).*?(?:assistant\s?final|\Z)", re.DOTALL)
_FENCED_THOUGHT = re.compile(r"[ \t]{0,3}((?<!`)`{3,}+|(?<!~)~{3,}+)[ \t]*([^\W\d_][\w-]*)[ \t]*$", re.MULTILINE)

_ZERO = "\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff\U000e0000-\U000e007f"
MARKS = re.compile(f"[{_ZERO}]+")
_MARKS_OR_QUOTED = re.compile(rf"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|(?P<mark>[{_ZERO}]+)")


class Taken(NamedTuple):
    """A part that does not belong to the answer: a thought, a token of a template, another turn, an invisible mark."""

    what: What
    text: str


class Said(NamedTuple):
    """A reply after reading. text: the rest of it. open: it ended within a thought."""

    text: str
    taken: tuple[Taken, ...] = ()
    open: bool = False

    @property
    def note(self) -> str:
        """The removed parts, in words: "a thought of 1,203 characters, 2 tokens"; "" if there are none."""
        parts = []
        for what, one, many in _WORDS:
            found = [taken.text for taken in self.taken if taken.what == what]
            size = f" of {sum(map(len, found)):,} characters" if what in ("thought", "turn") else ""
            parts += [f"{one if len(found) == 1 else f'{len(found):,} {many}'}{size}"] if found else []
        return ", ".join(parts) + (", the last one cut off" if self.open else "")


_WORDS: tuple[tuple[What, str, str], ...] = (
    ("thought", "a thought", "thoughts"),
    ("turn", "another turn", "other turns"),
    ("token", "a token", "tokens"),
    ("mark", "an invisible mark", "invisible marks"),
)


def read(reply: str, truncated: bool = False, holds: Callable[[str], bool] | None = None) -> Said:
    """The text of an answer, without thoughts, tokens and invisible marks. truncated: the provider reports that the
    reply was cut off. holds: whether a text has an answer in it; by default every text has.
    """
    said = _first_turn(reply, holds) if holds else Said(reply)
    for _ in range(_ROUNDS):
        after = _round(said.text, truncated, holds or _any)
        said = Said(after.text, said.taken + after.taken, said.open or after.open)
        if not after.taken:
            break
    return said


_NEXT_TURN = re.compile(r"\n[ \t]*\n(?:#{1,4} ?)?(?:human|user|instruction) ?:", re.IGNORECASE)


def _first_turn(reply: str, holds: Callable[[str], bool]) -> Said:
    """A reply without a user's turn that the model has invented after its answer."""
    found = _NEXT_TURN.search(reply)
    if found is None or not holds(read(reply[: found.start()]).text):
        return Said(reply)
    return Said(reply[: found.start()], (Taken("turn", reply[found.start() :]),))


def _any(text: str) -> bool:
    return bool(text.strip())


def _round(text: str, truncated: bool, holds: Callable[[str], bool]) -> Said:
    """One pass that removes each kind of part."""
    taken: list[Taken] = []
    is_open = False
    text = _without_last_tokens(_without_marks(text, taken), taken)
    if "<" in text or text.startswith("analysis"):
        text, is_open = _channels(text, taken)
    if any(bracket in text for bracket in "<＜[◁⟨〈《‹«【「『⟪❮({`~"):
        text = _without_fences(_without_comments(text, taken), taken)
        text, opened = _without_thoughts(text, taken)
        is_open |= opened
        text = _own_turn(text, taken, holds)
        text, opened = _without_elements(text, truncated, holds, taken)
        is_open |= opened
    return Said(text, tuple(taken), is_open)


def _cut(text: str, spans: Sequence[tuple[int, int]], what: What, taken: list[Taken]) -> str:
    """The text without these spans (in order). Each becomes a line break."""
    if not spans:
        return text
    taken += [Taken(what, text[start:end]) for start, end in spans]
    edges = [0, *(place for span in spans for place in span), len(text)]
    return "\n".join(text[start:end] for start, end in list(pairwise(edges))[::2])


def _channels(text: str, taken: list[Taken]) -> tuple[str, bool]:
    """The text without all channels but the final one."""
    if bare := _BARE_CHANNEL.match(text):
        return _cut(text, [bare.span()], "thought", taken), bare.end() == len(text)
    if "<|channel|>" not in text and "<|message|>" not in text:
        return text, False
    gone: list[tuple[int, int]] = []
    tokens: list[tuple[int, int]] = []
    spans = protected(text)
    is_open = False
    for found in _CHANNEL.finditer(text):
        if any(start <= found.start() < end for start, end in spans) or (gone and found.start() < gone[-1][1]):
            continue
        end = _CHANNEL_END.search(text, found.end())
        if _ANSWERS.search(found["name"]):
            tokens.append(found.span())
        else:
            gone.append((found.start(), end.start() if end else len(text)))
            is_open = end is None
    kinds = sorted([(*span, "thought") for span in gone] + [(*span, "token") for span in tokens])
    out, place = [], 0
    for start, stop, what in kinds:
        out.append(text[place:start])
        taken.append(Taken("thought" if what == "thought" else "token", text[start:stop]))
        place = stop
    return "\n".join([*out, text[place:]]) if kinds else text, is_open


def _without_last_tokens(text: str, taken: list[Taken]) -> str:
    """The text without the tokens at its end, which would stand after a fence or a program."""
    end = len(text.rstrip())
    while end and text[end - 1] in ">]":
        start = max(text.rfind("<", max(0, end - 80), end), text.rfind("[", max(0, end - 80), end))
        found = PLAIN.fullmatch(text, start, end) or TAG.fullmatch(text, start, end) if start >= 0 else None
        if found is None or (found.re is TAG and (not found["token"] or kind_of(found["token"]) not in _LAST)):
            break
        taken.append(Taken("token", found[0]))
        text = text[:start]
        end = len(text.rstrip())
    return text


def _without_comments(text: str, taken: list[Taken]) -> str:
    """The text without the comments of HTML."""
    if "<!--" not in text or "-->" not in text:
        return text
    code, spans, place = protected(text), list[tuple[int, int]](), 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        place = end + 3
        if not any(begin <= start < stop for begin, stop in code):
            spans.append((start, place))
    return _cut(text, spans, "thought", taken)


def _without_fences(text: str, taken: list[Taken]) -> str:
    """The text without blocks of code that are marked as thoughts."""
    if not any(THINKS.search(found[2]) for found in _FENCED_THOUGHT.finditer(text)):
        return text
    spans = [(one.start, one.end) for one in fences(text) if THINKS.match(one.info)]
    return _cut(text, spans, "thought", taken)


def _without_thoughts(text: str, taken: list[Taken]) -> tuple[str, bool]:
    """The text without parts that are marked as thoughts."""
    marks = [mark for mark in marks_in(text) if mark.kind in ("think", "end", "over")]
    ends = [i for i, mark in enumerate(marks) if mark.kind == "end"]
    overs = [i for i, mark in enumerate(marks) if mark.kind == "over"]
    answers = _answers_behind(text)
    spans: list[tuple[int, int]] = []
    place, last = 0, ends[-1] if ends else -1
    while place < len(marks):
        mark = marks[place]
        if mark.kind == "think":
            close = _balanced(marks, place)
            close = last if close is None and last > place else close
            if close is None and mark.name.startswith(("think", "thought")) and "<|" in text[mark.start : mark.end]:
                close = next((i for i in overs if i > place), None)
            if close is None and mark.start in answers:
                spans.append((mark.start, answers[mark.start]))
                place += 1
                continue
            if close is None and mark.pair:
                place += 1
                continue
            spans.append((mark.start, marks[close].end if close is not None else len(text)))
            if close is None:
                return _cut(text, spans, "thought", taken), True
            place = close + 1
        elif mark.kind == "end":
            spans = [(0, mark.end)]
            place += 1
        else:
            place += 1
    return _cut(text, spans, "thought", taken), False


def _answers_behind(text: str) -> dict[int, int]:
    """The places where an answer's token ends a thought, by the place where a token begins the thought."""
    if "<|" not in text and "<｜" not in text:
        return {}
    bars = [mark for mark in marks_in(text) if text[mark.start + 1] in "|｜" and mark.kind in ("think", "end", "token")]
    return {
        one.start: other.start
        for one, other in pairwise(bars)
        if one.kind == "think" and other.kind == "token" and _ANSWERS.search(other.name)
    }


def _balanced(marks: Sequence[Mark], place: int) -> int | None:
    """The mark that closes the thought opened by one. Thoughts opened within it are closed first."""
    depth = 0
    for i in range(place, min(len(marks), place + 4 * MOST)):
        depth += (marks[i].kind == "think") - (marks[i].kind == "end")
        if not depth:
            return i
    return None


def _own_turn(text: str, taken: list[Taken], holds: Callable[[str], bool]) -> str:
    """The text without tokens. Of several turns it is the model's first one with an answer."""
    marks = [mark for mark in marks_in(text) if mark.kind in ("token", "over", "role")]
    if not marks:
        return text
    kept: list[str] = []
    tokens: list[Taken] = []
    place, mine, tried = 0, True, 0
    for mark in marks:
        if mark.start < place:
            continue
        before = text[place : mark.start]
        if mine:
            kept.append(before)
        elif before.strip():
            tokens.append(Taken("turn", before))
        place = mark.end
        tokens.append(Taken("token", text[mark.start : mark.end]))
        speaker = mark.name if mark.name in OTHERS | OWN else ""
        if mark.kind == "role" and not speaker and (named := _SPOKEN.match(text, mark.end)):
            speaker = named[1].lower()
            place = named.end() if speaker in OTHERS | OWN else place
        ends = mark.kind == "over" or speaker in OTHERS
        tried += mine and ends and bool(before.strip())
        if mine and ends and tried <= _ROUNDS and any(map(str.strip, kept)) and holds("\n".join(kept)):
            if text[place:].strip():
                tokens.append(Taken("turn", text[place:]))
            place = len(text)
            break
        mine = speaker not in OTHERS if speaker else mine
    if mine:
        kept.append(text[place:])
    elif text[place:].strip():
        tokens.append(Taken("turn", text[place:]))
    taken += tokens
    return "\n".join(kept)


def _without_elements(text: str, truncated: bool, holds: Callable[[str], bool], taken: list[Taken]) -> tuple[str, bool]:
    """The text without elements of other names that the answer follows, or within which it was cut off."""
    marks = [mark for mark in marks_in(text) if mark.kind in ("open", "close") and not _ANSWERS.search(mark.name)]
    if not marks:
        return text, False
    spans: list[tuple[int, int]] = []
    opened: list[Mark] = []
    for mark in marks:
        if mark.kind == "open":
            opened.append(mark)
            continue
        names = [one.name for one in opened[-MOST:]]
        if mark.name in names:
            while opened[-1].name != mark.name:
                opened.pop()
            spans = [span for span in spans if span[0] < opened[-1].start][-MOST:]
            spans.append((opened.pop().start, mark.end))
        else:
            spans, opened = [(0, mark.end)], []
    alone = [mark for mark in opened if not mark.pair and not text[: mark.start][-1:].isalnum()]  # no List<int>
    if truncated and alone:
        start = alone[0].start
        gone = [span for span in spans if span[1] <= start and holds(text[span[1] : start])]
        return _cut(text, [*gone, (start, len(text))], "thought", taken), True
    if opened and not text[opened[-1].end :].strip() and not opened[-1].pair:
        return _cut(text, [(opened[-1].start, len(text))], "token", taken), False
    if truncated and spans and not text[spans[-1][1] :].strip():
        return _cut(text, spans, "thought", taken), True  # the answer would have come after it
    last = next((i for i in range(len(spans) - 1, -1, -1) if holds(text[spans[i][1] :])), -1)
    return _cut(text, spans[: last + 1], "thought", taken), False


def unwrapped(text: str) -> str:
    """The text without the tags around an answer. Each becomes a line break."""
    spans = [
        (mark.start, mark.end)
        for mark in marks_in(text)
        if mark.kind in ("open", "close") and not mark.pair and _ANSWERS.search(mark.name)
    ]
    return _cut(text, spans, "token", [])


def _without_marks(text: str, taken: list[Taken]) -> str:
    """The text without characters of no width, except in quotation marks, where they may be intended."""
    if not MARKS.search(text):
        return text
    spans = protected(text)
    gone = [
        found.span()
        for found in _MARKS_OR_QUOTED.finditer(text)
        if found["mark"] and not any(start <= found.start() < end for start, end in spans)
    ]
    taken += [Taken("mark", text[start:end]) for start, end in gone]
    edges = [0, *(place for span in gone for place in span), len(text)]
    return "".join(text[start:end] for start, end in list(pairwise(edges))[::2])
