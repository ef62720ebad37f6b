from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from conversation import MODEL, TASK, hold_all, read_file

read = tool(read_file)


def hold(url, streamed, uses_responses):
    chat = ChatOpenAI(
        base_url=f"{url}/v1", api_key="any", model=MODEL, max_retries=0, use_responses_api=uses_responses
    )
    bound = chat.bind_tools([read])
    messages = [HumanMessage(TASK)]
    while True:
        reply = joined(bound.stream(messages)) if streamed else bound.invoke(messages)
        if not reply.tool_calls:
            return reply.text if isinstance(reply.text, str) else reply.text()
        messages += [reply, *(read.invoke(call) for call in reply.tool_calls)]


def joined(chunks):
    whole = None
    for chunk in chunks:
        whole = chunk if whole is None else whole + chunk
    return whole


hold_all(
    {
        "chat": lambda url: hold(url, False, False),
        "chat, streamed": lambda url: hold(url, True, False),
        "responses": lambda url: hold(url, False, True),
        "responses, streamed": lambda url: hold(url, True, True),
    }
)
