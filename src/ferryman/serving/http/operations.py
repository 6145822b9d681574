"""What operators ask: is it alive, would it answer, what has it done, and how is it asked."""

from collections.abc import Sequence
from importlib import resources
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from ferryman.serving.http.site import Site

PAGE_POLICY = "default-src 'self'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'"
_PAGES: Sequence[tuple[str, str, str]] = (
    ("/docs", "docs.html", "text/html"),
    ("/docs.js", "docs.js", "text/javascript"),
)


class _Figures(Response):
    media_type = "text/plain; version=0.0.4"


def routes(site: Site) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["Operation"])

    @router.get("/health")
    async def health() -> dict[str, str]:
        """Tell that the server is alive, whatever it has to do."""
        return {"status": "ok"}

    @router.get("/ready", responses={503: {"description": "It would not."}})
    async def ready() -> JSONResponse:
        """Tell whether a request would be let in."""
        is_ready = site.service.ready
        return JSONResponse({"status": "ready" if is_ready else "busy"}, 200 if is_ready else 503)

    @router.get("/metrics", response_class=_Figures)
    async def metrics() -> Response:
        """Count what was done, for Prometheus."""
        return _Figures(site.service.metrics.text())

    for path, name, kind in _PAGES:
        router.add_api_route(path, _page(name, kind), include_in_schema=False)
    return router


def _page(name: str, kind: str) -> Any:
    content = (resources.files("ferryman.serving.http") / "pages" / name).read_bytes()

    async def page() -> Response:
        return Response(content, media_type=kind, headers={"Content-Security-Policy": PAGE_POLICY})

    return page
