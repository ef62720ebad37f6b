"""smolagents: agents that call tools, natively and in text, and agents that write Python."""

import harness
from smolagents import CodeAgent, OpenAIModel, ToolCallingAgent, tool

tools = [tool(harness.delete_all), tool(harness.read_log)]


def with_agent(kind):
    def agent(run):
        limit = {} if run["timeout"] is None else {"client_kwargs": {"timeout": run["timeout"]}}
        model = OpenAIModel(model_id=run["model"], api_base=run["url"] + "/v1", api_key=run["key"], **limit)
        return model, lambda: kind(tools=tools, model=model).run(run["task"])

    return agent


harness.main(
    {
        "smolagents `ToolCallingAgent`": with_agent(ToolCallingAgent),
        "smolagents `ToolCallingAgent`, text": with_agent(ToolCallingAgent),
        "smolagents `CodeAgent`": with_agent(CodeAgent),
    }
)
