"""Reading what a request says: JSON or a form, checked, with reasons that people understand."""

import json
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ConfigDict, ValidationError

from ferryman.serving.refusals import UnfitError

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Body(BaseModel):
    """What may be said in a request; what else there is, is not heeded (LibreTranslate's clients say more)."""

    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)


Kind = TypeVar("Kind", bound=Body)


def described(kind: type[Body], *, form: bool = True) -> dict[str, Any]:
    """Describe a body for OpenAPI."""
    schema = {"schema": kind.model_json_schema()}
    content = {"application/json": schema} | (dict.fromkeys(FORMS, schema) if form else {})
    return {"requestBody": {"required": True, "content": content}}


async def read_body(request: Request, kind: type[Kind], *, form: bool = True) -> Kind:
    """Read the fields of a request: a JSON object, a form if that is allowed, or what its address says.

    Raises:
        UnfitError: they are not there, or not what they should be.

    """
    return checked(kind, await (_form(request) if form and _kind(request) in FORMS else _json(request)))


def checked(kind: type[Kind], given: dict[str, Any]) -> Kind:
    """Check fields.

    Raises:
        UnfitError: they are not what they should be.

    """
    try:
        body = kind.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"][:1])
        if first["type"] == "missing":
            raise UnfitError(f"Invalid request: missing {name} parameter") from error
        if first["type"] == "extra_forbidden":
            raise UnfitError(f"Invalid request: no field {name}; there are: {', '.join(kind.model_fields)}") from error
        raise UnfitError(f"Invalid request: {name}: {first['msg'].removeprefix('Value error, ')}") from error
    try:
        body.model_dump_json()
    except ValueError as error:
        raise UnfitError("Invalid request: the text has half of a surrogate pair, which is no character") from error
    return body


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def _form(request: Request) -> dict[str, Any]:
    async with request.form(max_fields=100) as form:
        return {**request.query_params, **{name: value for name, value in form.items() if isinstance(value, str)}}


async def _json(request: Request) -> dict[str, Any]:
    content = await request.body()
    if not content.strip():
        return dict(request.query_params)
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnfitError("Invalid request: the body is neither JSON nor a form") from error
    if not isinstance(found, dict):
        raise UnfitError(f"Invalid request: expected a JSON object, found a {type(found).__name__}")
    return found
