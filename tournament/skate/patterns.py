"""The patterns of `letter`: expressions that claim or deny a letter, made of the words of `wording`."""

# ruff: noqa: RUF001  (the signs of other scripts are meant)

from __future__ import annotations

import re
import unicodedata

from antemill.tournament.skate import phrases
from antemill.tournament.skate.markup import CLOSE, OPEN, STRUCK

_WORD = "A-Za-z0-9_\u00c0-\u024f"
_DECOR = r"[\s*_`\"'()\[\]{}<>~#|⟦⟧]{0,20}"
# Not a part of a word, of code, of a hyphenated word, no possessive.
_LETTER = (
    rf"(?<![{_WORD}@\\/+])(?P<letter>[A-HJa-hj])"
    rf"(?![{_WORD}+#(\[\\]|['-][{_WORD}]|\.[{_WORD}]|[ ]?=[^>])"
)
_CLOSED = r"[)\]}>*_`\"'~|⟧]*"
CLOSERS = re.compile(_CLOSED)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFKC", text), re.IGNORECASE)


_FILL = rf"(?:(?:(?:{phrases.FILLERS})(?![{_WORD}])|(?:{phrases.FILLERS_JOINED})),?{_DECOR}){{0,5}}"
_TO = (
    rf"(?:\s+(?:{phrases.ADJECTIVES})(?![{_WORD}]))?"
    r"(?:[ ](?:to|for|of|here|in|given|based|that|which)\b(?:(?!\bnot\b|n't|\bis\b)[^.?!\n]){0,60}?)?"
)
_IS = rf"(?:[ ]?(?:[:=|?—]|-+>?|→|(?<![{_WORD}])(?:{phrases.COPULAS})(?![{_WORD}])|(?:{phrases.JOINED})))"
_NAME = rf"(?<![{_WORD}])(?P<final>{phrases.FINAL})?(?:(?:selected|correct|chosen|best|predicted|right)_)?"
SAID = (
    _pattern(rf"{_NAME}(?:{phrases.ANSWERS}){_DECOR}{_TO}{_DECOR}(?P<is>{_IS}{{0,2}}){_DECOR}{_FILL}{_DECOR}{_LETTER}"),
    _pattern(rf"{_NAME}(?:{phrases.OPTIONS}){_DECOR}{_TO}{_DECOR}(?P<is>{_IS}{{1,2}}){_DECOR}{_FILL}{_DECOR}{_LETTER}"),
    _pattern(
        rf"(?P<is>(?:^|[.!?;:,—\n]\W{{0,9}}|\b(?:so|thus|therefore|hence|and|then|but)\s+)(?:{phrases.CHOOSE}))\s*{_FILL}{_DECOR}{_LETTER}"
    ),
    _pattern(
        rf"{_NAME}(?:{phrases.ANSWERS}){_DECOR}{_TO}{_DECOR}(?P<is>{phrases.NOT})\s*{_FILL}[*_(]*[A-J][*_)]*[,;]?\s*"
        rf"(?:{phrases.BUT})\s*{_FILL}[*_(]*{_LETTER}(?=[*_)]*\s*(?:[.,;!(—。]|\n|\Z))"
    ),
    _pattern(rf"(?P<is>{phrases.CHOOSE_JOINED})\s*{_FILL}{_DECOR}{_LETTER}"),
)
OPTION = SAID[1]
CORRECT = _pattern(
    rf"{_LETTER}{_CLOSED}[ ]?(?:\([^()\n]{{0,60}}\)|[:—-][ ][^\n.;:,]{{0,60}}?)?[ ]?(?:{phrases.CORRECT})(?![{_WORD}])"
    r"(?!\s+(?:about|only|except|up|until|unless|in|for|if|when|after|but)\b)"
)
BULLET = re.compile(r"\n[ \t]*[-—|]\Z")  # begins an item of a list, or the next row of a table
OR_BEFORE = re.compile(r"(?<![\w'])[A-J][*_)`\"']*\s*(?:/|\bor\b)\s*(?:(?:option|choice)\s+)?[*_(`\"']*\Z")
_CONCLUDED = _pattern(rf"(?<![{_WORD}])(?:{phrases.CONCLUDED})[\s*_(]{{0,9}}{_FILL}[\s*_(⟦]*{_LETTER}")
_IN_OTHER_WORDS = _pattern(  # behind a value, not behind the name of a letter
    rf"(?:^|[\d\])}}\ufffc][*_]*,?)[ ]*\(?(?:i\.e\.|that is,|namely),?\s*[*_(]*"
    rf"{_FILL}[*_(]*{_LETTER}[)*_.!]*\s*(?:\n|\Z)"
)
_SHOWN = re.compile(rf"\b(?:outputs?|results?|prints?|is|be)(?: is)?:?\s+[*_]*{_LETTER}\)(?=\s)", re.IGNORECASE)
_REMAINS = _pattern(rf"{_LETTER}{_CLOSED}[ ](?:{phrases.REMAINS})(?![{_WORD}])")
_ONLY_ONE = _pattern(rf"\bonly\s+(?:option\s+|choice\s+)?[*_(]*{_LETTER}{_CLOSED}[ ](?:{phrases.ONLY})\b")
_POINTED = re.compile(  # but no chain of letters
    rf"(?<!\b[A-J])(?<!\b[A-J] )"
    rf"(?:→|=>|->)[ ]?(?:option )?[*_(]*{_LETTER}|(?<!\w)\({_LETTER.replace('?P<letter>', '?P<last>')}\)\W*\Z",
    re.I,
)
IN_PASSING = (_CONCLUDED, _REMAINS, _ONLY_ONE, _IN_OTHER_WORDS, _SHOWN, _POINTED)

OPENING = re.compile(rf"[^\w⟦\ufffc]*+(?:(?:option|choice|letter|answer)[ *_(]{{1,9}})?{_LETTER}", re.IGNORECASE)
ONLY = re.compile(
    r"(?:(?!\ufffc)[\W_])*+(?:(?:option|choice|letter)[ *_(]{1,9})?([A-HJ])(?![+#])(?:(?![?\ufffc])[\W_])*",
    re.IGNORECASE,
)
LAST = re.compile(rf"(?<!e\.g)[.!?:;…—][\s*_(]+(?:option )?{_LETTER}[)*_.!\s]*\Z", re.IGNORECASE)
# In front of the colon before a letter: "Wrong answer: C".
LABELLED_WRONG = re.compile(
    r"\b(?:not|never|wrong|incorrect|bad|worst|trap|reject\w*|excluded|eliminated|discarded|ruled out|distractors?|"
    r"false|e\.g)\b",
    re.IGNORECASE,
)
HEDGED = re.compile(  # all of a reply: a guess is an answer
    rf"\W*(?:(?:i'm |i am |i do)?(?:hmm+|maybe|perhaps|possibly|unsure|not (?:quite |entirely )?sure|"
    rf"n't know|don't know|tough one|no idea|hard to say|a guess)\W+"
    rf"(?:but\W+|maybe\W+|perhaps\W+)?)(?:option\W+)?{_LETTER}[)*_.!\s]*",
    re.IGNORECASE,
)
BOLD_END = re.compile(  # the last paragraph, and the only option that is written out
    r"^(?=[^\n]*\S)(?P<before>[^\n]*)\n\s*\n[ ]*\*\*[(]?(?P<letter>[A-HJ])(?:[).:][^\n*]*\*\*|\*\*[).:][^\n]*)[.\s]*\Z",
    re.MULTILINE,
)
INSIDE = re.compile(
    r"\W*(?:(?:option|choice|letter|answer)\W+){0,2}([A-HJ])(?:[).:,\]]?\W*|(?:[).:\]]|[ ]*[—-])\s.*)", re.I | re.DOTALL
)
MARKS = re.compile(rf"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
ROW = re.compile(r"\W*(?:option\s+)?([A-HJ])\W?[*_]*[).:|\s—-](.*)", re.IGNORECASE)
TICKED = re.compile(
    rf"{_LETTER}[^\w\n✗✘❌✖]{{0,4}}[✓✔✅☑]|"
    rf"^\W{{0,6}}[✓✔✅☑][^\w\n]{{0,4}}(?:option )?(?P<last>[A-HJ])(?![{_WORD}])|"
    rf"(?<![{_WORD}])(?:option )?(?P<asked>[A-HJ])\? (?:yes|correct)\b",
    re.IGNORECASE | re.MULTILINE,
)
RIGHT = re.compile(
    r"[✓✔✅☑]|(?:←|<-+|<=+)\s*(?:this|correct|answer|right|here|match|the one)?[\s!.*]*$|"
    r"(?:[(—:|-]|->)\s*\**correct\**(?:!?[\s)|.*]*$|,? (?:since|because|as)\b)",
    re.IGNORECASE,
)
VERDICT = re.compile(
    r"\W*(?:option\s+)?(?P<letter>[A-HJ])(?:[^\w\n]{1,9}|[).:|—-].*[(—:|→>-][^\w\n]*)(?:(?P<right>correct|right)|incorrect|wrong)\W*",
    re.IGNORECASE,
)
JUDGED = re.compile(r"\b(?:in)?correct\W*\Z|\b(?:right|wrong)\W*\Z", re.IGNORECASE)
# The last paragraph is an option, and what stands before it came to the same.
CLOSING = re.compile(
    r"(?:\A|\n)(?P<before>[^\n]*[.!])[*_ ]*\n\s*\n[*_(]*(?P<letter>[A-HJ])[*_]*[).][*_]*\s(?P<option>[^\n]+)\Z"
)
LABEL = re.compile(r"^[ *_(>|-]*[A-HJ][*_]*[ ]?[).:|]", re.MULTILINE)
FOUND = re.compile(
    r"\b(?:so|thus|therefore|hence|gives|outputs?|prints?|printed|yields|results?|(?:we|i) (?:get|have))\b",
    re.IGNORECASE,
)
WRONG = re.compile(r"[✗✘❌✖☒×]|\bincorrect\b|\bnot\b|\bwrong\b|n't", re.IGNORECASE)

_OTHER = r"[*_(`\"']*(?:option\s+)?[*_(`\"']*(?P<other>[A-J])(?![A-Za-z0-9_'-])[*_)`\"']*"
_OR = re.compile(rf"\s*(?:/|\bor\b|\boder\b|\bou\b|\bo\b|或|または|&)\s*{_OTHER}")
_AND = re.compile(rf"\s*(?:,|\band\b|,\s*and\b)\s*{_OTHER}\s*(?:[,.;!?)\n]|$|(?:and|or|are|both)\b)")
_SHARE = r"\s*[(:—-]?\s*(?:about|around|roughly|ca\.?|[~≈])?\s*\d[\d.]*\s?%"
_SHARED = re.compile(rf"{_SHARE}[^\n,;/]{{0,20}}[\s,;/|]*(?:\b(?:or|and)\s+)?{_OTHER}{_SHARE}")
_REPLACED = re.compile(r"(?=[^\n→>]{0,60}[→>])[^\n]{0,100}?[\s→>*_(](?P<other>[A-J])[.!)*_ ]{0,9}(?:\n|\Z)")
ONE_OF = (_OR, _AND, _SHARED)  # behind a letter: it is one of several,
OTHERS = (*ONE_OF, _REPLACED)  # or not the last
NEXT_WORD = re.compile(r"[ ]*([^\W\d][\w']*)")
AFTER = re.compile(rf"(?:{phrases.AFTER})", re.IGNORECASE)
AFTER_A = frozenset(phrases.AFTER_A.split())
DENIED = re.compile(
    r"[\s:)*_|—-]*(?:(?:is|was|looks|seems)(?:n't| not)?\s[^.,;\n]{0,30}?)?"
    r"(?:wrong|incorrect|eliminated|out\b|ruled out|impossible|no\b|not\b|cannot be|can't be|✗|✘|❌)",
    re.IGNORECASE,
)

NOT_BEHIND = _pattern(r"[ ]?(?:(?:では|じゃ)(?:なく|ない|ありません)|[가이]? ?아니|değil)")  # where "not" comes last

PREDICATE = re.compile(
    r"[\s*_:—-]*(?:(?:is|was|has|had|would|could|can|cannot|can't|does|will|won't)\b|[a-z]+(?:s|n't)\b(?! of))"
)
FAILED = re.compile(r"[✗✘❌]|[(—:|→>-]\s*\**(?:incorrect|wrong)\**[)\s.*|]*$", re.IGNORECASE)

CLAUSE = re.compile(
    r"[.!?;](?:\s|$)|\n|\b(?:but|however|yet|although|though|whereas|so|therefore|thus|hence|instead)\b", re.IGNORECASE
)
PART = re.compile(
    r"[.!?;,](?:\s|$)|\n|→|\b(?:but|however|so|therefore|thus|hence|because|since|rather|instead)\b", re.IGNORECASE
)
REJECTED = re.compile(rf"(?:{phrases.REJECTED})", re.IGNORECASE)
SUPPOSED = re.compile(rf"(?<![{_WORD}])(?:{phrases.SUPPOSED})(?![{_WORD}])", re.IGNORECASE)
AGAINST = re.compile(rf"(?<![{_WORD}])(?:{phrases.AGAINST})", re.IGNORECASE)
OUTPUT = re.compile(
    r"\b(?:print\w*|output\w*|show\w*|display\w*|results?|gives|yields|returns?)(?: is| be)?\W*\Z", re.IGNORECASE
)
QUOTED = re.compile(rf"{OUTPUT.pattern}|(?:^|\n)\W{{0,9}}[A-J]\W*\Z", re.IGNORECASE)  # what is shown, not said
# A last sentence that is a bare no takes back what stands before it, unless it answers a question.
_BARE_NO = r"(?<=[.!…\n])\s*(?:[^\W\d_]{1,12},?\s+){0,2}(?:no|nope|not|non|nein|nicht|falsch|нет)[\s.!…*_]*\Z"
TAKEN_BACK = re.compile(
    rf"(?:^|(?<=[.!?;:,—(\n]))\W{{0,9}}(?:{phrases.TAKEN_BACK})|{_BARE_NO}|(?<=[。！])\s*(?:不|不对|不是|いいえ|違う)[。！]*\Z",
    re.IGNORECASE | re.MULTILINE,
)
# A letter alone behind second thoughts: "A. Actually, B."
REVISED = _pattern(
    rf"(?:^|(?<=[.!?;:,—(\n→>…]))\W{{0,9}}(?:{phrases.CHECKED}|on (?:second look|reflection)|after checking|"
    rf"no\b(?![ ]+[*_(]{{0,4}}[A-J]\b))"
    rf"[,:—>→-]{{0,2}}\s*(?:no,?\s+)?(?:(?:it's|it is|that's|the answer is)\s+)?{_DECOR}{_LETTER}[)*_.!\]]*[ ]*"
    r"(?:\n|\Z)"
)
# "B, non D" names what is not meant. So does "B, no D" in Spanish; in English it may be a second thought.
_NOT_IT = r"(?:no|non|não)\s+(?:la|el|il|a|o)\s+[A-J]\b|(?:non|não|nie|ne)\s+[*_(]{0,4}(?-i:[A-HJ])\b"
NO_OTHER = re.compile(r"(?i:no)[ ]+[*_(]{0,4}[A-HJ]\b")
# Second thoughts begin: at the begin of a line, or behind a sign.
DOUBT = _pattern(
    rf"{STRUCK}|(?:^|(?<=[.!;:,—(\[\n…。、→*⟧\"])|(?<=--))[^\w?{STRUCK}]{{0,9}}"
    rf"(?:(?:ah|oh|ach|äh|eh|uh|um|well|ok|okay|bon|ну|ой|ay)[,.!…]?[ ]+)?"
    rf"(?:(?!{_NOT_IT})(?:{phrases.DOUBTS})(?![{_WORD}])|(?:{phrases.DOUBTS_JOINED}))"
)
_CLOSING_VERB = r"[ ]?(?:です|だ|である|に?なります|となります|입니다|이다|才对|才是)| sein"  # behind the last letter
COMES_TO = _pattern(  # the letter that a line ends with
    rf"(?:^|[^\w\s*_(]|(?:{phrases.COMES_TO_JOINED})|"
    rf"(?<![{_WORD}])(?!(?:{phrases.MENTIONED})\s)[^\W\d_]+(?=\s))[\s*_(⟦\"]{{0,9}}"
    rf"(?:(?:option|choice|answer|antwort|réponse|选项)\s*[*_(]{{0,4}})?(?<![{_WORD}])(?P<letter>(?-i:[A-HJ]))(?![{_WORD}])[)\]*_⟧\"]{{0,6}}"
    rf"(?:{_CLOSING_VERB})?[)\]*_.!。⟧\"\s]{{0,9}}$"
)
NOT_TO = _pattern(  # what stands before it there denies it
    rf"(?:不是|不选|非|(?<![{_WORD}])(?:not|never|than|nor|neither|isn't|unlike|instead of|nicht|kein|pas|no es|não é|"
    r"non è|не|or|oder|ou))[\s*_(\"]{0,9}\Z"
)
ENDING = _pattern(  # a last short sentence, in any language, that ends with a letter
    r"(?:^|[.!?;:,—\n。！？；：，、])[\s*_(\"']{0,9}(?:[^\W_][^\s.!?;:,、]*[ ]+){0,6}?(?:[\u3040-\u9fff]{1,20}[ ]?)?"
    rf"[*_(`\"]{{0,4}}(?P<letter>(?-i:[A-HJ]))(?:{_CLOSING_VERB})?[)*_.!。`\"]{{0,4}}\s*\Z"
)
SENTENCE = re.compile(r"[.!?](?:\s|$)|\n|[。！？]")
MENTION = _pattern(rf"(?<![{_WORD}])(?:{phrases.MENTIONED}|option|choice|alternatives?|second|grade)(?![{_WORD}])")
JUDGEMENT = _pattern(  # of several options, each in a few words
    rf"(?<![{_WORD}])(?:option\s+)?(?P<letter>(?-i:[A-HJ]))(?![{_WORD}])[)*_.]{{0,4}}[ ]?[:=|—-]{{0,2}}[ ]?[*_]{{0,2}}"
    rf"(?:(?P<right>{phrases.RIGHT})|(?:{phrases.WRONG}))(?![{_WORD}])"
)
