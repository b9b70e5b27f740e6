"""Usage: every call is metered by the tokens that it returned, stored or deleted."""

from __future__ import annotations

import pytest

from tests.conftest import Server
from tests.support.worlds import Clock
from treering import RemoteVault, Verbs
from treering.errors import InvalidRequest
from treering.rules.tokens import estimate_tokens

SAID = "The auth service moved to port 5433 on Friday."
CLAIM = "Auth has listened on port 5433 since Friday."


@pytest.mark.promise("usage.metered-at-1x", "usage.replay-and-empty-cost-nothing")
def test_each_verb_is_metered_by_its_tokens(memory: Verbs) -> None:
    said, claim = estimate_tokens(SAID), estimate_tokens(CLAIM)
    stored = memory.ingest([{"role": "user", "content": SAID}], session_id="ops")
    memory.search("auth port", session_id="ops")
    context = memory.prepare([{"role": "user", "content": "Which port does auth use?"}])
    batch = memory.checkout(1)
    assert batch.batch_id is not None
    entries = [{"text": CLAIM, "importance": 6}]
    made = memory.commit(batch.batch_id, entries)
    memory.commit(batch.batch_id, entries)
    memory.checkout(1)
    memory.inspect(made.created[0].id)
    memory.date_search("2026-01-01", tiers=[1])
    memory.delete([str(stored.ids[0])])
    usage = memory.usage()
    tokens = {endpoint: metered.tokens for endpoint, metered in usage.by_endpoint.items()}
    assert tokens == {
        "ingest": said,
        "search": said,
        "prepare": context.tokens,
        "checkout": said,
        "commit": claim,
        "inspect": said,
        "date-search": said,
        "delete-ids": said,
    }
    assert usage.total.tokens == sum(tokens.values())
    assert usage.by_session["ops"].tokens == 2 * said


@pytest.mark.promise("usage.windows-and-days")
def test_usage_is_read_by_day_and_in_half_open_windows(memory: Verbs, clock: Clock) -> None:
    memory.ingest([{"role": "user", "content": SAID}])
    first = memory.usage()
    (day,) = first.by_day
    clock.advance(days=1)
    memory.ingest([{"role": "user", "content": SAID}])
    assert list(memory.usage(start=day).by_day) == sorted(memory.usage(start=day).by_day)
    assert memory.usage(start=day, end=day).total == first.total
    with pytest.raises(InvalidRequest, match="start"):
        memory.usage(start="2027-01-01", end="2026-01-01")
    with pytest.raises(InvalidRequest, match="end"):
        memory.usage(end="soon")


@pytest.mark.promise("usage.survives-a-wipe")
def test_a_wipe_keeps_what_was_used(memory: Verbs) -> None:
    memory.ingest([{"role": "user", "content": SAID}])
    memory.wipe()
    assert memory.usage().by_endpoint["ingest"].tokens == estimate_tokens(SAID)


@pytest.mark.promise("usage.own-vault-unless-keys-manage")
def test_a_key_sees_its_own_vault_and_a_manager_its_account(server: Server) -> None:
    plain, manager = server.key(), server.key(["memories:write", "stats:read", "keys:manage"])
    with RemoteVault(server.url, plain) as one, RemoteVault(server.url, manager) as other:
        one.ingest([{"role": "user", "content": SAID}])
        other.ingest([{"role": "user", "content": "Hello."}])
        assert one.usage().total.tokens == estimate_tokens(SAID)
        assert one.usage().by_vault is None
        whole = other.usage()
    assert whole.by_vault is not None
    assert whole.by_key is not None
    assert len(whole.by_vault) >= 2
    assert sum(used.tokens for used in whole.by_vault.values()) == whole.total.tokens
    assert sum(used.tokens for used in whole.by_key.values()) == whole.total.tokens
