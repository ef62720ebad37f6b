"""Liveness and readiness of the process."""
from lantern import drain
from lantern.queue import store

_is_ready = False


def mark_ready():
    global _is_ready
    _is_ready = True


def live():
    return 200, {"status": "live"}


def ready():
    """503 until the start has ended, while draining, and if the queue cannot be read."""
    if not _is_ready or drain.is_draining.is_set() or not store.can_read():
        return 503, {"status": "not ready"}
    return 200, {"status": "ready"}
