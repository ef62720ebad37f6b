"""An agent over plain HTTP: one request is one step, the loop and the tools are here. Standard library only."""

import json
import os
import pathlib
import sys
import urllib.error
import urllib.request
import uuid

SERVICE = os.environ.get("STEPWISE_URL", "http://127.0.0.1:8080")
PROJECT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
TASK = sys.argv[2] if len(sys.argv) > 2 else "What is this project about?"
MAX_STEPS = 8


def text(name):
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


def search_code(pattern):
    """Search all files for a text; case does not matter."""
    found = []
    for path in sorted(PROJECT.rglob("*")):
        if path.is_file() and "node_modules" not in path.parts:
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if pattern.lower() in line.lower():
                    found.append(f"{path.relative_to(PROJECT)}:{number}: {line.strip()}")
    return "\n".join([*found[:50], f"showing {len(found[:50])} of {len(found)} matches"])


def read_file(path):
    """Read a file of the project."""
    target = (PROJECT / path).resolve()
    if not target.is_relative_to(PROJECT):
        raise PermissionError(f"{path} is outside the project")
    lines = target.read_text(errors="replace").splitlines()
    return "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1))


TOOLS = {"search_code": (search_code, text("pattern")), "read_file": (read_file, text("path"))}


def step(history, task, left):
    body = {
        "project_id": PROJECT_ID,
        "session_id": SESSION_ID,
        "user_query": task,
        "conversation_history": history,
        "max_iterations_left": left,
        "llm_config": {
            "modelName": os.environ.get("MODEL", "offline"),
            "tokenLimit": 8000,
            "reservedOutputTokens": 1000,
        },
        "tools": [
            {"name": name, "description": run.__doc__, "inputSchema": schema} for name, (run, schema) in TOOLS.items()
        ],
    }
    headers = {"Content-Type": "application/json", "X-LLM-API-Key": os.environ.get("STEPWISE_LLM_KEY", "")}
    headers = {name: value for name, value in headers.items() if value}
    request = urllib.request.Request(f"{SERVICE}/api/agent/react_step", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as refusal:  # 4xx and 5xx have the same body as a step
        return json.loads(refusal.read())
    except urllib.error.URLError as problem:
        sys.exit(f"No service answers at {SERVICE} ({problem.reason}). Start one with `npm start`, or set STEPWISE_URL.")


def explain(error):
    """The message is the service's; the details say which field is meant, or what the provider said."""
    return "\n".join([f"{error['code']}: {error['message']}", *[f"  {detail['message']}" for detail in error["details"]]])


def observe(action):
    turn = {"role": "tool_observation", "toolCallId": action["id"]}
    try:
        run, _ = TOOLS[action["tool_name"]]
        return turn | {"content": run(**action["tool_args"]), "toolResult": {"success": True}}
    except Exception as error:  # whatever a tool throws, the model reads it
        return turn | {"content": str(error), "toolResult": {"success": False, "error": str(error)}}


PROJECT_ID, SESSION_ID = str(uuid.uuid4()), str(uuid.uuid4())
history, task, corrections = [], TASK, 0
for left in range(MAX_STEPS, 0, -1):
    result = step(history, task, left)
    if result["status"] == "error":  # the history is null where the request was never read: keep your own
        sys.exit(explain(result["error"]))
    history, task = result["updated_conversation_history"], ""
    if result["thought"]:
        print(f"Thought: {result['thought']}")
    if result["correction"] and corrections < 2:  # an action that could not be read: the model tries again
        history.append(result["correction"])
        corrections += 1
        continue
    corrections = 0
    if result["status"] == "direct_response_provided":
        print(f"\n{result['direct_response']}")
        break
    for action in [result["action_details"], *result["additional_actions"]]:
        print(f"Action: {action['tool_name']}({action['tool_args']})")
        history.append(observe(action))
else:
    sys.exit("The task could not be finished in time.")
