"""LangChain: `create_agent` with native calls, and the ReAct agent of `langchain-classic` with its usual prompt."""

import harness
from langchain.agents import create_agent
from langchain_classic.agents import AgentExecutor, create_react_agent
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

tools = [tool(harness.delete_all), tool(harness.read_log)]

# hwchase17/react, the prompt that its documents pull from a hub
PROMPT = """Answer the following questions as best you can. You have access to the following tools:

{tools}

Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [{tool_names}]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!

Question: {input}
Thought:{agent_scratchpad}"""


def model_of(run):
    limit = {} if run["timeout"] is None else {"timeout": run["timeout"]}
    return ChatOpenAI(model=run["model"], base_url=run["url"] + "/v1", api_key=run["key"], **limit)


def native(run):
    model = model_of(run)
    agent = create_agent(model, tools)

    def ask():
        state = agent.invoke({"messages": [{"role": "user", "content": run["task"]}]})
        return state["messages"][-1].content

    return model, ask


def classic(run):
    model = model_of(run)
    agent = create_react_agent(model, tools, PromptTemplate.from_template(PROMPT))
    executor = AgentExecutor(agent=agent, tools=tools)
    return model, lambda: executor.invoke({"input": run["task"]})["output"]


harness.main({"LangChain `create_agent`": native, "LangChain classic `create_react_agent`": classic})
