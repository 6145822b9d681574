"""Clients of the server: each asks for one thing after the other, as fast as it is answered."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

REFUSED = (429, 503)


@dataclass(frozen=True)
class Task:
    """A request, and what should be answered."""

    texts: list[str]
    expected: list[str]


class Connection:
    """One connection to the server, kept open; a client small enough not to be what is measured."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port

    async def __aenter__(self) -> "Connection":
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def ask(self, method: str, path: str, fields: object = None) -> tuple[int, bytes]:
        """Ask for something and return the status and the body of the answer."""
        body = b"" if fields is None else json.dumps(fields).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        return int(lines[0].split()[1]), await self.reader.readexactly(int(headers["content-length"]))


@dataclass
class Run:
    """What clients saw."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)  # of requests that were answered
    health: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    wrong: int = 0  # answers that are not what was expected of one's own texts


async def load(address: tuple[str, int], pair: tuple[str, str], tasks: Sequence[Task], clients: int) -> Run:
    """Have clients share out requests, and watch the server's health meanwhile.

    A request that is refused for now is asked again after a tenth of a second.
    """
    run, began = Run(), time.perf_counter()
    watching = asyncio.create_task(_watch_health(address, run))
    await asyncio.gather(*(_client(address, pair, tasks[number::clients], run) for number in range(clients)))
    run.seconds = time.perf_counter() - began
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    return run


async def _client(address: tuple[str, int], pair: tuple[str, str], tasks: Sequence[Task], run: Run) -> None:
    async with Connection(*address) as connection:
        for task in tasks:
            fields = {"q": task.texts, "source": pair[0], "target": pair[1]}
            began, status = time.perf_counter(), REFUSED[0]
            while status in REFUSED:
                status, body = await connection.ask("POST", "/translate", fields)
                run.statuses[status] = run.statuses.get(status, 0) + 1
                if status in REFUSED:
                    await asyncio.sleep(0.1)
            if status != 200:
                raise RuntimeError(f"the server answered {status}: {body.decode()}")
            run.latencies.append(time.perf_counter() - began)
            run.wrong += json.loads(body)["translatedText"] != task.expected


async def _watch_health(address: tuple[str, int], run: Run) -> None:
    async with Connection(*address) as connection:
        while True:
            began = time.perf_counter()
            await connection.ask("GET", "/health")
            run.health.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)
