"""The task of every conversation, and the tool that it needs."""

import json
import sys
import traceback

MODEL = "local/scripted"
TASK = "What does kettle.txt say?"
NAME = "read_file"
DESCRIPTION = "Reads a file."
PARAMETERS = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}


def read_file(path: str) -> str:
    """Reads a file."""
    if path != "kettle.txt":
        raise ValueError(f"the tool got the path {path}")
    return "The kettle is cold."


def run(name: str, written: str) -> str:
    """Runs a call whose arguments are JSON."""
    if name != NAME:
        raise ValueError(f"the tool {name} was called")
    return read_file(**json.loads(written))


def hold_all(conversations) -> None:
    """Holds the conversations that the first argument lists as JSON, [{ name, url }].

    Prints as JSON what each answered or why it failed, [{ answer } | { problem }].
    """
    outcomes = []
    for each in json.loads(sys.argv[1]):
        try:
            outcomes.append({"answer": conversations[each["name"]](each["url"])})
        except Exception:
            outcomes.append({"problem": traceback.format_exc(limit=-3)})
    print(json.dumps(outcomes))
