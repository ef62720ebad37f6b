"""One conversation through openapi-python-client's client."""

import json
import sys
from uuid import UUID

from stepwise import Client
from stepwise.api.agent import create_react_step, stream_react_step
from stepwise.models import (
    ErrorResponse,
    LlmConfig,
    StepRequest,
    StreamEvent,
    ToolDefinition,
    ToolDefinitionInputSchema,
    Turn,
    UserApiKeys,
)

base = sys.argv[1]


def client(prefix=""):
    return Client(base_url=base + prefix)


def step(prefix="", **changes):
    return create_react_step.sync_detailed(client=client(prefix), body=request(**changes))


def request(**changes):
    schema = ToolDefinitionInputSchema.from_dict({"properties": {"pattern": {"type": "string"}}})
    fields = {
        "project_id": UUID("6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
        "session_id": UUID("7d444840-9dc0-41d1-b245-5ffdce74fad2"),
        "user_query": "Why does the cart total ignore discounts?",
        "conversation_history": [],
        "tools": [ToolDefinition(name="search_code", input_schema=schema)],
        "llm_config": LlmConfig(model_name="offline", token_limit=8000, reserved_output_tokens=1000),
        "max_iterations_left": 10,
    }
    return StepRequest(**(fields | changes))


# An action, its observation, the answer.
first = step().parsed
assert first.status == "action_proposed", first
assert first.action_details.tool_name == "search_code" and first.direct_response is None
observation = Turn(
    role="tool_observation",
    content="src/cart.ts:31: // The cart total ignores discounts above 30 percent.",
    tool_call_id=first.action_details.id,
)
history = [*first.updated_conversation_history, observation]
last = step(user_query="", conversation_history=history, max_iterations_left=1).parsed
assert last.status == "direct_response_provided" and last.action_details is None
assert "30 percent" in last.direct_response


# A failure is no exception: `parsed` is an ErrorResponse.
def failure(status, code, prefix="", **changes):
    response = step(prefix, **changes)
    assert response.status_code == status, response
    assert isinstance(response.parsed, ErrorResponse) and response.parsed.error.code == code, response
    return response.parsed.error


assert failure(400, "invalid_request", user_query="").details[0].code == "no_task"
keyed = LlmConfig(model_name="gpt-4o", token_limit=8000, reserved_output_tokens=1000)
failure(401, "malformed_api_key", llm_config=keyed, user_api_keys=UserApiKeys(llm_key="short"))
small = LlmConfig(model_name="offline", token_limit=40, reserved_output_tokens=20)
failure(422, "token_budget_exceeded", llm_config=small)
for status, code in [(429, "upstream_rate_limited"), (503, "shutting_down"), (504, "upstream_timeout")]:
    assert failure(status, code, f"/failing/{code}").retryable

# What a newer service says is read, and goes back with its turn.
newer = step("/newer").parsed
assert (newer.status, newer.finish_reason, newer.parse.outcome) == ("plan_proposed", "paused", "plan")
turn = newer.updated_conversation_history[-1]
assert (turn.role, turn.kind, turn.phase) == ("critic", "review", "reflect")
assert turn.to_dict()["weight"] == 3

# The stream is text, whose events have a class.
text = stream_react_step.sync(client=client(), body=request())
events = [
    StreamEvent.from_dict(json.loads(line.removeprefix("data: ")))
    for line in text.splitlines()
    if line.startswith("data: ")
]
assert events[0].type_ == "step.started" and events[-1].step.action_details.tool_name == "search_code"

print("openapi-python-client: action, observation, answer, six failures, a newer service, the stream")
