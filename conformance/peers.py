"""Usage: python3 peers.py PARSER. Reads one reply per line from stdin, parses it with the named library, and prints one outcome per line."""
import json
import sys
from types import SimpleNamespace


def langchain():
    from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser

    parser = ReActSingleInputOutputParser()

    def read(text):
        step = parser.parse(text)
        return {"tool": step.tool, "input": step.tool_input} if hasattr(step, "tool") else {"answer": True}

    return read


def llama_index():
    from llama_index.core.agent.react.output_parser import ReActOutputParser

    parser = ReActOutputParser()

    def read(text):
        step = parser.parse(text)
        return {"answer": True} if step.is_done else {"tool": step.action, "input": step.action_input}

    return read


def crewai():
    from crewai.agents.parser import AgentAction, parse

    def read(text):
        step = parse(text)
        return {"tool": step.tool, "input": step.tool_input} if isinstance(step, AgentAction) else {"answer": True}

    return read


def smolagents():
    from smolagents.models import Model

    model = Model()

    def read(text):
        message = SimpleNamespace(role=None, tool_calls=None, content=text)
        call = model.parse_tool_calls(message).tool_calls[0].function
        return {"tool": call.name, "input": call.arguments}

    return read


read = {"langchain": langchain, "llama_index": llama_index, "crewai": crewai, "smolagents": smolagents}[sys.argv[1]]()
for line in sys.stdin:
    reply = json.loads(line)
    try:
        outcome = read(reply["text"])
    except Exception as error:  # the comparison counts the exceptions of a parser
        outcome = {"error": type(error).__name__}
    print(json.dumps({"id": reply["id"], **outcome}, default=str), flush=True)
