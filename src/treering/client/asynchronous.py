"""The verbs to be awaited: each runs the one implementation on a worker thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Concatenate, Generic, ParamSpec, Self, TypeVar

import anyio.to_thread

from treering.verbs import Verbs

P = ParamSpec("P")
R = TypeVar("R")


class _Awaited(Generic[P, R]):
    """A method of Verbs as a coroutine, with its arguments and its result typed as they are.

    What runs is the blocking vault's own method of that name.
    """

    def __init__(self, verb: Callable[Concatenate[Verbs, P], R]) -> None:
        self._name = verb.__name__
        self.__doc__ = verb.__doc__

    def __get__(self, owner: AsyncVerbs, kind: type[AsyncVerbs]) -> Callable[P, Awaitable[R]]:
        def call(*args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
            verb: Callable[P, R] = getattr(owner.blocking, self._name)
            return anyio.to_thread.run_sync(partial(verb, *args, **kwargs))

        return call


class AsyncVerbs:
    """Everything a vault does, awaited. `blocking` is the same vault for code that may block."""

    def __init__(self, blocking: Verbs) -> None:
        self.blocking = blocking

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    ingest = _Awaited(Verbs.ingest)
    upload = _Awaited(Verbs.upload)
    search = _Awaited(Verbs.search)
    prepare = _Awaited(Verbs.prepare)
    date_search = _Awaited(Verbs.date_search)
    inspect = _Awaited(Verbs.inspect)
    checkout = _Awaited(Verbs.checkout)
    commit = _Awaited(Verbs.commit)
    revert = _Awaited(Verbs.revert)
    delete = _Awaited(Verbs.delete)
    wipe = _Awaited(Verbs.wipe)
    stats = _Awaited(Verbs.stats)
    usage = _Awaited(Verbs.usage)
    debt = _Awaited(Verbs.debt)
    warmup = _Awaited(Verbs.warmup)
    context = _Awaited(Verbs.context)
    recall = _Awaited(Verbs.recall)
    turn = _Awaited(Verbs.turn)
    store = _Awaited(Verbs.store)
    memories = _Awaited(Verbs.memories)
    memory = _Awaited(Verbs.memory)
    edit = _Awaited(Verbs.edit)
    set_level = _Awaited(Verbs.set_level)
    forget = _Awaited(Verbs.forget)
    tensions = _Awaited(Verbs.tensions)
    open_tension = _Awaited(Verbs.open_tension)
    resolve_tension = _Awaited(Verbs.resolve_tension)
    set_tension = _Awaited(Verbs.set_tension)
    drop_tension = _Awaited(Verbs.drop_tension)
    self_model = _Awaited(Verbs.self_model)
    record_outcome = _Awaited(Verbs.record_outcome)
    level_stats = _Awaited(Verbs.level_stats)
    analytics = _Awaited(Verbs.analytics)
    builds = _Awaited(Verbs.builds)
    build = _Awaited(Verbs.build)
    settings = _Awaited(Verbs.settings)
    change_settings = _Awaited(Verbs.change_settings)
    close = _Awaited(Verbs.close)
