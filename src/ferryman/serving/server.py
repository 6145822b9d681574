"""From model folders to a server that answers until it is told to stop."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import uvicorn

from ferryman.config import ServingConfig
from ferryman.engines.devices import keep_memory
from ferryman.errors import ConfigError
from ferryman.serving.http.app import create_app
from ferryman.serving.models import Fleet, Served, name_models
from ferryman.serving.service import Service
from ferryman.workflows.load import load

logger = logging.getLogger("ferryman.serving")
BACKLOG = 2048
SWITCH_SECONDS = 0.001  # how long the translator may keep Python from the thread that answers; 0.005 by default
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def load_service(folders: Sequence[Path], settings: Sequence[str], serving: ServingConfig) -> Service:
    """Load models and make a service of them.

    Args:
        folders: of the models.
        settings: ``decoding.key=value`` and ``documents.key=value`` texts, for all of them.
        serving: what is allowed.

    Raises:
        CheckpointError: see ``load``.
        ConfigError: see ``load`` and ``Fleet``.
        DataError: a translation memory or a glossary is not what its name says.

    """
    keep_memory()
    sys.setswitchinterval(SWITCH_SECONDS)
    models = [Served(name, load(folder, settings)) for name, folder in zip(name_models(folders), folders, strict=True)]
    return Service(Fleet(models, serving.pivot), serving)


def listen(host: str, port: int) -> socket.socket:
    """Bind to an address, before anything takes time.

    Raises:
        ConfigError: that is not possible.

    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio switches Nagle's algorithm off, which delays answers by 40 ms, only if the protocol is named
        listening = socket.socket(family, kind, protocol)
        try:
            if os.name == "posix":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(BACKLOG)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        number = error.errno or 0  # below 0 if it is about the name of the host
        reason = os.strerror(number) if number > 0 else error.strerror or str(error)
        raise ConfigError(f"cannot listen at {host}, port {port}: {reason}; choose another --port or --host") from error
    return listening


class Server(uvicorn.Server):
    """A server that ends quietly: on SIGTERM or Ctrl-C it finishes what it has, and the process goes on."""

    def __init__(self, service: Service, told: Callable[[str], None]) -> None:
        """Set up; ``told`` is given the address once it answers.

        Raises:
            ConfigError: the file of keys cannot be used.

        """
        config = uvicorn.Config(
            create_app(service), log_config=None, access_log=False, server_header=False, lifespan="on",
            timeout_graceful_shutdown=int(service.config.max_seconds) + 1,
        )  # fmt: skip
        super().__init__(config)
        self._told = told
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # what is there stays; to look through it for what is not used any more takes 0.2 s
        if self.started and sockets:
            host, port, *_ = sockets[0].getsockname()
            self._told(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what there is, and end."""
        await super().shutdown(sockets)
        gc.unfreeze()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop when what was asked for is answered, and say so; the second time at once."""
        if self._loop is not None and not self.should_exit:
            message = "stopping when what was asked for is answered; Ctrl-C again stops at once"
            self._loop.call_soon_threadsafe(logger.info, message)  # a handler of signals must not write itself
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on signals; unlike uvicorn's own, do not raise them again. Outside the main thread there are none."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
