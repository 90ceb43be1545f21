"""The lower bound of the benches is the machine's own work: every column of its log is the machine's."""

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.rollout import Log, empty_log, rollout, streams
from antemill.engine.rules.named import NAMED
from benches.straight_line import straight_line_kuhn


@pytest.mark.parametrize("seed", [1, 2**62 + 11])
def test_straight_line_kuhn_logs_what_the_machine_logs(seed: int) -> None:
    want = rollout(compile_spec(NAMED["kuhn"]()), 3_000, streams(seed))
    room = empty_log(9_000, 3_000)
    for column in room:
        column.fill(99)  # what is not written is seen
    got = straight_line_kuhn(3_000, streams(seed), room)
    assert set(want.decision) == {0, 1, 2, 3}
    assert set(want.payoff) == {-2, -1, 1, 2}
    for name in Log._fields:
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
        assert getattr(got, name).dtype == getattr(want, name).dtype
