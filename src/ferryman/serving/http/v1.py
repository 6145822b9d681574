"""Our own interface: scores, alternatives, alignment, constraints, flags, and sentences as they are ready."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import ConfigDict, Field
from starlette.responses import Response

from ferryman.config import DecodingConfig
from ferryman.errors import ServiceError
from ferryman.serving.http.answers import PROBLEMS, WRONG, WRONG_CODE
from ferryman.serving.http.fields import Body, described, read_body
from ferryman.serving.http.libretranslate import AUTO, check_size
from ferryman.serving.http.outermost import note_error
from ferryman.serving.http.site import Site
from ferryman.serving.models import Hop
from ferryman.serving.refusals import SlowError, UnfitError
from ferryman.serving.service import Order, Sentence
from ferryman.translator import Translation

Phrase = Annotated[str, Field(min_length=1, max_length=200)]
Phrases = Annotated[tuple[Phrase, ...], Field(max_length=50)]


class Language(Body):
    """From which language into which, and how; a field that there is not is refused."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    source: str = AUTO
    """Language of the text, or ``auto``."""
    target: str = ""
    """Language to translate into; may be left out if there is only one."""
    via: str = ""
    """Language to translate through."""
    model: str = ""
    """Name of the model to translate with; unset: the first that can."""
    api_key: str | None = None
    """Key, where the server asks for one."""


class TranslateBody(Language):
    """A request to translate."""

    text: str | list[str]
    """Text, or list of texts, to translate."""
    n_best: int = Field(1, ge=1)
    """How many translations to give of each text."""
    beam: int | None = Field(None, ge=1)
    """Hypotheses that the search keeps."""
    length_penalty: float | None = None
    """See ``decoding.length_penalty``."""
    alignment: bool = False
    """Tell which source word each word comes from, and how many ``words`` there are on both sides: what stands between
    spaces, or characters in languages without these. Not by way of another language."""
    constraints: Phrases = ()
    """Phrases that each translation contains."""
    forbidden: Phrases = ()
    """Phrases that no translation contains."""
    prefix: str = Field("", max_length=1000)
    """How each translation begins."""
    stream: bool = False
    """Send the sentences of one text as they are ready, as server-sent events."""


def routes(site: Site) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/v1", tags=["Ferryman"])

    @router.get("/models")
    async def models() -> list[dict[str, Any]]:
        """List the models and what they translate."""
        return [
            {"name": model.name, "pairs": [{"source": one, "target": two} for one, two in model.pairs]}
            for model in site.service.fleet.models
        ]

    events: dict[str, Any] = {"content": {"application/json": {}, "text/event-stream": {}}}

    @router.post("/translate", openapi_extra=described(TranslateBody, form=False), responses=PROBLEMS | {200: events})
    async def translate(request: Request) -> Response:
        """Translate texts; with ``stream``, events ``sentence`` and at last ``done`` (or ``error``)."""
        body = await read_body(request, TranslateBody, form=False)
        client = site.admit(request, body.api_key)
        texts = [body.text] if isinstance(body.text, str) else body.text
        check_size(site, texts)
        way = find_way(site, " ".join(texts), body)
        order = Order(client, way.hops, _changes(site, body, way.hops))
        if body.stream:
            return await _streamed(request, site, texts, order, way)
        found = await site.carry_out(request, site.service.translate(texts, order), site.config.max_seconds)
        shown = [_record(one) for one in found]
        answer = {"translations": shown} if isinstance(body.text, list) else shown[0]
        return Response(_dump({**way.record, **answer}), media_type="application/json")

    return router


@dataclass(frozen=True)
class Way:
    """From which language into which, through which models; where it was detected, how probably."""

    source: str
    target: str
    hops: Sequence[Hop]
    probability: float | None

    @property
    def record(self) -> dict[str, Any]:
        """It, in an answer."""
        detected = {} if self.probability is None else {"detected": self.probability}
        return {
            "source": self.source, "target": self.target, **detected, "models": [hop.model.name for hop in self.hops]
        }  # fmt: skip


def find_way(site: Site, text: str, body: Language) -> Way:
    """Find out how to translate a text.

    Raises:
        UnfitError: there is no way.

    """
    fleet = site.service.fleet
    source = "" if body.source == AUTO else fleet.find(body.source)
    targets = fleet.targets(source) if source else fleet.reachable
    if not body.target and len(targets) != 1:
        raise UnfitError(f"Invalid request: missing target parameter; there are: {', '.join(targets)}")
    target = fleet.find(body.target) if body.target else targets[0]
    probability = None
    if not source:
        source, probability = site.service.detect(text, target)
    via = fleet.find(body.via) if body.via else ""
    return Way(source, target, fleet.route(source, target, via, body.model), probability)


def _changes(site: Site, body: TranslateBody, hops: Sequence[Hop]) -> dict[str, Any]:
    """Return the settings of ``decoding`` that a request changes."""
    decoding = hops[-1].model.translator.config.decoding if hops else DecodingConfig()
    widest = max(decoding.beam, site.config.max_alternatives + 1)
    if max(body.beam or 0, body.n_best) > widest:
        raise UnfitError(f"Invalid request: beam and n_best may be {widest} at most")
    beam = body.beam or decoding.beam
    wanted = {
        "beam": max(beam, body.n_best),
        "n_best": body.n_best,
        "length_penalty": decoding.length_penalty if body.length_penalty is None else body.length_penalty,
        "alignment": "hard" if body.alignment and len(hops) == 1 else "none",
        "required_phrases": (*decoding.required_phrases, *body.constraints),
        "forbidden_phrases": (*decoding.forbidden_phrases, *body.forbidden),
        "target_prefix": body.prefix or decoding.target_prefix,
    }
    return {name: value for name, value in wanted.items() if value != getattr(decoding, name)}


async def _streamed(request: Request, site: Site, texts: list[str], order: Order, way: Way) -> Response:
    """Answer with events; what is wrong from the start is told by the status."""
    if len(texts) != 1:
        raise UnfitError("Invalid request: stream: one text at a time")
    deadline = time.monotonic() + site.config.max_seconds
    steps = site.service.stream(texts[0], order)
    first = await site.carry_out(request, _next(steps), site.config.max_seconds)

    async def events() -> AsyncIterator[str]:
        step, number = first, 0
        try:
            while isinstance(step, Sentence):
                yield _event(
                    "sentence",
                    {"index": number, "source": step.source, **_record(step.translation)} | {"text": step.text},
                )
                number += 1
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + deadline - time.monotonic()):
                    step = await _next(steps)
            yield _event("done", {**way.record, **_record(step)})
        except TimeoutError:
            yield _event(
                "error", {"error": f"this took longer than {site.config.max_seconds:g} s", "code": SlowError.code}
            )
        except ServiceError as error:
            yield _event("error", {"error": str(error), "code": error.code})
        except Exception as error:
            note_error(error, request.url.path)
            yield _event("error", {"error": WRONG, "code": WRONG_CODE})
        finally:
            await steps.aclose()

    return StreamingResponse(events(), media_type="text/event-stream")


async def _next(steps: AsyncGenerator[Sentence | Translation, None]) -> Sentence | Translation:
    return await anext(steps)


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {_dump(data)}\n\n"


def _record(found: Translation) -> dict[str, Any]:
    others = [_figures(other) for other in found.alternatives]
    return {**_figures(found), "alternatives": others}


def _figures(found: Translation) -> dict[str, Any]:
    aligned = {} if found.alignment is None else {"alignment": found.alignment.links, "words": found.alignment.words}
    return {"text": found.text, "score": found.score, "log_prob": found.log_prob, "flags": found.flags, **aligned}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
