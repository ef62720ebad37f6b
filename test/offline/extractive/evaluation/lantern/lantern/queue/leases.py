"""Leases: a worker owns a job only as long as it renews its lease."""
import time

LEASE_SECONDS = 60


def claim(db, queue, worker):
    """Claims the oldest job of the queue, urgent ones first; None if there is none."""
    row = db.execute(
        "SELECT id FROM jobs WHERE queue = ? AND state = 'queued' ORDER BY priority = 'urgent' DESC, created LIMIT 1", [queue]
    ).fetchone()
    if row:
        renew(db, row[0], worker)
    return row


def renew(db, job, worker):
    db.execute("UPDATE jobs SET worker = ?, lease_until = ? WHERE id = ?", [worker, time.time() + LEASE_SECONDS, job])


def expire(db):
    """Puts jobs of dead workers back into the queue."""
    db.execute("UPDATE jobs SET state = 'queued', worker = NULL WHERE state = 'running' AND lease_until < ?", [time.time()])
