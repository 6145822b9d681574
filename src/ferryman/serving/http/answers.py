"""Errors as clients of LibreTranslate know them: ``{"error": …}`` and a status."""

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from ferryman.errors import ServiceError
from ferryman.serving.http.site import ClientLeft
from ferryman.serving.refusals import BusyError, NotAllowedError, TooLargeError, TooManyError

STATUSES: dict[type[ServiceError], int] = {NotAllowedError: 403, TooLargeError: 413, TooManyError: 429, BusyError: 503}
WRONG = "something went wrong here; the server's log says what"
CLIENT_LEFT = 499  # nobody reads it; it stands in the log


def refusal(error: ServiceError) -> JSONResponse:
    """Answer with the reason why not; of what is in the request itself, 400."""
    headers = {"Retry-After": str(error.retry_seconds)} if isinstance(error, TooManyError | BusyError) else {}
    if isinstance(error, TooLargeError):
        headers["Connection"] = "close"  # what else the client sends is not read
    return JSONResponse({"error": str(error)}, STATUSES.get(type(error), 400), headers)


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
        return JSONResponse({"error": WRONG}, 500)
