"""A compiled game: arrays for the machine, names for texts, and a digest of both (design decisions D1 and D2)."""

from __future__ import annotations

import functools
import hashlib
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from antemill.engine.errors import SpecError
from antemill.engine.machine import layout as at
from antemill.engine.machine.opcodes import TABLE, WIDTH, Op
from antemill.engine.rules.limits import MAX_CARDS, MAX_SIDE_BETS, MAX_VARIABLES
from antemill.engine.rules.walk import FALLBACK
from antemill.engine.seeding import derive

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]

NO_DECISION = "in game '{}' no player ever decides anything; such a game is not played"
_CARD_DOMAIN = 0xCA4D


class DecisionType(Struct, frozen=True):
    """dt = (phase, move type, move name), and the seat: the paper's decision types never mix seats (X2)."""

    seat: int
    phase: str
    move_type: str  # choose, wager, simultaneous, bid
    move_name: str
    labels: tuple[str, ...]  # names of the actions 0..n-1; empty where an action is an amount of chips
    low: int  # smallest amount
    high: int  # largest amount that a player can ever choose

    @property
    def actions(self) -> int:
        """The number of action ids, which run from 0 to `actions - 1`."""
        return len(self.labels) or self.high + 1


class Outline(NamedTuple):
    """Facts for counting a game's phases and branches. In a bit set, phase number i is bit i."""

    phases: int  # the number of phases, including the sub-phases of betting rounds
    spec_phases: int  # the number of the spec's phases, which come first
    fallbacks: int  # bit set: the rounds that replace rounds with free sizes if a player has no chips
    inside: int  # bit set: the sub-phases of these rounds
    conditionals: int


class Names(Struct, frozen=True):
    """Everything about a program that is not executed."""

    game: str
    ranks: tuple[int, ...]
    suits: tuple[str, ...]
    phases: tuple[str, ...]  # the spec's phases in order, then the betting rounds' sub-phases
    spec_phases: int  # the number of the spec's phases
    decisions: tuple[DecisionType, ...]
    conditionals: tuple[str, ...]  # the phase that each conditional belongs to
    texts: tuple[str, ...]
    variables: tuple[str, ...]

    def outline(self) -> Outline:
        """The outline. Among sub-phases, only the name of a fallback ends in `FALLBACK`."""
        added = [*enumerate(self.phases)][self.spec_phases :]
        called = {name for _, name in added if name.endswith(FALLBACK)}
        fallbacks = sum(1 << i for i, name in added if name in called)
        inside = sum(1 << i for i, name in added if name.rpartition(": ")[0] in called)
        return Outline(len(self.phases), self.spec_phases, fallbacks, inside, len(self.conditionals))


class Code(Struct, frozen=True, eq=False):
    """A game that can be played and judged, without names; the fields are those of `Program` and `Names`."""

    code: Int32Array
    rows: int
    chips: int
    suited: bool
    ranks: tuple[int, ...]
    suits: int  # the number of suits
    outline: Outline

    def initial_state(self) -> Int64Array:
        """int64[layout.SIZE]: the state before the first instruction."""
        return _initial(self.ranks, self.suits, self.chips, self.suited)


class Program(Struct, frozen=True, eq=False, dict=True):
    """An executable game.

    code: int32, `rows` instructions of eight words (`antemill.engine.machine.opcodes`), then the tables they point to.
    chips: each player's starting stack. suited: whether some rule reads suits; if not, cards of a rank share a key.
    The properties are computed once; do not write to their arrays.
    """

    code: Int32Array
    rows: int
    chips: int
    suited: bool
    names: Names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<Program of {self.names.game!r}: {self.rows} rows, {len(self.names.decisions)} decision types>"

    @functools.cached_property
    def digest(self) -> str:
        """32 hex digits of all fields. Programs with equal digests are the same game."""
        head = msgspec.json.encode((self.rows, self.chips, self.suited, self.names))
        return hashlib.blake2b(self.code.tobytes() + head, digest_size=16).hexdigest()

    @property
    def cards(self) -> int:
        """The number of cards in the full deck."""
        return len(self.names.ranks) * len(self.names.suits)

    @functools.cached_property
    def action_offsets(self) -> Int64Array:
        """int64[decision types + 1]: where each decision type's action ids start in a flat table over all of them."""
        sizes = [d.actions for d in self.names.decisions]
        return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)

    @functools.cached_property
    def decision_seats(self) -> Int64Array:
        """int64[decision types]: the seat that decides."""
        return np.array([d.seat for d in self.names.decisions], dtype=np.int64)

    @functools.cached_property
    def action_lows(self) -> Int64Array:
        """int64[decision types]: the smallest action id that can be taken."""
        return np.array([d.low for d in self.names.decisions], dtype=np.int64)

    @functools.cached_property
    def outline(self) -> Outline:
        """Facts for counting the game's phases and branches."""
        return self.names.outline()

    @functools.cached_property
    def _initial(self) -> Int64Array:
        """int64[layout.SIZE]: `initial_state`, to be copied."""
        return _initial(self.names.ranks, len(self.names.suits), self.chips, self.suited)

    def initial_state(self) -> Int64Array:
        """int64[layout.SIZE]: the state before the first instruction."""
        return self._initial.copy()

    def to_text(self) -> str:
        """The program as a readable listing: names, decision types, one line an instruction, and the tables."""
        lines = [f"game {self.names.game}", f"digest {self.digest}", f"chips {self.chips}", f"suited {self.suited}"]
        lines += [f"ranks {' '.join(map(str, self.names.ranks))}", f"suits {' '.join(self.names.suits)}"]
        lines += [f"phase {i} {name}" for i, name in enumerate(self.names.phases)]
        lines += [f"decision {i} {_decision_text(d)}" for i, d in enumerate(self.names.decisions)]
        lines += [f"conditional {i} in {name}" for i, name in enumerate(self.names.conditionals)]
        lines += [f"text {i} {text}" for i, text in enumerate(self.names.texts)]
        lines += [f"variable {i} {name}" for i, name in enumerate(self.names.variables)]
        for row in range(self.rows):
            lines.append(f"{row:5d}  {_row_text(self.code[row * WIDTH : (row + 1) * WIDTH])}")
        tables = self.code[self.rows * WIDTH :]
        lines += [f"{self.rows * WIDTH + i:5d}: {value}" for i, value in enumerate(tables)]
        return "\n".join(lines) + "\n"


Playable: TypeAlias = Program | Code


def _initial(ranks: tuple[int, ...], suits: int, chips: int, suited: bool) -> Int64Array:
    """int64[layout.SIZE]: the state before the first instruction, for a game's deck and starting stack."""
    state = _start(len(ranks), suits, suited).copy()
    values = [value for value in ranks for _ in range(suits)]
    state[at.CARD_VALUE : at.CARD_VALUE + len(values)] = values
    state[at.CHIPS] = state[at.CHIPS + 1] = state[at.START_CHIPS] = chips
    state[at.CHIP_BIN] = max(1, chips // at.CHIP_BINS)
    return state


@functools.cache
def _random_words() -> Int64Array:
    """int64[MAX_CARDS + 16]: a random 64-bit word per card class, and 16 more for the digests."""
    return np.array([derive(_CARD_DOMAIN, i) for i in range(MAX_CARDS + 16)], dtype=np.uint64).view(np.int64)


@functools.cache
def _start(ranks: int, suits: int, suited: bool) -> Int64Array:
    """int64[layout.SIZE]: the common part of the initial states of all games with this deck."""
    state = np.zeros(at.SIZE, dtype=np.int64)
    cards = ranks * suits
    card = np.arange(cards)
    state[at.STOP] = at.CHANCE  # with outcome 0 as the only one, which CHOICE holds, so the machine starts to run
    state[at.MENU] = 1
    state[at.SEATS : at.SEATS + 7] = (0, 1, 0, 1, 0, 1, 2)
    state[at.DECK_N] = state[at.CARDS] = cards
    state[at.DECK : at.DECK + cards] = card
    state[at.CARD_RANK : at.CARD_RANK + cards] = card // suits
    state[at.CARD_SUIT : at.CARD_SUIT + cards] = card % suits
    keys = _random_words()
    state[at.CARD_KEY : at.CARD_KEY + cards] = keys[card] if suited else keys[card // suits * suits]
    # Digests start from random words, so that an empty digest differs from one of a zero.
    state[at.PUBLIC : at.SIGNALS + 2] = keys[MAX_CARDS : MAX_CARDS + at.SIGNALS + 2 - at.PUBLIC]
    return state


def _decision_text(d: DecisionType) -> str:
    choices = "/".join(d.labels) if d.labels else f"{d.low}..{d.high}"
    return f"{('alice', 'bob')[d.seat]} | {d.phase} | {d.move_type} | {d.move_name} | {choices}"


def _row_text(words: Int32Array) -> str:
    op = Op(int(words[0]))
    names = TABLE[op].operands.split()
    operands = [f"{name}={int(value)}" for name, value in zip(names, words[1:], strict=False)]
    return f"{op.name:<12} {' '.join(operands)}".rstrip()


def validate(program: Program) -> Program:
    """Return the program if the machine can run it safely.

    Raises SpecError for an unknown opcode, for a jump or table outside the program, and for a seat that does not exist.
    This guards against damaged or foreign files; a compiled program always passes.
    """
    code, rows = program.code, program.rows
    if not program.names.decisions:
        raise SpecError(NO_DECISION.format(program.names.game))
    if rows < 1 or rows * WIDTH > len(code) or program.cards > MAX_CARDS:
        raise SpecError(f"the program of game '{program.names.game}' is damaged: its size does not fit its contents")
    table = code[: rows * WIDTH].reshape(rows, WIDTH)
    if table[:, 0].min() < 0 or table[:, 0].max() >= len(Op):
        raise SpecError(
            f"the program of game '{program.names.game}' has an unknown instruction; another version wrote it"
        )
    limits = {
        "": 1 << 31,
        "->": rows,
        "seat": 7,
        "to": 7,
        "phase": len(program.names.phases),
        "fired": len(program.names.phases),
        "branch": 2 * len(program.names.conditionals),
        "dt": len(program.names.decisions),
        "menu": len(code),
        "table": len(code),
        "variable": MAX_VARIABLES,
        "index": MAX_SIDE_BETS,
        "slot": at.SIZE,
    }
    kinds = _KINDS[table[:, 0]]
    out = (table >= np.array([limits[name] for name in _LIMITED])[kinds]) | ((table < 0) & (kinds != 0))
    if out.any():
        op, place = min((int(table[row, 0]), int(column)) for row, column in zip(*np.nonzero(out), strict=True))
        where = f"operand '{TABLE[Op(op)].operands.split()[place - 1]}' of {Op(op).name}"
        raise SpecError(f"the program of game '{program.names.game}' is damaged: {where} is out of range")
    return program


# The names of operands that have a limit; "->" stands for all jumps, "" for operands without a limit.
_LIMITED = ("", "->", "seat", "to", "phase", "fired", "branch", "dt", "menu", "table", "variable", "index", "slot")


def _kinds() -> Int64Array:
    """int64[opcodes, WIDTH]: the index into `_LIMITED` of each word of a row."""
    kinds = np.zeros((len(Op), WIDTH), np.int64)
    for op in Op:
        for i, name in enumerate(TABLE[op].operands.split(), 1):
            kinds[op, i] = _LIMITED.index("->" if name.startswith("->") else name if name in _LIMITED else "")
    return kinds


_KINDS = _kinds()


def to_columns(program: Program) -> dict[str, Any]:
    """A program as one row of an Arrow table (`antemill.engine.storage.store` has the schema)."""
    return {
        "digest": program.digest,
        "code": program.code,
        "rows": program.rows,
        "chips": program.chips,
        "suited": program.suited,
        "names": msgspec.json.encode(program.names),
    }


def from_columns(row: dict[str, Any]) -> Program:
    """Read a program back. Raises SpecError if the row does not have the digest that it claims."""
    try:
        names = msgspec.json.decode(row["names"], type=Names)
    except msgspec.MsgspecError as error:
        raise SpecError(f"a stored program's names can not be read ({error}); the file is damaged") from error
    code = np.array(
        row["code"], dtype=np.int32
    )  # a copy: Arrow's array is read-only, which is another type, and kernels would be compiled for it
    program = Program(code, int(row["rows"]), int(row["chips"]), bool(row["suited"]), names)
    if program.digest != row["digest"]:
        raise SpecError(f"the stored program of game '{names.game}' does not match its digest; the file is damaged")
    return validate(program)
