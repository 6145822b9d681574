"""What all sections of the configuration are made of: checked types, and the manners of a section."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict

Integer = Annotated[int, Strict()]
Number = Annotated[float, Strict()]
Flag = Annotated[bool, Strict()]
Positive = Annotated[int, Strict(), Field(gt=0, le=10**12)]
Width = Annotated[int, Strict(), Field(gt=0, le=1 << 16)]
Count = Annotated[int, Strict(), Field(ge=0, le=10**12)]
Threads = Annotated[int, Strict(), Field(ge=0, le=1024)]
Rate = Annotated[float, Strict(), Field(ge=0, lt=1)]
Budget = Annotated[float, Strict(), Field(gt=0)]
Names = Annotated[tuple[str, ...], BeforeValidator(lambda names: [names] if isinstance(names, str) else names)]


class Section(BaseModel):
    """What all parts of the configuration share: frozen, no unknown keys, a docstring under each field."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)
