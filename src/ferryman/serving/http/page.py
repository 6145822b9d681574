"""The pages for people: to translate, and to look inside. Each is one file that may run what is in it, and no more."""

import base64
import hashlib
import re
from importlib.resources import files
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from ferryman.explain.bundling import assemble, reader
from ferryman.explain.page import WEB, page

_SCRIPT = re.compile(r"<script(?: type=\"module\")?>(.*?)</script>", re.DOTALL)


def translation_page() -> str:
    """Return the page to translate with; what it shares with the one to look inside comes from there."""
    return assemble(reader(files("ferryman.serving") / "web", WEB), {})


def policy(html: str) -> str:
    """Return the policy of a page: its own programs, and requests to this server only."""
    return (
        f"default-src 'none'; script-src {_hashes(html)}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )


def routes() -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    for path, html in (("/", translation_page()), ("/explore", page(None))):
        router.add_api_route(path, _shown(html), include_in_schema=False)
    return router


def _shown(html: str) -> Any:
    headers = {"Content-Security-Policy": policy(html)}

    async def shown() -> HTMLResponse:
        return HTMLResponse(html, headers=headers)

    return shown


def _hashes(html: str) -> str:
    """List the programs that a page may run: those that are in it."""
    digests: list[Any] = [hashlib.sha256(found.encode()).digest() for found in _SCRIPT.findall(html)]
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
