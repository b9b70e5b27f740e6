"""The parameters of a query or of a form."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl

from treering.errors import InvalidRequest

_MOST_FIELDS = 100


@dataclass(frozen=True, slots=True)
class Parameters:
    """Names and values in their order; one without a value counts as left out (RFC 6749, 3.1)."""

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, text: str) -> Parameters:
        """The parameters in `application/x-www-form-urlencoded` text; raises InvalidRequest."""
        try:
            pairs = parse_qsl(
                text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
            )
        except ValueError:
            raise InvalidRequest(
                f"parameters: are not UTF-8, or are over {_MOST_FIELDS} of them"
            ) from None
        return cls(tuple((name, value) for name, value in pairs if value))

    def all(self, name: str) -> list[str]:
        """Every value of a parameter."""
        return [value for each, value in self.pairs if each == name]

    def get(self, name: str) -> str | None:
        """The value of a parameter, None when it is left out; raises InvalidRequest for two."""
        values = self.all(name)
        if len(values) > 1:
            raise InvalidRequest(f"{name}: is there more than once")
        return values[0] if values else None

    def need(self, name: str) -> str:
        """The value of a parameter; raises InvalidRequest when it is left out."""
        value = self.get(name)
        if value is None:
            raise InvalidRequest(f"{name}: is missing")
        return value
