"""A tiny model service on 127.0.0.1 that answers what it is told to."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(slots=True)
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(slots=True)
class ModelStub:
    """Answers `planned` one after the other: a status, a body, headers. Status 0 hangs up."""

    url: str
    planned: list[tuple[int, object, dict[str, str]]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def plan(self, status: int, body: object, **headers: str) -> None:
        self.planned.append((status, body, headers))


@contextmanager
def model_service() -> Iterator[ModelStub]:
    """The service, for as long as the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    stub = ModelStub(f"http://127.0.0.1:{server.server_port}")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            stub.asked.append(Asked(self.path, headers, json.loads(content)))
            status, body, extra = stub.planned.pop(0)
            self.close_connection = True
            if status:
                self.answer(status, body, extra)

        def answer(self, status: int, body: object, headers: dict[str, str]) -> None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server.RequestHandlerClass = Handler
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
