"""People: who may sign in by a password, and in which browsers they are signed in."""

from treering.people.people import People, Person

__all__ = ["People", "Person"]
