"""Progress of a job as server-sent events."""
import json
import queue

KEEP_ALIVE_SECONDS = 15


def write(stream, events):
    """Writes events as they come; a comment every KEEP_ALIVE_SECONDS keeps proxies from closing the stream."""
    while True:
        try:
            event = events.get(timeout=KEEP_ALIVE_SECONDS)
        except queue.Empty:
            stream.write(b": keep-alive\n\n")
            continue
        stream.write(f"data: {json.dumps(event)}\n\n".encode())
        if event["state"] in ("done", "failed", "cancelled"):
            return
