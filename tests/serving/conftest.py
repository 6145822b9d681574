"""A server of a small frozen model, in this process."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ferryman.config import DataConfig, ServingConfig
from ferryman.serving.http.app import create_app
from ferryman.serving.models import Fleet, Served
from ferryman.serving.server import Server, listen
from ferryman.serving.service import Service
from ferryman.translator import Translator
from ferryman.workflows.load import load

FROZEN = Path(__file__).parents[1] / "data" / "frozen-0.1"


@pytest.fixture(scope="session")
def translator() -> Translator:
    return load(FROZEN, ["decoding.device=cpu"])


@pytest.fixture
def speaking(translator: Translator) -> Callable[[str, str], Translator]:
    """Have the same model pass for one of other languages."""

    def speaking(source: str, target: str) -> Translator:
        data = DataConfig(source_language=source, target_language=target)
        return Translator(translator.model, translator.config.model_copy(update={"data": data}), translator.tokenizers)

    return speaking


@pytest.fixture
def serve(translator: Translator) -> Iterator[Callable[..., TestClient]]:
    """Start servers, with settings of ``serving``; and end them."""
    clients: list[TestClient] = []

    def serve(*models: Translator, **settings: Any) -> TestClient:
        served = [Served(f"model-{number}", model) for number, model in enumerate(models or [translator], 1)]
        config = ServingConfig(**settings)
        service = Service(Fleet(served, config.pivot), config)
        client = TestClient(create_app(service), raise_server_exceptions=False)
        client.__enter__()
        client.service = service
        clients.append(client)
        return client

    yield serve
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def start():
    """Start servers in threads of this process; return their addresses."""
    running = []

    def start(service):
        address, ready = [], threading.Event()

        def told(at):
            address.append(at)
            ready.set()

        sock = listen("127.0.0.1", 0)
        server = Server(service, told)
        thread = threading.Thread(target=server.run, args=([sock],))
        thread.start()
        running.append((server, thread))
        assert ready.wait(60)
        return address[0], server

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def service(translator):
    return Service(Fleet([Served("boats", translator)]), ServingConfig())
