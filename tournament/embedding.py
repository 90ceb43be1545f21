"""The distance of two questions (S5; SKATE section 3 and appendix B): 1 - cosine of their embeddings.

The paper's threshold of 0.336 belongs to OpenAI's text-embedding-3-small. A threshold belongs to its embedder, so each
brings its own, and its name is stored with every distance. The default needs no model and no network: a hash of the
1- to 3-grams of Python tokens, for which the paper's number keeps renamed and retouched programs apart from other ones.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

Vectors = npt.NDArray[np.float64]

PAPER_THRESHOLD = 0.336
SHAPE = 0.6  # 399 of 400 renamed programs with other constants stay below the threshold, and 0.5% of unrelated pairs
_HALF, _LONGEST = 2_048, 3

# Written out, so that a new built-in of a newer Python moves no distance.
_BUILTINS = """
abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod complex delattr dict dir divmod enumerate
eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter
len list locals map max memoryview min next object oct open ord pow print property range repr reversed round set
setattr slice sorted staticmethod str sum super tuple type vars zip self cls
"""
_KEYWORDS = """
False None True and as assert async await break class continue def del elif else except finally for from global if
import in is lambda nonlocal not or pass raise return try while with yield match case
"""
_GIVEN = frozenset((_BUILTINS + _KEYWORDS).split())

_STRING = "|".join((r"'''(?:\\.|[^\\])*?'''", r'"""(?:\\.|[^\\])*?"""', r"'(?:\\.|[^'\\\n])*'", r'"(?:\\.|[^"\\\n])*"'))
_TOKEN = re.compile(
    rf"""
    (?P<comment>\#[^\n]*)
    | (?P<string>[rRbBuUfF]{{0,2}}(?:{_STRING}))
    | (?P<number>0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?j?)
    | (?P<name>[^\W\d]\w*)
    | (?P<operator>\*\*=?|//=?|<<=?|>>=?|->|:=|[=!<>]=|[-+*/%&|^@]=|\.\.\.|[^\w\s])
    """,
    re.VERBOSE | re.DOTALL,
)


class Embedder(Struct, frozen=True):
    """Turns texts into float64[texts, dimensions]: unit vectors, the zero vector for a text without content.

    name: with its version, under which distances are stored. threshold: the distance up to which two questions count as
    the same. remote: whether vectors take a model or a server, so that they are worth keeping.
    """

    name: str
    threshold: float
    embed: Callable[[Sequence[str]], Coroutine[Any, Any, Vectors]]
    remote: bool = False


def token_hash(texts: Sequence[str]) -> Vectors:
    """Counts of the 1- to 3-grams of tokens, hashed to 4,096 dimensions with signs (Weinberger 2009).

    Half of the dimensions hold the tokens as they are, half without the names and constants that an author chose: a
    program with only other names and constants is near in the second half. `SHAPE` is the second's weight.
    """
    halves = [
        weight**0.5 * unit(np.array([_hashed(read(text)) for text in texts]).reshape(len(texts), _HALF))
        for weight, read in ((1 - SHAPE, tokens), (SHAPE, shapes))
    ]
    return unit(np.hstack(halves))


def _hashed(found: Sequence[str]) -> Vectors:
    vector = np.zeros(_HALF)
    grams = ("\x1f".join(found[i : i + n]) for n in range(1, _LONGEST + 1) for i in range(len(found) - n + 1))
    for gram, count in Counter(grams).items():
        word = int.from_bytes(hashlib.blake2b(gram.encode(errors="replace"), digest_size=8).digest())
        vector[(word >> 1) % _HALF] += (1 if word & 1 else -1) * count**0.5
    return vector


def equal_or_not(texts: Sequence[str]) -> Vectors:
    """One axis for each distinct text, within one call: two are the same, at distance 0, or different, at 1."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return np.eye(len(places))[[places[text] for text in texts]].reshape(len(texts), len(places))


def tokens(text: str) -> list[str]:
    """The tokens of a program, also of a broken one, without its comments."""
    return [token for _, token in _scan(text)]


def shapes(text: str) -> list[str]:
    """The tokens, with one token for all numbers, one for all strings and one for all names that the author chose.

    Python's words, its built-in names and names after a dot keep their spelling.
    """
    found, before = [], ""
    for kind, token in _scan(text):
        chosen = kind in ("number", "string") or (kind == "name" and token not in _GIVEN and before != ".")
        found.append(str(kind) if chosen else token)
        before = token
    return found


def _scan(text: str) -> list[tuple[str | None, str]]:
    return [(match.lastgroup, match[0]) for match in _TOKEN.finditer(text) if match.lastgroup != "comment"]


def unit(vectors: Vectors) -> Vectors:
    """The rows scaled to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def distances(vector: Vectors, others: Vectors) -> Vectors:
    """float64[others]: 1 - cosine of a unit vector with unit vectors, from 0 (the same) to 2."""
    return np.clip(1.0 - others @ vector, 0.0, 2.0)


def pairwise(vectors: Vectors) -> Vectors:
    """float64[pairs]: 1 - cosine of all pairs of unit vectors."""
    apart = np.clip(1.0 - vectors @ vectors.T, 0.0, 2.0)
    return np.asarray(apart[np.triu_indices(len(vectors), 1)], np.float64)
