"""Two clients do anything to one vault in any order: the vault stays what a plain model says."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.audit import Audit, check
from tests.support.worlds import World, hash_embedder
from treering import Vault
from treering.errors import Conflict, LeaseExpired
from treering.replies import Batch, to_json
from treering.rules.batches import LEASE_MS
from treering.rules.tokens import estimate_tokens

CLIENTS = st.integers(0, 1)
SESSIONS = st.sampled_from([None, "s1", "s2"])


@dataclass
class Stored:
    """A memory as the model knows it."""

    text: str
    tier: int
    date: int
    session: str | None = None
    importance: int | None = None
    batch: str | None = None
    consolidated: bool = False
    dated: bool = False

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.text)


@dataclass
class Taken:
    """A batch as the model knows it; `created` once it is committed."""

    members: list[str]
    tier: int
    expires: int
    covers_to: int
    state: str = "leased"
    created: list[str] = field(default_factory=list)


class VaultMachine(RuleBasedStateMachine):
    """Rules draw what two clients do; invariants compare the vault with the model."""

    batches: Bundle[str] = Bundle("batches")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="treering-"))
        self.world = World()
        self.clients = [self.opened(), self.opened()]
        self.memories: dict[str, Stored] = {}
        self.deleted: list[str] = []
        self.taken: dict[str, Taken] = {}
        self.booked: dict[str, int] = {}
        self.numbers = itertools.count()

    def opened(self) -> Vault:
        return Vault.open(
            self.folder / "a.db", embedder=hash_embedder(), system=self.world.system()
        )

    def teardown(self) -> None:
        for client in self.clients:
            client.close()
        check(self.folder / "a.db")
        shutil.rmtree(self.folder)

    @initialize()
    def begins_with_a_talk(self) -> None:
        assert self.clients[0].stats().memories == 0
        for session in ("s1", "s2", None):
            self.ingest(0, [5, 0, 200, 40], session, 100)

    def first_instant(self, session: str | None, count: int, now: int) -> int:
        """Undated messages end now, and come after the last undated one of their session."""
        of_session = [
            memory
            for memory in self.memories.values()
            if session is not None and memory.tier == 1 and memory.session == session
        ]
        first = now - (count - 1)
        if of_session and not of_session[-1].dated:
            return max(first, of_session[-1].date + 1)
        return first

    @rule(
        client=CLIENTS,
        sizes=st.lists(st.integers(0, 300), min_size=1, max_size=6),
        session=SESSIONS,
        age=st.one_of(st.none(), st.integers(0, 10_000)),
    )
    def ingest(self, client: int, sizes: list[int], session: str | None, age: int | None) -> None:
        now = self.world.clock.ms
        texts = [f"zq{next(self.numbers)}qz{' word' * size}" for size in sizes]
        first = self.first_instant(session, len(texts), now)
        dates = [first + n if age is None else now - age * 60_000 for n in range(len(texts))]
        messages = [
            {"role": "assistant", "content": text, **({} if age is None else {"timestamp": date})}
            for text, date in zip(texts, dates, strict=True)
        ]
        reply = self.clients[client].ingest(messages, session_id=session)
        assert reply.stored == len(texts)
        again = self.clients[1 - client].ingest(messages, session_id=session)
        assert (again.stored, again.ids) == (0, reply.ids), "sent again at once"
        for memory_id, text, date in zip(reply.ids, texts, dates, strict=True):
            assert memory_id is not None
            self.memories[memory_id] = Stored(text, 1, date, session, dated=age is not None)
        self.book("ingest", sum(map(estimate_tokens, texts)))

    @rule(
        target=batches,
        client=CLIENTS,
        tier=st.sampled_from([1, 1, 2]),
        cap=st.sampled_from([None, 1000]),
    )
    def checkout(self, client: int, tier: int, cap: int | None) -> str:
        reply = self.clients[client].checkout(tier, max_tokens=cap)
        free = self.pool(tier)
        if not isinstance(reply, Batch):
            assert free == []
            return ""
        assert reply.source_ids == free[: len(reply.source_ids)], "oldest first, none leased"
        texts = [self.memories[memory_id].text for memory_id in reply.source_ids]
        assert [row.text for row in reply.memories] == texts
        for memory_id in reply.source_ids:
            for other in self.taken.values():
                if memory_id in other.members and other.state == "leased":
                    assert other.expires <= self.world.clock.ms
                    other.state = "over"
        covers_to = max(self.memories[memory_id].date for memory_id in reply.source_ids)
        self.taken[reply.batch_id] = Taken(
            reply.source_ids, tier, self.world.clock.ms + LEASE_MS, covers_to
        )
        self.book("checkout", sum(map(estimate_tokens, texts)))
        return reply.batch_id

    @rule(
        client=CLIENTS,
        batch_id=batches,
        entries=st.lists(st.integers(1, 10), min_size=1, max_size=4),
    )
    def commit(self, client: int, batch_id: str, entries: list[int]) -> None:
        if not batch_id:
            return
        batch = self.taken[batch_id]
        number = next(self.numbers)
        wire = [
            {"text": f"zq{number}r{n}qz is what it says", "importance": importance}
            for n, importance in enumerate(entries)
        ]
        left = [memory_id for memory_id in batch.members if memory_id in self.memories]
        expired = batch.state == "over" or self.world.clock.ms >= batch.expires
        vault = self.clients[client]
        if batch.state == "wiped":
            with pytest.raises(Conflict):
                vault.commit(batch_id, wire)
        elif batch.state == "committed":
            reply = vault.commit(batch_id, [{"text": "whatever", "importance": 1}])
            assert reply.already_committed
            assert [row.id for row in reply.created] == batch.created
        elif expired:
            with pytest.raises(LeaseExpired):
                vault.commit(batch_id, wire)
        elif not left:
            with pytest.raises(Conflict):
                vault.commit(batch_id, wire)
        else:
            reply = vault.commit(batch_id, wire)
            assert not reply.already_committed
            assert reply.sources_consolidated == len(left)
            self.committed(batch_id, [row.id for row in reply.created], wire, left)

    def committed(
        self, batch_id: str, created: list[str], wire: list[dict[str, object]], left: list[str]
    ) -> None:
        batch = self.taken[batch_id]
        for memory_id in left:
            assert not self.memories[memory_id].consolidated, "consolidated twice"
            self.memories[memory_id].consolidated = True
        batch.state, batch.created = "committed", created
        for memory_id, entry in zip(created, wire, strict=True):
            assert isinstance(entry["importance"], int)
            self.memories[memory_id] = Stored(
                str(entry["text"]),
                batch.tier + 1,
                batch.covers_to,
                None,
                entry["importance"],
                batch_id,
            )
        self.book("commit", sum(self.memories[memory_id].tokens for memory_id in created))

    @rule(client=CLIENTS, tier=st.sampled_from([1, 2]), entries=st.integers(1, 3))
    def consolidate(self, client: int, tier: int, entries: int) -> None:
        batch_id = self.checkout(client, tier, None)
        self.commit(1 - client, batch_id, [5] * entries)
        self.commit(client, batch_id, [1])

    @precondition(lambda self: self.memories)
    @rule(client=CLIENTS, data=st.data(), cascade=st.sampled_from([False, False, True]))
    def delete(self, client: int, data: st.DataObject, cascade: bool) -> None:
        some = st.lists(st.sampled_from(sorted(self.memories)), min_size=1, max_size=5, unique=True)
        asked = data.draw(some)
        built = self.built_on(asked)
        reply = self.clients[client].delete([*asked, *self.deleted[-2:]], cascade=cascade)
        assert reply.deleted == len(asked)
        assert set(reply.derived) == (set() if cascade else built)
        going = [*asked, *(built if cascade else ())]
        self.book("delete-ids", sum(self.memories[memory_id].tokens for memory_id in going))
        self.forget(going)

    @precondition(lambda self: self.memories)
    @rule(
        client=CLIENTS, what=st.sampled_from(["reopen", "wait", "expire", "wait"] * 3 + ["s1", ""])
    )
    def disturb(self, client: int, what: str) -> None:
        if what == "reopen":
            self.clients[client].close()
            self.clients[client] = self.opened()
        elif what in ("wait", "expire"):
            self.world.clock.advance(minutes=7 if what == "wait" else 16)
        elif what:
            self.wipe_session(client, what)
        else:
            self.wipe(client)

    def wipe_session(self, client: int, session: str) -> None:
        going = [key for key, memory in self.memories.items() if memory.session == session]
        assert self.clients[client].wipe(session_id=session).deleted == len(going)
        self.forget(going)

    def wipe(self, client: int) -> None:
        assert self.clients[client].wipe().deleted == len(self.memories)
        self.forget(list(self.memories))
        for batch in self.taken.values():
            batch.state = "wiped"

    @precondition(lambda self: self.memories)
    @rule(client=CLIENTS, data=st.data())
    def search(self, client: int, data: st.DataObject) -> None:
        memory_id = data.draw(st.sampled_from(sorted(self.memories)))
        vault, word = self.clients[client], self.memories[memory_id].text.split()[0]
        reply = vault.search(word, limit=100, explain=True)
        # By its words it is first; a turn beside it whose hashed vector is near may go before.
        assert max(reply.memories, key=lambda row: (row.why or {}).get("words", 0)).id == memory_id
        assert {row.id for row in reply.memories} <= set(self.memories)
        self.book("search", sum(estimate_tokens(row.content) for row in reply.memories))
        with self.opened() as fresh:
            assert to_json(fresh.search(word, limit=100, explain=True)) == to_json(reply)
        self.book("search", sum(estimate_tokens(row.content) for row in reply.memories))

    @precondition(lambda self: any(memory.batch for memory in self.memories.values()))
    @rule(client=CLIENTS, data=st.data())
    def inspect(self, client: int, data: st.DataObject) -> None:
        reflections = sorted(key for key, memory in self.memories.items() if memory.batch)
        memory_id = data.draw(st.sampled_from(reflections))
        batch = self.taken[str(self.memories[memory_id].batch)]
        reply = self.clients[client].inspect(memory_id)
        left = {key for key in batch.members if key in self.memories}
        assert reply.sources is not None
        assert {row.id for row in reply.sources} == left
        assert (reply.sources_total, reply.sources_deleted) == (
            len(batch.members),
            len(batch.members) - len(left),
        )
        self.book("inspect", sum(self.memories[key].tokens for key in left))

    @invariant()
    def nothing_is_lost_and_the_sums_are_right(self) -> None:
        with Audit(self.folder / "a.db") as audit:
            audit.recount()
            stored = audit.rows("SELECT lower(hex(id)), tier FROM memory")
            usage = dict(audit.rows("SELECT endpoint, sum(tokens) FROM usage GROUP BY endpoint"))
        assert {key.replace("-", ""): memory.tier for key, memory in self.memories.items()} == dict(
            stored
        )
        assert {name: tokens for name, tokens in usage.items() if tokens} == {
            name: tokens for name, tokens in self.booked.items() if tokens
        }
        debt = self.clients[0].debt().unconsolidated
        raw, tier2 = (
            [m for m in self.memories.values() if m.tier == tier and not m.consolidated]
            for tier in (1, 2)
        )
        assert (debt.raw.units, debt.raw.est_tokens) == (len(raw), sum(m.tokens for m in raw))
        assert (debt.tier2.count, debt.tier2.importance) == (
            len(tier2),
            sum(m.importance or 0 for m in tier2),
        )

    def pool(self, tier: int) -> list[str]:
        """The memories of a tier that wait, by date and arrival."""
        now = self.world.clock.ms
        leased = {
            memory_id
            for batch in self.taken.values()
            if batch.state == "leased" and batch.expires > now
            for memory_id in batch.members
        }
        order = list(self.memories)
        free = [
            key
            for key, memory in self.memories.items()
            if memory.tier == tier and not memory.consolidated and key not in leased
        ]
        return sorted(free, key=lambda key: (self.memories[key].date, order.index(key)))

    def built_on(self, asked: list[str]) -> set[str]:
        """The reflections over any of these, over both tiers, that are not asked for themselves."""
        found: set[str] = set()
        frontier = set(asked)
        while frontier:
            frontier = {
                created
                for batch in self.taken.values()
                if batch.state == "committed" and frontier & set(batch.members)
                for created in batch.created
                if created in self.memories and created not in found
            }
            found |= frontier
        return found - set(asked)

    def forget(self, going: list[str]) -> None:
        for memory_id in going:
            del self.memories[memory_id]
            self.deleted.append(memory_id)

    def book(self, endpoint: str, tokens: int) -> None:
        self.booked[endpoint] = self.booked.get(endpoint, 0) + tokens


@pytest.mark.parametrize(
    ("examples", "steps"), [(20, 40), pytest.param(2000, 80, marks=pytest.mark.soak)]
)
def test_a_vault_does_what_its_model_does(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        VaultMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
