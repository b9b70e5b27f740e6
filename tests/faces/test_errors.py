"""The error table: every class is raised somewhere, and shown as the table says on every face."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import treering
from tests.faces.conftest import Wire
from treering import RemoteVault
from treering.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    LeaseExpired,
    NotFound,
    NotReady,
    PayloadTooLarge,
    RateLimited,
    StorageFailure,
    TreeringError,
    Unauthorized,
    error_classes,
    from_body,
)
from treering.http.errors import add_error_handlers

TABLE: dict[str, tuple[TreeringError, int, set[str]]] = {
    "InvalidRequest": (InvalidRequest("limit: is too small"), 400, {"issues"}),
    "Unauthorized": (Unauthorized(), 401, set()),
    "Forbidden": (Forbidden("memories:read"), 403, {"requiredScope"}),
    "NotFound": (NotFound("memory", "x"), 404, {"resource", "id"}),
    "LeaseExpired": (LeaseExpired(), 409, set()),
    "Conflict": (Conflict(), 409, set()),
    "PayloadTooLarge": (PayloadTooLarge("The body", 5), 413, {"limit"}),
    "RateLimited": (RateLimited(), 429, set()),
    "StorageFailure": (StorageFailure(), 500, {"id"}),
    "NotReady": (NotReady(), 503, {"id"}),
}


@pytest.mark.promise("errors.table")
@pytest.mark.parametrize("tag", TABLE)
def test_each_error_is_shown_as_the_table_says(tag: str) -> None:
    error, status, extra = TABLE[tag]
    app = FastAPI()
    add_error_handlers(app)

    @app.get("/")
    def fail() -> None:
        raise error

    response = TestClient(app).get("/")
    body = response.json()
    assert (response.status_code, body["error"]) == (status, tag)
    assert set(body) == {"error", "message"} | extra
    assert len(body["message"]) > 20
    assert ("Retry-After" in response.headers) == (status == 429)
    assert ("WWW-Authenticate" in response.headers) == (status == 401)


@pytest.mark.promise("errors.same-everywhere")
@pytest.mark.parametrize("tag", TABLE)
def test_a_client_raises_what_the_server_answered(tag: str) -> None:
    error, status, _ = TABLE[tag]
    again = from_body(status, error.body())
    assert type(again) is type(error)
    assert (again.message, again.body()) == (error.message, error.body())
    if isinstance(again, InvalidRequest):
        assert again.issues == ["limit: is too small"]


@pytest.mark.promise("errors.raised")
def test_every_error_class_is_raised_somewhere() -> None:
    source = Path(treering.__file__).parent
    raised = {
        name.id
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Raise | ast.Call | ast.Return)
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    }
    unused = {kind.__name__ for kind in error_classes()} - raised - {"TreeringError"}
    assert unused <= {"RateLimited"}, "rate limits come with the routes that need them"


@pytest.mark.promise("errors.401", "errors.403")
def test_a_client_meets_the_servers_refusals(wire: Wire) -> None:
    with RemoteVault(wire.server.url, "mk_unknown") as stranger, pytest.raises(Unauthorized):
        stranger.search("x")
    with (
        RemoteVault(wire.server.url, f"{wire.key}:write") as writer,
        pytest.raises(Forbidden) as refused,
    ):
        writer.search("x")
    assert refused.value.extra == {"requiredScope": "memories:read"}


@pytest.mark.promise("errors.no-server")
def test_a_server_that_is_not_there_is_not_ready() -> None:
    with RemoteVault("http://127.0.0.1:9", "mk_x") as nobody, pytest.raises(NotReady):
        nobody.search("x")
