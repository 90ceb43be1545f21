"""Who is answered: pages of this server and people who name this machine; no others, and nothing is changed."""

import pytest

from antemill.tournament.view.guard import Guard, Message, Receive, Scope, Send, is_loopback, is_own
from tests.tournament.view.asking import request


async def secret(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    body: Message = {"type": "http.response.body", "body": b"the runs"}
    await send(body)


GUARDED = Guard(secret, "127.0.0.1", "default-src 'none'")


@pytest.mark.parametrize(
    ("host", "listens", "own"),
    [
        ("127.0.0.1:8484", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost:9000", "127.0.0.1", True),  # through a tunnel, at another port
        ("LOCALHOST:8484", "127.0.0.1", True),
        ("[::1]:8484", "::1", True),
        ("127.1.2.3:8484", "127.0.0.1", True),
        ("", "127.0.0.1", False),
        ("evil.example", "127.0.0.1", False),
        ("localhost.evil.example:8484", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("localhost@evil.example", "127.0.0.1", False),
        ("evil.example:8484#localhost", "127.0.0.1", False),
        ("[::1", "127.0.0.1", False),
        ("192.168.1.5:8484", "127.0.0.1", False),
        ("192.168.1.5:8484", "0.0.0.0", True),
        ("192.168.1.5:8484", "192.168.1.5", True),
        ("evil.example:8484", "0.0.0.0", False),
        ("lab.example:8484", "lab.example", True),
    ],
)
def test_only_names_of_this_machine_are_its_own(host: str, listens: str, own: bool) -> None:
    assert is_own(host, listens) == own
    headers = {"host": host} if host else {"host": "x"}
    answer = request(Guard(secret, listens, ""), "GET", "/", headers)
    assert (answer.status_code, "the runs" in answer.text) == ((200, True) if own else (421, False))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://127.0.0.1:8484"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}, 200),
        ({"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}, 200),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),  # a link in a mail
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
        ({"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}, 403),  # a server at another port
    ],
)
def test_pages_of_others_learn_nothing(headers: dict[str, str], status: int) -> None:
    answer = request(GUARDED, "GET", "/api/runs", headers)
    assert answer.status_code == status
    assert ("the runs" in answer.text) == (status == 200)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(method: str) -> None:
    answer = request(GUARDED, method, "/")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    allowed = Guard(secret, "127.0.0.1", "", {"GET", "POST"})
    assert request(allowed, method, "/").status_code == (200 if method == "POST" else 405)


def test_every_answer_says_how_it_may_be_used() -> None:
    for headers in ({}, {"host": "evil.example"}):
        found = request(GUARDED, "GET", "/", headers).headers
        assert found["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert found["cache-control"] == "no-store"
        assert found["x-content-type-options"] == "nosniff"
        assert found["x-frame-options"] == "DENY"
        assert found["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in found


def test_what_only_this_machine_reaches() -> None:
    assert [
        host for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "10.0.0.1", "lab") if is_loopback(host)
    ] == [
        "127.0.0.1",
        "::1",
        "localhost",
    ]
