"""Direction numbers of the Sobol sequence, by Joe and Kuo (2008), from the table that scipy ships.

The table is read as a file: importing `scipy.stats` takes most of a second and 40 MB, in every process that plays
opponents. If scipy stores the table differently, direction numbers are computed from scipy's points.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from antemill.axes.grouping import IntArray

MAX_DIMENSIONS = 21201  # the size of the table
INDEX_BITS = 10  # bits of a point's number
_BITS = 32
_FILE = "stats/_sobol_direction_numbers.npz"  # in scipy's folder


class Table(NamedTuple):
    """Each dimension's primitive polynomial over GF(2), as bits, and its first direction numbers, as odd integers.

    polynomials: int64[dimensions], 1 for the first. initial: int64[dimensions, 10], 0 beyond a polynomial's degree.
    """

    polynomials: IntArray
    initial: IntArray


def directions(dimensions: int) -> IntArray:
    """int64[dimensions, 10]: direction numbers of the Sobol sequence, 32 bits each, for at most 21,201 dimensions."""
    return _directions(max(64, 1 << (dimensions - 1).bit_length()))[:dimensions]


@functools.cache
def _directions(room: int) -> IntArray:
    dimensions = min(room, MAX_DIMENSIONS)
    table = read_table(dimensions)
    return from_points(dimensions) if table is None else from_table(table)


def read_table(dimensions: int) -> Table | None:
    """The table's first dimensions; None if scipy's file is missing or has another form."""
    scipy = importlib.util.find_spec("scipy")
    for folder in (scipy and scipy.submodule_search_locations) or ():
        try:
            with Path(folder, _FILE).open("rb") as file, np.load(file) as found:
                polynomials, initial = found["poly"][:dimensions], found["vinit"][:dimensions, :INDEX_BITS]
        except (OSError, EOFError, BadZipFile, KeyError, ValueError):
            continue
        if initial.shape == (dimensions, INDEX_BITS) and polynomials.shape == (dimensions,):
            return Table(polynomials.astype(np.int64), initial.astype(np.int64))
    return None


def from_table(table: Table) -> IntArray:
    """As `directions`: the table's numbers, continued by the recurrence of Bratley and Fox (1988)."""
    odd = table.initial.copy()
    odd[0] = 1
    for row in np.flatnonzero(table.polynomials[1:] < 1 << INDEX_BITS) + 1:
        polynomial = int(table.polynomials[row])
        degree = polynomial.bit_length() - 1
        for k in range(degree, INDEX_BITS):
            odd[row, k] = odd[row, k - degree]
            for back in range(1, degree + 1):
                if polynomial >> (degree - back) & 1:
                    odd[row, k] ^= odd[row, k - back] << back
    return np.ascontiguousarray(odd << (_BITS - 1 - np.arange(INDEX_BITS)))


def from_points(dimensions: int) -> IntArray:
    """As `directions`, from the first points: point 2^k differs from the one before by direction number k."""
    from scipy.stats import qmc

    points = qmc.Sobol(dimensions, scramble=False).random_base2(INDEX_BITS)
    words = np.rint(math.ldexp(1.0, _BITS) * points).astype(np.int64)
    steps = [words[1 << k] ^ words[(1 << k) - 1] for k in range(INDEX_BITS)]
    return np.ascontiguousarray(np.stack(steps, axis=1))
