"""Why the service does not answer a request; what its caller can do about it."""

from ferryman.errors import ServiceError


class UnfitError(ServiceError):
    """The request cannot be carried out as it is, now or later."""


class TooLargeError(ServiceError):
    """The request is larger than what is allowed."""


class NotAllowedError(ServiceError):
    """The caller, or this server, may not do that."""


class LaterError(ServiceError):
    """Not now: the same request may succeed later."""

    def __init__(self, message: str, retry_seconds: int = 1) -> None:
        """Say why, and after how many seconds to try again."""
        super().__init__(message)
        self.retry_seconds = retry_seconds


class BusyError(LaterError):
    """There is more to do than the service can."""


class TooManyError(LaterError):
    """This client asks for more than its share."""
