"""python3 run.py [--grammar=NAME] FOLDER COMMAND...: runs the cases in FOLDER, or those of one grammar, through the parser that COMMAND starts, and prints verdicts (see README.md)."""
import json
import subprocess
import sys
from collections import Counter

words = sys.argv[1:]
grammar = words.pop(0).split("=", 1)[1] if words and words[0].startswith("--grammar=") else None
folder, *command = words


def text(name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        return file.read()


def objects(lines):
    return [json.loads(line) for line in lines.split("\n") if line]


def same(a, b):
    """Compares numbers by value; unlike `==`, True is not 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def verdict(expected, outcome):
    def differs(key):
        return key in outcome and not same(outcome[key], expected.get(key))

    acts, should_act = outcome["outcome"] == "action", expected["outcome"] == "action"
    if outcome["outcome"] == "error":
        return "raised"
    if acts != should_act:
        return "acted" if acts else "missed"
    if acts and any(map(differs, ["tool_name", "tool_args", "additional"])):
        return "wrong call"
    if outcome["outcome"] == "none":
        return "right"
    return "differs" if any(map(differs, expected)) else "right"


sets = json.loads(text("tools.json"))
files = ["rulings", "written-calls", "native-formats"]
cases = objects("".join(text(f"cases/{name}.jsonl") for name in files))
cases = [case for case in cases if grammar is None or case.get("grammar") == grammar]
replies = []
for case in cases:
    reply = {key: value for key, value in case.items() if key != "expected"}
    if isinstance(case["tools"], str):
        reply["tools"] = sets[case["tools"]]
    replies.append(json.dumps(reply))
output = subprocess.run(command, input="\n".join(replies), stdout=subprocess.PIPE, encoding="utf-8").stdout
outcomes = {outcome["id"]: outcome for outcome in objects(output)}
verdicts = [(case, verdict(case["expected"], outcomes.get(case["id"], {"outcome": "error"}))) for case in cases]
for case, found in verdicts:
    if found != "right":
        print(found, case["id"])


def row(case):
    return f"{case['rule']} {case.get('grammar', '')}".strip()


for name in sorted({row(case) for case in cases}):
    print(name.ljust(30), dict(Counter(found for case, found in verdicts if row(case) == name)))
sys.exit(any(found != "right" for _, found in verdicts))
