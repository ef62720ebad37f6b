"""Copies the queue while the service runs."""
import sqlite3

from lantern.queue import store


def copy_queue(target):
    """Uses SQLite's online backup, so that writers need not stop."""
    with sqlite3.connect(target) as copy:
        store.connect().backup(copy)
    return 0
