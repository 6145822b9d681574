"""Why the service does not answer a request; what its caller can do about it."""

from ferryman.errors import ServiceError


class UnfitError(ServiceError):
    """The request cannot be carried out as it is, now or later."""


class LanguageError(UnfitError):
    """No model translates so."""

    code = "language"


class TextError(UnfitError):
    """A text cannot be translated."""

    code = "text"


class FileError(UnfitError):
    """A file cannot be translated."""

    code = "file"


class TooLargeError(ServiceError):
    """The request is larger than what is allowed."""

    code = "large"


class NotAllowedError(ServiceError):
    """The caller, or this server, may not do that."""


class KeyNeededError(NotAllowedError):
    """The caller has no key, or none that is known."""

    code = "key"


class LaterError(ServiceError):
    """Not now: the same request may succeed later."""

    def __init__(self, message: str, retry_seconds: int = 1) -> None:
        """Say why, and after how many seconds to try again."""
        super().__init__(message)
        self.retry_seconds = retry_seconds


class BusyError(LaterError):
    """There is more to do than the service can."""

    code = "busy"


class SlowError(BusyError):
    """It takes longer than is allowed."""

    code = "slow"


class TooManyError(LaterError):
    """This client asks for more than its share."""

    code = "often"
