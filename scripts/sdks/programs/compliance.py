"""The compliance cases of Open Responses, as its document of 2026-04-24 describes them.

Each case sends a request of the document's own types and reads the answer with them.
"""

import json
import urllib.error
import urllib.request

from openresponses_types import CreateResponseBody, ResponseResource

from conversation import DESCRIPTION, MODEL, NAME, PARAMETERS, TASK, hold_all, run
from judge import events_in, read_event

TOOL = {"type": "function", "name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS, "strict": True}
IMAGE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def send(url, **fields):
    body = {"model": MODEL, **fields}
    CreateResponseBody.model_validate_json(json.dumps(body))
    headers = {"Content-Type": "application/json", "Authorization": "Bearer any"}
    request = urllib.request.Request(f"{url}/v1/responses", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def ask(url, **fields):
    response = ResponseResource.model_validate_json(send(url, **fields), strict=True)
    assert response.status == "completed", response.status
    assert response.output, "the output is empty"
    return response


def stream(url, **fields):
    events = [read_event(each) for each in events_in(send(url, stream=True, **fields))]
    last = events[-1]
    assert kind(last) == "response.completed", kind(last)
    assert last.response.status == "completed", last.response.status
    return events, last.response


def kind(item):
    return getattr(item.type, "value", item.type)


def text_of(response):
    messages = [item for item in response.output if kind(item) == "message"]
    return "".join(part.text for message in messages for part in message.content)


def call_in(response):
    [call] = [item for item in response.output if kind(item) == "function_call"]
    return call


def message(role, content):
    return {"type": "message", "role": role, "content": content}


def basic(url):
    return text_of(ask(url, input=[message("user", TASK)]))


def streaming(url):
    events, response = stream(url, input=[message("user", TASK)])
    deltas = "".join(event.delta for event in events if kind(event) == "response.output_text.delta")
    assert deltas == text_of(response), deltas
    return deltas


def system_prompt(url):
    return text_of(ask(url, input=[message("system", "Be brief."), message("user", TASK)]))


def tool_call(url):
    call = call_in(ask(url, input=[message("user", TASK)], tools=[TOOL]))
    return run(call.name, call.arguments)


def streamed_tool_call(url):
    events, response = stream(url, input=[message("user", TASK)], tools=[TOOL])
    kinds = [kind(event) for event in events if kind(event).split(".")[1] in ("output_item", "function_call_arguments")]
    assert kinds[-4:] == [
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
    ], kinds
    call = call_in(response)
    return run(call.name, call.arguments)


def image(url):
    content = [{"type": "input_text", "text": TASK}, {"type": "input_image", "image_url": IMAGE}]
    return text_of(ask(url, input=[message("user", content)]))


def several_turns(url):
    turns = [message("user", "Hello."), message("assistant", "Hello. How can I help?"), message("user", TASK)]
    return text_of(ask(url, input=turns))


def server_state(url):
    """The service keeps no state, so it must refuse what needs it, with one sentence."""
    try:
        send(url, input=TASK, previous_response_id="resp_1")
    except urllib.error.HTTPError as refusal:
        error = json.load(refusal)["error"]
        assert refusal.code == 400 and error["param"] == "previous_response_id", error
        return f"refused: {error['message']}"
    raise AssertionError("previous_response_id was accepted")


hold_all(
    {
        "text": basic,
        "text, streamed": streaming,
        "system prompt": system_prompt,
        "tool call": tool_call,
        "tool call, streamed": streamed_tool_call,
        "image": image,
        "several turns": several_turns,
        "server state refused": server_state,
    }
)
