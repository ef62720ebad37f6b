from openai import OpenAI

from conversation import DESCRIPTION, MODEL, NAME, PARAMETERS, TASK, hold_all, run


def client_of(url):
    # Without this option the client accepts answers that do not fit its own types.
    return OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0, _strict_response_validation=True)


def chat(url, streamed):
    completions = client_of(url).chat.completions
    tools = [{"type": "function", "function": {"name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS, "strict": True}}]
    messages = [{"role": "user", "content": TASK}]
    while True:
        body = {"model": MODEL, "messages": messages, "tools": tools}
        if streamed:
            with completions.stream(**body) as stream:
                choice = stream.get_final_completion().choices[0]
        else:
            choice = completions.create(**body).choices[0]
        if choice.finish_reason != "tool_calls":
            return choice.message.content
        messages.append(choice.message.model_dump(exclude_none=True, exclude={"parsed"}))
        for call in choice.message.tool_calls:
            content = run(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def responses(url, streamed):
    resource = client_of(url).responses
    tools = [{"type": "function", "name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS, "strict": True}]
    items = [{"role": "user", "content": TASK}]
    while True:
        body = {"model": MODEL, "input": items, "tools": tools, "store": False}
        if streamed:
            with resource.stream(**body) as stream:
                response = stream.get_final_response()
        else:
            response = resource.create(**body)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        items += response.output
        for call in calls:
            output = run(call.name, call.arguments)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


hold_all(
    {
        "chat": lambda url: chat(url, False),
        "chat, streamed": lambda url: chat(url, True),
        "responses": lambda url: responses(url, False),
        "responses, streamed": lambda url: responses(url, True),
    }
)
