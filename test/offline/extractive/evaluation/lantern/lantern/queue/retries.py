"""When a failed job is tried again."""

MAX_ATTEMPTS = 3
FIRST_PAUSE_SECONDS = 10


def pause_before(attempt):
    """Exponential backoff: 10, 20, 40 seconds; None after the last attempt."""
    if attempt >= MAX_ATTEMPTS:
        return None
    return FIRST_PAUSE_SECONDS * 2**attempt
