"""Errors as clients of LibreTranslate know them, ``{"error": …}`` and a status; and a ``code`` of what kind each is."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from ferryman.errors import ServiceError
from ferryman.serving.http.site import ClientLeft
from ferryman.serving.refusals import BusyError, NotAllowedError, TooLargeError, TooManyError

STATUSES: dict[type[ServiceError], int] = {NotAllowedError: 403, TooLargeError: 413, TooManyError: 429, BusyError: 503}
WRONG = "something went wrong here; the server's log says what"
WRONG_CODE = "server"
CLIENT_LEFT = 499  # nobody reads it; it stands in the log


class Problem(BaseModel):
    """Why a request was not carried out."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    error: str
    """The reason, for people."""
    code: str = ""
    """Its kind, for programs: request, language, text, file, large, key, often, busy, slow or server."""


_PROBLEMS = {
    400: "The request cannot be carried out as it is.",
    403: "A key is missing or not known, or this server does not do that.",
    413: "The request is larger than what is allowed.",
    429: "This client asks for more than its share; see Retry-After.",
    500: "Something went wrong in the server.",
    503: "The server has too much to do; see Retry-After.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": meaning, "content": {"application/json": {"schema": Problem.model_json_schema()}}}
    for status, meaning in _PROBLEMS.items()
}
"""The answers besides the good one that a route which translates can give, for OpenAPI."""


def refusal(error: ServiceError) -> JSONResponse:
    """Answer with the reason why not; of what is in the request itself, 400."""
    headers = {"Retry-After": str(error.retry_seconds)} if isinstance(error, TooManyError | BusyError) else {}
    if isinstance(error, TooLargeError):
        headers["Connection"] = "close"  # what else the client sends is not read
    status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 400)
    return JSONResponse({"error": str(error), "code": error.code}, status, headers)


def answer_errors(app: FastAPI) -> None:
    """Have the app answer errors."""

    @app.exception_handler(ServiceError)
    async def refused(_: Request, error: ServiceError) -> Response:
        return refusal(error)

    @app.exception_handler(ClientLeft)
    async def left(_: Request, __: ClientLeft) -> Response:
        return Response(status_code=CLIENT_LEFT)

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> Response:
        return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def wrong(_: Request, __: Exception) -> Response:
        return JSONResponse({"error": WRONG, "code": WRONG_CODE}, 500)
