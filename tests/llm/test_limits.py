"""Rate limits and the budget, in virtual time: they hold, and they recover."""

from __future__ import annotations

import asyncio
import random

import pytest

from antemill.llm import AgainError, Backoff, Budget, BudgetExceededError, Client, Model, Request
from antemill.llm.limits import Limiter
from antemill.llm.store import CallStore
from tests.llm.clocks import VirtualClock
from tests.llm.stage import REQUEST


def limiter(clock: VirtualClock, **fields: float) -> Limiter:
    """The limits of an entry."""
    return Limiter(Model(name="m", protocol="scripted", **fields), clock)  # type: ignore[arg-type]


@pytest.mark.parametrize("per_minute", [1, 2, 7, 60, 300])
def test_no_minute_exceeds_its_requests_and_the_rate_is_used(per_minute: int) -> None:
    clock = VirtualClock()
    limits = limiter(clock, concurrency=3, requests_per_minute=per_minute)
    begins: list[float] = []

    async def call() -> None:
        async with limits.slot():
            begins.append(clock.now)

    async def main() -> None:
        await asyncio.gather(*(call() for _ in range(4 * per_minute)))

    clock.run(main())
    assert begins == sorted(begins)
    assert all(sum(start <= other < start + 60 for other in begins) <= per_minute for start in begins)
    assert begins[-1] <= 60 * 4 / 0.9


def test_the_limit_falls_once_for_calls_that_failed_together_and_rises_again() -> None:
    clock = VirtualClock()
    limits = limiter(clock, concurrency=64)

    async def fail() -> None:
        async with limits.slot() as slot:
            await clock.sleep(1)
            limits.congested(slot, None)

    async def main() -> None:
        await asyncio.gather(*(fail() for _ in range(64)))
        assert limits.limit == 32
        await asyncio.gather(*(fail() for _ in range(300)))
        assert limits.limit == 1
        answers = 0
        while limits.limit < 64 and answers < 1000:
            limits.answered()
            answers += 1
        assert 64 < answers < 1000

    clock.run(main())


def test_a_server_that_refuses_for_ten_minutes_is_used_fully_again() -> None:
    """429s for everything, then an ordinary server: no call is lost, and the concurrency is back."""
    clock = VirtualClock()
    active, busiest_late, asked = 0, 0, 0

    async def script(_request: object) -> str:
        nonlocal active, busiest_late, asked
        asked += 1
        if clock.now < 600:
            raise AgainError("slow down", status=429)
        active += 1
        busiest_late = max(busiest_late, active)
        await clock.sleep(1)
        active -= 1
        return "bet"

    async def main() -> None:
        model = Model(name="m", protocol="scripted", concurrency=16, deadline=7200, timeout=60)
        with CallStore(":memory:") as store:
            async with Client({"m": model}, store, scripts={"m": script}, clock=clock) as client:
                requests = [REQUEST.__class__(messages=REQUEST.messages, sample=str(i)) for i in range(300)]
                replies = await asyncio.gather(*(client.ask("m", request) for request in requests))
                assert client.limiter("m").limit == 16
                assert client.limiter("m").active == 0
        assert len(replies) == 300
        assert busiest_late == 16
        assert asked < 300 + 60  # it did not hammer: one attempt every half minute, then the answers
        assert clock.now < 600 + 30 + 120  # at one a second and call, no call idled

    clock.run(main())


def test_retry_after_holds_all_calls_of_the_model_back() -> None:
    clock = VirtualClock()
    begins: list[float] = []

    def script(_request: object) -> str:
        begins.append(clock.now)
        if len(begins) == 1:
            raise AgainError("slow down", status=429, retry_after=30)
        return "bet"

    async def main() -> None:
        model = Model(name="m", protocol="scripted", concurrency=1)
        with CallStore(":memory:") as store:
            async with Client({"m": model}, store, scripts={"m": script}, clock=clock) as client:
                requests = [REQUEST.__class__(messages=REQUEST.messages, sample=str(i)) for i in range(5)]
                await asyncio.gather(*(client.ask("m", request) for request in requests))

    clock.run(main())
    assert begins[0] == 0
    assert all(begin >= 30 for begin in begins[1:])
    assert len(begins) == 6


def test_a_cancelled_call_frees_its_place() -> None:
    clock = VirtualClock()
    limits = limiter(clock, concurrency=1)

    async def hold() -> None:
        async with limits.slot():
            await clock.sleep(10)

    async def main() -> None:
        tasks = [asyncio.ensure_future(hold()) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()  # it queues
        tasks[0].cancel()  # it is on its way, and hands its place to the third
        await asyncio.sleep(0)
        await tasks[2]
        assert limits.active == 0
        assert clock.now == 10

    clock.run(main())


def test_waits_grow_are_jittered_and_obey_the_server() -> None:
    rng, backoff = random.Random(1), Backoff(base=1.0, cap=30.0)
    for failed, most in [(1, 2.0), (2, 4.0), (4, 16.0), (5, 30.0), (50, 30.0), (5000, 30.0)]:
        waits = [backoff.wait(failed, AgainError(), rng) for _ in range(500)]
        assert 0 <= min(waits) < 0.1 * most
        assert 0.9 * most < max(waits) <= most
    asked = [backoff.wait(1, AgainError(retry_after=45), rng) for _ in range(100)]
    assert 45 <= min(asked) < max(asked) <= 46


def test_a_budget_waits_for_reservations_and_is_used_to_its_end() -> None:
    clock = VirtualClock()
    budget = Budget(1.0)
    at_once = most = 0

    async def call() -> None:
        nonlocal at_once, most
        async with budget.reserve(0.29) as reservation:
            at_once += 1
            most = max(most, at_once)
            await clock.sleep(1)
            at_once -= 1
            reservation.pay(0.05)

    async def main() -> None:
        results = await asyncio.gather(*(call() for _ in range(40)), return_exceptions=True)
        refused = [found for found in results if found is not None]
        assert all(isinstance(found, BudgetExceededError) for found in refused)
        assert len(results) - len(refused) == 15  # after which 0.25 is left, less than a call may cost

    clock.run(main())
    assert most == 3
    assert budget.spent == pytest.approx(0.75)
    assert budget.reserved == 0


def test_a_budget_releases_what_a_failed_call_held_and_never_stops_free_calls() -> None:
    async def main() -> None:
        budget = Budget(1.0, spent=0.5)
        with pytest.raises(RuntimeError):
            async with budget.reserve(0.5):
                raise RuntimeError
        assert (budget.spent, budget.reserved, budget.left) == (0.5, 0.0, 0.5)
        with pytest.raises(BudgetExceededError, match=r"\$0\.5000 is spent"):
            async with budget.reserve(0.51):
                pass
        async with Budget(0.0).reserve(0.0):
            pass

    asyncio.run(main())
    with pytest.raises(ValueError, match="negative"):
        Budget(-1.0)


def test_a_pause_beyond_the_deadline_fails_at_once_and_says_why() -> None:
    """Also for the calls that come after it, and for those that wait for an earlier end of the pause."""
    clock = VirtualClock()
    asked = 0

    def script(request: Request) -> str:
        nonlocal asked
        asked += 1
        raise AgainError("come back tomorrow", status=429, retry_after=86_400.0 if request.sample else 40.0)

    async def main() -> None:
        model = Model(name="m", protocol="scripted", deadline=60, concurrency=8)
        with CallStore(":memory:") as store:
            async with Client({"m": model}, store, scripts={"m": script}, clock=clock) as client:
                early = asyncio.ensure_future(client.ask("m", REQUEST))
                await clock.sleep(1)
                waits = asyncio.ensure_future(client.ask("m", Request(messages=REQUEST.messages, sample="0")))
                await clock.sleep(1)
                assert asked == 1
                assert client.limiter("m").paused == pytest.approx(38)
                client.limiter("m").congested(clock.now, 86_400.0)
                for call in (waits, early, client.ask("m", Request(messages=REQUEST.messages, sample="1"))):
                    with pytest.raises(AgainError, match=r"pause for 86\d+ s, which is longer than") as caught:
                        await call
                    assert clock.now < 60
                    [*_, last] = store.failed_attempts(caught.value.call)
                    assert last.retry_after == pytest.approx(86_400, rel=0.01)
                    assert last.risk == 0
                assert asked == 1
                assert store.sent_attempts() == []

    clock.run(main())


def test_a_retry_after_beyond_the_deadline_is_not_waited_for() -> None:
    clock = VirtualClock()

    def script(_request: Request) -> str:
        raise AgainError("come back tomorrow", status=429, retry_after=86_400.0)

    async def main() -> None:
        model = Model(name="m", protocol="scripted", deadline=60)
        with CallStore(":memory:") as store:
            async with Client({"m": model}, store, scripts={"m": script}, clock=clock) as client:
                for sample in "ab":
                    with pytest.raises(AgainError, match="tomorrow" if sample == "a" else "longer than the deadline"):
                        await client.ask("m", Request(messages=REQUEST.messages, sample=sample))
                assert clock.now == 0

    clock.run(main())
