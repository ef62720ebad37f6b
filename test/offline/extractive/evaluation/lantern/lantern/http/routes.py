"""Routes of the API."""
from lantern import drain
from lantern.http.errors import Refused
from lantern.queue import store
from lantern.results import keep


def post(path, document, caller):
    if drain.is_draining.is_set():
        raise Refused(503, "draining", "the server is shutting down")
    if path == "/jobs":
        return 202, {"id": store.add(document, caller)}
    if path.endswith("/cancel"):
        return 200, {"cancelled": store.cancel(path.split("/")[2])}
    raise Refused(404, "not_found", "no such route")


def get(path):
    """Gives the result of a job, 404 for one that was never there or has been deleted."""
    result = keep.find(path.rsplit("/", 1)[-1])
    return (200, result) if result else (404, {"error": {"code": "not_found"}})
