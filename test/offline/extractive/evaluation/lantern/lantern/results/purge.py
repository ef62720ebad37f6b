"""Deletes old results."""
import time

from lantern.results.keep import FOLDER


def purge(days):
    """Deletes results that are older than this many days; returns how many."""
    limit = time.time() - days * 24 * 3600
    old = [path for path in FOLDER.glob("*.gz") if path.stat().st_mtime < limit]
    for path in old:
        path.unlink()
    return len(old)
