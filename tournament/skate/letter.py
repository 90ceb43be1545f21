"""Reads the letter that a reply means (S6), if it can be read.

A reply makes claims of several ranks. The highest rank with a claim decides. If that rank claims two letters, the reply
is unread: a guess would not be the player's answer.

    final       the final answer is C, Final answer: C
    explicit    the answer is C, Answer: C, C is correct, I choose C; in some thirty languages
    opening     the reply begins with the letter: "C", "C) ...", "C, since ...", "Option C: ..."
    marked      boxed, tagged, or ticked: \\boxed{C}, <answer>C</answer>, [[C]], "- C: ... (correct)"
    alone       a line, or the last sentence, that is only the letter
    judged      several options, each with a verdict of a word or two, one of them right: "A fails, B matches, C fails"
    concluded   "so C", "it must be C", "that matches option C", "only C remains", "... -> C"

Second thoughts outrank all of these. A claim after a doubt ("actually", "no:", "Update:", "~~B~~", in the languages of
the words), or the letter that a line of second thoughts ends with, replaces the earlier claim, in any form of either.

If the last short sentence ends with another letter than the one that was read, and does not deny that letter, the reply
is unread: in any language, it may have been a second thought.

These look like claims but are none: a letter that is a word (A list, class C, A's), a letter that is negated, asked,
quoted, supposed or withdrawn ("if so, the answer would be B", "at first I thought the answer is B", "The answer is B.
Wait, ..."), a list of the options, code. A claim of "B or C", or of a letter that is not an option, is unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from antemill.tournament.skate import patterns
from antemill.tournament.skate.markup import CODE

_DOUBTS = 20  # only the last characters of a reply are examined
UNREAD = "?"  # a claim without a single letter


class Claim(NamedTuple):
    """A claimed letter (UNREAD for none or several) and its place. rank: "final", "explicit" or "supposed"."""

    letter: str
    place: int
    rank: str = ""


class Meant(NamedTuple):
    """The meaning of a reply. letter: UNREAD if it cannot be read. sure: the rank of the claim, "" if there is none.
    others: the other letters that the reply claims at some rank, in order.
    """

    letter: str
    sure: str = ""
    others: str = ""


def meant(text: str, letters: str) -> Meant:
    """The meaning of a reply without markup, among `letters`."""
    if not text:
        return Meant(UNREAD)
    backs = list(patterns.TAKEN_BACK.finditer(text))
    begun = max(
        [*(found.end() for found in backs), *(found.start("letter") for found in patterns.REVISED.finditer(text))],
        default=0,
    )
    claimed = _ranked(text[begun:], whole=not begun)
    before = _ranked(text, whole=True) if begun else claimed
    letter, sure = _decided(claimed, letters)
    if any(before.values()):
        letter, sure = _revised(text, begun, letters) or (letter, sure)
    last = _contradiction(text, letters)
    others = {one for claims in (*before.values(), *claimed.values()) for one in claims} - {letter, UNREAD}
    if last not in (letter, "") and sure not in ("", "revised"):
        others, letter = others | {letter, last} - {UNREAD}, UNREAD
    return Meant(letter, sure, "".join(sorted(others)))


def _contradiction(text: str, letters: str) -> str:
    """The letter at the end of a last short sentence in any language, "" if there is none."""
    found = patterns.ENDING.search(text)
    if found is None or not found.start() or found["letter"] not in letters:
        return ""
    sentence = text[_last_end(patterns.SENTENCE, text, found.start()) : found.start("letter")]
    clause = text[found.start() : found.start("letter")]
    named = patterns.LABELLED_WRONG.search(sentence) or patterns.REJECTED.search(sentence)
    return "" if named or patterns.AGAINST.search(clause) or patterns.MENTION.search(clause) else found["letter"]


def _decided(claimed: Mapping[str, set[str]], letters: str) -> tuple[str, str]:
    """The letter of the highest rank with a claim, and that rank."""
    for rank, found in claimed.items():
        if found:
            letter = next(iter(found))
            return (letter if len(found) == 1 and letter in letters else UNREAD), rank
    return UNREAD, ""


def _ranked(text: str, whole: bool) -> dict[str, set[str]]:
    """The claimed letters by rank, the highest first. whole: the text is a reply from its beginning."""
    said = list(_said(text))
    claims: dict[str, Iterable[Claim]] = {
        "final": [one for one in said if one.rank == "final"],
        "explicit": [one for one in said if one.rank == "explicit"],
        "opening": _opening(text) if whole else [],
        "marked": _marked(text),
        "alone": _alone(text),
        "judged": _verdicts(text),
        "concluded": [*_concluded(text), *(one for one in said if one.rank == "supposed")],
    }
    return {rank: {one.letter.upper() for one in found} for rank, found in claims.items()}


def _revised(text: str, begun: int, letters: str) -> tuple[str, str] | None:
    """The claim, in any form, after the last doubt that is followed by one; None if there is none."""
    for doubt in list(patterns.DOUBT.finditer(text))[-_DOUBTS:][::-1]:
        if doubt.end() < begun or not re.search(r"[A-J]", text[: doubt.start()]):
            return None
        if patterns.NO_OTHER.match(text, doubt.end() - len("no")):
            return UNREAD, "revised"
        tail = text[doubt.end() :]
        ends = _ended(tail)
        letter, rank = _decided({**_ranked(tail, whole=False), "opening": set()}, letters)
        if ends and rank and letter not in ends:
            return UNREAD, "revised"
        if ends or letter in letters:
            last = ends[-1] if ends else letter
            return (last if last in letters else UNREAD), "revised"
    return None


def _ended(tail: str) -> list[str]:
    """The letters with which lines of second thoughts end."""
    found = []
    for line in tail.split("\n"):
        if (end := patterns.COMES_TO.search(line)) is None:
            continue
        clause = line[_last_end(patterns.CLAUSE, line, end.start("letter")) : end.start("letter")]
        if not patterns.NOT_TO.search(clause) and not patterns.REJECTED.search(clause):
            found.append(end["letter"].upper())
    return found


def _said(text: str) -> Iterator[Claim]:
    """The claims in explicit words."""
    for pattern in patterns.SAID:
        for found in pattern.finditer(text):
            if not found["is"] and not _heads_line(text, found):
                continue
            if pattern is patterns.OPTION and patterns.BULLET.search(text[: found.end("is")]):
                continue  # "C) correct", and in the next line "- D) wrong"
            rank = "final" if "final" in found.groupdict() and found["final"] else "explicit"
            yield from _claim(text, found, rank, _followed(text, found))
    for found in patterns.CORRECT.finditer(text):
        before = text[: found.start()]
        if found["letter"].isupper() or before.rstrip("(* ").lower().endswith(("option", "choice", "answer")):
            asked = text[found.end() :].lstrip("*_ ").startswith("?")
            letter = UNREAD if patterns.OR_BEFORE.search(before) else found["letter"]
            yield from _claim(text, found, "explicit", "" if asked else letter)


def _heads_line(text: str, found: re.Match[str]) -> bool:
    """Whether a noun right before a letter is a heading: at the start of its line, or called final."""
    line = text[: found.start()].rpartition("\n")[2]
    return bool(found["final"]) or not re.search(r"\w", line) or not found[0].isascii()


def _claim(text: str, found: re.Match[str], rank: str, letter: str) -> Iterator[Claim]:
    """The claim, unless the text before it withdraws it. `letter` is empty if there is no claim."""
    if not letter:
        return
    begin = found.start() + len(found[0]) - len(found[0].lstrip(" \n.!?;:,—*_`'\"()[]"))
    clause = text[_last_end(patterns.CLAUSE, text, begin) : begin]
    if patterns.REJECTED.search(clause):
        return
    would = "would" in found[0].lower() or "wäre" in found[0].lower()
    if would and patterns.SUPPOSED.search(clause):
        return
    rank = "supposed" if would or patterns.SUPPOSED.search(clause) else rank
    yield Claim(letter, begin, rank)


def _last_end(pattern: re.Pattern[str], text: str, place: int) -> int:
    """The end of the last match before `place`, 0 if there is none. The search goes back by one long sentence."""
    first = max(0, place - 400)
    ends = [found.end() for found in pattern.finditer(text, first, place)]
    return ends[-1] if ends else first


def _followed(text: str, found: re.Match[str]) -> str:
    """The letter if the text after it allows a claim; UNREAD if it is one of several, "" if it is a word."""
    letter = found["letter"]
    closed = patterns.CLOSERS.match(text, found.end("letter"))
    assert closed is not None
    rest = text[closed.end() :]
    other = next((one for pattern in patterns.OTHERS if (one := pattern.match(rest))), None)
    if other and other["other"].upper() != letter.upper():
        return UNREAD
    if rest[:1] == "?" or patterns.NOT_BEHIND.match(rest):
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
    word = patterns.NEXT_WORD.match(rest)
    if word is None:
        return letter if letter.isupper() and (letter != "A" or closed[0]) else ""
    if letter in "Aa":
        return letter if word[1].lower() in patterns.AFTER_A else ""
    return letter if letter.isupper() and patterns.AFTER.fullmatch(word[1]) else ""


def _opening(text: str) -> Iterator[Claim]:
    """The letter at the start of the reply."""
    found = patterns.OPENING.match(text)
    if found is None or text.startswith("{") or _listed(text, found):
        return
    if len({row["letter"] for row in patterns.JUDGEMENT.finditer(text)}) > 1:
        return
    if patterns.JUDGED.search(text.partition("\n")[0]) and len(patterns.LABEL.findall(text)) > 1:
        return  # the first of several verdicts
    end, letter = found.end(), found["letter"]
    rest = text[end:].lstrip("*_`\"'")
    if rest[:1] in tuple(")]:") and patterns.PREDICATE.match(rest.lstrip(")]:*_")):
        return
    if (
        patterns.DENIED.match(rest.lstrip(")]}:"))
        or patterns.FAILED.search(rest.partition("\n")[0])
        or any(pattern.match(rest) for pattern in patterns.ONE_OF)
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
    """Whether the letter at the start is the first label of a list of options."""
    after = text[found.end() :]
    label = re.match(r"[*_`]*([).:\]])?[*_`]*", after)
    mark = label[1] if label and label[1] else ""
    following = chr(ord(found["letter"].upper()) + 1)
    if mark:
        label = re.search(rf"\s[*_(\[]*([A-J])[*_]*{re.escape(mark)}[*_]*(?=\s)(.*)", after, re.IGNORECASE)
        return bool(label and label[1].upper() == following and not patterns.PREDICATE.match(label[2]))
    line = patterns.ONLY.fullmatch(after.lstrip().partition("\n")[0])
    return bool(line and re.match(r"\W*\n", after) and line[1].upper() != found["letter"].upper())


def _marked(text: str) -> Iterator[Claim]:
    """The boxed, tagged or ticked letters."""
    for found in patterns.MARKS.finditer(text):
        if inside := patterns.INSIDE.fullmatch(found[1]):
            yield Claim(inside[1], found.start())
    for found in patterns.TICKED.finditer(text):
        yield Claim(found["letter"] or found["last"] or found["asked"], found.start())
    for line in text.split("\n"):
        row = patterns.ROW.match(line)
        if row and patterns.RIGHT.search(row[2]) and not patterns.WRONG.search(row[2]):
            yield Claim(row[1], 0)
    yield from _judged(text)


def _judged(text: str) -> Iterator[Claim]:
    """The one option that is called right in a list of verdicts."""
    rows = [row for line in text.split("\n") if (row := patterns.VERDICT.fullmatch(line))]
    right = [row["letter"] for row in rows if row["right"]]
    if right and 1 < len(rows) == len(patterns.LABEL.findall(text)):
        single = len(right) == 1 and len({row["letter"].upper() for row in rows}) == len(rows)
        yield Claim(right[0] if single else UNREAD, 0)


def _verdicts(text: str) -> Iterator[Claim]:
    """The one of several options that a word or two call right, if all others are called wrong."""
    rows = list(patterns.JUDGEMENT.finditer(text))
    right = [row["letter"] for row in rows if row["right"]]
    if len(rows) > 2 and len(right) == 1 and len({row["letter"] for row in rows}) == len(rows):
        yield Claim(right[0], 0)


def _alone(text: str) -> Iterator[Claim]:
    """The letter that is a line, or the last sentence, by itself."""
    before, shown = "", False  # a printed output, with the letters in it, ends at the next empty line
    for line in text.split("\n"):
        only = patterns.ONLY.fullmatch(line)
        if patterns.OUTPUT.search(before):
            shown = True
        elif not line.strip() or CODE in before:
            shown = shown and bool(patterns.ONLY.fullmatch(before))
        elif line[0] in "*(":
            shown = False
        if only and not shown:
            yield Claim(only[1], 0)
        before = line if line.strip() else before
    if (last := patterns.LAST.search(text)) and not patterns.QUOTED.search(text[: last.start() + 1]):
        label = text[_last_end(patterns.CLAUSE, text, last.start()) : last.start()]
        if text[last.start()] not in ":—" or not patterns.LABELLED_WRONG.search(label):
            yield Claim(last["letter"], last.start())
    if hedged := patterns.HEDGED.fullmatch(text):
        yield Claim(hedged["letter"], hedged.start("letter"))
    yield from _written_out(text)


def _written_out(text: str) -> Iterator[Claim]:
    """The only option that is written out, in bold type as the last paragraph, after the program's output."""
    found = patterns.BOLD_END.search(text)
    if found is None or len(patterns.LABEL.findall(text)) > 1:
        return
    if patterns.FOUND.search(found["before"]) and not patterns.AGAINST.search(found["before"]):
        yield Claim(found["letter"], found.start("letter"))


def _concluded(text: str) -> Iterator[Claim]:
    """The letters of conclusions within sentences."""
    yield from _closing(text)
    for pattern in patterns.IN_PASSING:
        for found in pattern.finditer(text):
            letter = _passing(text, found) if found.groupdict().get("letter") else found["last"]
            begin = _last_end(patterns.PART, text, found.start())
            last = min(len(text), found.end() + 400)  # at most the length of a long sentence
            end = patterns.PART.search(text, found.end(), last)
            if letter and not patterns.AGAINST.search(text, begin, end.start() if end else last):
                yield Claim(letter, found.start())


def _closing(text: str) -> Iterator[Claim]:
    """The only option that is written out, as the last paragraph, if the paragraph before concludes the same."""
    found = patterns.CLOSING.search(text)
    if found is None or len(patterns.LABEL.findall(text)) > 1:
        return
    before, option = found["before"].rstrip(".!*_ "), found["option"].strip("*_.\"'` ")
    said = before[_last_end(patterns.CLAUSE, before, len(before)) :]
    if option and option in said and patterns.FOUND.search(before) and not patterns.AGAINST.search(said):
        yield Claim(found["letter"], found.start("letter"))


def _passing(text: str, found: re.Match[str]) -> str:
    """The letter of a conclusion, unless the text after it makes it a word."""
    if found.end("letter") < found.end():
        return found["letter"] if found["letter"].isupper() else ""
    letter = _followed(text, found)
    return letter if letter.isupper() or letter == UNREAD else ""
