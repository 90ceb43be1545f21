"""An HTTP server on loopback for whole commands: it runs in threads, beside their event loops.

with http_server(answer) as url: ...        # answer(path, body) -> (status, bytes)
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Handler = Callable[[str, Any], tuple[int, bytes]]


@contextmanager
def http_server(answer: Handler) -> Iterator[str]:
    """Its base URL. answer: from the path below it and the JSON body (None of a GET) to a status and a body."""

    class Exchange(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answer."""
            self._answer(None)

        def do_POST(self) -> None:
            """Answer."""
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _answer(self, body: Any) -> None:
            status, content = answer(self.path.removeprefix("/v1"), body)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Exchange)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(text: str, usage: bool = True) -> tuple[int, bytes]:
    """A reply of `openai-chat`."""
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    counts = {"usage": {"prompt_tokens": 50, "completion_tokens": 5}} if usage else {}
    return 200, json.dumps({"choices": [choice], **counts}).encode()


def listing(*names: str) -> tuple[int, bytes]:
    """The models that a server has."""
    return 200, json.dumps({"data": [{"id": name} for name in names]}).encode()
