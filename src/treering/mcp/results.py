"""What a call answers: structured content, and the same in words; errors say what to do next."""

from __future__ import annotations

from typing import Any

from mcp.types import CallToolResult, TextContent

from treering.errors import TreeringError
from treering.mcp.surrogates import whole
from treering.mcp.tools import MemoryTool
from treering.replies import to_wire
from treering.shown_errors import shown_body

_NEXT = {
    "InvalidRequest": "Correct that and call again.",
    "Unauthorized": "The user must give this client a key that works, or sign in again.",
    "Forbidden": "Do not try again; tell the user that this connection was not given that scope.",
    "NotFound": "Take ids from search_memories, list_tensions or consolidate_memories, unchanged.",
    "LeaseExpired": "Call consolidate_memories again, and write the entries anew.",
    "Conflict": "Look at what is stored now before you try again.",
    "PayloadTooLarge": "Split it.",
    "RateLimited": "Wait a few seconds, then call again.",
    "StorageFailure": "Go on without memory, and tell the user.",
    "ProviderFailure": "Go on without memory, and tell the user.",
    "NotReady": "Go on without memory, and tell the user.",
}
"""What a model is to do about an error, by its tag."""


def succeeded(tool: MemoryTool, reply: Any) -> CallToolResult:
    """The result of a call that went well."""
    shown = tool.shown(reply)
    return CallToolResult(
        content=[TextContent(text=whole(tool.text(shown)))],
        structured_content=whole(to_wire(shown)),
    )


def failed(error: TreeringError, cause: BaseException | None = None) -> CallToolResult:
    """The result of a call that an error ended."""
    return CallToolResult(content=[TextContent(text=explained(error, cause))], is_error=True)


def explained(error: TreeringError, cause: BaseException | None = None) -> str:
    """What happened, and what to do next."""
    body = shown_body(error, cause)
    logged = f" (id {body['id']} in the server's log)" if error.status == 500 else ""
    text: str = whole(f"{body['error']}: {body['message']}{logged}\n{_NEXT[error.tag]}")
    return text
