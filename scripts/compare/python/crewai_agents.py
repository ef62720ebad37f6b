"""CrewAI: one agent with one task. It calls tools natively, and falls back on text where the upstream takes none."""

import harness
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

tools = [tool("delete_all")(harness.delete_all), tool("read_log")(harness.read_log)]


def crew(run):
    limit = {} if run["timeout"] is None else {"timeout": run["timeout"]}
    model = LLM(model=run["model"], base_url=run["url"] + "/v1", api_key=run["key"], **limit)

    def ask():
        clerk = Agent(role="Clerk", goal="Answer questions", backstory="You know the shop.", tools=tools, llm=model)
        task = Task(description=run["task"], expected_output="A sentence", agent=clerk)
        return Crew(agents=[clerk], tasks=[task]).kickoff().raw

    return model, ask


harness.main({"CrewAI `Agent`": crew, "CrewAI `Agent`, text": crew})
