"""What the server keeps beside memories: the self-model, builds, analytics, settings, counts."""

from __future__ import annotations

import pytest

from tests.conformance.levels.steps import said, taught
from tests.conftest import Server
from tests.support.worlds import Clock
from treering import RemoteVault, Vault, Verbs
from treering.errors import Conflict, Forbidden, InvalidRequest, NotFound
from treering.vault.levels import self_model

AUTH = "The auth service listens on port 5433."


@pytest.mark.promise("self-model.reliability")
def test_reliability_moves_with_every_outcome(memory: Verbs) -> None:
    assert memory.self_model().domains == {}
    scores = [
        memory.record_outcome("billing", False).domains["billing"].reliability_score
        for _ in range(2)
    ]
    assert scores == [0.533, 0.4]
    model = memory.record_outcome("search", True, strategy="Read the index first.")
    assert model.domains["search"].reliability_score == 0.867
    assert (model.calibration_factor, model.weak_domains) == (1, ["billing"])
    assert model.active_domains == ["billing", "search"]
    assert memory.self_model() == model


@pytest.mark.promise("self-model.lessons")
def test_lessons_are_kept_without_duplicates(memory: Verbs) -> None:
    for pattern in ("Forgot the tax.", "forgot the  tax", "Rounded twice."):
        memory.record_outcome("billing", False, failure_pattern=pattern)
    memory.record_outcome("billing", True, strategy="Check the rate.")
    domain = memory.self_model().domains["billing"]
    assert domain.known_failure_patterns == ["Forgot the tax.", "Rounded twice."]
    assert domain.recommended_strategies == ["Check the rate."]
    assert domain.sample_count == 4
    with pytest.raises(InvalidRequest) as refused:
        memory.record_outcome("billing", True, failure_pattern="None really.")
    assert refused.value.issues[0].startswith("failurePattern")
    assert "### Weak Domains" in memory.context("hi", max_tokens=0).text


@pytest.mark.promise("builds.as-sent")
def test_a_build_is_the_block_as_it_was_sent(memory: Verbs, clock: Clock) -> None:
    taught(memory, AUTH)
    sent = memory.context("Why is port 5433 closed, my dear?", session_id="s")
    clock.advance(minutes=1)
    memory.context("hi", max_tokens=3)
    newest, first = memory.builds().builds
    assert (first.text, first.total_tokens, first.truncated) == (
        sent.text,
        sent.total_tokens,
        False,
    )
    assert [(one.id, one.tokens) for one in first.entries or []] == [
        (one.id, one.tokens) for one in sent.entries
    ]
    assert (first.identifiers, first.session_id, first.endpoint) == (["5433"], "s", "context")
    assert (newest.text, newest.max_tokens, newest.truncated) == ("", 3, True)
    assert memory.build(first.id) == first
    assert "dear" not in repr(memory.builds()), "the message is not kept"
    with pytest.raises(NotFound):
        memory.build("00000000-0000-4000-8000-00000000dead")


@pytest.mark.promise("analytics.adds-up")
def test_analytics_add_up_to_the_builds_log(memory: Verbs, clock: Clock) -> None:
    taught(memory, AUTH, "The wiki lives at wiki.acme.dev.")
    memory.context("port 5433?")
    clock.advance(days=1)
    memory.context("hi")
    memory.prepare([{"role": "user", "content": "hi"}], levels=True)
    found = memory.analytics(days=7)
    builds = memory.builds().builds
    assert found.total.builds == len(builds) == 3
    assert found.total.tokens == sum(one.total_tokens for one in builds)
    assert [day.builds for day in found.by_day] == [1, 2]
    spend = found.spend
    assert spend.index + spend.body + spend.notices == found.total.tokens
    assert spend.body > 0
    assert sum(each.tokens for each in found.by_reason.values()) == found.total.tokens
    assert {name: each.builds for name, each in found.by_endpoint.items()} == {
        "context": 2,
        "prepare": 1,
    }
    assert sum(each.tokens for each in found.by_key.values()) == found.total.tokens
    assert memory.analytics(days=1).total.builds == 2


@pytest.mark.promise("levels.metered")
def test_blocks_and_recalls_are_metered_by_what_they_return(memory: Verbs) -> None:
    said(memory, AUTH)
    block = memory.context("hi")
    found = memory.recall("auth service")
    usage = memory.usage().by_endpoint
    assert usage["context"].tokens == block.total_tokens
    assert usage["recall"].tokens == sum(-(-len(one.memory.content) // 4) for one in found.results)
    assert usage["turns"].tokens == -(-len(AUTH) // 4) + 2


@pytest.mark.promise("levels.stats")
def test_stats_count_and_show_what_wants_attention(memory: Verbs, clock: Clock) -> None:
    empty = memory.level_stats()
    assert (empty.memories.total, empty.memories.first_stored_at) == (0, None)
    said(memory, AUTH, "s")
    first = clock.ms
    clock.advance(minutes=1)
    said(memory, "The auth service listens on port 6000.", "s")
    memory.record_outcome("billing", False)
    stats = memory.level_stats()
    assert stats.memories.by_tier == {"L0": 0, "L1": 2, "L2": 0, "L3": 4}
    assert stats.memories.by_kind == {"message": 4, "statement": 2, "reflection": 0}
    assert (stats.memories.sessions, stats.memories.first_stored_at) == (1, first)
    assert (stats.tensions.active, stats.weak_domains) == (1, ["billing"])
    assert [one.id for one in stats.active_tensions] == [
        one.id for one in memory.tensions().tensions
    ]
    assert len(stats.recent) == 6


@pytest.mark.promise("settings.inherit")
def test_a_vaults_settings_lie_over_what_it_inherits(vault: Vault) -> None:
    unset = vault.settings()
    assert unset.max_total_tokens is None
    assert (unset.effective.max_total_tokens, unset.effective.max_index_items) == (2000, 60)
    assert (unset.effective.default_recall_limit, unset.effective.capture) == (8, True)
    taught(vault, AUTH, "The wiki lives at wiki.acme.dev.")
    changed = vault.change_settings(max_index_items=1, capture=False)
    assert (changed.max_index_items, changed.effective.max_total_tokens) == (1, 2000)
    block = vault.context("hi")
    assert (len(block.entries), block.truncated) == (1, True)
    vault.ingest([{"role": "user", "content": "The blog lives at blog.acme.dev."}])
    assert vault.memories(kind="statement").total == 2
    assert vault.change_settings(max_index_items=None).effective.max_index_items == 60
    assert vault.settings().capture is False
    with pytest.raises(InvalidRequest):
        vault.change_settings(max_total_tokens=-1)


@pytest.mark.promise("settings.account")
def test_an_accounts_settings_reach_its_vaults(server: Server) -> None:
    scopes = ["memories:read", "memories:write", "keys:manage"]
    with RemoteVault(server.url, server.key(scopes)) as manager:
        try:
            assert manager.change_settings("account", max_total_tokens=100).scope == "account"
            with RemoteVault(server.url, server.key(scopes)) as other:
                assert other.settings().effective.max_total_tokens == 100
                other.change_settings(max_total_tokens=500)
                assert other.settings().effective.max_total_tokens == 500
                assert other.settings("account").max_total_tokens == 100
            with RemoteVault(server.url, server.key()) as plain, pytest.raises(Forbidden):
                plain.settings()
        finally:
            manager.change_settings("account", max_total_tokens=None)
        assert manager.settings().effective.max_total_tokens == 2000


@pytest.mark.promise("levels.read-only-keys")
def test_bookkeeping_is_kept_for_read_only_keys_and_nothing_else_is_made(server: Server) -> None:
    key = server.key()
    with RemoteVault(server.url, key) as owner, RemoteVault(server.url, f"{key}:read") as reader:
        (held,) = taught(owner, AUTH)
        reader.context("port 5433?")
        assert owner.memory(held.id).access_count == 1
        assert len(owner.builds().builds) == 1
        with pytest.raises(Forbidden):
            reader.turn(AUTH, "ok")
        assert owner.memories().total == 1


@pytest.mark.promise("levels.walls")
def test_two_vaults_never_meet(server: Server) -> None:
    with (
        RemoteVault(server.url, server.key()) as one,
        RemoteVault(server.url, server.key()) as other,
    ):
        (held,) = taught(one, AUTH)
        made = one.open_tension("A claim.", "Another claim.")
        one.record_outcome("billing", False)
        one.context("port 5433?")
        (build,) = one.builds().builds
        assert other.store([AUTH]).counts.stored == 1, "no vault knows what another holds"
        assert other.context("hi").text.count("5433") == 1
        assert other.self_model().domains == {}
        for look in (
            lambda: other.memory(held.id),
            lambda: other.set_level(held.id, "L0"),
            lambda: other.forget(held.id),
            lambda: other.drop_tension(made.id),
            lambda: other.build(build.id),
        ):
            with pytest.raises(NotFound):
                look()
        assert other.context("hi", force_full=[held.id]).text.count("5433") == 1


@pytest.mark.promise("self-model.bounded")
def test_so_many_domains_are_known_and_no_more(
    memory: Verbs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_model, "MOST_DOMAINS", 2)
    for domain in ("billing", "search", "billing"):
        memory.record_outcome(domain, True)
    with pytest.raises(Conflict) as refused:
        memory.record_outcome("deploys", False)
    assert "domain: " in refused.value.message
    assert memory.self_model().active_domains == ["billing", "search"]
