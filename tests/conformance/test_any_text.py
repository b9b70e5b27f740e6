"""Text is anyone's: every script is found by its words, and long messages to their very end."""

from __future__ import annotations

import pytest

from treering import Verbs

SAID = {
    "chinese": ("我们决定把数据库迁移到上海机房", "数据库迁移"),
    "japanese": ("金曜日に京都でラーメンを食べました", "ラーメン"),
    "korean": ("다음 주에 부산으로 출장을 갑니다", "부산 출장"),
    "thai": ("ฉันชอบกินข้าวผัดกุ้งมาก", "ข้าวผัด"),
    "khmer": ("ខ្ញុំចូលចិត្តញ៉ាំបាយសាច់ជ្រូក", "សាច់ជ្រូក"),
    "arabic": ("أحب شرب القهوة السوداء في الصباح", "القهوة السوداء"),
    "hebrew": ("הפגישה נדחתה ליום שלישי בבוקר", "הפגישה נדחתה"),
    "russian": ("Сервер переехал в Новосибирск", "новосибирск"),
    "hindi": ("मुझे सुबह की चाय बहुत पसंद है", "सुबह की चाय"),
    "german": ("Der Schlüssel liegt unter der Fußmatte", "fussmatte SCHLÜSSEL"),
    "decomposed": ("Cafe\u0301 Zoe\u0308 opens at nine", "caf\u00e9 zo\u00eb"),
    "emoji": ("Shipped it 🚀🎉 at last", "🚀"),
    "identifier": ("Ticket SR-2023-052 is closed", "SR-2023-052"),
    "near identifier": ("Ticket SR-2023-053 is open", "SR-2023-053"),
    "code": ("call get_user_name(id) from auth_service.py", "getUserName auth_service.py"),
    "path": (r"the log is in C:\ProgramData\Tree\tree.log", r"C:\ProgramData\Tree\tree.log"),
}


@pytest.mark.parametrize("script", SAID)
def test_a_memory_is_found_by_its_words_in_every_script(memory: Verbs, script: str) -> None:
    memory.ingest([{"role": "user", "content": said} for said, _ in SAID.values()])
    said, asked = SAID[script]
    assert memory.search(asked, limit=1).memories[0].content == said


def test_a_fact_at_the_end_of_a_message_of_200_000_characters_is_found(memory: Verbs) -> None:
    fact = "The spare key is in the blue teapot."
    filler = "We talked about the weather, the harvest and the price of grain once more. "
    long = (filler * 3000)[: 200_000 - len(fact)] + fact
    memory.ingest([{"role": "user", "content": "Grain is dear this year."}])
    memory.ingest([{"role": "user", "content": long}])
    memory.ingest([{"role": "user", "content": "The harvest was good."}])
    found = memory.search("where is the spare key? teapot", limit=1).memories[0]
    assert found.content == long
    context = memory.prepare([{"role": "user", "content": "Is the key in the teapot?"}]).context
    assert fact in context
    assert len(context) < 10_000
