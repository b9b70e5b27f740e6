"""A model that calls one tool and then says so, behind the API that Claude Code speaks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class FakeModel:
    """What it calls, and what it was sent."""

    tool: str
    arguments: dict[str, Any]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def offered(self) -> set[str]:
        """The names of all tools that it was offered."""
        return {tool["name"] for request in self.requests for tool in request.get("tools", [])}

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results of tools that it was given."""
        return [result for request in self.requests for result in _results(request)]

    def answer(self, request: dict[str, Any]) -> bytes:
        """The stream of events that answers a request."""
        self.requests.append(request)
        names = {tool["name"] for tool in request.get("tools", [])}
        if self.tool in names and not _results(request):
            return _events({"type": "tool_use", "id": "toolu_1", "name": self.tool}, self.arguments)
        return _events({"type": "text", "text": ""}, None)


@contextmanager
def serving(model: FakeModel) -> Iterator[FakeModel]:
    """The model on a port of its own."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self._send("text/plain", b"")

        def do_GET(self) -> None:
            self._send("application/json", b"{}")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "count_tokens" in self.path:
                self._send("application/json", b'{"input_tokens": 1}')
            else:
                self._send("text/event-stream", model.answer(body))

        def _send(self, kind: str, content: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _results(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        part
        for message in request.get("messages", [])
        if isinstance(message["content"], list)
        for part in message["content"]
        if part.get("type") == "tool_result"
    ]


def _events(block: dict[str, Any], arguments: dict[str, Any] | None) -> bytes:
    """One content block as the API streams it."""
    if arguments is None:
        start, delta = block, {"type": "text_delta", "text": "Done."}
        reason = "end_turn"
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        reason = "tool_use"
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "fake",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    ending = {
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": 1},
    }
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": start}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", ending),
        ("message_stop", {}),
    ]
    return "".join(
        f"event: {name}\ndata: {json.dumps({'type': name, **body})}\n\n" for name, body in events
    ).encode()
