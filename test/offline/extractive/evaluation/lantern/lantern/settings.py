"""Settings from environment variables, read once at the start."""
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    port: int
    max_body_bytes: int
    job_timeout: int
    drain_seconds: int
    result_days: int
    workers: int


def whole_number(name, default):
    """Returns the variable as a number; raises ValueError with its name if it is none."""
    text = os.environ.get(name, str(default))
    if not text.isdigit():
        raise ValueError(f"{name} must be a whole number, not {text!r}")
    return int(text)


def load():
    return Settings(
        port=whole_number("LANTERN_PORT", 8090),
        max_body_bytes=whole_number("LANTERN_MAX_BODY_BYTES", 2 * 1024 * 1024),
        job_timeout=whole_number("LANTERN_JOB_TIMEOUT", 300),
        drain_seconds=whole_number("LANTERN_DRAIN_SECONDS", 25),
        result_days=whole_number("LANTERN_RESULT_DAYS", 7),
        workers=whole_number("LANTERN_WORKERS", 4),
    )
