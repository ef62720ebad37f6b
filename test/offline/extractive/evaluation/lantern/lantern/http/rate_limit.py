"""Rate limit: a token bucket for each caller."""
import time

from lantern.http.errors import Refused

REQUESTS_PER_MINUTE = 120
buckets = {}


def count(caller, now=time.monotonic):
    """Answers 429 with Retry-After to a caller who has used up the requests of a minute."""
    level, since = buckets.get(caller, (REQUESTS_PER_MINUTE, now()))
    level = min(REQUESTS_PER_MINUTE, level + (now() - since) * REQUESTS_PER_MINUTE / 60)
    if level < 1:
        raise Refused(429, "rate_limited", "too many requests", retry_after=1)
    buckets[caller] = (level - 1, now())
