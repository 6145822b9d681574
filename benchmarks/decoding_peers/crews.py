"""The sides, and the processes that work for one of them."""

import sys
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from decoding_peers.conversion import CTRANSLATE2, MARIAN, convert
from decoding_peers.protocol import Request, Task
from peers.environments import prepare
from peers.workers import Conversation


@dataclass(frozen=True)
class Side:
    """One competitor."""

    module: str  # file in this folder
    environment: str | None = None  # None: Ferryman's own
    forms: tuple[str, ...] = ()  # of the model that it needs besides ours
    compute: str = "float32"
    has_replicas: bool = False  # whether it can have several of the model in one process
    share: int = 1  # it gets one of so many sentences: the slowest would take hours


SIDES = {
    "ferryman": Side("ours"),
    "ferryman_int8": Side("ours", compute="int8"),
    "ctranslate2_float32": Side(
        "ctranslate", "ctranslate2", (MARIAN, CTRANSLATE2.format("float32")), has_replicas=True
    ),
    "ctranslate2_int8": Side(
        "ctranslate", "ctranslate2", (MARIAN, CTRANSLATE2.format("int8")), "int8", has_replicas=True
    ),
    "huggingface": Side("huggingface", "marian", (MARIAN,)),
    "nn_transformer": Side("naive", share=4),
    "ferryman_bfloat16": Side("ours", compute="bfloat16"),
    "huggingface_bfloat16": Side("huggingface", "marian", (MARIAN,), "bfloat16"),
}
ON_GPU = ("ferryman", "ferryman_bfloat16", "huggingface", "huggingface_bfloat16")
ON_CPU = tuple(name for name in SIDES if not name.endswith("bfloat16"))
MAKERS = {MARIAN: "marian"}  # environments that convert; CTranslate2's forms: its converter's


@dataclass(frozen=True)
class Arrangement:
    """How a side uses its threads: processes, replicas of the model in each, threads of each."""

    processes: int = 1
    replicas: int = 1
    threads: int = 1


@dataclass
class Crew:
    """The processes of one side in one arrangement."""

    members: list[Conversation]
    version: str
    start_seconds: float
    peak_bytes: list[int] = field(default_factory=list)

    def work(self, request: Request) -> dict[str, Any]:
        """Let all work on their share; tell wall-clock seconds, tokens and outputs in order.

        Raises:
            WorkerError: one stopped.

        """
        shares = [request.sentences[first :: len(self.members)] for first in range(len(self.members))]
        began = time.perf_counter()
        for member, share in zip(self.members, shares, strict=True):
            member.tell(replace(request, sentences=share).to_line())
        answers = [member.hear() for member in self.members]
        seconds = time.perf_counter() - began
        self.peak_bytes = [answer["peak_bytes"] for answer in answers]
        found = {
            number: output
            for answer, share in zip(answers, shares, strict=True)
            for number, output in zip(share, answer.get("outputs", []), strict=False)
        }
        return {
            "seconds": seconds,
            "tokens": sum(answer["tokens"] for answer in answers),
            "outputs": [found[number] for number in request.sentences if number in found],
        }

    def close(self) -> None:
        """End the processes."""
        for member in self.members:
            member.close()


@dataclass
class Yard:
    """Where crews are hired: what they all have in common, and those that wait."""

    task: Task
    environments: Path
    messages: Path
    waiting: dict[tuple[str, Arrangement], Crew] = field(default_factory=dict)

    def equip(self, name: str) -> Path:
        """Install a side and convert the model for it, unless that is done; return its Python.

        Raises:
            NotInstalledError: it cannot be.

        """
        side = SIDES[name]
        for form in side.forms:
            if not (Path(self.task.folder) / form).exists():
                maker = prepare(MAKERS.get(form, "ctranslate2-converter"), self.environments)
                convert(form, Path(self.task.folder), maker)
        return prepare(side.environment, self.environments) if side.environment else Path(sys.executable)

    def hire(self, name: str, arrangement: Arrangement) -> Crew:
        """Start a side; the time counts until every process has translated a sentence.

        Raises:
            NotInstalledError: it cannot be installed, or the model not be converted.
            WorkerError: it does not start.

        """
        side, python = SIDES[name], self.equip(name)
        task = replace(self.task, compute=side.compute, replicas=arrangement.replicas, threads=arrangement.threads)
        with ExitStack() as stack:
            began = time.perf_counter()
            members = []
            for number in range(arrangement.processes):
                messages = self.messages / f"{name}-{number}.txt"
                members.append(Conversation(f"decoding_peers.{side.module}", python, messages))
                stack.callback(members[-1].close)
                members[-1].tell(task.to_line())
            about = [member.hear() for member in members]
            seconds = time.perf_counter() - began
            stack.pop_all()
        return Crew(members, about[0]["version"], seconds)

    def borrow(self, name: str, arrangement: Arrangement) -> Crew:
        """Hire a crew that stays for others; see ``hire``."""
        if (name, arrangement) not in self.waiting:
            self.waiting[name, arrangement] = self.hire(name, arrangement)
        return self.waiting[name, arrangement]

    def close(self) -> None:
        """Send all home that wait."""
        for crew in self.waiting.values():
            crew.close()
        self.waiting.clear()


def describe(crew: Crew, arrangement: Arrangement, batch_tokens: int) -> dict[str, Any]:
    """Say how a side ran."""
    return {
        "version": crew.version,
        "processes_replicas_threads": list(asdict(arrangement).values()),
        "batch_tokens": batch_tokens or None,
        "start_seconds": round(crew.start_seconds, 2),
        "peak_megabytes": round(sum(crew.peak_bytes) / 1e6),
    }
