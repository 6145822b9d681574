"""What surrounds every request: a limit to its body, headers that protect, no stack trace out, a line in the log."""

import logging
import time
import traceback
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ferryman.serving.metrics import Metrics
from ferryman.serving.refusals import TooLargeError

logger = logging.getLogger("ferryman.serving")
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
}


def note_error(error: Exception, path: str) -> None:
    """Write into the log where an error of ours was; not its message, in which there may be a text."""
    trace = "".join(traceback.format_tb(error.__traceback__))
    logger.error("%s in %s\n%s", type(error).__name__, path, trace)


class Outermost:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, metrics: Metrics, limit: Callable[[str], int]) -> None:
        """Set up; ``limit`` tells for a path how many bytes a body may have."""
        self.app = app
        self.metrics = metrics
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                there = {name.lower() for name, _ in message.get("headers", ())}
                more = [(name, value) for name, value in HEADERS.items() if name not in there]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        try:
            await self.app(scope, _limited(scope, receive, self.limit(scope["path"])), watched)
        except Exception as error:  # the app has answered
            note_error(error, scope["path"])
        seconds = time.monotonic() - began
        route = getattr(scope.get("route"), "path", "other")
        self.metrics.count_request(route, status, seconds)
        logger.info("%s %s %d %.0f ms", scope["method"], route, status, 1000 * seconds)


def _limited(scope: Scope, receive: Receive, most: int) -> Receive:
    """Refuse a body that says it is too long, or turns out to be."""
    told = dict(scope["headers"]).get(b"content-length", b"0")
    reason, size = f"the request is too large: at most {most} bytes are allowed", 0

    async def limited() -> Message:
        nonlocal size
        if told.isdigit() and int(told) > most:
            raise TooLargeError(reason)
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise TooLargeError(reason)
        return message

    return limited
