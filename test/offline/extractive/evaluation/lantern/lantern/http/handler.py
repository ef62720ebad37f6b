"""One HTTP request: size, token, rate, route."""
import json
from http.server import BaseHTTPRequestHandler

from lantern import health
from lantern.http import body, errors, rate_limit, routes, tokens


def build(config):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            try:
                caller = tokens.authenticate(self.headers)
                rate_limit.count(caller)
                document = body.read(self.rfile, self.headers, config.max_body_bytes)
                self.answer(*routes.post(self.path, document, caller))
            except errors.Refused as refused:
                self.answer(refused.status, refused.document())

        def do_GET(self):
            probes = {"/health/live": health.live, "/health/ready": health.ready}
            self.answer(*probes.get(self.path, lambda: routes.get(self.path))())

        def answer(self, status, document):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

    return Handler
