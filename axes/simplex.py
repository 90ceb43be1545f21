"""Random opponents: points on the product of simplices, one simplex over the legal actions of each decision type.

A point of the unit cube becomes a point of the simplices by u -> -log u, normalised within each decision type. This
maps the uniform distribution of the cube to that of the simplices (X6). The cube's points come from a scrambled Sobol
sequence, or they are independent, which gives Dirichlet(1, ..., 1) (X8).

The Sobol sequence has the direction numbers of Joe and Kuo (2008), from `antemill.axes.sobol`. It is scrambled by a
random lower triangular matrix and a digital shift in each dimension (Matousek 1998), drawn from this project's own
streams: scipy would need more time to scramble a sequence than a game's playouts take, and its draws may change between
versions. The table ends at 21,201 dimensions; a seat with more actions (several free bets of thousands of chips) gets
independent uniform coordinates for the rest (a mixed sequence, Spanier 1995).
"""

import math

import numpy as np

from antemill.axes.grouping import Decisions, FloatArray, IntArray
from antemill.axes.sobol import INDEX_BITS, MAX_DIMENSIONS, directions
from antemill.engine.kernel import kernel
from antemill.engine.machine.chance import mix64, subkey, uniform

MAX_POINTS = 1 << INDEX_BITS
_BITS = 32
_LOW32 = np.int64((1 << 32) - 1)


def legal_actions(types: Decisions, seat: int) -> IntArray:
    """int64[dimensions]: the actions of all decision types of a seat, as positions in the flat table of all actions."""
    return legal_columns(types, seat)


@kernel(allocates=True)
def legal_columns(types: Decisions, seat: int) -> IntArray:
    """As `legal_actions`."""
    found = np.empty(types.offsets[-1], np.int64)
    n = 0
    for d in range(len(types.seats)):
        if types.seats[d] == seat:
            for i in range(types.offsets[d] + types.lows[d], types.offsets[d + 1]):
                found[n] = i
                n += 1
    return found[:n]


@kernel
def most_legal(types: Decisions) -> int:
    """The number of `legal_actions` of the seat with more of them."""
    alice, bob = 0, 0
    for d in range(len(types.seats)):
        legal = types.offsets[d + 1] - types.offsets[d] - types.lows[d]
        if types.seats[d] == 0:
            alice += legal
        else:
            bob += legal
    return max(alice, bob)


def sobol_policies(types: Decisions, seat: int, numbers: IntArray, key: int) -> FloatArray:
    """float64[numbers, all actions]: the seat's mixed policies, from points of a scrambled sequence.

    numbers: of the points. The other seat's weights are 0. Raises ValueError for a number of 1,024 or above.
    """
    require_points(int(numbers.max(initial=-1)) + 1)
    columns = legal_actions(types, seat)
    return sobol_weights(types.offsets, columns, directions_for(len(columns)), numbers, key)


def require_points(number: int) -> None:
    """Raise ValueError if the sequence has fewer points."""
    if number > MAX_POINTS:
        raise ValueError(f"{number} Sobol opponents are too many: at most {MAX_POINTS} are possible")


def directions_for(actions: int) -> IntArray:
    """`directions` for a seat with this number of `legal_actions`, at most as many as the table has."""
    return directions(min(max(actions, 1), MAX_DIMENSIONS))[:actions]


@kernel(allocates=True)
def sobol_weights(
    offsets: IntArray, columns: IntArray, directions: IntArray, numbers: IntArray, key: int
) -> FloatArray:
    """As `sobol_policies`: -log of each point's coordinates in the columns of its row, normalised.

    columns: `legal_actions` of the seat. directions: `directions_for` at least this number of actions.
    """
    weights = np.zeros((len(numbers), offsets[-1]))
    points = scrambled(directions[: len(columns)], len(columns), numbers, key)
    for i in range(len(points)):
        for j in range(len(columns)):
            weights[i, columns[j]] = -math.log(points[i, j])
    _normalise(weights, offsets)
    return weights


@kernel(allocates=True)
def dirichlet_policies(types: Decisions, count: int, key: int) -> FloatArray:
    """float64[count, all actions]: uniformly random mixed policies for both seats."""
    weights = np.zeros((count, types.offsets[-1]))
    _fill_random(weights, types, key)
    return weights


@kernel(allocates=True)
def scrambled(directions: IntArray, dimensions: int, numbers: IntArray, key: int) -> FloatArray:
    """float64[numbers, dimensions]: points of the sequence, scrambled; all coordinates lie inside (0, 1).

    directions: of the first dimensions; the coordinates of the others are independent. Point i takes the direction
    numbers at the digits of i's Gray code.
    """
    points = np.empty((len(numbers), dimensions))
    for j in range(len(directions), dimensions):
        own = subkey(key, j)
        for i in range(len(numbers)):
            points[i, j] = (np.floor(uniform(own, numbers[i]) * 2.0**32) + 0.5) * 2.0**-32
    columns = np.empty(_BITS, np.int64)
    steps = np.empty(directions.shape[1], np.int64)
    for j in range(len(directions)):
        own = subkey(key, j)
        for bit in range(_BITS):  # column of the matrix for this digit: a 1 on the diagonal, random digits below it
            leading = np.int64(1) << (_BITS - 1 - bit)
            columns[bit] = leading | (subkey(own, bit) & (leading - 1))
        for k in range(len(steps)):
            steps[k] = 0
            for bit in range(k + 1):  # direction number k has no digit below its own
                if (directions[j, k] >> (_BITS - 1 - bit)) & 1:
                    steps[k] ^= columns[bit]
        word, last = mix64(own) & _LOW32, 0
        for i in range(len(numbers)):
            code = numbers[i] ^ (numbers[i] >> 1)
            changed, k = code ^ last, 0  # a single digit if the numbers are consecutive
            while changed:
                if changed & 1:
                    word ^= steps[k]
                changed, k = changed >> 1, k + 1
            points[i, j], last = (word + 0.5) * 2.0**-32, code
    return points


@kernel
def _fill_random(weights: FloatArray, types: Decisions, key: int) -> None:
    """As `dirichlet_policies`: a standard exponential variable for every legal action, normalised."""
    for i in range(len(weights)):
        own = subkey(key, i)
        for d in range(len(types.seats)):
            for j in range(types.offsets[d] + types.lows[d], types.offsets[d + 1]):
                weights[i, j] = -math.log(1.0 - uniform(own, j))
    _normalise(weights, types.offsets)


@kernel
def _normalise(weights: FloatArray, offsets: IntArray) -> None:
    """Scale the weights of every decision type with a positive sum to 1."""
    for i in range(len(weights)):
        for d in range(len(offsets) - 1):
            total = 0.0
            for j in range(offsets[d], offsets[d + 1]):
                total += weights[i, j]
            if total > 0.0:
                for j in range(offsets[d], offsets[d + 1]):
                    weights[i, j] /= total
