"""Field types that requests share, and how a value that does not fit is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)

from treering.errors import InvalidRequest
from treering.rules import instants

R = TypeVar("R")

MAX_SESSION_CHARACTERS = 512
MAX_QUERY_CHARACTERS = 200_000
MAX_ISSUES = 20
"""How many issues an error shows; what is over is counted."""
_MAX_SHOWN = 300


def not_blank(text: str) -> str:
    """`text`, unless it is blank; raises ValueError."""
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def at_most(limit: int) -> AfterValidator:
    """A validator for texts of at most `limit` characters."""

    def check(text: str) -> str:
        if len(text) > limit:
            raise ValueError(f"must be at most {limit:,} characters")
        return text

    return AfterValidator(check)


def printable(text: str) -> str:
    """`text`, unless it holds control characters or lone surrogates; raises ValueError."""
    if not text.isprintable():
        raise ValueError("must hold printable characters only")
    return text


def _instant(value: Any) -> int:
    if isinstance(value, str) or type(value) is int:
        return instants.instant(value)
    raise ValueError("must be epoch milliseconds or ISO 8601 with a zone")


def _content(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str | dict) for part in value):
        return value
    raise ValueError("must be text or a list of parts")


def _tiers(value: Any) -> tuple[int, ...]:
    given = value if isinstance(value, list | tuple) else ()
    if not given or any(type(tier) is not int or not 1 <= tier <= 3 for tier in given):
        raise ValueError("must be a non-empty subset of [1, 2, 3]")
    return tuple(given)


SessionId = Annotated[
    str, AfterValidator(not_blank), AfterValidator(printable), at_most(MAX_SESSION_CHARACTERS)
]
QueryText = Annotated[str, AfterValidator(not_blank), at_most(MAX_QUERY_CHARACTERS)]
Timestamp = Annotated[
    int,
    BeforeValidator(_instant),
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "description": "Epoch milliseconds, or ISO 8601 with a zone.",
        }
    ),
]
Importance = Annotated[int, Field(ge=1, le=10)]
Tiers = Annotated[
    tuple[int, ...],
    PlainValidator(_tiers),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "integer", "enum": [1, 2, 3]},
            "minItems": 1,
            "description": "A non-empty subset of [1, 2, 3].",
        }
    ),
]
_SESSION_ID: TypeAdapter[str] = TypeAdapter(SessionId)
Content = Annotated[
    str | list[dict[str, Any] | str] | None,
    PlainValidator(_content),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
                {"type": "null"},
            ],
            "description": "Text, or a list of parts whose text is kept.",
        }
    ),
]


class Request(BaseModel, Generic[R]):
    """One verb's question."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")
    endpoint: ClassVar[str] = ""
    """The name that usage is booked under; empty where nothing is metered."""

    @classmethod
    def parse(cls, body: object) -> Self:
        """The request in `body`; raises InvalidRequest that names each field and its problem."""
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            raise InvalidRequest(*issues_of(error)) from None


def issues_of(error: ValidationError) -> list[str]:
    """The issues of a validation error, as `path: problem`."""
    return issues_in(error.errors(include_url=False, include_context=False))


def issues_in(errors: Sequence[Mapping[str, Any]]) -> list[str]:
    """Pydantic's error details, as `path: problem`."""
    shown = [
        f"{_cut(path_of(error['loc']))}: {_cut(_problem(error))}" for error in errors[:MAX_ISSUES]
    ]
    more = len(errors) - len(shown)
    return [*shown, f"body: … and {more:,} more problems"] if more else shown


def _cut(text: str) -> str:
    """A text of the caller's, as much as a reader needs of it."""
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def parse_session_id(field: str, value: str | None) -> str | None:
    """A session id, or another short name, from outside the body; raises InvalidRequest."""
    if value is None:
        return None
    try:
        return _SESSION_ID.validate_python(value)
    except ValidationError as error:
        raise InvalidRequest(f"{field}: {_problem(error.errors()[0])}") from None


def refuse_blank(**options: str | None) -> None:
    """Raise InvalidRequest that names the options given as nothing: None says that one is not."""
    blank = [name for name, value in options.items() if value is not None and not value.strip()]
    if blank:
        raise InvalidRequest(
            *(f"{name}: is blank; give it a value, or leave it out" for name in blank)
        )


def path_of(location: tuple[int | str, ...]) -> str:
    """A field's place in the body, as `messages[0].content`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path or "body"


def _problem(issue: Mapping[str, Any]) -> str:
    kind = issue["type"]
    if kind in _WORDED:
        return _WORDED[kind]
    return str(issue["msg"]).removeprefix("Value error, ")


_WORDED = {
    "extra_forbidden": "unknown field; remove it",
    "unknown_parameter": "unknown parameter; remove it",
    "missing": "is required",
    "json_invalid": "is not JSON",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object, sent with Content-Type: application/json",
}
