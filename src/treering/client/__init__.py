"""The Python client: the same verbs in-process and over HTTP, sync and async."""

from treering.client.asynchronous import AsyncVerbs
from treering.client.entry import connect, connect_async
from treering.client.remote import RemoteKeys, RemoteVault

__all__ = ["AsyncVerbs", "RemoteKeys", "RemoteVault", "connect", "connect_async"]
