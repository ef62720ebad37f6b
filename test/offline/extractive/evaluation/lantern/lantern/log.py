"""Log lines as JSON, without secrets."""
import json
import os
import sys
import time


def write(level, message, **fields):
    line = json.dumps({"time": time.time(), "level": level, "message": message, **fields})
    print(redact(line), file=sys.stderr)


def redact(text):
    """Replaces every token in the text by stars, wherever it stands."""
    for line in os.environ.get("LANTERN_TOKENS", "").split():
        token = line.partition(":")[2]
        if token:
            text = text.replace(token, "***")
    return text


def warning(message, **fields):
    write("warning", message, **fields)
