"""`treering admin`: people are made, listed, given passwords and deleted."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Program

PASSWORD = "correct horse battery staple\n"


@pytest.mark.promise("people.admin")
def test_a_person_is_made_from_nothing_listed_and_deleted(program: Program) -> None:
    made = program("admin", "create", "--password-stdin", "--json", stdin=PASSWORD).json
    assert (set(made), made["name"]) == ({"id", "name", "created_at"}, "admin")
    program("admin", "create", "--email", "ada@example.org", "--password-stdin", stdin=PASSWORD)
    listed = program("admin", "list", "--json").json["people"]
    assert [person["name"] for person in listed] == ["admin", "ada@example.org"]
    assert "ada@example.org" in program("admin", "list").out
    assert "ada@example.org" in program("admin", "delete", "ADA@example.org", "--yes").out
    assert len(program("admin", "list", "--json").json["people"]) == 1


@pytest.mark.promise("people.admin")
def test_a_password_is_asked_for_twice_and_unseen(program: Program) -> None:
    ran = program("admin", "create", stdin=PASSWORD * 2)
    assert PASSWORD.strip() not in ran.out + ran.err
    assert "Made admin" in ran.out
    assert "is set" in program("admin", "password", "--password-stdin", stdin=PASSWORD).out
    assert program("admin", "list").out.count("admin") == 1


def test_what_will_not_do_is_refused(program: Program) -> None:
    assert "12 to" in program("admin", "create", "--password-stdin", stdin="short\n", code=2).err
    assert "admin create" in program("admin", "list").out
    program("admin", "create", "--password-stdin", stdin=PASSWORD)
    taken = program("admin", "create", "--password-stdin", stdin=PASSWORD, code=5).err
    assert "treering admin password" in taken
    program("admin", "password", "--name", "nobody", "--password-stdin", stdin=PASSWORD, code=4)
    program("admin", "delete", "nobody", "--yes", code=4)
    assert "Delete nobody" not in program("admin", "delete", "nobody", stdin="yes\n", code=4).err
    assert "--password-stdin" in program("admin", "create", "--name", "b", stdin="", code=2).err
    assert "nothing was deleted" in program("admin", "delete", "admin", stdin="no\n", code=2).err
    program("admin", "delete", "admin", stdin="yes\n")


def test_storage_that_is_not_there_is_made_by_create_alone(program: Program) -> None:
    program("admin", "list", code=7)
    program("admin", "password", "--password-stdin", stdin=PASSWORD, code=7)
    program("admin", "create", "--password-stdin", stdin=PASSWORD)
