"""A game's rules from a table: as JSON (`json_of`), and as objects (`spec_of`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import msgspec
import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.rules.spec import GameSpec, from_json
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.columns import KIND, NEXT, NONE, Array, Table
from antemill.engine.rules.table.reading import remember
from antemill.engine.rules.table.schema import (
    BEFORE,
    COUNT,
    HOLDS,
    NAMES,
    NODE,
    NODES,
    NUMBER,
    NUMBER_OR_NONE,
    ODDS,
    PHASE,
    RANKS,
    ROUNDS,
    SUIT,
    TEXT,
    TONGUES,
    TRUTH,
    VARIABLE,
    WORD,
)

_QUOTE, _SPACE, _COMMA, _BEGIN, _END, _CLOSE, _MINUS, _ZERO = b'" ,[]}-0'
ROOM: Final = 16_384  # bytes for a game's JSON; a longer one is written twice


class Vocabulary(NamedTuple):
    """Texts as they are in JSON, by their numbers."""

    letters: Array  # uint8[letters of all texts]
    starts: Array  # int64[texts + 1]: where each begins, and the last one ends


def vocabulary_of(texts: Sequence[str]) -> Vocabulary:
    """Prepare texts for writing, of which the first is empty: it is the second part of numbers that have only one.

    Raises ValueError if it is not, or if there are more than numbers can be composed of.
    """
    if not texts or texts[0] or len(texts) > 1 << 16:
        raise ValueError(f"A vocabulary has 1 to {1 << 16} texts, and the first of them is empty.")
    return _pieces(msgspec.json.encode(text)[1:-1] for text in texts)


def _pieces(pieces: Iterable[bytes]) -> Vocabulary:
    pieces = list(pieces)
    starts = [0, *accumulate(map(len, pieces))]
    return Vocabulary(np.frombuffer(b"".join(pieces), np.uint8), np.array(starts, np.int64))


# The pieces of JSON that are the same in all games: those that have names here, then what stands before the fields of
# every kind, then the words of every tongue.
_NAMED: Final = (
    *("null", "false", "true", '{"name":', ',"deck":{"ranks":[', '],"suits":[', ']},"chips":', ',"phases":['),
    *('],"sequence":[', '],"variables":[', '],"version":1}'),
)
_NULL, _FALSE, _TRUE, _NAME, _RANKS, _SUITS, _CHIPS, _PHASES, _SEQUENCE, _VARIABLES, _VERSION = range(11)
_FIRST: Final = len(_NAMED)  # the piece before the first field of the first kind
_BEFORE: Final = np.array([*accumulate(map(len, BEFORE[:-1]), initial=_FIRST)])  # of each kind
_TONGUES: Final = np.array([*accumulate(map(len, TONGUES[:-1]), initial=_FIRST + sum(map(len, BEFORE)))])
_LETTERS, _STARTS = _pieces(
    [
        *(piece.encode() for piece in _NAMED),
        *(before for kind in BEFORE for before in kind),
        *(msgspec.json.encode(word) for tongue in TONGUES for word in tongue),
    ]
)


class _Writing(NamedTuple):
    """What is written, and where to."""

    table: Table
    vocabulary: Vocabulary
    suits: Array  # int64[suits]: numbers of texts
    variables: Array  # int64[variables]: numbers of texts
    out: Array  # uint8[room]


def spec_of(table: Table, game: str, suits: Array, variables: Array, vocabulary: Vocabulary) -> GameSpec:
    """The game of a table, as objects; arguments as for `json_of`. `table_of` knows it by a copy of the table."""
    spec = from_json(json_of(table, game, suits, variables, vocabulary))
    arrays = (table.nodes.copy(), table.phases.copy(), table.sequence.copy(), table.ranks.copy())
    remember(spec, Table(*arrays, table.suits, table.chips, table.variables))
    return spec


def json_of(table: Table, game: str, suits: Array, variables: Array, vocabulary: Vocabulary) -> bytes:
    """The game of a table, as `antemill.engine.rules.spec.to_json` writes it.

    game: its name. suits, variables: int64 arrays of the numbers of their names. They and the names in the table are
    numbers of the vocabulary, composed or not (see `antemill.engine.rules.table.columns`).
    """
    name = np.frombuffer(msgspec.json.encode(game), np.uint8)
    out = np.empty(ROOM, np.uint8)
    length = write(table, name, suits, variables, vocabulary, out)
    if length > len(out):
        out = np.empty(length, np.uint8)
        write(table, name, suits, variables, vocabulary, out)
    return out[:length].tobytes()


@kernel
def write(table: Table, name: Array, suits: Array, variables: Array, vocabulary: Vocabulary, out: Array) -> int:
    """Write a game's JSON to `out`; how long it is. If it is longer than `out`, it is not there completely.

    name: uint8 array, the game's name in JSON. The others are as for `json_of`.
    """
    w = _Writing(table, vocabulary, suits, variables, out)
    at = _letters(out, _piece(out, 0, _NAME), name, 0, len(name))
    at = _piece(out, at, _RANKS)
    for place in range(len(table.ranks)):
        at = _number(out, _next(out, at, place), table.ranks[place])
    at = _texts(w, _piece(out, at, _SUITS), suits)
    at = _number(out, _piece(out, at, _CHIPS), table.chips)
    at = _piece(out, at, _PHASES)
    for place in range(len(table.phases)):
        at = _node(w, _next(out, at, place), table.phases[place])
    at = _piece(out, at, _SEQUENCE)
    for place in range(len(table.sequence)):
        at = _phase(w, _next(out, at, place), table.sequence[place])
    at = _texts(w, _piece(out, at, _VARIABLES), variables)
    return _piece(out, at, _VERSION)


@kernel
def _node(w: _Writing, at: int, row: int) -> int:
    """Write a row as an object, or as the name that it stands for in a list; where it ends."""
    nodes, out = w.table.nodes, w.out
    kind = nodes[row, KIND]
    if kind == of.NAME:
        return _text(w, at, nodes[row, of.NAME_TEXT])
    if kind == of.ROUND:
        return _phase(w, at, nodes[row, of.ROUND_PHASE])
    at = _piece(out, at, _BEFORE[kind])
    for field in range(COUNT[kind]):
        if field:
            at = _piece(out, at, _BEFORE[kind] + field)
        holds, cell = HOLDS[kind, field], nodes[row, 2 + field]
        if holds == NODE:
            at = _piece(out, at, _NULL) if cell == NONE else _node(w, at, cell)
        elif holds in (NODES, NAMES, ROUNDS):
            at = _letter(out, at, _BEGIN)
            item = cell
            while item != NONE:
                at = _node(w, _next(out, at, item != cell), item)
                item = nodes[item, NEXT]
            at = _letter(out, at, _END)
        elif holds == ODDS:
            at = _odds(out, at, cell, nodes[row, 3 + field])
        else:
            at = _value(w, at, holds, cell)
    return _letter(out, at, _CLOSE)


@kernel(inline="late")
def _value(w: _Writing, at: int, holds: int, cell: int) -> int:
    """Write what is in one cell."""
    if holds == NUMBER:
        return _number(w.out, at, cell)
    if holds == TEXT:
        return _text(w, at, cell)
    if holds == TRUTH:
        return _piece(w.out, at, _FALSE + cell)
    if holds == PHASE:
        return _phase(w, at, cell)
    if holds == VARIABLE:
        return _text(w, at, w.variables[cell])
    if holds == SUIT:
        return _text(w, at, w.suits[cell])
    if holds == RANKS:
        return _ranks(w, at, cell)
    if cell == NONE:
        return _piece(w.out, at, _NULL)
    return _number(w.out, at, cell) if holds == NUMBER_OR_NONE else _piece(w.out, at, _TONGUES[holds - WORD] + cell)


@kernel
def _odds(out: Array, at: int, part: int, whole: int) -> int:
    if part == NONE:
        return _piece(out, at, _NULL)
    at = _number(out, _letter(out, at, _BEGIN), part)
    return _letter(out, _number(out, _letter(out, at, _COMMA), whole), _END)


@kernel
def _ranks(w: _Writing, at: int, ranks: int) -> int:
    """Write the values of a set of ranks, ascending."""
    at = _letter(w.out, at, _BEGIN)
    written = 0
    for place in range(len(w.table.ranks)):
        if ranks >> place & 1:
            at = _number(w.out, _next(w.out, at, written), w.table.ranks[place])
            written += 1
    return _letter(w.out, at, _END)


@kernel
def _texts(w: _Writing, at: int, texts: Array) -> int:
    """Write texts with commas between them."""
    for place in range(len(texts)):
        at = _text(w, _next(w.out, at, place), texts[place])
    return at


@kernel(inline="late")
def _phase(w: _Writing, at: int, row: int) -> int:
    """Write the name of a phase, which is the first field of all of them."""
    return _text(w, at, w.table.nodes[row, of.STEPS_NAME])


@kernel(inline="late")
def _text(w: _Writing, at: int, number: int) -> int:
    """Write a text by its number, composed or not."""
    out, (letters, starts) = w.out, w.vocabulary
    at = _letter(out, at, _QUOTE)
    first, second = number & 0xFFFF, number >> 16 & 0xFFFF
    at = _letters(out, at, letters, starts[first], starts[first + 1])
    at = _letters(out, at, letters, starts[second], starts[second + 1])
    if number >> 32:
        at = _number(out, _letter(out, at, _SPACE), number >> 32)
    return _letter(out, at, _QUOTE)


@kernel
def _number(out: Array, at: int, number: int) -> int:
    """Write a whole number."""
    if 0 <= number < 10:
        return _letter(out, at, _ZERO + number)
    if number < 0:
        return _number(out, _letter(out, at, _MINUS), -number)
    return _letter(out, _number(out, at, number // 10), _ZERO + number % 10)


@kernel
def _next(out: Array, at: int, before: int) -> int:
    """Write a comma, if there is anything before it in its list."""
    return _letter(out, at, _COMMA) if before else at


@kernel
def _piece(out: Array, at: int, piece: int) -> int:
    """Write one of the pieces that are the same in all games."""
    return _letters(out, at, _LETTERS, _STARTS[piece], _STARTS[piece + 1])


@kernel
def _letter(out: Array, at: int, letter: int) -> int:
    """Write one letter, if there is room."""
    if at < len(out):
        out[at] = letter
    return at + 1


@kernel
def _letters(out: Array, at: int, letters: Array, start: int, end: int) -> int:
    """Write some letters, if there is room; where they end, or would."""
    length = end - start
    if at + length <= len(out):
        for place in range(length):
            out[at + place] = letters[start + place]
    return at + length
