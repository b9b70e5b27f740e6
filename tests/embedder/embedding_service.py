"""A tiny OpenAI-compatible embedding service on 127.0.0.1, told what to answer."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; status 0 hangs up without a word."""

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Service:
    """What was asked so far, and what is answered next."""

    base_url: str
    answer: Callable[[list[str]], Answer]
    planned: list[Answer] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)

    @property
    def inputs(self) -> list[list[str]]:
        return [request["input"] for request in self.requests]


def lengths_answer(inputs: Sequence[str]) -> Answer:
    """Vectors (characters, 1, 0, 0), in reverse order to show that `index` is heeded."""
    rows = [
        {"object": "embedding", "index": index, "embedding": [len(text), 1, 0, 0]}
        for index, text in enumerate(inputs)
    ]
    return Answer(body={"object": "list", "data": rows[::-1], "model": "m"})


@contextmanager
def embedding_service() -> Iterator[Service]:
    """The service, for as long as the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    service = Service(f"http://127.0.0.1:{server.server_port}/v1", lengths_answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.requests.append(request)
            service.paths.append(self.path)
            service.authorizations.append(self.headers.get("Authorization"))
            answer = service.planned.pop(0) if service.planned else service.answer(request["input"])
            if answer.status:
                self.send(answer)
            self.close_connection = True

        def send(self, answer: Answer) -> None:
            body = (
                answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            )
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server.RequestHandlerClass = Handler
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
