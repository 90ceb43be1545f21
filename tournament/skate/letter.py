"""Which letter a reply means (S6), or that it can not be read.

A reply makes claims of several ranks. The highest rank that makes any decides, and two letters claimed at the same rank
are unread: nobody's guess is an answer.

    final       the final answer is C, Final answer: C
    explicit    the answer is C, Answer: C, C is correct, I choose C; in some thirty languages
    opening     the reply begins with the letter: "C", "C) ...", "C, since ...", "Option C: ..."
    marked      boxed, tagged, or ticked: \\boxed{C}, <answer>C</answer>, [[C]], "- C: ... (correct)"
    alone       a line, or the last sentence, that is nothing but the letter
    concluded   "so C", "it must be C", "that matches option C", "only C remains", "... -> C"

What looks like a claim and is none: a letter that is a word (A list, class C, A's), one that is negated, asked,
quoted, supposed or taken back ("if so, the answer would be B", "at first I thought the answer is B", "The answer is B.
Wait, ..."), a list of the options, code. A claim to "B or C", or to a letter that is no option, is unread.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tournament.skate import wording
from tournament.skate.markup import CLOSE, OPEN

UNREAD = "?"  # a claim that names no single letter

_WORD = "A-Za-z0-9_\u00c0-\u024f"
_DECOR = r"[\s*_`\"'()\[\]{}<>~#|⟦⟧]{0,20}"
# Not a part of a word, of code, of a hyphenated word, no possessive.
_LETTER = (
    rf"(?<![{_WORD}@\\/+])(?P<letter>[A-HJa-hj])"
    rf"(?![{_WORD}+#(\[\\]|['-][{_WORD}]|\.[{_WORD}]|[ ]?=[^>])"
)
_CLOSED = r"[)\]}>*_`\"'~|⟧]*"
_CLOSERS = re.compile(_CLOSED)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFKC", text), re.IGNORECASE)


_FILL = rf"(?:(?:(?:{wording.FILLERS})(?![{_WORD}])|(?:{wording.FILLERS_JOINED})),?{_DECOR}){{0,5}}"
_TO = (
    rf"(?:\s+(?:{wording.ADJECTIVES})(?![{_WORD}]))?"
    r"(?:[ ](?:to|for|of|here|in|given|based|that|which)\b(?:(?!\bnot\b|n't|\bis\b)[^.?!\n]){0,60}?)?"
)
_IS = rf"(?:[ ]?(?:[:=|?—]|-+>?|→|(?<![{_WORD}])(?:{wording.COPULAS})(?![{_WORD}])|(?:{wording.JOINED})))"
_NAME = rf"(?<![{_WORD}])(?P<final>{wording.FINAL})?(?:(?:selected|correct|chosen|best|predicted|right)_)?"
_SAID = (
    _pattern(rf"{_NAME}(?:{wording.ANSWERS}){_DECOR}{_TO}{_DECOR}(?P<is>{_IS}{{0,2}}){_DECOR}{_FILL}{_DECOR}{_LETTER}"),
    _pattern(rf"{_NAME}(?:{wording.OPTIONS}){_DECOR}{_TO}{_DECOR}(?P<is>{_IS}{{1,2}}){_DECOR}{_FILL}{_DECOR}{_LETTER}"),
    _pattern(
        rf"(?P<is>(?:^|[.!?;:,—\n]\W{{0,9}}|\b(?:so|thus|therefore|hence|and|then|but)\s+)(?:{wording.CHOOSE}))\s*{_FILL}{_DECOR}{_LETTER}"
    ),
    _pattern(rf"(?P<is>{wording.CHOOSE_JOINED})\s*{_FILL}{_DECOR}{_LETTER}"),
)
_OPTION = _SAID[1]
_CORRECT = _pattern(
    rf"{_LETTER}{_CLOSED}[ ]?(?:\([^()\n]{{0,60}}\)|[:—-][ ][^\n.;:,]{{0,60}}?)?[ ]?(?:{wording.CORRECT})(?![{_WORD}])"
    r"(?!\s+(?:about|only|except|up|until|unless|in|for|if|when|after|but)\b)"
)
_BULLET = re.compile(r"\n[ \t]*[-—|]\Z")  # begins an item of a list, or the next row of a table
_OR_BEFORE = re.compile(r"(?<![\w'])[A-J][*_)`\"']*\s*(?:/|\bor\b)\s*(?:(?:option|choice)\s+)?[*_(`\"']*\Z")
_CONCLUDED = _pattern(rf"(?<![{_WORD}])(?:{wording.CONCLUDED})\s*{_FILL}[\s*_(⟦]*{_LETTER}")
_SHOWN = re.compile(rf"\b(?:outputs?|results?|prints?|is|be)(?: is)?:?\s+[*_]*{_LETTER}\)(?=\s)", re.IGNORECASE)
_REMAINS = _pattern(rf"{_LETTER}{_CLOSED}[ ](?:{wording.REMAINS})(?![{_WORD}])")
_ONLY_ONE = _pattern(rf"\bonly\s+(?:option\s+|choice\s+)?[*_(]*{_LETTER}{_CLOSED}[ ](?:{wording.ONLY})\b")
_POINTED = re.compile(
    rf"(?:→|=>|->)[ ]?(?:option )?[*_(]*{_LETTER}|(?<!\w)\({_LETTER.replace('?P<letter>', '?P<last>')}\)\W*\Z", re.I
)

_OPENING = re.compile(rf"[^\w⟦\ufffc]*+(?:(?:option|choice|letter|answer)[ *_(]{{1,9}})?{_LETTER}", re.IGNORECASE)
_ONLY = re.compile(
    r"(?:(?!\ufffc)[\W_])*+(?:(?:option|choice|letter)[ *_(]{1,9})?([A-HJ])(?![+#])(?:(?![?\ufffc])[\W_])*",
    re.IGNORECASE,
)
_LAST = re.compile(rf"[.!?:;…—][\s*_(]+(?:option )?{_LETTER}[)*_.!\s]*\Z", re.IGNORECASE)
_INSIDE = re.compile(
    r"\W*(?:(?:option|choice|letter|answer)\W+){0,2}([A-HJ])(?:[).:,\]]?\W*|(?:[).:\]]|[ ]*[—-])\s.*)", re.I | re.DOTALL
)
_MARKS = re.compile(rf"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
_ROW = re.compile(r"\W*(?:option\s+)?([A-HJ])\W?[*_]*[).:|\s—-](.*)", re.IGNORECASE)
_TICKED = re.compile(
    rf"{_LETTER}[^\w\n✗✘❌✖]{{0,4}}[✓✔✅☑]|"
    rf"^\W{{0,6}}[✓✔✅☑][^\w\n]{{0,4}}(?:option )?(?P<last>[A-HJ])(?![{_WORD}])",
    re.IGNORECASE | re.MULTILINE,
)
_RIGHT = re.compile(r"[✓✔✅☑]|(?:[(—:|-]|->)\s*\**correct\**!?[\s)|.*]*$", re.IGNORECASE)
_WRONG = re.compile(r"[✗✘❌✖☒×]|\bincorrect\b|\bnot\b|\bwrong\b|n't", re.IGNORECASE)

_OTHER = r"[*_(`\"']*(?:option\s+)?[*_(`\"']*(?P<other>[A-J])(?![A-Za-z0-9_'-])[*_)`\"']*"
_OR = re.compile(rf"\s*(?:/|\bor\b|\boder\b|\bou\b|\bo\b|或|または|&)\s*{_OTHER}")
_AND = re.compile(rf"\s*(?:,|\band\b|,\s*and\b)\s*{_OTHER}\s*(?:[,.;!?)\n]|$|(?:and|or|are|both)\b)")
_NEXT_WORD = re.compile(r"[ ]*([^\W\d][\w']*)")
_AFTER = re.compile(rf"(?:{wording.AFTER})", re.IGNORECASE)
_AFTER_A = frozenset(wording.AFTER_A.split())
_DENIED = re.compile(
    r"[\s:)*_—-]*(?:(?:is|was|looks|seems)(?:n't| not)?\s[^.,;\n]{0,30}?)?"
    r"(?:wrong|incorrect|eliminated|out\b|ruled out|impossible|no\b|not\b|cannot be|can't be|✗|✘|❌)",
    re.IGNORECASE,
)

_NOT_BEHIND = _pattern(r"[ ]?(?:(?:では|じゃ)(?:なく|ない|ありません)|[가이]? ?아니|değil)")  # where "not" comes last

_ENDS_LABEL = re.compile(r"[)\]*_`]*(?:[).](?:\s|\Z)|\s*(?:\n|\Z)|,? (?:because|since)\b)")  # in lower case
_PREDICATE = re.compile(
    r"[\s*_:—-]*(?:(?:is|was|has|had|would|could|can|cannot|can't|does|will|won't)\b|[a-z]+(?:s|n't)\b(?! of))"
)
_FAILED = re.compile(r"[✗✘❌]|[(—:|-]\s*\**(?:incorrect|wrong)\**[)\s.*]*$", re.IGNORECASE)

_CLAUSE = re.compile(
    r"[.!?;](?:\s|$)|\n|\b(?:but|however|yet|although|though|whereas|so|therefore|thus|hence|instead)\b", re.IGNORECASE
)
_PART = re.compile(
    r"[.!?;,](?:\s|$)|\n|→|\b(?:but|however|so|therefore|thus|hence|because|since|rather|instead)\b", re.IGNORECASE
)
_REJECTED = re.compile(rf"(?:{wording.REJECTED})", re.IGNORECASE)
_SUPPOSED = re.compile(rf"(?<![{_WORD}])(?:{wording.SUPPOSED})(?![{_WORD}])", re.IGNORECASE)
_AGAINST = re.compile(rf"(?<![{_WORD}])(?:{wording.AGAINST})", re.IGNORECASE)
_OUTPUT = re.compile(
    r"\b(?:print\w*|output\w*|show\w*|display\w*|results?|gives|yields|returns?)(?: is| be)?\W*\Z", re.IGNORECASE
)
_QUOTED = re.compile(rf"{_OUTPUT.pattern}|(?:^|\n)\W{{0,9}}[A-J]\W*\Z", re.IGNORECASE)  # what is shown, not said
_TAKEN_BACK = re.compile(rf"(?:^|(?<=[.!?;:,—(\n]))\W{{0,9}}(?:{wording.TAKEN_BACK})", re.IGNORECASE | re.MULTILINE)
_CHECKED = re.compile(rf"(?:^|(?<=[.!?;:—(\n]))\W{{0,9}}(?:{wording.CHECKED})", re.IGNORECASE | re.MULTILINE)
# A letter alone behind second thoughts: "A. Actually, B."
_REVISED = _pattern(
    rf"(?:^|(?<=[.!?;:,—(\n→>…]))\W{{0,9}}(?:{wording.CHECKED}|on (?:second look|reflection)|after checking|no\b)"
    rf"[,:—>→-]{{0,2}}\s*(?:no,?\s+)?(?:(?:it's|it is|that's|the answer is)\s+)?{_DECOR}{_LETTER}[)*_.!\]]*[ ]*"
    r"(?:\n|\Z)"
)


class Claim(NamedTuple):
    """A letter that is claimed, UNREAD if it is none or several, and where. rank: "final", "explicit" or "supposed"."""

    letter: str
    place: int
    rank: str = ""


def meant(text: str, letters: str) -> str:
    """The letter of `letters` that a reply without markup means, UNREAD if that can not be read."""
    if not text:
        return UNREAD
    backs = list(_TAKEN_BACK.finditer(text))
    begun = max(
        [*(found.end() for found in backs), *(found.start("letter") for found in _REVISED.finditer(text))], default=0
    )
    text = text[begun:]
    said = list(_current(text, [*_said(text)]))
    ranks: list[Iterable[Claim]] = [[one for one in said if one.rank == rank] for rank in ("final", "explicit")]
    ranks += [[] if begun else _opening(text), _marked(text), _alone(text)]
    ranks.append([*_concluded(text), *(one for one in said if one.rank == "supposed")])
    for claims in ranks:
        if found := {one.letter.upper() for one in claims}:
            letter = found.pop()
            return letter if not found and letter in letters else UNREAD
    return UNREAD


def _said(text: str) -> Iterator[Claim]:
    """The claims in so many words."""
    for pattern in _SAID:
        for found in pattern.finditer(text):
            if not found["is"] and not _heads_line(text, found):
                continue
            if pattern is _OPTION and _BULLET.search(text[: found.end("is")]):
                continue  # "C) correct", and in the next line "- D) wrong"
            rank = "final" if "final" in found.groupdict() and found["final"] else "explicit"
            yield from _claim(text, found, rank, _followed(text, found))
    for found in _CORRECT.finditer(text):
        before = text[: found.start()]
        if found["letter"].isupper() or before.rstrip("(* ").lower().endswith(("option", "choice", "answer")):
            asked = text[found.end() :].lstrip("*_ ").startswith("?")
            letter = UNREAD if _OR_BEFORE.search(before) else found["letter"]
            yield from _claim(text, found, "explicit", "" if asked else letter)


def _heads_line(text: str, found: re.Match[str]) -> bool:
    """Whether a noun right before a letter is a heading: at the begin of its line, or called final."""
    line = text[: found.start()].rpartition("\n")[2]
    return bool(found["final"]) or not re.search(r"\w", line) or not found[0].isascii()


def _claim(text: str, found: re.Match[str], rank: str, letter: str) -> Iterator[Claim]:
    """The claim, unless what stands before takes it back; `letter` is empty if it is none."""
    if not letter:
        return
    begin = found.start() + len(found[0]) - len(found[0].lstrip(" \n.!?;:,—*_`'\"()[]"))
    clause = text[_last_end(_CLAUSE, text, begin) : begin]
    if _REJECTED.search(clause):
        return
    if _SUPPOSED.search(clause):
        if "would" in found[0].lower() or "wäre" in found[0].lower():
            return
        rank = "supposed"
    yield Claim(letter, begin, rank)


def _last_end(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Where the last match before `place` ends, 0 if there is none; no farther back than a long sentence."""
    first = max(0, place - 400)
    ends = [found.end() for found in pattern.finditer(text, first, place)]
    return ends[-1] if ends else first


def _followed(text: str, found: re.Match[str]) -> str:
    """The letter if what follows it lets it be one; UNREAD if it is one of several, "" if it is a word."""
    letter = found["letter"]
    closed = _CLOSERS.match(text, found.end("letter"))
    assert closed is not None
    rest = text[closed.end() :]
    other = _OR.match(rest) or _AND.match(rest)
    if other and other["other"].upper() != letter.upper():
        return UNREAD
    if rest[:1] == "?" or _NOT_BEHIND.match(rest):
        return ""
    if (
        closed[0].strip("'\"")
        or not rest.strip()
        or rest[0] in ".,;:!—\n\ufffc→"
        or rest.lstrip(" ")[:1] in "([{—\n→\ufffc|#"
    ):
        return letter
    if re.match(r" ?[\u0900-\u1fff\u3000-\uffdc]|[^\x00-\u024f]|\.\.\.| (?:-|=>|\.\.\.)", rest):
        return letter
    word = _NEXT_WORD.match(rest)
    if word is None:
        return letter if letter.isupper() and (letter != "A" or closed[0]) else ""
    if letter in "Aa":
        return letter if word[1].lower() in _AFTER_A else ""
    return letter if letter.isupper() and _AFTER.fullmatch(word[1]) else ""


def _current(text: str, claims: Sequence[Claim]) -> Iterator[Claim]:
    """The claims that stand: those after the last doubt that any follows."""
    doubts = [found.start() for found in _CHECKED.finditer(text)]
    last = max((one.place for one in claims), default=0)
    begin = max((doubt for doubt in doubts if doubt <= last), default=0)
    return (one for one in claims if one.place >= begin)


def _opening(text: str) -> Iterator[Claim]:
    """The letter that begins the reply."""
    found = _OPENING.match(text)
    if found is None or text.startswith("{") or _listed(text, found):
        return
    end, letter = found.end(), found["letter"]
    rest = text[end:].lstrip("*_`\"'")
    if rest[:1] in tuple(")]:") and _PREDICATE.match(rest.lstrip(")]:*_")):
        return
    if (
        _DENIED.match(rest.lstrip(")]}:"))
        or _FAILED.search(rest.partition("\n")[0])
        or _OR.match(rest)
        or _AND.match(rest)
    ):
        return
    if re.match(r"[:).][*_ ]+[*_(]*[A-J][*_).]*\s*(?:\n|\Z)", rest):
        yield Claim(UNREAD, 0)  # "A: C"
    elif letter.islower() and not re.match(
        r"[)\]*_`]*(?:[).](?:\s|\Z)|\s*(?:\n|\Z)|,? (?:because|since)\b)", text[end:]
    ):
        return
    elif followed := _followed(text, found):
        yield Claim(followed, 0)


def _listed(text: str, found: re.Match[str]) -> bool:
    """Whether the letter at the begin is the first label of a list of options."""
    after = text[found.end() :]
    label = re.match(r"[*_`]*([).:\]])?[*_`]*", after)
    mark = label[1] if label and label[1] else ""
    following = chr(ord(found["letter"].upper()) + 1)
    if mark:
        label = re.search(rf"\s[*_(\[]*([A-J])[*_]*{re.escape(mark)}[*_]*(?=\s)(.*)", after, re.IGNORECASE)
        return bool(label and label[1].upper() == following and not _PREDICATE.match(label[2]))
    line = _ONLY.fullmatch(after.lstrip().partition("\n")[0])
    return bool(line and re.match(r"\W*\n", after) and line[1].upper() != found["letter"].upper())


def _marked(text: str) -> Iterator[Claim]:
    """What is boxed, tagged or ticked."""
    for found in _MARKS.finditer(text):
        if inside := _INSIDE.fullmatch(found[1]):
            yield Claim(inside[1], found.start())
    for found in _TICKED.finditer(text):
        yield Claim(found["letter"] or found["last"], found.start())
    for line in text.split("\n"):
        row = _ROW.match(line)
        if row and _RIGHT.search(row[2]) and not _WRONG.search(row[2]):
            yield Claim(row[1], 0)


def _alone(text: str) -> Iterator[Claim]:
    """A line, or the last sentence, that is the letter and nothing else."""
    before = ""
    for line in text.split("\n"):
        if (only := _ONLY.fullmatch(line)) and not _OUTPUT.search(before):
            yield Claim(only[1], 0)
        before = line if line.strip() else before
    if (last := _LAST.search(text)) and not _QUOTED.search(text[: last.start() + 1]):
        yield Claim(last["letter"], last.start())


def _concluded(text: str) -> Iterator[Claim]:
    """What is said in passing."""
    for pattern in (_CONCLUDED, _REMAINS, _ONLY_ONE, _SHOWN, _POINTED):
        for found in pattern.finditer(text):
            letter = _passing(text, found) if found.groupdict().get("letter") else found["last"]
            begin = _last_end(_PART, text, found.start())
            end = _PART.search(text, found.end())
            if letter and not _AGAINST.search(text, begin, end.start() if end else len(text)):
                yield Claim(letter, found.start())


def _passing(text: str, found: re.Match[str]) -> str:
    """The letter of what is said in passing; behind it nothing may make it a word."""
    if found.end("letter") < found.end():
        return found["letter"] if found["letter"].isupper() else ""
    letter = _followed(text, found)
    return letter if letter.isupper() or letter == UNREAD else ""
