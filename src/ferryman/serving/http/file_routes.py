"""LibreTranslate's way to translate files: send one, be told where the translation is, fetch it."""

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData, UploadFile

from ferryman.serving.files import Upload, translate_file, translated_name
from ferryman.serving.http.answers import PROBLEMS
from ferryman.serving.http.fields import FORMS, Body, checked
from ferryman.serving.http.libretranslate import AUTO
from ferryman.serving.http.site import Site
from ferryman.serving.refusals import FileError, TooLargeError, UnfitError


class _File(Response):
    media_type = "application/octet-stream"


_TOLD = ("translated", "remembered", "kept", "skipped", "flags")


class FileBody(Body):
    """What is said about a file to translate."""

    source: str
    """Language of the file, or ``auto``."""
    target: str
    """Language to translate into."""
    api_key: str | None = None
    """Key, where the server asks for one."""


def _described() -> dict[str, object]:
    schema = FileBody.model_json_schema()
    schema["properties"]["file"] = {"type": "string", "format": "binary", "description": "The file."}
    schema["required"] = ["file", *schema["required"]]
    return {"requestBody": {"required": True, "content": {FORMS[1]: {"schema": schema}}}}


def routes(site: Site) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["LibreTranslate"])
    service = site.service

    @router.post("/translate_file", openapi_extra=_described(), responses=PROBLEMS)
    async def translate_a_file(request: Request) -> dict[str, Any]:
        """Translate a file; tell where the translation can be fetched, and what was done with how many segments."""
        async with request.form(max_files=1, max_fields=20) as form:
            body = checked(FileBody, {name: value for name, value in form.items() if isinstance(value, str)})
            client = site.admit(request, body.api_key)
            file = await _file(form, site.config.max_file_bytes)
        target = service.fleet.find(body.target)
        source = "" if body.source == AUTO else service.fleet.find(body.source)
        work = translate_file(service, file, client, source, target)
        translated = await site.carry_out(request, work, site.config.max_file_seconds)
        kept = site.files.put(translated_name(file.name, target), translated.content)
        return {
            "translatedFileUrl": str(request.url_for("download_file", kept=kept)),
            "summary": {name: getattr(translated.summary, name) for name in _TOLD},
        }

    @router.get("/download_file/{kept}", name="download_file", response_class=_File, responses={400: PROBLEMS[400]})
    async def download_file(kept: str) -> Response:
        """Give a translated file."""
        found = site.files.find(kept)
        if found is None:
            raise FileError("there is no such file, or no longer")
        name, content = found
        return _File(content, headers=_disposition(name))

    return router


def _disposition(name: str) -> dict[str, str]:
    """Return the header that has a browser save a file under its name (RFC 6266)."""
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


async def _file(form: FormData, most: int) -> Upload:
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise UnfitError("Invalid request: missing file parameter")
    content = await file.read()
    if len(content) > most:
        raise TooLargeError(f"the file has {len(content)} bytes; at most {most} are allowed")
    return Upload(file.filename or "", content)
