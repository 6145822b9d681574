"""Looking inside: the trace of a translation, and the page that shows it."""

import base64
import hashlib
import re
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from ferryman.explain.page import page
from ferryman.serving.http.fields import described, read_body
from ferryman.serving.http.libretranslate import check_size
from ferryman.serving.http.site import Site
from ferryman.serving.http.v1 import Language, find_way
from ferryman.serving.refusals import UnfitError
from ferryman.serving.service import Order

_SCRIPT = re.compile(r"<script(?: type=\"module\")?>(.*?)</script>", re.DOTALL)


class ExplainBody(Language):
    """A request to look inside."""

    text: str
    """One sentence."""


def routes(site: Site) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["Ferryman"])
    shown = page(None)
    policy = (
        f"default-src 'none'; script-src {_hashes(shown)}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    )

    @router.post("/v1/explain", openapi_extra=described(ExplainBody, form=False))
    async def explain(request: Request) -> Response:
        """Translate one sentence and tell what happened inside: a trace, as ``ferryman explain -o x.json`` writes."""
        body = await read_body(request, ExplainBody, form=False)
        client = site.admit(request, body.api_key)
        check_size(site, [body.text])
        way = find_way(site, body.text, body)
        if len(way.hops) != 1:
            raise UnfitError(
                f"only one model can be looked into, and from {way.source} into {way.target} there is none"
            )
        work = site.service.explain(body.text, Order(client, way.hops))
        return Response(await site.carry_out(request, work, site.config.max_seconds), media_type="application/json")

    @router.get("/explore", include_in_schema=False)
    async def explore() -> HTMLResponse:
        return HTMLResponse(shown, headers={"Content-Security-Policy": policy})

    return router


def _hashes(shown: str) -> str:
    """List the programs that a page may run: those that are in it."""
    digests: list[Any] = [hashlib.sha256(found.encode()).digest() for found in _SCRIPT.findall(shown)]
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
