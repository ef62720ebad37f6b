"""Graceful shutdown: no new jobs after SIGTERM, time for the running ones."""
import signal
import threading

is_draining = threading.Event()


def on_signal(server, seconds):
    """The first SIGTERM drains, the second one ends the process at once."""

    def handle(number, frame):
        if is_draining.is_set():
            raise SystemExit(1)
        is_draining.set()
        threading.Timer(seconds, server.shutdown).start()

    signal.signal(signal.SIGTERM, handle)
