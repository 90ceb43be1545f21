"""Reads the text of a model's answer from its raw reply, before every parser of cards, duels and SKATE.

    thoughts          the text between the tags of a thought, in any brackets: <think>, [THINK], ◁think▷, a channel
                      that is not the final one, a fence or a token of that name. A closing tag without an opening
                      ends a thought that began with the reply. A thought that is never closed goes on to the end of
                      the reply, and no part of it is an answer. An HTML comment is a thought too.
    other elements    an element of any other name is a thought only if the answer follows it, or if the reply was cut
                      off within it. Elements of HTML, and elements named after an answer, are not thoughts.
    tokens            of chat templates: the ends of turns, and all text after the end of the model's own turn
    invisible marks   characters without width, outside of quotation marks

A tag within code does not count: within a string or a comment of valid Python, within a JSON value, in backticks, or
alone in quotation marks. The raw reply stays on record; `Said.taken` has the removed parts. Reading is idempotent.
"""

# ruff: noqa: RUF001  (brackets that look alike are meant)

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

What = Literal["thought", "token", "turn", "mark"]

LONGEST = 20_000  # most characters of a text that is examined as Python
_SCANNED = 1 << 21  # characters of values that do not end: many, one within the other, take no time
_MOST = 200  # most values of JSON, lines where a program may begin, and elements that are examined
_ROUNDS = 20  # most rounds: a removed part may uncover another


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

# ------------------------------------------------------------------------------------------------ the forms of tags

_THINKS = re.compile(
    r"th(?:ink|ought)|reason|reflect(?!ed)|analys[ei]s?\b|scratch_?-?pad|ponder|contemplat|delib|rationale|monolog|"
    r"cogit|introspect|chain_of|denken|gedank|überleg|pens[ée]+|réflexion|raisonn|pensamiento|razona|raciocin|"
    r"мысл|рассужд|思考|思索|推理|思维|生각|考え",
    re.IGNORECASE,
)
_INNER = re.compile(rf"{_THINKS.pattern}|\binner", re.IGNORECASE)  # of a token
_ANSWERS = re.compile(
    r"answer|\bans\b|final|respon[sd]|reply|output|result|solution|choice|option|letter|select|\bmove|action|decision|"
    r"json|code|python|program|puzzle|question|explanation|array|\blist\b|distractor|conclu|antwort|réponse|respuesta|"
    r"ответ|答|turn|text|content|message|begin|start|\bs\b|[be]os|tool",
    re.IGNORECASE,
)
_HTML = re.compile(
    r"a|abbr|article|b|big|blockquote|body|br|caption|center|cite|d[dlt]|del|div|em|font|footer|h[1-6r]|head|header|html|"
    r"i|img|ins|kbd|li|link|main|mark|meta|[ou]l|p|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|sup|"
    r"svg|table|t[dhrt]|tbody|tfoot|thead|title|u|var|wbr"
)
_NAME = r"[^\W\d_][\w:.-]{0,60}"
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>\n]{0,200}"|'[^'<>\n]{0,200}'|[^\s"'<>]{1,100})){0,8}"""
_OPENERS, _CLOSERS = "[({◁⟨〈《‹«【「『⟪❮", "])}▷⟩〉》›»】」』⟫❯"
_TAG = re.compile(
    r"<[|｜][ ]?(?P<token>/?[^<>|｜\n]{1,60}?)[ ]?[|｜]>"
    r"|<\|(?P<half>[a-z]\w{0,40})>|<(?P<half_closed>[a-z]\w{0,40})\|>"
    rf"|[<＜][ ]?(?P<end>/)?[ ]?(?P<name>{_NAME})"
    rf"(?P<attributes>{_ATTRIBUTES}|[ ][^<>＜＞\n]{{0,80}})[ ]?(?P<empty>/)?[>＞]"
    rf"|[{re.escape(_OPENERS)}]{{1,2}}(?P<end_2>[/\\])?(?P<name_2>{_NAME})[{re.escape(_CLOSERS)}]{{1,2}}",
    re.IGNORECASE,
)
_PLAIN = re.compile(  # tokens without bars
    r"</?s>|</?(?:bos|eos|pad|eot|eod|sop|eop|unk)>|<(?:end|start)_of_turn>|<unused\d+>|\[/?INST\]|\[(?:EOS|BOS|gMASK)\]",
    re.IGNORECASE,
)
_LAST = frozenset(("token", "over"))
_ENDS = re.compile(
    r"(?:end|eo)_?(?:of_?)?(?:turn|text|sentence|message|im|t_id|m_id|t|s|d)?(?:_token)?|im_end|return|/s"
)
_ROLE = re.compile(
    r"(?:im_start|start|start_header_id|start_of_turn|turn|begin|role_start|im_user|im_assistant|im_system|"
    r"start_of_role)"
)
_OTHERS = frozenset(("user", "system", "human", "tool", "observation", "developer", "ipython", "function"))
_OWN = frozenset(("assistant", "model", "ai", "gpt", "bot"))
_SPOKEN = re.compile(r"\s*([a-z]+)(?=\s|<|\Z)", re.IGNORECASE)

_CHANNEL = re.compile(
    r"(?:<\|channel\|>[ ]*|\A\s*(?=\w+<\|message\|>))"
    r"(?P<name>(?:analysis|commentary|final)|[a-z][\w-]*(?=[^<>\n]{0,60}<))"
    r"(?:[^<>\n]{0,60}(?:<\|constrain\|>[^<>\n]{0,40})?<\|message\|>)?",
    re.IGNORECASE,
)
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_BARE_CHANNEL = re.compile(r"\Aanalysis(?=[A-Z\"'{*]|\s*The\b).*?(?:assistant\s?final|\Z)", re.DOTALL)
_FENCED_THOUGHT = re.compile(r"[ \t]{0,3}(`{3,}+|~{3,}+)[ \t]*([^\W\d_][\w-]*)[ \t]*$", re.MULTILINE)

_ZERO = "\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff\U000e0000-\U000e007f"
MARKS = re.compile(f"[{_ZERO}]+")
_MARKS_OR_QUOTED = re.compile(rf"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|(?P<mark>[{_ZERO}]+)")
_TICKED = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")
_QUOTED = re.compile(r"([\"'])(?:<[^<>\n\"']{1,60}>|\[[^\[\]\n\"']{1,40}\])\1")  # a tag that is mentioned

_STRUCK = re.compile(
    r"<s>[^<\n]{1,400}</s>(?!\s*(?:\Z|<s>|\[INST))", re.IGNORECASE
)  # HTML's strike-through, not the end of a turn


class _Mark(NamedTuple):
    """A tag or a token in a reply. kind: it opens or closes a thought ("think", "end") or an element ("open", "close"),
    or it is a token ("token"), the end of a turn ("over"), or the name of a turn's speaker ("role").
    """

    kind: str
    name: str
    start: int
    end: int
    pair: bool = False  # counts only in a pair


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
    if found is None or not holds(reply[: found.start()]):
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


# ------------------------------------------------------------------------------------------------ protected code


class Fence(NamedTuple):
    """A block between code fences. code: without the fences' indentation; start, end: including the fences."""

    info: str
    code: str
    start: int
    end: int
    closed: bool

    @property
    def language(self) -> str:
        """The first word after the opening fence, in lower case."""
        return _LANGUAGE.match(self.info)[0].lower()  # type: ignore[index]  # it matches everything


_FENCE = re.compile(r"^(?P<space>(?:[ ]{0,3}+>[ ]?+)*+[ \t]*+)(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*)$", re.MULTILINE)
_LANGUAGE = re.compile(r"[\w+.#-]*")
_CLOSINGS = 8  # most closing fences that are tried for a block of Python, whose strings may contain fences


def fences(text: str) -> Iterator[Fence]:
    """The blocks of code by the rules of CommonMark, also in the items of lists.

    A block goes on to a fence of the same sort that is at least as long and has nothing after it, or to the end. A
    fence within a string of a program closes nothing: a block marked as Python goes on until it is valid Python.
    """
    lines = list(_FENCE.finditer(text))
    last: dict[str, int] = {}  # the last line that could close a block, so that the search is not repeated
    for i, line in enumerate(lines):
        if not line["info"].strip():
            last[line["fence"][0]] = i
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        mark, indent = line["fence"][0], len(line["space"])
        if mark == "`" and "`" in line["info"]:
            continue
        first = min(line.end() + 1, len(text))
        closing = _closing(text, lines, place, last.get(mark, -1), line, first)
        stop = lines[closing].start() if closing is not None else len(text)
        end = lines[closing].end() if closing is not None else len(text)
        code = text[first:stop]
        if indent:
            code = "\n".join(_outdented(one, line["space"]) for one in code.split("\n"))
        yield Fence(line["info"].strip(), code, line.start(), end, closing is not None)
        place = len(lines) if closing is None else closing + 1


def _closing(
    text: str, lines: Sequence[re.Match[str]], place: int, last: int, opening: re.Match[str], first: int
) -> int | None:
    """The number of the line that closes a block."""
    found: list[int] = []
    language = opening["info"].strip().partition(" ")[0].lower()
    python = language in ("", "py", "py3") or language.startswith("python")
    for i in range(place, last + 1):
        line = lines[i]
        apart = len(line["space"]) - (len(opening["space"]) if len(opening["space"]) > 3 else 0)
        if line["fence"].startswith(opening["fence"]) and not line["info"].strip() and apart <= 3:
            found.append(i)
            if not python or len(found) > _CLOSINGS or is_python(text[first : line.start()]):
                break
    if not found:
        return None
    whole = len(found) > 1 and python and is_python(text[first : lines[found[-1]].start()])
    return found[-1] if whole and text[first : lines[found[-1]].start()].strip() else found[0]


def _outdented(line: str, space: str) -> str:
    """A line of a block without the indentation of its fence."""
    kept = 0
    while kept < min(len(space), len(line)) and (line[kept] == space[kept] or line[kept] in " \t"):
        kept += 1
    return line[kept:]


def is_python(text: str) -> bool:
    """Whether a text parses as a program. It is not executed."""
    if len(text) > LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _protected(text: str) -> list[tuple[int, int]]:
    """The places where tags do not count: strings and comments of Python, values of JSON, backticks. Sorted."""
    found = [found.span() for found in _TICKED.finditer(text)] if "`" in text else []
    found += [found.span() for pattern in (_QUOTED, _STRUCK) for found in pattern.finditer(text)]
    found += _strings(text, 0)
    for first, stop in _programs(text):
        found += _strings(text[first:stop], first)
    for place in _beginnings(text):
        if strings := _strings(text[place:], place):
            found += strings
            break
    return _merged(found + list(_values(text)))


def _programs(text: str) -> Iterator[tuple[int, int]]:
    """The texts between fences that may be programs, even if a thought before them left a fence open."""
    lines = list(_FENCE.finditer(text))[-_MOST:] if "```" in text or "~~~" in text else []
    tried = 0
    for i, line in enumerate(lines):
        for closing in lines[i + 1 : i + 1 + _CLOSINGS]:
            tried += 1
            if tried > _MOST:
                return
            if closing["fence"].startswith(line["fence"]) and not closing["info"].strip():
                yield line.end() + 1, closing.start()


def _beginnings(text: str) -> Iterator[int]:
    """The starts of possible programs up to the end of a reply: after one of its first lines, or after a tag."""
    seen = 0
    for line in re.finditer(r"\n", text):
        before = text[text.rfind("\n", 0, line.start()) + 1 : line.start()].rstrip()
        if seen < 12 or before.endswith((">", "]", "】")):
            seen += 1
            yield line.end()
        if seen > 30:
            return
    for found in list(re.finditer(r"[>\]][ \t]*(?=[a-z@#])", text[:4_000]))[:10]:
        yield found.end()


def _strings(text: str, offset: int) -> list[tuple[int, int]]:
    """The strings and comments with brackets in a text of Python, moved by `offset`."""
    if not text.strip() or not _TAG.search(text) or not is_python(text):
        return []
    begins = [0]
    for line in text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    found: list[tuple[int, int]] = []
    depth, start = 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = tokenize.tok_name[token.type]
            begin, end = (begins[row - 1] + column for row, column in (token.start, token.end))
            if name in ("FSTRING_START", "TSTRING_START"):
                start = start if depth else begin
                depth += 1
            elif name in ("FSTRING_END", "TSTRING_END"):
                depth -= 1
                found += [] if depth else [(offset + start, offset + end)]
            elif name in ("STRING", "COMMENT") and not depth:
                found.append((offset + begin, offset + end))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return []
    return found


def _values(text: str) -> Iterator[tuple[int, int]]:
    """The complete values of JSON that contain a bracket of a tag."""
    decoder = json.JSONDecoder(strict=False)
    place, tried, left = 0, 0, _SCANNED
    while tried < _MOST and left > 0 and (found := re.compile(r"[{\[]\s*[\"\[{]").search(text, place)):
        tried, place = tried + 1, found.start() + 1
        try:
            _, place = decoder.raw_decode(text, found.start())
        except json.JSONDecodeError as error:
            left -= error.pos - found.start()
            continue
        except RecursionError:
            continue
        if _TAG.search(text, found.start() + 1, place - 1):
            yield found.start() + 1, place - 1


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


# ------------------------------------------------------------------------------------------------ tags


def _marks(text: str) -> list[_Mark]:
    """All tags and tokens that count, in order."""
    spans, place = _protected(text), 0
    found: list[_Mark] = []
    both = sorted(
        [*_TAG.finditer(text), *_PLAIN.finditer(text)], key=lambda one: (one.start(), one.re is not _PLAIN, one.end())
    )
    reached = 0
    for one in both:
        if one.start() < reached:
            continue
        while place < len(spans) and spans[place][1] <= one.start():
            place += 1
        if place < len(spans) and spans[place][0] <= one.start():
            continue
        mark = _Mark("over" if _over(one[0].strip("<>[]")) else "token", one[0], *one.span())
        if one.re is _TAG:
            mark = _mark_of(one)
        if mark.kind:
            found.append(mark)
            reached = mark.end
    return found


def _over(name: str) -> bool:
    return bool(_ENDS.fullmatch(name.lower().replace("▁", "_").replace(" ", "_")))


def _mark_of(found: re.Match[str]) -> _Mark:
    start, end = found.span()
    if found["token"]:
        return _Mark(_kind_of(found["token"]), found["token"].lower(), start, end)
    if half := found["half"] or found["half_closed"]:
        thinks = half.lower() == "channel" or _INNER.search(half)
        kind = ("think" if found["half"] else "end") if thinks else "token"
        if half.lower() == "turn":
            kind = "role" if found["half"] else "over"
        return _Mark(kind, half.lower(), start, end)
    angle = bool(found["name"])
    name, closes = found["name"] or found["name_2"], bool(found["end"] or found["end_2"])
    thinks = bool(_THINKS.search(name))
    if found["empty"] or len(name) == 1 or (found["attributes"] and "=" not in found["attributes"] and not thinks):
        return _Mark("", "", start, end)
    if thinks:
        alone = angle or found[0][0] in "◁⟨" or (found[0][0] == "[" and name.isupper())
        return _Mark("end" if closes else "think", name.lower(), start, end, pair=not alone)
    plain = bool(_HTML.fullmatch(name.lower())) or (not angle and found[0][0] not in "[◁⟨【" and not closes)
    kind = "" if plain else "close" if closes else "open"
    return _Mark(kind, name.lower(), start, end, pair=not angle)


def _kind_of(token: str) -> str:
    """The kind of a token in bars."""
    name = token.lower().replace("▁", "_").replace(" ", "_").replace("-", "_")
    if _INNER.search(name):
        return "end" if re.match(r"/|end|close|stop", name) or re.search(r"_(?:end|suffix|close)\Z", name) else "think"
    if name in _OTHERS or name in _OWN or _ROLE.fullmatch(name):
        return "role"
    return "over" if _over(name) else "token"


# ------------------------------------------------------------------------------------------------ removal


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
    spans = _protected(text)
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
        found = _PLAIN.fullmatch(text, start, end) or _TAG.fullmatch(text, start, end) if start >= 0 else None
        if found is None or (found.re is _TAG and (not found["token"] or _kind_of(found["token"]) not in _LAST)):
            break
        taken.append(Taken("token", found[0]))
        text = text[:start]
        end = len(text.rstrip())
    return text


def _without_comments(text: str, taken: list[Taken]) -> str:
    """The text without the comments of HTML."""
    if "<!--" not in text or "-->" not in text:
        return text
    protected, spans, place = _protected(text), list[tuple[int, int]](), 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        place = end + 3
        if not any(begin <= start < stop for begin, stop in protected):
            spans.append((start, place))
    return _cut(text, spans, "thought", taken)


def _without_fences(text: str, taken: list[Taken]) -> str:
    """The text without blocks of code that are marked as thoughts."""
    if not any(_THINKS.search(found[2]) for found in _FENCED_THOUGHT.finditer(text)):
        return text
    spans = [(one.start, one.end) for one in fences(text) if _THINKS.match(one.info)]
    return _cut(text, spans, "thought", taken)


def _without_thoughts(text: str, taken: list[Taken]) -> tuple[str, bool]:
    """The text without parts that are marked as thoughts."""
    marks = [mark for mark in _marks(text) if mark.kind in ("think", "end", "over")]
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
    bars = [mark for mark in _marks(text) if text[mark.start + 1] in "|｜" and mark.kind in ("think", "end", "token")]
    return {
        one.start: other.start
        for one, other in pairwise(bars)
        if one.kind == "think" and other.kind == "token" and _ANSWERS.search(other.name)
    }


def _balanced(marks: Sequence[_Mark], place: int) -> int | None:
    """The mark that closes the thought opened by one. Thoughts opened within it are closed first."""
    depth = 0
    for i in range(place, min(len(marks), place + 4 * _MOST)):
        depth += (marks[i].kind == "think") - (marks[i].kind == "end")
        if not depth:
            return i
    return None


def _own_turn(text: str, taken: list[Taken], holds: Callable[[str], bool]) -> str:
    """The text without tokens. Of several turns it is the model's first one with an answer."""
    marks = [mark for mark in _marks(text) if mark.kind in ("token", "over", "role")]
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
        speaker = mark.name if mark.name in _OTHERS | _OWN else ""
        if mark.kind == "role" and not speaker and (named := _SPOKEN.match(text, mark.end)):
            speaker = named[1].lower()
            place = named.end() if speaker in _OTHERS | _OWN else place
        ends = mark.kind == "over" or speaker in _OTHERS
        tried += mine and ends and bool(before.strip())
        if mine and ends and tried <= _ROUNDS and any(map(str.strip, kept)) and holds("\n".join(kept)):
            if text[place:].strip():
                tokens.append(Taken("turn", text[place:]))
            place = len(text)
            break
        mine = speaker not in _OTHERS if speaker else mine
    if mine:
        kept.append(text[place:])
    elif text[place:].strip():
        tokens.append(Taken("turn", text[place:]))
    taken += tokens
    return "\n".join(kept)


def _without_elements(text: str, truncated: bool, holds: Callable[[str], bool], taken: list[Taken]) -> tuple[str, bool]:
    """The text without elements of other names that the answer follows, or within which it was cut off."""
    marks = [mark for mark in _marks(text) if mark.kind in ("open", "close") and not _ANSWERS.search(mark.name)]
    if not marks:
        return text, False
    spans: list[tuple[int, int]] = []
    opened: list[_Mark] = []
    for mark in marks:
        if mark.kind == "open":
            opened.append(mark)
            continue
        names = [one.name for one in opened[-_MOST:]]
        if mark.name in names:
            while opened[-1].name != mark.name:
                opened.pop()
            spans = [span for span in spans if span[0] < opened[-1].start][-_MOST:]
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
        for mark in _marks(text)
        if mark.kind in ("open", "close") and not mark.pair and _ANSWERS.search(mark.name)
    ]
    return _cut(text, spans, "token", [])


def _without_marks(text: str, taken: list[Taken]) -> str:
    """The text without characters of no width, except in quotation marks, where they may be intended."""
    if not MARKS.search(text):
        return text
    spans = _protected(text)
    gone = [
        found.span()
        for found in _MARKS_OR_QUOTED.finditer(text)
        if found["mark"] and not any(start <= found.start() < end for start, end in spans)
    ]
    taken += [Taken("mark", text[start:end]) for start, end in gone]
    edges = [0, *(place for span in gone for place in span), len(text)]
    return "".join(text[start:end] for start, end in list(pairwise(edges))[::2])
