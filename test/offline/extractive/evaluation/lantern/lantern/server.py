"""HTTP server: routes, and the order of the checks before them."""
from http.server import ThreadingHTTPServer

from lantern import drain, health, settings
from lantern.http import handler


def serve():
    config = settings.load()
    server = ThreadingHTTPServer(("", config.port), handler.build(config))
    drain.on_signal(server, config.drain_seconds)
    health.mark_ready()
    server.serve_forever()
    return 0
