"""The application: routes, errors, limits and who may ask, put together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from ferryman import __version__
from ferryman.serving.http import explain, file_routes, libretranslate, operations, page, v1
from ferryman.serving.http.answers import answer_errors
from ferryman.serving.http.outermost import Outermost
from ferryman.serving.http.site import Site
from ferryman.serving.keys import read_keys
from ferryman.serving.rates import Rates
from ferryman.serving.service import Service
from ferryman.serving.shelf import Files

ESCAPED = 12  # bytes of a character at most, as JSON or a form may write it
OTHER_FIELDS = 1 << 16


def create_app(service: Service) -> ASGIApp:
    """Make the application for a service, which it starts and stops.

    Raises:
        ConfigError: the file of keys cannot be used.

    """
    config = service.config
    keys = read_keys(config.api_keys) if config.api_keys else []
    site = Site(service, Files(config.keep_files), Rates(), keys)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        with suppress(asyncio.CancelledError):  # told to end at once
            yield
            await service.stop(config.max_seconds)
        site.files.close()

    app = FastAPI(
        title="Ferryman", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan,
        description="Translate texts and files, with LibreTranslate's interface and our own.",
    )  # fmt: skip
    answer_errors(app)
    for routes in (libretranslate.routes, file_routes.routes, v1.routes, explain.routes, operations.routes):
        app.include_router(routes(site))
    app.include_router(page.routes())
    if config.cors_origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(config.cors_origins), allow_methods=["GET", "POST"], allow_headers=["*"]
        )

    def limit(path: str) -> int:
        return (config.max_file_bytes if path == "/translate_file" else ESCAPED * config.max_characters) + OTHER_FIELDS

    return Outermost(app, service.metrics, limit)
