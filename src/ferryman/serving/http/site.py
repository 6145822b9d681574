"""What all routes share: the service, who may use it, and how a request is carried out while its client waits."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from starlette.types import Message

from ferryman.config import ServingConfig
from ferryman.serving.keys import Key, find_key
from ferryman.serving.rates import Rates
from ferryman.serving.refusals import BusyError, KeyNeededError, SlowError
from ferryman.serving.service import Service
from ferryman.serving.shelf import Files

Result = TypeVar("Result")


class ClientLeft(Exception):  # noqa: N818 - not an error
    """Nobody waits for the answer any more."""


@dataclass
class Site:
    """A service and who may use it: everybody, if there are no keys."""

    service: Service
    files: Files
    rates: Rates
    keys: list[Key]

    @property
    def config(self) -> ServingConfig:
        """What is allowed."""
        return self.service.config

    def admit(self, request: Request, key: str | None = None) -> str:
        """Return the name under which a client waits in line: its key's, or its address.

        The key is in the body (``api_key``), in the address, or in the header ``Authorization: Bearer``.

        Raises:
            KeyNeededError: there are keys, and this is none of them.
            TooManyError: the client asks too often.

        """
        limit, client = self.config.requests_per_minute, request.client.host if request.client else "unknown"
        if self.keys:
            bearer = request.headers.get("authorization", "")
            given = key or request.query_params.get("api_key") or bearer.removeprefix("Bearer ").strip()
            found = find_key(self.keys, given)
            if found is None:
                raise KeyNeededError("this server needs an API key" if not given else "this API key is not known here")
            client, limit = f"key {found.name}", limit if found.per_minute is None else found.per_minute
        self.rates.admit(client, limit)
        return client

    async def carry_out(self, request: Request, work: Coroutine[Any, Any, Result], seconds: float) -> Result:
        """Do something for a request while its client waits; stop it when the client leaves.

        Raises:
            SlowError: it takes too long.
            BusyError: the server is told to end at once.
            ClientLeft: the client left.

        """
        doing = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(_left(request))
        try:
            done, _ = await asyncio.wait({doing, leaving}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if doing in done:
                return doing.result()
            if leaving in done:
                raise ClientLeft
            raise SlowError(
                f"this took longer than {seconds:g} s; ask for less at once", self.service.worker.retry_seconds
            )
        except asyncio.CancelledError:
            raise BusyError("the server is stopping") from None
        finally:
            doing.cancel()
            leaving.cancel()
            await asyncio.gather(doing, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await request.receive()
