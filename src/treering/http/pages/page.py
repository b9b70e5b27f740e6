"""A page: its template, and the headers that keep it from being framed, kept or sent elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from importlib.resources import files
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined

from treering.errors import InvalidRequest, RateLimited, TreeringError

STYLE = (files(__package__) / "templates" / "pages.css").read_bytes()
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
_HEADERS = {
    "Content-Security-Policy": f"{_POLICY}; form-action 'self'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

_templates = Environment(
    loader=PackageLoader(__package__),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class PageRoute(APIRoute):
    """A route that answers errors with a page, and never by sending anyone elsewhere."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                response = await handle(request)
            except TreeringError as error:
                # The server's own failures are logged where every other one is.
                if error.status >= 500:
                    raise
                response = _error_page(error)
            for name, value in _HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return answer


def page(template: str, status: int = 200, *, leaves: bool = False, **values: Any) -> Response:
    """The page that a template makes of `values`.

    `leaves` is for a form whose answer goes on to an address of another server: browsers apply
    `form-action` to what a form's answer redirects to as well.
    """
    content = _templates.get_template(template).render(values)
    headers = {"Content-Security-Policy": _POLICY} if leaves else {}
    return Response(content, status, headers, "text/html")


def _error_page(error: TreeringError) -> Response:
    said = error.issues if isinstance(error, InvalidRequest) else [error.message]
    response = page("error.html", error.status, said=said, way_back=None)
    if isinstance(error, RateLimited):
        response.headers["Retry-After"] = str(error.extra.get("retry_after", 1))
    return response
