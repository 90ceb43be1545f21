"""Turns a reply into plain text, in which a letter is searched for (S6).

Unicode variants of a letter become the letter, invisible characters are removed, line breaks become one kind. Code is
removed, because its letters mean nothing. Bold type, headings and brackets stay; \\boxed{...}, <answer>...</answer> and
the like become the marks ⟦...⟧.
"""

# ruff: noqa: RUF001  (characters that look alike are the subject)

from __future__ import annotations

import re
import unicodedata

OPEN, CLOSE = "⟦", "⟧"
STRUCK = "⌫"  # replaces a struck-out line's beginning
CODE = "\ufffc"  # replaces removed code: neither a letter nor the end of a sentence

_CHARACTERS = str.maketrans(
    dict.fromkeys("‘’‛′´", "'")
    | dict.fromkeys("“”„‟″«»「」『』", '"')
    | dict.fromkeys("\u0085\u2028\u2029\v\f", "\n")
    | {"–": "—", "―": "—", "−": "-", "‐": "-", "‑": "-", "℃": "°", "℉": "°", "⇒": "→", "➜": "→", "➡": "→"}
    | {"【": OPEN, "】": CLOSE, "〖": OPEN, "〗": CLOSE}
    | {0x1F150 + i: chr(65 + i) for i in range(26)}  # letters in black circles,
    | {0x1F170 + i: chr(65 + i) for i in range(26)}  # in black squares,
    | {0x1F1E6 + i: chr(65 + i) for i in range(26)}  # and of flags
)
_INVISIBLE = re.compile(  # controls, marks that combine, directions, joiners, selectors of variants
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u0300-\u036f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u20d0-\u20ff\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_ALIKE = str.maketrans("АСΑΒ", "ACAB")  # of Cyrillic and Greek those that can mean nothing else
_ALIKE_ALONE = re.compile(r"(?:^|(?<=[:=—]))[ *_`\"'(]*[АСΑΒ](?=[ *_`\"').!]*$)", re.MULTILINE)

_STYLE = re.compile(
    r"\\(?:text|textbf|textit|textrm|texttt|textsf|mathrm|mathbf|mathsf|mathtt|mathit|mathbb|operatorname|emph|bf|rm|"
    r"bold|large|Large|huge|Huge|boldsymbol|underline|color\{\w+\}|textcolor\{\w+\})\s*\{([^{}]*)\}"
)
_BOXED = re.compile(r"\\(?:boxed|fbox|framebox|mbox)\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|([A-Za-z])\b)")
_SPACING = re.compile(r"\\(?:[()\[\],;:! ]|quad\b|qquad\b|displaystyle\b)|\${1,2}")
_ARROW = re.compile(r"\\(?:Rightarrow|rightarrow|to|implies|therefore)\b")

_TAGGED = re.compile(
    r"<(answer|final[_ -]?answer|final|choice|option|letter|selection|response|ans)\b[^<>]{0,80}>(.{0,400}?)</\1\s*>"
    r"|\[(answer|final[_ -]?answer|choice|ans)\](.{0,400}?)\[/\3\]",
    re.DOTALL | re.IGNORECASE,
)
_DOUBLE = re.compile(r"\[\[[\s(*]*([A-Ja-j])[\s)*]*\]\]|<<[\s(*]*([A-Ja-j])[\s)*]*>>")
_BREAK = re.compile(r"<(?:br|hr)\s*/?>|</?(?:p|div|li|ul|ol|h[1-6]|tr|table|tbody|thead)\b[^>]*>", re.IGNORECASE)
_TYPE = re.compile(
    r"</?(?:b|i|u|em|strong|span|mark|font|code|kbd|tt|small|big|sup|sub|td|th|a|center)\b[^>]*>", re.IGNORECASE
)

_BOX = re.compile(r"^([ \t]*(?:[-*+][ \t]+)?)\[([xX ])\][ \t]+", re.MULTILINE)
_ANGLED = re.compile(r"([:=]\s*|^)<([A-J])>(?=[\s.]*$)(?!.*</\2>)", re.M)  # a letter, and no bold type
_STRUCK = re.compile(
    r"(?<!~)~~(?!~)[^~\n]{1,400}~~(?!~)|<(?P<tag>del|s|strike)>[^<\n]{1,400}</(?P=tag)>", re.IGNORECASE
)
_UNDERLINED = re.compile(r"(?<!\w)(_{1,3})(?=\S)([^_\n]*)(?<=\S)\1(?!\w)")
_FENCE = re.compile(
    r"^[ \t>]*(`{3,}+|~{3,}+)[ \t]*([\w+-]*)[^\n]*+\n(.*?)(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.M | re.DOTALL
)
_ASKED = re.compile(r"\b(?:answer|choice|option|response)\W*(?:is)?\W*\Z", re.IGNORECASE)
_INLINE = re.compile(r"(`{1,2})(?!`)([^`\n]+)\1(?!`)")
_LETTER = re.compile(r"\W*(?:(?:option|answer|choice|final)\W+){0,3}[A-Ja-j](?:\W*|[).]\s.*)", re.I | re.DOTALL)
_JSON = re.compile(r"\s*\{[^{}]*\}\s*")


def plain(reply: str) -> str:
    """The text of a reply without markup."""
    text = _characters(reply)
    text = _BOX.sub(lambda found: f"{found[1]}{'☐' if found[2] == ' ' else '☑'} ", text)
    text = _STRUCK.sub(_struck, _fences(_ANGLED.sub(r"\1\2", text)))
    text = _INLINE.sub(lambda found: found[0] if _LETTER.fullmatch(found[2]) else CODE, text)
    text = _UNDERLINED.sub(r"\2", _tags(_latex(text)))
    return "\n".join(line.strip(" \t") for line in text.split("\n")).strip()


def _struck(found: re.Match[str]) -> str:
    """The empty text, or the mark of second thoughts if an answer was struck out that the next words replace."""
    heads_line = not found.string[: found.start()].rpartition("\n")[2].strip(" *_>")
    return STRUCK if heads_line and _LETTER.fullmatch(found[0].strip("~")) else ""


def _characters(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CHARACTERS)
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return _ALIKE_ALONE.sub(lambda found: found[0].translate(_ALIKE), text)


def _fences(text: str) -> str:
    """The text without its blocks of code. A block that holds only the answer is kept."""

    def kept(found: re.Match[str]) -> str:
        inside = found[3]
        around = text[: found.start()] + text[found.end() :]
        answers = bool(_JSON.fullmatch(inside)) and found[2].lower() in ("", "json")
        if _LETTER.fullmatch(inside):
            answers = not around.strip() or bool(_ASKED.search(text[: found.start()]))
        whole = not around.strip() and found[2].lower() in ("", "text", "markdown", "md", "plaintext", "latex", "xml")
        return f"{inside}\n" if answers or whole else f"{CODE}\n"

    return _FENCE.sub(kept, text)


def _latex(text: str) -> str:
    text = _ARROW.sub("→", text)
    for _ in range(4):
        text = _STYLE.sub(r" \1 ", text)
    text = _BOXED.sub(lambda found: f" {OPEN}{found[1] or found[2]}{CLOSE} ", text)
    return _SPACING.sub(" ", text)


def _tags(text: str) -> str:
    text = _TAGGED.sub(lambda found: f"\n{OPEN}{(found[2] or found[4] or '').strip()}{CLOSE}\n", text)
    text = _DOUBLE.sub(lambda found: f"{OPEN}{found[1] or found[2]}{CLOSE}", text)
    return _TYPE.sub("", _BREAK.sub("\n", text))
