import os

# Without this, the library asks the network for prices when it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

from conversation import DESCRIPTION, MODEL, NAME, PARAMETERS, TASK, hold_all, run

litellm.telemetry = False
# For a model that it does not know, the library asks for plain answers of Responses and imitates the stream.
litellm.register_model({MODEL: {"litellm_provider": "openai", "mode": "chat", "supports_native_streaming": True}})
FUNCTION = {"name": NAME, "description": DESCRIPTION, "parameters": PARAMETERS}


def chat(target, streamed):
    messages = [{"role": "user", "content": TASK}]
    tools = [{"type": "function", "function": FUNCTION}]
    while True:
        answer = litellm.completion(
            **target, api_key="any", messages=messages, tools=tools, stream=streamed, num_retries=0
        )
        choice = (litellm.stream_chunk_builder(list(answer)) if streamed else answer).choices[0]
        if choice.finish_reason != "tool_calls":
            return choice.message.content
        messages.append(choice.message)
        for call in choice.message.tool_calls:
            content = run(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def responses(url, streamed):
    items = [{"role": "user", "content": TASK}]
    tools = [{"type": "function", "strict": True, **FUNCTION}]
    while True:
        answer = litellm.responses(
            model=f"openai/{MODEL}", api_base=f"{url}/v1", api_key="any", input=items, tools=tools, stream=streamed
        )
        response = list(answer)[-1].response if streamed else answer
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return "".join(part.text for item in response.output if item.type == "message" for part in item.content)
        items += [item if isinstance(item, dict) else item.model_dump(exclude_none=True) for item in response.output]
        for call in calls:
            output = run(call.name, call.arguments)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


def conversations_of(wire, hold):
    return {wire: lambda url: hold(url, False), f"{wire}, streamed": lambda url: hold(url, True)}


def over_chat(url, streamed):
    return chat({"model": f"openai/{MODEL}", "api_base": f"{url}/v1"}, streamed)


def over_messages(url, streamed):
    return chat({"model": f"anthropic/{MODEL}", "api_base": url}, streamed)


hold_all(
    {
        **conversations_of("chat", over_chat),
        **conversations_of("responses", responses),
        **conversations_of("messages", over_messages),
    }
)
