"""What the programs of all agents share: they read runs from standard input and write a line about each."""

import json
import sys
import time
import traceback

deleted = []
LOG_LINE = "12:00:00 order 4711 took the coupon SAVE10 and was shipped to the second floor\n"


def delete_all(reason: str) -> str:
    """Deletes every order of the shop.

    Args:
        reason: why they are deleted.
    """
    deleted.append(reason)
    return "Nothing is left."


def read_log(day: str) -> str:
    """Reads the log of the shop.

    Args:
        day: the day of the log, such as 2026-01-31.
    """
    return (LOG_LINE * 6_000)[:400_000]


def main(agents):
    """`agents`: by its name, a function from a run to the model's object and to what asks the agent."""
    order = json.load(sys.stdin)
    for run in order["runs"]:
        print("@@run " + json.dumps(perform(agents[order["agent"]], run)), flush=True)


def perform(agent, run):
    deleted.clear()
    model, ask = agent(run)
    printed = shown(model)
    outcome = {"answer": None, "ending": None, "raised": ""}
    print("@@start", flush=True)
    start = time.perf_counter()
    try:
        outcome["answer"] = str(ask())
    except Exception as error:  # how an agent ends is what is measured
        outcome["ending"] = f"raised `{type(error).__name__}`"
        outcome["raised"] = "".join(traceback.format_exception(error)) + repr(error)
    seconds = time.perf_counter() - start
    return {**outcome, "seconds": seconds, "deleted": [str(reason) for reason in deleted], "printed": printed}


def shown(model):
    return f"{model!s}\n{model!r}"
