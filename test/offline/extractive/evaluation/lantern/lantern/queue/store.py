"""The queue: one SQLite file."""
import json
import sqlite3
import uuid

PATH = "lantern.sqlite"


def connect():
    connection = sqlite3.connect(PATH, timeout=5)
    connection.execute("PRAGMA journal_mode=WAL")
    return connection


def add(document, caller):
    """Queues a job. A job with the same key that has not ended is returned instead."""
    with connect() as db:
        found = db.execute("SELECT id FROM jobs WHERE key = ? AND state IN ('queued', 'running')", [document.get("key")])
        row = found.fetchone()
        if row:
            return row[0]
        identifier = uuid.uuid4().hex
        db.execute("INSERT INTO jobs (id, caller, document) VALUES (?, ?, ?)", [identifier, caller, json.dumps(document)])
        return identifier


def cancel(identifier):
    with connect() as db:
        return db.execute("UPDATE jobs SET state = 'cancelled' WHERE id = ? AND state = 'queued'", [identifier]).rowcount == 1


def can_read():
    try:
        connect().execute("SELECT 1 FROM jobs LIMIT 1")
        return True
    except sqlite3.Error:
        return False
