"""What is told of a key: all of it once, when it is made, and never its secret again."""

from __future__ import annotations

from treering.replies import KeyReply, ListedKey
from treering.rules.instants import to_iso
from treering.store.control import KeyRecord


def made_key(record: KeyRecord, secret: str) -> KeyReply:
    """A new key with its secret."""
    return KeyReply(
        id=record.id,
        key=secret,
        name=record.name,
        prefix=record.prefix,
        vault_id=record.vault_id,
        scopes=sorted(record.scopes),
        created_at=to_iso(record.created),
        expires_at=_iso(record.expires),
    )


def listed_key(record: KeyRecord, now: int, last_used: int | None) -> ListedKey:
    """A key in a list; times are epoch ms."""
    return ListedKey(
        id=record.id,
        name=record.name,
        prefix=record.prefix,
        vault_id=record.vault_id,
        scopes=sorted(record.scopes),
        created_at=to_iso(record.created),
        expires_at=_iso(record.expires),
        status=record.status(now),
        last_used_at=_iso(last_used),
    )


def _iso(instant: int | None) -> str | None:
    return None if instant is None else to_iso(instant)
