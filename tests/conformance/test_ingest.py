"""Storing messages: verbatim, once, and whole."""

from __future__ import annotations

import pytest

from tests.conformance.steps import checked_out, everything, ids_of, iso, replied, said, store
from tests.support.worlds import Clock
from treering import Verbs
from treering.errors import Conflict, InvalidRequest, PayloadTooLarge
from treering.requests import IngestRequest
from treering.rules.content import MAX_CHARACTERS

TEXTS = {
    "code": "def f(x):\n\treturn  x\r\n\n\n",
    "spaces": "  leading and trailing\t ",
    "nul": "before\x00after",
    "lone surrogate": "half \ud83d of an emoji",
    "emoji": "👩‍👩‍👧‍👦 met 🇯🇵 at e\u0301té",
    "chinese": "数据库端口改成五四三三了",
    "arabic": "غيّرنا المنفذ يوم الجمعة",
    "thai": "เราย้ายเซิร์ฟเวอร์ไปวันศุกร์",
    "markup": "<b>&amp;</b> <!-- x --> {{ y }} 'z' \"w\" \\u0041",
    "blank unicode": "\u200b\u2028line\u2029\ufeff",
}


def contents(memory: Verbs) -> list[str]:
    return [row.content for row in everything(memory)]


@pytest.mark.promise("ingest.verbatim")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_message_is_kept_verbatim(memory: Verbs, text: str) -> None:
    store(memory, text)
    assert contents(memory) == [text]
    assert [item.text for item in checked_out(memory).memories] == [text]


@pytest.mark.promise("ingest.verbatim", "ingest.end-of-long-message-found")
def test_the_longest_message_is_kept_whole_and_found_by_its_end(memory: Verbs) -> None:
    ending = " The vault's combination is zanzibar."
    text = ("lorem ipsum dolor. " * 12_000)[: MAX_CHARACTERS - len(ending)] + ending
    store(memory, text, "something short about zebras")
    (found, *_) = memory.search("zanzibar", limit=1).memories
    assert found.content == text


@pytest.mark.promise("errors.too-large", "ingest.atomic")
def test_one_character_too_many_stores_nothing_of_the_request(memory: Verbs) -> None:
    with pytest.raises(PayloadTooLarge) as refused:
        memory.ingest([said("short"), said("x" * (MAX_CHARACTERS + 1))])
    assert refused.value.extra["limit"] == MAX_CHARACTERS
    assert memory.stats().memories == 0


@pytest.mark.promise("ingest.ids-parallel", "ingest.roles-skipped", "ingest.memory-false")
def test_ids_stand_at_the_places_of_their_messages(memory: Verbs) -> None:
    reply = memory.ingest(
        [
            {"role": "system", "content": "Be brief."},
            said("kept"),
            {"role": "tool", "content": "42"},
            {"role": "developer", "content": "Be kind."},
            said("off the record", memory=False),
            replied("kept as well"),
            said(""),
            said(None),
        ],
        session_id="s",
    )
    assert [memory_id is not None for memory_id in reply.ids] == [
        False, True, False, False, False, True, False, False,
    ]  # fmt: skip
    assert (reply.status, reply.stored, reply.session_id) == ("stored", 2, "s")
    assert contents(memory) == ["kept", "kept as well"]


@pytest.mark.promise("ingest.parts")
def test_text_parts_are_kept_and_others_skipped(memory: Verbs) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    text = {"type": "text", "text": "what is this?", "cache_control": {"type": "ephemeral"}}
    reply = memory.ingest([said([image, text, "and that?"]), said([image])])
    assert reply.ids[1] is None
    assert contents(memory) == ["what is this?\nand that?"]


@pytest.mark.promise("ingest.sdk-fields-dropped")
def test_what_sdks_send_besides_is_dropped(memory: Verbs) -> None:
    memory.ingest([replied("hello", name="bot", tool_calls=[{"id": "c1"}], id="msg_1")])
    assert contents(memory) == ["hello"]


@pytest.mark.promise("ingest.timestamp-zones")
def test_timestamps_are_milliseconds_or_iso_with_a_zone(memory: Verbs) -> None:
    instant = 1_769_919_069_250
    memory.ingest(
        [
            said("one", timestamp=instant),
            said("two", timestamp="2026-02-01T04:11:09.250Z"),
            said("three", timestamp="2026-02-01T13:11:09.250+09:00"),
            said("four", timestamp="2026-01-31T20:11:09.250-08:00"),
        ]
    )
    dates = [row.date for row in everything(memory)]
    assert dates == ["2026-02-01T04:11:09.250Z"] * 4


@pytest.mark.promise("ingest.timestamp-naive-refused")
@pytest.mark.parametrize(
    "timestamp", ["2026-02-01T04:11:09", "2026-02-01", "yesterday", 1.5, True, "1769919069250", {}]
)
def test_a_time_without_a_zone_is_refused(memory: Verbs, timestamp: object) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.ingest([said("kept nowhere", timestamp=timestamp)])
    assert refused.value.issues[0].startswith("messages[0].timestamp: ")


@pytest.mark.promise("ingest.timestamp-range")
@pytest.mark.parametrize(
    "timestamp", ["0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59Z", 10**18, -(10**18)]
)
def test_an_instant_that_could_not_be_shown_is_refused(memory: Verbs, timestamp: object) -> None:
    with pytest.raises(InvalidRequest):
        memory.ingest([said("far away", timestamp=timestamp)])
    memory.ingest([said("the first", timestamp="0001-01-01T00:00:00Z")])
    memory.ingest([said("the last", timestamp="9998-12-31T23:59:59.999Z")])
    assert contents(memory) == ["the first", "the last"]
    assert memory.date_search("0001-01-01", "9999-12-31").count == 2


@pytest.mark.promise("ingest.dated-once")
def test_a_dated_message_is_stored_once(memory: Verbs, clock: Clock) -> None:
    at = clock.now()
    first = memory.ingest([said("hello", timestamp=at)], session_id="s")
    clock.advance(days=400)
    again = memory.ingest([said("hello", timestamp=iso(at))], session_id="s")
    assert (again.stored, again.ids) == (0, first.ids)
    twice = memory.ingest([said("bye", timestamp=at), said("bye", timestamp=at)])
    assert (twice.stored, len(set(twice.ids))) == (1, 1)


@pytest.mark.promise("ingest.dated-once")
def test_another_role_text_session_or_instant_is_another_message(
    memory: Verbs, clock: Clock
) -> None:
    at = clock.now()
    memory.ingest([said("hello", timestamp=at)], session_id="s")
    others = [
        memory.ingest([replied("hello", timestamp=at)], session_id="s"),
        memory.ingest([said("hello!", timestamp=at)], session_id="s"),
        memory.ingest([said("hello", timestamp=at + 1)], session_id="s"),
        memory.ingest([said("hello", timestamp=at)], session_id="t"),
        memory.ingest([said("hello", timestamp=at)]),
        memory.ingest([said("hello", timestamp=at)], session_id="new after one without"),
    ]
    assert [reply.stored for reply in others] == [1] * 6


@pytest.mark.promise("ingest.undated-overlap")
def test_a_thread_sent_whole_again_stores_only_what_is_new(memory: Verbs, clock: Clock) -> None:
    first = memory.ingest([said("a"), replied("b")], session_id="s")
    clock.advance(days=1)
    whole = memory.ingest([said("a"), replied("b"), said("c"), replied("d")], session_id="s")
    assert (whole.stored, whole.ids[:2]) == (2, first.ids)
    clock.advance(days=1)
    tail = memory.ingest([said("c"), replied("d"), said("e")], session_id="s")
    assert (tail.stored, tail.ids[:2]) == (1, whole.ids[2:])
    assert contents(memory) == ["a", "b", "c", "d", "e"]


@pytest.mark.promise("ingest.undated-overlap")
def test_the_longest_overlap_counts(memory: Verbs, clock: Clock) -> None:
    memory.ingest([said("a"), said("b"), said("a"), said("b")], session_id="s")
    clock.advance(minutes=5)
    more = memory.ingest([said("a"), said("b"), said("a"), said("b"), said("c")], session_id="s")
    assert more.stored == 1


@pytest.mark.promise("ingest.undated-overlap")
def test_an_overlap_is_of_one_session(memory: Verbs) -> None:
    memory.ingest([said("a")], session_id="s")
    assert memory.ingest([said("a"), said("b")], session_id="t").stored == 2


@pytest.mark.promise("ingest.undated-retry")
def test_a_request_that_overlaps_entirely_is_a_retry_for_a_minute(
    memory: Verbs, clock: Clock
) -> None:
    first = memory.ingest([said("yes")], session_id="s")
    clock.advance(seconds=60)
    retry = memory.ingest([said("yes")], session_id="s")
    assert (retry.stored, retry.ids) == (0, first.ids)
    clock.advance(seconds=0.001)
    again = memory.ingest([said("yes")], session_id="s")
    assert (again.stored, again.ids == first.ids) == (1, False)


@pytest.mark.promise("ingest.no-session-retry")
def test_without_a_session_the_same_body_is_a_retry_for_a_minute(
    memory: Verbs, clock: Clock
) -> None:
    first = memory.ingest([said("yes"), replied("no")])
    clock.advance(seconds=50)
    retry = memory.ingest([said("yes"), replied("no")])
    assert (retry.stored, retry.ids) == (0, first.ids)
    assert memory.ingest([said("yes")]).stored == 1
    clock.advance(seconds=11)
    assert memory.ingest([said("yes"), replied("no")]).stored == 2, "a retry prolongs nothing"


@pytest.mark.promise("ingest.known-ids-exist")
def test_what_was_deleted_is_said_anew(memory: Verbs) -> None:
    first = memory.ingest([said("yes"), said("no")])
    memory.delete(ids_of(first.ids)[:1])
    again = memory.ingest([said("yes"), said("no")])
    assert (again.stored, again.ids[1]) == (1, first.ids[1])
    assert memory.inspect(str(again.ids[0])).tier == 1
    assert memory.ingest([said("yes"), said("no")]).ids == again.ids


@pytest.mark.promise("ingest.idempotency-key")
def test_an_idempotency_key_makes_any_request_safe_to_resend(memory: Verbs, clock: Clock) -> None:
    messages = [said("yes"), said("dated", timestamp=clock.now())]
    first = memory.ingest(messages, session_id="s", idempotency_key="k1")
    clock.advance(minutes=23 * 60)
    retry = memory.ingest(messages, session_id="s", idempotency_key="k1")
    assert (retry.stored, retry.ids) == (0, first.ids)
    assert memory.ingest(messages, session_id="s", idempotency_key="k2").stored == 2


@pytest.mark.promise("ingest.idempotency-key")
def test_an_idempotency_key_may_be_any_printable_text(memory: Verbs) -> None:
    for key in ("数据", "é", "a b"):
        first = memory.ingest([said(key)], idempotency_key=key)
        assert memory.ingest([said(key)], idempotency_key=key).ids == first.ids


@pytest.mark.promise("ingest.idempotency-conflict")
def test_an_idempotency_key_is_of_one_body(memory: Verbs) -> None:
    memory.ingest([said("yes")], idempotency_key="k")
    with pytest.raises(Conflict):
        memory.ingest([said("no")], idempotency_key="k")
    assert contents(memory) == ["yes"]


@pytest.mark.promise("ingest.distinct-milliseconds")
def test_undated_messages_get_distinct_increasing_milliseconds(memory: Verbs, clock: Clock) -> None:
    store(memory, "c", "a", "b")
    assert contents(memory) == ["c", "a", "b"]
    assert [row.date for row in everything(memory)] == [iso(clock.now() - n) for n in (2, 1, 0)]


@pytest.mark.promise("ingest.injected-blocks")
def test_recalled_notes_that_come_back_are_not_stored(memory: Verbs) -> None:
    store(memory, "The locker code is 4711.")
    context = memory.prepare([said("what is the locker code?")]).context
    assert "4711" in context
    sent_back = [
        said(f"{context}\n\nwhat is the locker code?"),
        said([{"type": "text", "text": context}, {"type": "text", "text": "and the gate's?"}]),
        said(f"thanks{context.upper()}"),
        said(context),
    ]
    reply = memory.ingest(sent_back, session_id="s")
    assert [memory_id is None for memory_id in reply.ids] == [False, False, False, True]
    stored = memory.search("locker code gate thanks", session_id="s", session_only=True).memories
    assert not [row for row in stored if "4711" in row.content or "treering" in row.content]
    assert {row.content.strip() for row in stored} == {
        "what is the locker code?", "and the gate's?", "thanks",
    }  # fmt: skip


@pytest.mark.promise("ingest.injected-blocks")
def test_a_message_without_a_whole_block_is_left_alone(memory: Verbs) -> None:
    texts = [
        "The tag is <treering-notes> and it is closed by a slash.",
        "<treering-notes>I am allergic to nuts</treering-notes>",
    ]
    store(memory, *texts)
    assert contents(memory) == texts


@pytest.mark.promise("ingest.injected-blocks", "ingest.verbatim")
def test_words_before_a_block_stay_when_they_name_its_tag(memory: Verbs) -> None:
    store(memory, "The locker code is 4711.")
    context = memory.prepare([said("what is the locker code?")]).context
    words = "What does <treering-notes> do? REMEMBER: the vault code is 99. "
    memory.ingest([said(f"{words}{context} thanks"), said(context[:-20])])
    assert sorted(contents(memory)) == ["The locker code is 4711.", f"{words}thanks"]


@pytest.mark.promise("ingest.findable-at-once")
def test_what_is_acknowledged_is_found_by_its_words(memory: Verbs) -> None:
    for number in range(5):
        store(memory, f"shelf number{number} holds thing{number}")
        assert f"thing{number}" in memory.search(f"thing{number}", limit=1).memories[0].content


@pytest.mark.promise("ingest.embedder-ignored")
def test_model_and_embeddings_are_accepted_and_change_nothing(memory: Verbs) -> None:
    from_sdk = {"model": "openai/gpt-5", "embeddings": "other-embedder", "capture": False}
    request = IngestRequest.parse({"messages": [said("hello")], **from_sdk})
    assert memory.perform(request).stored == 1
    assert contents(memory) == ["hello"]


@pytest.mark.promise("ingest.at-least-one", "errors.issues")
def test_a_request_without_messages_is_refused(memory: Verbs) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.ingest([])
    assert refused.value.issues[0].startswith("messages: ")
