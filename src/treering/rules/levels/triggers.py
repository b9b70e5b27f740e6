"""Which memories a message calls for by naming one of their identifiers."""

from __future__ import annotations

from treering.rules.levels.identifiers import folded, identifier_keys, identifiers


def message_keys(message: str, transcript: str = "") -> dict[str, str]:
    """The identifiers of a message that the transcript does not show: folded → as written.

    A memory is triggered when `identifier_keys` of its content has one of them.
    """
    named = {folded(one.text): one.text for one in identifiers(message)}
    if not named or not transcript:
        return named
    shown_text = transcript.casefold()
    if not any(key in shown_text for key in named):
        return named
    shown = identifier_keys(transcript)
    return {key: text for key, text in named.items() if key not in shown}
