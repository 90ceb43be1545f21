"""The smallest parts of a game's JSON: texts, numbers, and lists of them."""

from __future__ import annotations

from typing import Final, NamedTuple

from antemill.engine.kernel import kernel
from antemill.engine.rules.table.columns import NONE, Array
from antemill.engine.rules.table.schema import PHASE

QUOTE, COMMA, BEGIN, END, OPEN, CLOSE = b'",[]{}'
_ESCAPE, _MINUS, _ZERO, _NINE, _NULL, _TRUE = b"\\-09nt"
ROWS, TEXTS, RANKED, LISTED = range(4)  # what `made` counts
_HASHED: Final = (1 << 32) - 1


class Parsing(NamedTuple):
    """What is read, and what was found in it."""

    data: Array  # uint8[bytes]
    made: Array  # int64[4]: how many rows, texts, ranks and listed numbers there are
    nodes: Array  # int64[room, WIDTH]
    listed: Array  # int64[room]: the deck's ranks, then the rows of the phases, then those of the sequence
    frames: Array  # int64[room + 1, 3]: the objects that are open, from the outermost on; the first frame is the game's
    spans: Array  # int64[room, 2]: where in the data each text is, with its quotes
    slots: Array  # int64[a power of two, more than twice the room]: the texts by their hashes
    meanings: Array  # int64[room, 3]: what each text is the name of: a phase (its row), a variable, a suit


@kernel
def add(r: Parsing, number: int) -> None:
    """Add a number to the lists, if there is room."""
    if r.made[LISTED] < len(r.listed):
        r.listed[r.made[LISTED]] = number
        r.made[LISTED] += 1


@kernel
def read_rank_set(r: Parsing, at: int) -> tuple[int, int]:
    """Read a set of ranks from the first one on; and where its list has ended."""
    ranks = 0
    while at < len(r.data) and r.data[at] != END:
        rank, at = read_number(r.data, at + (r.data[at] == COMMA))
        for place in range(r.made[RANKED]):
            if r.listed[place] == rank:
                ranks |= 1 << place
    return ranks, at + 1


@kernel
def read_ranks(r: Parsing, at: int) -> int:
    """Read the deck's ranks from the first one on; where their list has ended."""
    while at < len(r.data) and r.data[at] != END:
        rank, at = read_number(r.data, at + (r.data[at] == COMMA))
        add(r, rank)
    r.made[RANKED] = r.made[LISTED]
    return at + 1


@kernel
def read_sequence(r: Parsing, at: int) -> int:
    """Read the names of the main phases from the first one on; where their list has ended."""
    while at < len(r.data) and r.data[at] != END:
        text, at = read_text(r, at + (r.data[at] == COMMA))
        add(r, r.meanings[text, 0])
    return at + 1


@kernel
def read_texts(r: Parsing, at: int, meaning: int) -> tuple[int, int]:
    """Read a list of texts, which are names of something, from the first one on; how many, and where it has ended."""
    count = 0
    while at < len(r.data) and r.data[at] != END:
        text, at = read_text(r, at + (r.data[at] == COMMA))
        if meaning != NONE:
            r.meanings[text, meaning - PHASE] = count
        count += 1
    return count, at + 1


@kernel
def read_text(r: Parsing, at: int) -> tuple[int, int]:
    """The number of the text whose quote is at a byte, and where it has ended; 0 after the end of the data."""
    data, slots, start, mixed = r.data, r.slots, at, 0
    if at >= len(data):
        return 0, at
    at += 1
    while at < len(data) and data[at] != QUOTE:
        mixed = (mixed * 33 + int(data[at])) & _HASHED
        at += 2 if data[at] == _ESCAPE else 1
    at = min(at + 1, len(data))
    slot = mixed & (len(slots) - 1)
    while slots[slot] != NONE and not _same(data, r.spans[slots[slot]], start, at):
        slot = (slot + 1) & (len(slots) - 1)
    if slots[slot] != NONE:
        return slots[slot], at
    text = r.made[TEXTS]
    if text == len(r.spans):
        return text - 1, at  # there is no room
    slots[slot] = text
    r.spans[text, 0], r.spans[text, 1] = start, at
    r.meanings[text, 0] = r.meanings[text, 1] = r.meanings[text, 2] = NONE
    r.made[TEXTS] += 1
    return text, at


@kernel
def _same(data: Array, span: Array, start: int, end: int) -> bool:
    """Whether the text there is the one that starts and ends here."""
    if span[1] - span[0] != end - start:
        return False
    for place in range(end - start):
        if data[span[0] + place] != data[start + place]:
            return False
    return True


@kernel
def read_number(data: Array, at: int) -> tuple[int, int]:
    """The whole number or the truth value that starts at a byte, NONE for null; and where it has ended."""
    first, number = data[at] if at < len(data) else _ZERO, 0
    at += 1
    if first > _NINE:
        while at < len(data) and data[at] > _NINE and data[at] != END and data[at] != CLOSE:
            at += 1
        return int(first == _TRUE) - int(first == _NULL), at
    if first != _MINUS:
        number = int(first) - _ZERO
    while at < len(data) and _ZERO <= data[at] <= _NINE:
        number = 10 * number + int(data[at]) - _ZERO
        at += 1
    return -number if first == _MINUS else number, at
