import asyncio

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from conversation import MODEL, TASK, hold_all, read_file


def of_openai(model):
    return lambda url: model(MODEL, provider=OpenAIProvider(base_url=f"{url}/v1", api_key="any"))


MODELS = {
    "chat": of_openai(OpenAIChatModel),
    "responses": of_openai(OpenAIResponsesModel),
    "messages": lambda url: AnthropicModel(MODEL, provider=AnthropicProvider(base_url=url, api_key="any")),
}


async def read_all(_, events):
    async for _ in events:
        pass


async def hold(model, streamed):
    agent = Agent(model, tools=[read_file])
    # Not run_stream, because it takes the first text for the answer, even before a call.
    result = await agent.run(TASK, event_stream_handler=read_all if streamed else None)
    return result.output


def conversation(wire, streamed):
    return lambda url: asyncio.run(hold(MODELS[wire](url), streamed))


hold_all(
    {
        name: conversation(wire, streamed)
        for wire in MODELS
        for name, streamed in ((wire, False), (f"{wire}, streamed", True))
    }
)
