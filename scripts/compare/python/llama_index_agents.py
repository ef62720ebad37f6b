"""LlamaIndex: the workflow `ReActAgent`."""

import asyncio

import harness
from llama_index.core.agent.workflow import ReActAgent
from llama_index.llms.openai import OpenAI


def react(run):
    limit = {} if run["timeout"] is None else {"timeout": run["timeout"]}
    model = OpenAI(model=run["model"], api_base=run["url"] + "/v1", api_key=run["key"], **limit)

    async def ask():
        agent = ReActAgent(tools=[harness.delete_all, harness.read_log], llm=model)
        return await agent.run(run["task"])

    return model, lambda: asyncio.run(ask())


harness.main({"LlamaIndex `ReActAgent`": react})
