"""The server under load, against the engine it is made of, and against one that does a request at a time.

    python benchmarks/serving.py runs/en-de sentences.en
    python benchmarks/serving.py runs/en-de sentences.en --clients 8 64 --requests 5000 --json
    python benchmarks/serving.py runs/en-de sentences.en --steady

Everything happens on this machine: servers in processes of their own, clients in this one. In each round the same
sentences are translated in turns by the library in one call (offline), by the server for each number of clients, and by
a server that translates one request at a time (its batches have one token, and it waits for no other); medians of the
rounds are shown. Requests have one to eight sentences, and nothing is remembered (``serving.cache_entries=0``). Every
answer is compared with what the library said of the same sentences. ``of_offline`` compares sentences a second;
``of_as_many_at_once`` with the library called with as many sentences as all clients together wait for at a time, which
is all that a server can know; ``cpu_of_offline`` the seconds that processors worked, which other work changes less.

At last ``--requests`` are asked for to see whether memory and threads stay as they are, from the first tenth to the
end; and a server with a short queue is asked for too much, to see that it refuses (429, 503), and answers all the same.
``--steady`` does the former alone; it fails if memory grows by more than 5 %, a thread comes or goes, or an answer is
wrong.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from ferryman.engines.devices import set_threads
from ferryman.text.directions import directions
from ferryman.translator import Translator
from ferryman.workflows.load import load_ready
from serving_load.clients import Run, Task, load
from serving_load.servers import ServerProcess

SIZES = (1, 1, 2, 1, 4, 1, 8)  # sentences of one request after the other
NOTHING_REMEMBERED = ["serving.cache_entries=0"]
ONE_AT_A_TIME = [*NOTHING_REMEMBERED, "serving.batch_tokens=1", "serving.patience_ms=0"]
MOST_GROWTH = 5.0  # percent of the memory after the first tenth of the requests
SHORT_QUEUE = [*NOTHING_REMEMBERED, "serving.queue_tokens=200"]


def make_tasks(sentences: Sequence[str], translations: Sequence[str]) -> list[Task]:
    """Make requests of different sizes of sentences and what should be answered."""
    tasks, sizes, start = [], cycle(SIZES), 0
    while start < len(sentences):
        end = start + next(sizes)
        tasks.append(Task(list(sentences[start:end]), list(translations[start:end])))
        start = end
    return tasks


def offline(translator: Translator, sentences: Sequence[str], at_once: int = 0) -> tuple[Run, list[str]]:
    """Translate everything in one call, or so many sentences a call; return what it took and the translations."""
    began, worked = time.perf_counter(), time.process_time()
    step = at_once or len(sentences)
    found = [one for first in range(0, len(sentences), step) for one in translator.translate(sentences[first:][:step])]
    return Run(time.perf_counter() - began, time.process_time() - worked), [one.text for one in found]


def online(server: ServerProcess, pair: tuple[str, str], tasks: Sequence[Task], clients: int) -> Run:
    """Have clients ask a server; return what they saw, and how long processors worked for the server."""
    before = server.cpu_seconds()
    run = asyncio.run(load(server.address, pair, tasks, clients))
    run.cpu_seconds = server.cpu_seconds() - before
    return run


def percentile(values: Sequence[float], share: float) -> float:
    """Return what so large a share of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def figures(
    runs: Sequence[Run], sentences: int, compared: Sequence[Run], in_parts: Sequence[Run] = ()
) -> dict[str, Any]:
    """Sum up what clients saw in several rounds."""
    latencies = [one for run in runs for one in run.latencies]
    health = [one for run in runs for one in run.health]
    pairs = list(zip(compared, runs, strict=True))
    return {
        "sentences_per_second": round(sentences / statistics.median(run.seconds for run in runs), 1),
        "of_offline": _ratio(compared, runs),
        "cpu_of_offline": round(statistics.median(run.cpu_seconds / one.cpu_seconds for one, run in pairs), 2),
        **({"of_as_many_at_once": _ratio(in_parts, runs)} if in_parts else {}),
        "p50_ms": round(1000 * percentile(latencies, 0.5)),
        "p95_ms": round(1000 * percentile(latencies, 0.95)),
        "health_p95_ms": round(1000 * percentile(health, 0.95), 1),
        "health_max_ms": round(1000 * max(health), 1),
        "wrong": sum(run.wrong for run in runs),
    }


def _ratio(compared: Sequence[Run], runs: Sequence[Run]) -> float:
    """Return how fast runs were beside those that they are compared with."""
    return round(statistics.median(one.seconds / run.seconds for one, run in zip(compared, runs, strict=True)), 3)


def compare(arguments: argparse.Namespace, translator: Translator, pair: tuple[str, str]) -> dict[str, Any]:
    """Let the contestants translate the same sentences in turns."""
    sentences = arguments.sentences
    _, translations = offline(translator, sentences)  # warms up too
    tasks = make_tasks(sentences, translations)
    ours: dict[int, list[Run]] = {clients: [] for clients in arguments.clients}
    in_parts: dict[int, list[Run]] = {clients: [] for clients in arguments.clients}
    plain: list[Run] = []
    compared: list[Run] = []
    with (
        ServerProcess(arguments.model, [*NOTHING_REMEMBERED, *arguments.settings]) as server,
        ServerProcess(arguments.model, [*ONE_AT_A_TIME, *arguments.settings]) as simple,
    ):
        for each in (server, simple):
            asyncio.run(load(each.address, pair, tasks[:10], 2))
        for _ in range(arguments.rounds):
            compared.append(offline(translator, sentences)[0])
            for clients, runs in ours.items():
                at_once = round(clients * len(sentences) / len(tasks))
                in_parts[clients].append(offline(translator, sentences, at_once)[0])
                runs.append(online(server, pair, tasks, clients))
            plain.append(online(simple, pair, tasks, max(ours)))
        steady = keep_going(server, pair, tasks, arguments)
    return {
        "offline_sentences_per_second": round(len(sentences) / statistics.median(run.seconds for run in compared), 1),
        "clients": {
            clients: figures(runs, len(sentences), compared, in_parts[clients]) for clients, runs in ours.items()
        },
        "one_request_at_a_time": figures(plain, len(sentences), compared),
        "steady": steady,
        "overload": overload(arguments, pair, tasks),
    }


def keep_going(
    server: ServerProcess, pair: tuple[str, str], tasks: Sequence[Task], arguments: argparse.Namespace
) -> dict[str, Any]:
    """Ask for many requests and compare memory and threads at the end with those after the first tenth."""
    many, clients = list(islice(cycle(tasks), arguments.requests)), max(arguments.clients)
    warm = max(1, len(many) // 10)
    runs = [asyncio.run(load(server.address, pair, many[:warm], clients))]
    before = server.figure("VmRSS"), server.figure("Threads")
    runs.append(asyncio.run(load(server.address, pair, many[warm:], clients)))
    after = server.figure("VmRSS"), server.figure("Threads")
    return {
        "requests": len(many),
        "megabytes": [round(before[0] / 1024, 1), round(after[0] / 1024, 1)],
        "growth_percent": round(100 * (after[0] / before[0] - 1), 2) if before[0] else None,
        "threads": [before[1], after[1]],
        "wrong": sum(run.wrong for run in runs),
    }


def watch(arguments: argparse.Namespace, translator: Translator, pair: tuple[str, str]) -> int:
    """Ask for many requests of a server of its own and print what became of it; return 1 if it is not steady."""
    _, translations = offline(translator, arguments.sentences)
    tasks = make_tasks(arguments.sentences, translations)
    with ServerProcess(arguments.model, [*NOTHING_REMEMBERED, *arguments.settings]) as server:
        found = keep_going(server, pair, tasks, arguments)
    print(json.dumps(found) if arguments.json else found)
    before, after = found["threads"]
    return int(before != after or found["wrong"] > 0 or (found["growth_percent"] or 0.0) > MOST_GROWTH)


def overload(arguments: argparse.Namespace, pair: tuple[str, str], tasks: Sequence[Task]) -> dict[str, Any]:
    """Ask a server with a short queue for more than it takes; it refuses, and in the end has answered all."""
    with ServerProcess(arguments.model, [*SHORT_QUEUE, *arguments.settings]) as server:
        run = asyncio.run(load(server.address, pair, tasks, max(arguments.clients)))
    return {"statuses": run.statuses, "answered": len(run.latencies), "of": len(tasks), "wrong": run.wrong}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("file", type=Path, help="sentences, one a line")
    parser.add_argument("settings", nargs="*", help="decoding.key=value")
    parser.add_argument("--clients", type=int, nargs="+", default=[8, 32, 64])
    parser.add_argument("--limit", type=int, default=600, help="sentences at most")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--steady", action="store_true", help="only see whether memory and threads stay as they are")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.sentences = arguments.file.read_text(encoding="utf-8").splitlines()[: arguments.limit]
    set_threads(0)
    translator = load_ready(arguments.model, arguments.settings, to=None)
    direction = next(iter(directions(translator.config.data)))
    pair = (direction.source, direction.target)
    if arguments.steady:
        sys.exit(watch(arguments, translator, pair))
    result = compare(arguments, translator, pair)
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"offline: {result['offline_sentences_per_second']} sentences/s")
    for clients, found in result["clients"].items():
        print(f"{clients} clients: {found}")
    for name in ("one_request_at_a_time", "steady", "overload"):
        print(f"{name.replace('_', ' ')}: {result[name]}")


if __name__ == "__main__":
    main()
