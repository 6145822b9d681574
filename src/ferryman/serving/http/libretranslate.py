"""LibreTranslate's interface, so that its clients work: the same routes, fields, answers and errors."""

from collections.abc import Sequence
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from ferryman.config import DecodingConfig
from ferryman.documents.formats import SUFFIXES
from ferryman.documents.html import read_fragment
from ferryman.serving.http.answers import PROBLEMS
from ferryman.serving.http.fields import Body, described, read_body
from ferryman.serving.http.site import Site
from ferryman.serving.models import Hop, keeping_tags
from ferryman.serving.names import language_name
from ferryman.serving.refusals import NotAllowedError, TooLargeError, UnfitError
from ferryman.serving.service import Order

AUTO = "auto"
FRONTEND_TIMEOUT_MS = 500  # how long LibreTranslate's page waits after a key is pressed


class TranslateBody(Body):
    """A request to translate."""

    q: str | list[str]
    """Text, or list of texts, to translate."""
    source: str
    """Language of the text, or ``auto``."""
    target: str
    """Language to translate into."""
    format: Literal["text", "html"] = "text"
    """Plain text, or HTML, of which the tags are kept."""
    alternatives: int = Field(0, ge=0)
    """How many other translations to give."""
    api_key: str | None = None
    """Key, where the server asks for one."""


class DetectBody(Body):
    """A request to tell the language."""

    q: str
    """Text whose language to tell."""
    api_key: str | None = None
    """Key, where the server asks for one."""


def routes(site: Site) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["LibreTranslate"])
    service = site.service

    @router.post("/translate", openapi_extra=described(TranslateBody), responses=PROBLEMS)
    async def translate(request: Request) -> dict[str, Any]:
        """Translate one text or several."""
        body = await read_body(request, TranslateBody)
        client = site.admit(request, body.api_key)
        texts = [body.q] if isinstance(body.q, str) else body.q
        check_size(site, texts)
        return await site.carry_out(request, _answer(site, body, texts, client), site.config.max_seconds)

    @router.get("/languages")
    async def languages() -> list[dict[str, Any]]:
        """List the languages, and what each can be translated into: itself, as it is, and maybe others."""
        fleet = service.fleet
        return [
            {"code": code, "name": language_name(code), "targets": [code, *fleet.targets(code)]}
            for code in fleet.languages
        ]

    @router.post("/detect", openapi_extra=described(DetectBody), responses=PROBLEMS)
    async def detect(request: Request) -> list[dict[str, Any]]:
        """Tell in which of the served languages a text is, likeliest first."""
        body = await read_body(request, DetectBody)
        site.admit(request, body.api_key)
        check_size(site, [body.q])
        ranked = service.detector.rank(body.q)
        return [_detected(*one) for one in ranked if one[1] >= 0.01] or [_detected(*ranked[0])]

    @router.get("/frontend/settings")
    async def settings() -> dict[str, Any]:
        """Tell a page what it can offer."""
        return _settings(site)

    @router.post("/suggest", responses={403: PROBLEMS[403]})
    async def suggest() -> None:
        """Refuse to take suggestions."""
        raise NotAllowedError("Suggestions are disabled on this server.")

    return router


def _settings(site: Site) -> dict[str, Any]:
    fleet = site.service.fleet
    first = fleet.sources[0]
    shown = {code: {"code": code, "name": language_name(code)} for code in fleet.languages}
    return {
        "apiKeys": bool(site.keys),
        "charLimit": site.config.max_characters,
        "filesTranslation": True,
        "frontendTimeout": FRONTEND_TIMEOUT_MS,
        "keyRequired": bool(site.keys),
        "language": {"source": shown[first], "target": shown[fleet.targets(first)[0]]},
        "suggestions": False,
        "supportedFilesFormat": list(SUFFIXES),
    }


def check_size(site: Site, texts: list[str]) -> None:
    """Refuse more text than is allowed.

    Raises:
        TooLargeError: there are too many characters or texts.

    """
    characters, config = sum(map(len, texts)), site.config
    if characters > config.max_characters:
        raise TooLargeError(f"Invalid request: {characters} characters exceed the limit of {config.max_characters}")
    if len(texts) > config.max_texts:
        raise TooLargeError(f"Invalid request: {len(texts)} texts exceed the limit of {config.max_texts}")


def several(site: Site, alternatives: int, beam: int) -> dict[str, int]:
    """Return the settings for so many translations besides the best; for none, nothing changes.

    Raises:
        UnfitError: there are too many.

    """
    most = site.config.max_alternatives
    if alternatives > most:
        raise UnfitError(f"Invalid request: {alternatives} alternatives exceed the limit of {most}")
    return {"n_best": alternatives + 1, "beam": max(beam, alternatives + 1)} if alternatives else {}


async def _answer(site: Site, body: TranslateBody, texts: list[str], client: str) -> dict[str, Any]:
    """Translate texts, those in one language together, and put the answer together."""
    service, target = site.service, site.service.fleet.find(body.target)
    detected = [service.detect(_plain(text, body), target) for text in texts] if body.source == AUTO else []
    sources = [code for code, _ in detected] or [service.fleet.find(body.source)] * len(texts)
    found: dict[int, tuple[str, list[str]]] = {}
    for source in dict.fromkeys(sources):
        places = [place for place, one in enumerate(sources) if one == source]
        hops = service.fleet.route(source, target)
        order = Order(client, hops, _changes(site, body, hops))
        some = [texts[place] for place in places]
        translate = _translate_pages if body.format == "html" and hops else _translate_texts
        found.update(zip(places, await translate(site, some, order), strict=True))
    answer: dict[str, Any] = {"translatedText": [found[place][0] for place in range(len(texts))]}
    if detected:
        answer["detectedLanguage"] = [_detected(*one) for one in detected]
    if body.alternatives:
        answer["alternatives"] = [found[place][1] for place in range(len(texts))]
    return {name: value[0] for name, value in answer.items()} if isinstance(body.q, str) else answer


def _plain(text: str, body: TranslateBody) -> str:
    return " ".join(read_fragment(text).texts) if body.format == "html" else text


def _changes(site: Site, body: TranslateBody, hops: Sequence[Hop]) -> dict[str, Any]:
    """Return the settings that a request changes."""
    decoding = hops[-1].model.translator.config.decoding if hops else DecodingConfig()
    changes: dict[str, Any] = dict(several(site, body.alternatives, decoding.beam))
    return changes | keeping_tags(hops) if body.format == "html" else changes


async def _translate_texts(site: Site, texts: list[str], order: Order) -> list[tuple[str, list[str]]]:
    found = await site.service.translate(texts, order)
    return [(one.text, [other.text for other in one.alternatives]) for one in found]


async def _translate_pages(site: Site, texts: list[str], order: Order) -> list[tuple[str, list[str]]]:
    """Translate HTML; the n-th alternative of a page has the n-th of every text in it, or its last."""
    pages = [read_fragment(text) for text in texts]
    found = iter(await site.service.translate([text for page in pages for text in page.texts], order))
    result = []
    for page in pages:
        ways = [[one.text, *(other.text for other in one.alternatives)] for one in (next(found) for _ in page.texts)]
        most = max(map(len, ways), default=1)
        filled = [page.write([way[min(number, len(way) - 1)] for way in ways]).decode() for number in range(most)]
        result.append((filled[0], filled[1:]))
    return result


def _detected(language: str, probability: float) -> dict[str, Any]:
    return {"confidence": round(100 * probability), "language": language}
