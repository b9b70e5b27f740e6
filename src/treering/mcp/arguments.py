"""What a tool is given: the fields of its verb's request that a model is to set, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)
from pydantic.fields import FieldInfo

from treering import requests
from treering.errors import InvalidRequest
from treering.model import Tier
from treering.requests import Request, issues_of
from treering.requests.fields import SessionId, not_blank
from treering.requests.levels import DomainName, Statement, StatementText

WIPE_PHRASE = "DELETE ALL MEMORIES"
RAW_BATCH_TOKENS = 8_000
"""The size of a batch of tier 1 in a chat: clients refuse results of over some 25,000 tokens."""
_EXPLICIT_ALIAS = 2
"""How pydantic ranks an alias that a field names, as `from`; one that is generated ranks below."""

_ANNOTATED: Any = Annotated
"""The same, to be used on what is known at run time alone."""

Id = Annotated[str, AfterValidator(not_blank)]


def _not_pinned(level: object) -> object:
    if level == "L0":
        raise ValueError("pinning is a person's: L1, L2 or L3")
    return level


UnpinnedLevel = Annotated[Literal["L1", "L2", "L3"], BeforeValidator(_not_pinned)]


class Arguments(BaseModel):
    """A tool's arguments. An unknown field is refused and never ignored."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", loc_by_alias=True)

    @classmethod
    def parse(cls, sent: object) -> Self:
        """The arguments in `sent`; raises InvalidRequest that names each field and its problem."""
        try:
            return cls.model_validate(sent)
        except ValidationError as error:
            raise InvalidRequest(*issues_of(error)) from None

    def request(self) -> Request[Any]:
        """What the verb is asked."""
        raise NotImplementedError


def arguments_of(
    verb: type[Request[Any]], notes: Mapping[str, str], **defaults: Any
) -> type[Arguments]:
    """Arguments with those fields of a verb's request that `notes` describes, in that order.

    Names are the request's own: `session_id` also where HTTP says `sessionId`. `defaults` differ
    from the request's.
    """

    class Derived(Arguments):
        def request(self) -> Request[Any]:
            names = self.model_fields_set | defaults.keys()
            return verb.model_construct(
                _fields_set=names, **{name: getattr(self, name) for name in names}
            )

    fields: dict[str, Any] = {}
    for name, note in notes.items():
        field = verb.model_fields[name]
        default = defaults.get(name, field.default)
        fields[name] = _ANNOTATED[
            (field.annotation, *field.metadata, _described(field, note, default))
        ]
    derived: type[Arguments] = create_model(verb.__name__, __base__=Derived, **fields)
    return derived


def _described(field: FieldInfo, note: str, default: Any) -> Any:
    """A field like another, with a note of its own and without an alias that was generated."""
    either: dict[str, Any] = {"default": default}
    if field.default_factory is not None:
        either = {"default_factory": field.default_factory}
    return Field(
        **either,
        alias=field.alias if field.alias_priority == _EXPLICIT_ALIAS else None,
        description=note,
        json_schema_extra=field.json_schema_extra,
    )


class NoArguments(Arguments):
    """Nothing."""

    def request(self) -> requests.StatsRequest:
        """Count what the vault holds."""
        return requests.StatsRequest()


class StoreMemory(Arguments):
    """One statement to be stored outright."""

    content: StatementText = Field(
        description="One fact, decision or preference of 3 to 4,000 characters, complete in "
        "itself: full names, exact numbers and identifiers, absolute dates."
    )
    domains: Annotated[list[DomainName], Field(max_length=20)] = Field(
        default_factory=list, description="Topics it belongs to, such as infra or billing."
    )
    level: UnpinnedLevel = Field(
        default="L1",
        description="What it costs from now on: L1 a line in every context block, L2 only when a "
        "turn is about it, L3 only when searched for.",
    )
    session_id: SessionId | None = Field(
        default=None, description="The conversation it comes from, if it has an id."
    )

    def request(self) -> requests.StoreRequest:
        """Store the statement."""
        item = {"content": self.content, "domains": self.domains, "tier": self.level}
        session = {} if self.session_id is None else {"sessionId": self.session_id}
        return requests.StoreRequest.parse({"items": [item], **session})


class Consolidate(Arguments):
    """Which tier to consolidate, and how much of it at a time."""

    tier: Annotated[int, Field(ge=1, le=2)] = Field(
        description="1: what was said, into reflections. 2: reflections, into high-level ones, "
        "once tier 1 is done."
    )
    max_tokens: int | None = Field(
        default=None,
        description=f"A hard cap. Leave out: {RAW_BATCH_TOKENS:,} at tier 1, and at tier 2 as much "
        "as belongs together.",
    )

    def request(self) -> requests.CheckoutRequest:
        """Lease a batch."""
        cap = self.max_tokens
        if cap is None and self.tier == Tier.RAW:
            cap = RAW_BATCH_TOKENS
        capped = {} if cap is None else {"max_tokens": cap}
        return requests.CheckoutRequest.parse({"tier": self.tier, **capped})


class SetLevel(Arguments):
    """A memory and where it is to go."""

    memory_id: Id = Field(description="An id as search_memories shows it.")
    level: UnpinnedLevel = Field(
        description="L1: a line in every context block. L2: only when a turn is about it. L3: only "
        "when searched for. Pinning (L0) is a person's decision and is not offered here."
    )

    def request(self) -> requests.EditRequest:
        """Move the memory."""
        return requests.EditRequest.parse({"id": self.memory_id, "tier": self.level})


class ResolveTension(Arguments):
    """A contradiction and what a person decided."""

    tension_id: Id = Field(description="An id as list_tensions shows it.")
    resolved_by: Statement = Field(
        description="Who decided and what they said, in the person's own words."
    )
    pattern: Statement | None = Field(
        default=None, description="What holds from now on, as one statement; it is stored."
    )

    def request(self) -> requests.ChangeTensionRequest:
        """Resolve the contradiction."""
        pattern = {} if self.pattern is None else {"pattern": self.pattern}
        return requests.ChangeTensionRequest.parse(
            {"id": self.tension_id, "resolvedBy": self.resolved_by, **pattern}
        )


class ForgetAll(Arguments):
    """The phrase that confirms it."""

    confirmation: Literal["DELETE ALL MEMORIES"] = Field(
        description=f"Exactly `{WIPE_PHRASE}`, once the user has asked for just that."
    )

    def request(self) -> requests.WipeRequest:
        """Delete every memory of the vault."""
        return requests.WipeRequest()
