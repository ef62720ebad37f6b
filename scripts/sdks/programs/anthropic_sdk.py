import json

from anthropic import Anthropic

from conversation import DESCRIPTION, MODEL, NAME, PARAMETERS, TASK, hold_all, run


def messages(url, streamed):
    # Without this option the client accepts answers that do not fit its own types.
    client = Anthropic(base_url=url, api_key="any", max_retries=0, _strict_response_validation=True)
    tools = [{"name": NAME, "description": DESCRIPTION, "input_schema": PARAMETERS}]
    conversation = [{"role": "user", "content": TASK}]
    counted = client.messages.count_tokens(model=MODEL, tools=tools, messages=conversation)
    assert counted.input_tokens > 0
    while True:
        body = {"model": MODEL, "max_tokens": 1_000, "tools": tools, "messages": conversation}
        if streamed:
            with client.messages.stream(**body) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**body)
        if message.stop_reason != "tool_use":
            return "".join(block.text for block in message.content if block.type == "text")
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": run(call.name, json.dumps(call.input))}
            for call in message.content
            if call.type == "tool_use"
        ]
        conversation += [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]


hold_all(
    {
        "messages": lambda url: messages(url, False),
        "messages, streamed": lambda url: messages(url, True),
    }
)
