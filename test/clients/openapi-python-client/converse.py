"""One conversation through openapi-python-client's client."""

import json
import sys
from typing import Any
from uuid import UUID

from attrs import evolve

from stepwise import AuthenticatedClient
from stepwise.api.agent import create_react_step, stream_react_step
from stepwise.models import (
    ActionDetails,
    ErrorResponse,
    LlmConfig,
    Parse,
    Step,
    StepError,
    StepRequest,
    StreamEvent,
    ToolDefinition,
    ToolDefinitionInputSchema,
    Turn,
    UserApiKeys,
)
from stepwise.types import Response

base = sys.argv[1]
schema = ToolDefinitionInputSchema.from_dict({"properties": {"pattern": {"type": "string"}}})
request = StepRequest(
    project_id=UUID("6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
    session_id=UUID("7d444840-9dc0-41d1-b245-5ffdce74fad2"),
    user_query="Why does the cart total ignore discounts?",
    conversation_history=[],
    tools=[ToolDefinition(name="search_code", input_schema=schema)],
    llm_config=LlmConfig(model_name="offline", token_limit=8000, reserved_output_tokens=1000),
    max_iterations_left=10,
)


# The generated functions require a token, which a service without tokens ignores.
def client(prefix: str = "") -> AuthenticatedClient:
    return AuthenticatedClient(base_url=base + prefix, token="none")


def ask(prefix: str = "", **changes: Any) -> Response[ErrorResponse | Step]:
    return create_react_step.sync_detailed(client=client(prefix), body=evolve(request, **changes))


def step(prefix: str = "", **changes: Any) -> Step:
    answer = ask(prefix, **changes).parsed
    assert isinstance(answer, Step), answer
    return answer


# The type of an optional field includes `Unset` and None.
def turns(of: Step) -> list[Turn]:
    assert isinstance(of.updated_conversation_history, list), of
    return of.updated_conversation_history


def action(of: Step) -> ActionDetails:
    assert isinstance(of.action_details, ActionDetails), of
    return of.action_details


# An action, its observation, the answer.
first = step()
assert first.status == "action_proposed", first
assert action(first).tool_name == "search_code" and first.direct_response is None
observation = Turn(
    role="tool_observation",
    content="src/cart.ts:31: // The cart total ignores discounts above 30 percent.",
    tool_call_id=action(first).id,
)
history = [*turns(first), observation]
last = step(user_query="", conversation_history=history, max_iterations_left=1)
assert last.status == "direct_response_provided" and last.action_details is None
assert isinstance(last.direct_response, str) and "30 percent" in last.direct_response


# A failure is no exception: `parsed` is an ErrorResponse.
def failure(status: int, code: str, prefix: str = "", **changes: Any) -> StepError:
    response = ask(prefix, **changes)
    assert response.status_code == status, response
    assert isinstance(response.parsed, ErrorResponse) and response.parsed.error.code == code, response
    return response.parsed.error


details = failure(400, "invalid_request", user_query="").details
assert details and details[0].code == "no_task"
keyed = LlmConfig(model_name="gpt-4o", token_limit=8000, reserved_output_tokens=1000)
failure(401, "malformed_api_key", llm_config=keyed, user_api_keys=UserApiKeys(llm_key="short"))
small = LlmConfig(model_name="offline", token_limit=40, reserved_output_tokens=20)
failure(422, "token_budget_exceeded", llm_config=small)
for status, code in [(429, "upstream_rate_limited"), (503, "shutting_down"), (504, "upstream_timeout")]:
    assert failure(status, code, f"/failing/{code}").retryable

# Fields and values of a newer service are read, and go back with their turn.
newer = step("/newer")
assert isinstance(newer.parse, Parse)
assert (newer.status, newer.finish_reason, newer.parse.outcome) == ("plan_proposed", "paused", "plan")
turn = turns(newer)[-1]
assert (turn.role, turn.kind, turn.phase) == ("critic", "review", "reflect")
assert turn.to_dict()["weight"] == 3

# The stream is text, whose events have a class.
text = stream_react_step.sync(client=client(), body=request)
assert isinstance(text, str), text
events = [
    StreamEvent.from_dict(json.loads(line.removeprefix("data: ")))
    for line in text.splitlines()
    if line.startswith("data: ")
]
assert events[0].type_ == "step.started"
assert isinstance(events[-1].step, Step) and action(events[-1].step).tool_name == "search_code"

print("openapi-python-client: action, observation, answer, six failures, a newer service, the stream")
