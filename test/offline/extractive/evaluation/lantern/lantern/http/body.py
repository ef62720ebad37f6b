"""Request bodies: JSON with a bounded size."""
import json

from lantern.http.errors import Refused


def read(stream, headers, max_bytes):
    """Refuses a body that is larger than max_bytes before it is read."""
    length = int(headers.get("Content-Length", 0))
    if length > max_bytes:
        raise Refused(413, "too_large", f"the body has more than {max_bytes} bytes")
    try:
        return json.loads(stream.read(length))
    except ValueError:
        raise Refused(400, "not_json", "the body is not JSON")
