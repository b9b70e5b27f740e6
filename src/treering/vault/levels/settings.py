"""Settings of the levels: a vault's own, then its account's, then the deployment's."""

from __future__ import annotations

from treering.errors import InvalidRequest
from treering.level_settings import over, settings_reply
from treering.model import Caller
from treering.replies import LevelSettings, SettingsReply
from treering.requests import ChangeSettingsRequest, SettingsRequest
from treering.store.base import Reader
from treering.vault.context import Context


def settings(context: Context, request: SettingsRequest, caller: Caller) -> SettingsReply:
    """What the vault sets, and what is in force in it."""
    _check_scope(request.scope)
    with context.store.read() as reader:
        return settings_reply("vault", reader.settings(), context.inherited())


def change_settings(
    context: Context, request: ChangeSettingsRequest, caller: Caller
) -> SettingsReply:
    """Change what the vault sets."""
    _check_scope(request.scope)
    with context.store.write() as tx:
        for name, value in request.changes().items():
            tx.set_setting(name, value)
        return settings_reply("vault", tx.settings(), context.inherited())


def in_force(context: Context, reader: Reader) -> LevelSettings:
    """The values that the vault goes by."""
    return over(context.inherited(), reader.settings())


def _check_scope(scope: str) -> None:
    if scope != "vault":
        raise InvalidRequest("scope: a vault's file has no account; leave it out")
