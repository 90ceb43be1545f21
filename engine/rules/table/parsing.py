"""A game's JSON as a table: `parse`.

The JSON is as msgspec writes objects (`antemill.engine.rules.table.schema`), so names of fields are skipped, and
everything else is read once. A text becomes a number as soon as it is read; what it is the name of is known when all
phases and variables were read.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import KIND, NEXT, NONE, WIDTH, Array, Table
from antemill.engine.rules.table.scanning import (
    BEGIN,
    CLOSE,
    COMMA,
    END,
    LISTED,
    OPEN,
    QUOTE,
    RANKED,
    ROWS,
    TEXTS,
    Parsing,
    add,
    read_number,
    read_rank_set,
    read_ranks,
    read_sequence,
    read_text,
    read_texts,
)
from antemill.engine.rules.table.schema import (
    BEFORE,
    FIELDS,
    HELD,
    HOLDS,
    KINDS,
    ODDS,
    PHASE,
    RANKS,
    ROUNDS,
    SUIT,
    TONGUES,
    VARIABLE,
    WORD,
)

_TAGS: Final = [kind.__struct_config__.tag for kind in KINDS]
_WORDS: Final = [*dict.fromkeys(filter(None, (*_TAGS, *(word for tongue in TONGUES for word in tongue))))]
WORDS: Final = msgspec.json.encode(_WORDS)  # what stands before the game, so that the numbers of these texts are known
_KIND: Final = np.array([_TAGS.index(word) if word in _TAGS else NONE for word in _WORDS])  # whose tag each word is
# The place of every word in every tongue.
_PLACE: Final = np.array([[tongue.index(word) if word in tongue else NONE for word in _WORDS] for tongue in TONGUES])
# How many bytes stand before the value of every field; 1 for those that a kind has not, as reading must get on.
_BEFORE: Final = np.array([[*map(len, kind), *[1] * (FIELDS - len(kind))] for kind in BEFORE])

ROW, FIELD, LAST = range(3)  # of a frame: the row that is read, its field, the last row of the list in that field
NO_LIST: Final = -2  # in place of a list's last row
FULL, ODD = -1, -2  # in place of the chips: there was no room; this is no game


@kernel(allocates=True)
def parse(data: Array, room: int) -> Table:
    """The table of a game from uint8 data: `WORDS`, then its JSON.

    There is room for so many rows, texts and names, which is more than there are words. Instead of the chips the table
    has FULL if the room does not suffice, and ODD if this is no game.
    """
    made = np.zeros(4, np.int64)
    nodes, listed = np.empty((room, WIDTH), np.int64), np.empty(room, np.int64)
    frames, meanings = np.empty((room + 1, 3), np.int64), np.empty((room, 3), np.int64)
    spans = np.empty((room, 2), np.int64)
    slots = np.empty(_slots(room), np.int64)
    for slot in range(len(slots)):
        slots[slot] = NONE
    r = Parsing(data, made, nodes, listed, frames, spans, slots, meanings)
    _, at = read_texts(r, 1, NONE)
    _, at = read_text(r, at + len('{"name":'))
    at = read_ranks(r, at + len(',"deck":{"ranks":['))
    suits, at = read_texts(r, at + len(',"suits":['), SUIT)
    chips, at = read_number(data, at + len('},"chips":'))
    at = _phases(r, at + len(',"phases":['))
    if at == ODD:
        return Table(nodes, listed, listed, listed, 0, ODD, 0)
    ranks, phases = made[RANKED], made[LISTED]
    at = read_sequence(r, at + len(',"sequence":['))
    variables, at = read_texts(r, at + len(',"variables":['), VARIABLE)
    if made[ROWS] >= room or made[TEXTS] >= room or made[LISTED] >= room:
        return Table(nodes, listed, listed, listed, 0, FULL, 0)
    _resolve(r)
    main, deck = listed[phases : made[LISTED]], listed[:ranks]
    return Table(nodes[: made[ROWS]], listed[ranks:phases], main, deck, suits, chips, variables)


@kernel
def _slots(room: int) -> int:
    size = 4
    while size <= 2 * room:
        size *= 2
    return size


@kernel
def _phases(r: Parsing, at: int) -> int:
    """Read phases from the first one on; where their list has ended, or ODD. It stops where there is no more room."""
    data, frames, depth = r.data, r.frames, 0
    _frame(r, 0, NONE, NONE)
    while at < len(data) and r.made[ROWS] < len(r.nodes):
        letter = data[at]
        if depth == 0 and letter == END:
            return at + 1
        if depth == 0 and letter != OPEN and letter != COMMA:
            return ODD
        if letter == OPEN:
            at = _open(r, depth, at)
            if at == ODD:
                return ODD
            depth += 1
        elif letter == CLOSE:
            depth -= 1
            at += 1
        elif letter == END:
            frames[depth, LAST] = NO_LIST
            at += 1
        elif letter == COMMA:
            at = _comma(r, depth, at)
        else:
            at = _value(r, depth, at)
    return len(data)


@kernel
def _frame(r: Parsing, depth: int, row: int, last: int) -> None:
    r.frames[depth, ROW], r.frames[depth, FIELD], r.frames[depth, LAST] = row, 0, last


@kernel
def _open(r: Parsing, depth: int, at: int) -> int:
    """Begin an object; where the value of its first field is, or its end, or ODD."""
    row = r.frames[depth, ROW]
    kind = NONE if row == NONE else HELD[r.nodes[row, KIND], r.frames[depth, FIELD]]
    if kind == NONE:
        tag, _ = read_text(r, at + len('{"type":'))
        kind = _KIND[tag] if tag < len(_KIND) else NONE
        if kind == NONE:
            return ODD
    _frame(r, depth + 1, _linked(r, depth, kind), NO_LIST)
    return at + int(_BEFORE[kind, 0])


@kernel(inline="late")
def _comma(r: Parsing, depth: int, at: int) -> int:
    """Go on in a list, or to the next field of an object; where its value is."""
    frame = r.frames[depth]
    if frame[LAST] != NO_LIST:
        return at + 1
    frame[FIELD] = min(frame[FIELD] + 1, FIELDS - 1)
    return at + int(_BEFORE[r.nodes[frame[ROW], KIND], frame[FIELD]])


@kernel(inline="late")
def _value(r: Parsing, depth: int, at: int) -> int:
    """Read what is no object into the field whose turn it is; where it has ended, or the list has begun."""
    row, field = r.frames[depth, ROW], r.frames[depth, FIELD]
    cells, holds, letter = r.nodes[row, 2 + field :], HOLDS[r.nodes[row, KIND], field], r.data[at]
    if letter == QUOTE:
        text, at = read_text(r, at)
        if r.frames[depth, LAST] != NO_LIST:
            r.nodes[_linked(r, depth, of.ROUND if holds == ROUNDS else of.NAME), 2] = text
            return at
        cells[0] = _said(holds, text)
        if depth == 1 and field == 0 and r.meanings[text, 0] == NONE:
            r.meanings[text, 0] = row
    elif letter != BEGIN:
        cells[0], at = read_number(r.data, at)
    elif holds == RANKS:
        cells[0], at = read_rank_set(r, at + 1)
    elif holds == ODDS:
        cells[0], at = read_number(r.data, at + 1)
        cells[1], at = read_number(r.data, at + 1)
        at += 1
    else:
        r.frames[depth, LAST] = NONE
        at += 1
    return at


@kernel
def _said(holds: int, text: int) -> int:
    """What a field holds that says a text: the place of a word, or the text."""
    if holds < WORD:
        return text
    return int(_PLACE[holds - WORD, text]) if text < len(_KIND) else NONE


@kernel
def _linked(r: Parsing, depth: int, kind: int) -> int:
    """A new row, which the field whose turn it is, or the list in it, holds from now on."""
    new: int = r.made[ROWS]
    r.made[ROWS] += 1
    for column in range(WIDTH):
        r.nodes[new, column] = NONE
    r.nodes[new, KIND] = kind
    row, last = r.frames[depth, ROW], r.frames[depth, LAST]
    if row == NONE:
        add(r, new)
        return new
    if last < 0:
        r.nodes[row, 2 + r.frames[depth, FIELD]] = new
    else:
        r.nodes[last, NEXT] = new
    if last != NO_LIST:
        r.frames[depth, LAST] = new
    return new


@kernel
def _resolve(r: Parsing) -> None:
    """Names of phases, variables and suits become what they are the names of."""
    nodes = r.nodes
    for row in range(r.made[ROWS]):
        kind = nodes[row, KIND]
        if kind == of.ROUND:
            nodes[row, of.ROUND_PHASE] = r.meanings[nodes[row, of.ROUND_PHASE], 0]
        elif kind < len(HOLDS):
            for field in range(FIELDS):
                holds, text = HOLDS[kind, field], nodes[row, 2 + field]
                if PHASE <= holds <= SUIT:
                    known = 0 <= text < r.made[TEXTS]  # always, in a legal game
                    nodes[row, 2 + field] = r.meanings[text, holds - PHASE] if known else NONE
