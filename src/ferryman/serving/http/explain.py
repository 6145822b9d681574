"""Looking inside: the trace of a translation."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ferryman.serving.http.answers import PROBLEMS
from ferryman.serving.http.fields import described, read_body
from ferryman.serving.http.libretranslate import check_size
from ferryman.serving.http.site import Site
from ferryman.serving.http.v1 import Language, find_way
from ferryman.serving.refusals import LanguageError
from ferryman.serving.service import Order


class ExplainBody(Language):
    """A request to look inside."""

    text: str
    """One sentence."""


def routes(site: Site) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["Ferryman"])

    @router.post("/v1/explain", openapi_extra=described(ExplainBody, form=False), responses=PROBLEMS)
    async def explain(request: Request) -> Response:
        """Translate one sentence and tell what happened inside: a trace, as ``ferryman explain -o x.json`` writes."""
        body = await read_body(request, ExplainBody, form=False)
        client = site.admit(request, body.api_key)
        check_size(site, [body.text])
        way = find_way(site, body.text, body)
        if len(way.hops) != 1:
            raise LanguageError(
                f"only one model can be looked into, and from {way.source} into {way.target} there is none"
            )
        work = site.service.explain(body.text, Order(client, way.hops))
        return Response(await site.carry_out(request, work, site.config.max_seconds), media_type="application/json")

    return router
