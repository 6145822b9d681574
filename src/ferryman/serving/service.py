"""The translation service: many requests at once, one worker that translates sentences of all of them together.

Knows no HTTP. Its coroutines run in one event loop.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch
from pydantic import ValidationError

from ferryman.config import DecodingConfig, ServingConfig
from ferryman.errors import ConfigError, TranslationError
from ferryman.serving.cache import Cache
from ferryman.serving.detection import Detector
from ferryman.serving.metrics import Metrics
from ferryman.serving.models import Explanation, Fleet, Hop, Manner, protected
from ferryman.serving.planning import Part, Plan
from ferryman.serving.queue import FairQueue, Job, Result
from ferryman.serving.refusals import LanguageError, LaterError, TextError, UnfitError
from ferryman.serving.worker import Worker
from ferryman.translator import Translation
from ferryman.wording import counted

logger = logging.getLogger("ferryman.serving")
SURE = 0.9  # from what probability on a text is taken to be in the language that was asked for already
REMEMBERED = 1000  # characters of the longest sentence that is remembered
AT_ONCE = 16  # texts, each of which takes half a millisecond to prepare
BYTES_A_TOKEN = 3  # a guess that errs on the side of more tokens
Awaited = asyncio.Future[Translation]


@dataclass(frozen=True)
class Order:
    """Who wants translations, by which models, and with which settings of ``decoding``."""

    client: str
    hops: Sequence[Hop]
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sentence:
    """A part of a text that is translated: what it adds to the translation of those before it."""

    source: str
    text: str
    translation: Translation


class Service:
    """Models at work. ``start`` it, ``translate``, ``stop`` it."""

    def __init__(self, fleet: Fleet, config: ServingConfig) -> None:
        self.fleet = fleet
        self.config = config
        self.detector = Detector(fleet.languages)
        self.cache: Cache[Translation] = Cache(config.cache_entries)
        self.queue: FairQueue[str, Any] = FairQueue(config.queue_tokens)
        self.metrics = Metrics(lambda: self.queue.waiting, lambda: len(self.cache))
        batches = max(one.translator.searcher.workers(one.translator.config.decoding) for one in fleet.models)
        self.worker: Worker[str, Any] = Worker(
            self.queue,
            lambda manner, texts: manner.perform(texts),  # type: ignore[attr-defined]
            budget=config.batch_tokens,
            patience=config.patience_ms / 1000,
            watch=self.metrics.count_batch,
            threads=batches,
            begin=partial(torch.set_num_threads, max(1, torch.get_num_threads() // batches)),
        )

    def start(self) -> None:
        """Begin to work."""
        self.worker.start()

    async def stop(self, seconds: float) -> bool:
        """Let nothing in, finish what waits, and tell whether all was done in so many seconds."""
        return await asyncio.to_thread(self.worker.stop, seconds)

    @property
    def ready(self) -> bool:
        """Whether a request would be let in."""
        return self.worker.alive and not self.queue.closed and self.queue.waiting < self.queue.limit

    @property
    def about(self) -> str:
        """Say what is translated, and what computes."""
        model = self.fleet.models[0].translator
        pairs = ", ".join(f"{source} → {target}" for one in self.fleet.models for source, target in one.pairs)
        threads = counted(torch.get_num_threads(), "thread")
        return f"{pairs}; {threads}, {model.searcher.about(model.config.decoding)}"

    def detect(self, text: str, target: str) -> tuple[str, float]:
        """Return the language of a text that is to be translated into ``target``, and its probability.

        It is one that can be, or ``target`` itself if the text clearly is in that language.

        Raises:
            UnfitError: nothing is translated into ``target``.

        """
        sources = [code for code in self.fleet.sources if target in self.fleet.targets(code)]
        if not sources:
            raise LanguageError(f"no model translates into {target}; there are: {', '.join(self.fleet.languages)}")
        best, probability = self.detector.rank(text, [*sources, target])[0]
        return (best, probability) if best != target or probability >= SURE else self.detector.rank(text, sources)[0]

    async def translate(self, texts: Sequence[str], order: Order) -> list[Translation]:
        """Translate texts, each by itself, and each of its sentences exactly as ``Translator.translate`` would.

        But what is in a model's memory is taken from there, and terms of its glossary are enforced. On a way through
        two models both protect what either does.

        Raises:
            BusyError: there is too much to do.
            TooManyError: this client has too much to do.
            UnfitError: a text or a setting is none that the model takes.

        """
        found = [Translation(text, 0.0, 0.0, ()) for text in texts]
        kept = {"protect": protected(order.hops, order.changes)} if len(order.hops) > 1 else {}
        for number, hop in enumerate(order.hops):
            manner = self.manner(hop, {**(order.changes if number == len(order.hops) - 1 else {}), **kept})
            before, found = found, await self._each([one.text for one in found], manner, order.client)
            if number:  # what happened on the way is told too
                flags = [dict.fromkeys((*one.flags, *two.flags)) for one, two in zip(before, found, strict=True)]
                found = [replace(two, flags=tuple(each)) for two, each in zip(found, flags, strict=True)]
        self._note(texts, found)
        return found

    async def stream(self, text: str, order: Order) -> AsyncGenerator[Sentence | Translation, None]:
        """Translate one text and yield its sentences in order, each as soon as it is ready, and at last the whole.

        Where it cannot be translated sentence by sentence, that is all. Raises what ``translate`` raises.
        """
        if len(order.hops) != 1:
            yield (await self.translate([text], order))[0]
            return
        plan = Plan.of(text, self.manner(order.hops[0], order.changes))
        works, found, before = self._begin(plan.sentences, order.client), [], ""
        try:
            for source, work in zip(plan.parts.texts, works, strict=True):
                found.append(await _result(work))
                so_far = plan.join(found).text
                yield Sentence(source, so_far.removeprefix(before), found[-1])
                before = so_far
        finally:
            _cancel(works)
        whole = plan.join(found)
        self._note([text], [whole])
        yield whole

    async def explain(self, text: str, order: Order) -> str:
        """Translate one sentence and return the trace of it, as JSON; raises what ``translate`` raises."""
        hop = order.hops[0]
        job: Job[str, str] = Job(order.client, Explanation(hop.model, hop.target), text, _weight(text))
        self._put([job])
        return await _result(asyncio.wrap_future(job.future))

    def manner(self, hop: Hop, changes: dict[str, Any]) -> Manner:
        """Return how to translate with some settings changed.

        Raises:
            UnfitError: they are impossible.

        """
        decoding = hop.model.translator.config.decoding.model_copy(update={"workers": 1})  # those of the server
        if changes:
            try:
                decoding = DecodingConfig.model_validate({**decoding.model_dump(), **changes})
            except ValidationError as error:
                first = error.errors()[0]
                name = "".join(f"{part}: " for part in first["loc"][:1])
                raise UnfitError(name + first["msg"].removeprefix("Value error, ")) from error
        return Manner(hop.model, hop.target, decoding)

    async def _each(self, texts: Sequence[str], manner: Manner, client: str) -> list[Translation]:
        """Translate texts, of which all are let in or none."""
        plans = []
        for number, text in enumerate(texts):
            plans.append(Plan.of(text, manner))
            if number % AT_ONCE == AT_ONCE - 1:
                await asyncio.sleep(0)  # others are answered meanwhile
        works = self._begin([each for plan in plans for each in plan.sentences], client)
        try:
            found = iter([await _result(work) for work in works])
        finally:
            _cancel(works)
        return [plan.join([next(found) for _ in plan.parts.texts]) for plan in plans]

    def _begin(self, sentences: Sequence[Part], client: str) -> list[Awaited]:
        """Ask the worker for what is not known."""
        jobs: list[Job[str, Translation]] = []
        works: list[Awaited] = []
        for part in sentences:
            manner, text = part.manner, part.text
            if (known := part.known or self.cache.get((manner, text))) is not None:
                works.append(asyncio.get_running_loop().create_future())
                works[-1].set_result(known)
                continue
            job: Job[str, Translation] = Job(client, manner, text, _weight(text))
            jobs.append(job)
            works.append(asyncio.wrap_future(job.future))
            works[-1].add_done_callback(lambda work, key=(manner, text): self._remember(key, work))  # type: ignore[misc]
        self.metrics.sentences.labels("cache").inc(len(works) - len(jobs))
        self._put(jobs)
        return works

    def _note(self, texts: Sequence[str], found: Sequence[Translation]) -> None:
        self.metrics.characters.inc(sum(map(len, texts)))
        if self.config.log_text:
            for text, one in zip(texts, found, strict=True):
                logger.info("%r → %r", text, one.text)

    def _put(self, jobs: Sequence[Job[str, Any]]) -> None:
        try:
            self.queue.put(jobs)
        except LaterError as error:
            error.retry_seconds = self.worker.retry_seconds
            raise

    def _remember(self, key: tuple[Manner, str], work: Awaited) -> None:
        manner, text = key
        if work.cancelled() or work.exception() or manner.decoding.sampling or len(text) > REMEMBERED:
            return
        self.cache.put(key, work.result())


def _weight(text: str) -> int:
    return len(text.encode()) // BYTES_A_TOKEN + 1


async def _result(work: asyncio.Future[Result]) -> Result:
    try:
        return await work
    except (TranslationError, ConfigError) as error:
        raise TextError(str(error)) from error


def _cancel(works: Sequence[Awaited]) -> None:
    for work in works:
        work.cancel()
