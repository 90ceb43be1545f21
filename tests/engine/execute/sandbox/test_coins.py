"""Fair coins: what a program could throw in one bit agrees in no five rows (S3), so it is refused.

Each line of COINS prints a list of bits; a program that prints any one of them must be refused, so for each place there
are two rows whose bits differ.
"""

from collections.abc import Iterator

import pytest

from antemill.engine.execute.sandbox.conditions import ROWS
from antemill.engine.execute.sandbox.process import Worker
from tests.engine.execute.sandbox.backends import NATIVE

pytestmark = pytest.mark.skipif(not NATIVE, reason="the sandbox is Linux's")
WORDS = [*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]
WORDS += ["hello", "world", "foo", "bar", "baz", "abc", "key", "name", "spam", "eggs", "python", "test", "apple"]
WORDS += ["banana", "cherry", "Alice", "Bob", "cat", "dog", "red"]
PAIRS = ["a b", "x y", "yes no", "heads tails", "red blue", "cat dog", "foo bar", "A B", "0 1", "H T", "odd even"]
COINS = {
    "random": "[random.random() < .5 for _ in range(30)]",
    "randint": "[random.setstate(begun)][1:] + [random.randint(0, 1) for _ in range(30)]",
    "choice": "[random.setstate(begun)][1:] + [random.choice('HT') == 'H' for _ in range(30)]",
    "getrandbits": "[random.setstate(begun)][1:] + [random.getrandbits(1) for _ in range(6)]",
    "shuffle": "[random.setstate(begun)][1:] + [random.sample([0, 1], 2)[0]]",
    "randrange": "[random.setstate(begun)][1:] + [random.randrange(100) < 50]",
    "a die": "[random.setstate(begun)][1:] + [random.randint(1, 6) % 2 for _ in range(6)]",
    "gauss": "[random.setstate(begun)][1:] + [random.gauss(0, 1) > 0]",
    "hash": f"[hash(word) % 2 for word in {WORDS}]",
    "sign": f"[hash(word) < 0 for word in {WORDS}]",
    "set": f"[list(set(pair.split()))[0] == pair.split()[0] for pair in {PAIRS}]",
    "process": "[os.getpid() % 2, os.getpid() // 2 % 2, os.getppid() % 2, threading.get_native_id() % 2]",
    "time": "[int(time.time()) % 2, int(time.time() * 10) % 2, int(time.time()) // 60 % 2, int(time.monotonic()) % 2]",
    "now": "[now.second % 2, now.minute % 2, now.hour % 2, now.hour < 12, now.day % 2, now.month % 2, now.year % 2]",
    "today": "[now.weekday() % 2, now.weekday() > 4, now.timetuple().tm_yday % 2, now.microsecond < 500_000]",
    "processors": "[os.cpu_count() % 3]",
}
# Each in a program of its own, since one throw changes the next.
FIRST = {
    "urandom": "os.urandom(1)[0] % 2",
    "any bit of urandom": "*[byte >> bit & 1 for byte in os.urandom(64) for bit in range(8)]",
    "token": "int(secrets.token_hex(1), 16) % 2",
    "below": "secrets.randbelow(2)",
    "secret choice": "secrets.choice([0, 1])",
    "system": "random.SystemRandom().random() < .5",
    "system choice": "random.SystemRandom().choice([0, 1])",
    "bits": "secrets.randbits(1)",
    "uuid": "uuid.uuid4().int % 2",
    "a generator": "random.Random().random() < .5",
    "a generator's randint": "random.Random().randint(0, 1)",
    "seeded again": "random.seed() or random.random() < .5",
}
_HEAD = "import datetime, os, random, secrets, threading, time, uuid\n"
_HEAD += "begun, now = random.getstate(), datetime.datetime.now()\n"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def thrown(worker: Worker, expression: str) -> list[tuple[str, ...]]:
    """What the rows print, place by place."""
    program = f"{_HEAD}print(*map(int, [{expression}]))".encode()
    outputs = [worker.run(n, "run", [program], b"", 9.0, 256 << 20, 1 << 20, 1 << 16).output for n in range(len(ROWS))]
    assert all(outputs), outputs
    return list(zip(*(output.decode().split() for output in outputs), strict=True))


@pytest.mark.parametrize("coin", COINS)
def test_usual_coins_never_agree_in_all_rows(worker: Worker, coin: str) -> None:
    places = thrown(worker, f"*({COINS[coin]})")
    assert places
    assert [place for place, bits in enumerate(places) if len(set(bits)) == 1] == []


@pytest.mark.parametrize("coin", FIRST)
def test_first_throws_never_agree_in_all_rows(worker: Worker, coin: str) -> None:
    places = thrown(worker, FIRST[coin])
    assert [place for place, bits in enumerate(places) if len(set(bits)) == 1] == []
