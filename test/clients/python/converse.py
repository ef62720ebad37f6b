"""One conversation through openapi-generator's client for Python."""

import sys

from openapi_client import AgentApi, ApiClient, Configuration, ServiceApi
from openapi_client.exceptions import (
    ApiException,
    BadRequestException,
    ServiceException,
    UnauthorizedException,
    UnprocessableEntityException,
)
from openapi_client.models import (
    ErrorResponse,
    LlmConfig,
    StepRequest,
    StreamEvent,
    ToolDefinition,
    Turn,
    UserApiKeys,
)

base = sys.argv[1]


def api(prefix=""):
    return AgentApi(ApiClient(Configuration(host=base + prefix)))


def request(**changes):
    fields = {
        "project_id": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
        "session_id": "7d444840-9dc0-41d1-b245-5ffdce74fad2",
        "user_query": "Why does the cart total ignore discounts?",
        "conversation_history": [],
        "tools": [ToolDefinition(name="search_code", input_schema={"properties": {"pattern": {"type": "string"}}})],
        "llm_config": LlmConfig(model_name="offline", token_limit=8000, reserved_output_tokens=1000),
        "max_iterations_left": 10,
    }
    return StepRequest(**(fields | changes))


# An action, its observation, the answer.
step = api().create_react_step(request())
assert step.status == "action_proposed", step.status
assert step.action_details.tool_name == "search_code" and step.direct_response is None
observation = Turn(
    role="tool_observation",
    content="src/cart.ts:31: // The cart total ignores discounts above 30 percent.",
    tool_call_id=step.action_details.id,
)
history = [*step.updated_conversation_history, observation]
step = api().create_react_step(request(user_query="", conversation_history=history, max_iterations_left=1))
assert step.status == "direct_response_provided" and step.action_details is None
assert "30 percent" in step.direct_response


def failure(kind, code, call):
    try:
        call()
    except kind as failed:
        assert isinstance(failed.data, ErrorResponse) and failed.data.error.code == code, failed.data
        return failed.data
    raise AssertionError(f"{code} did not come")


# Failures are typed.
failed = failure(BadRequestException, "invalid_request", lambda: api().create_react_step(request(user_query="")))
assert failed.error.details[0].code == "no_task"
short_key = UserApiKeys(llm_key="short")
keyed = LlmConfig(model_name="gpt-4o", token_limit=8000, reserved_output_tokens=1000)
wrong = request(llm_config=keyed, user_api_keys=short_key)
failure(UnauthorizedException, "malformed_api_key", lambda: api().create_react_step(wrong))
small = LlmConfig(model_name="offline", token_limit=40, reserved_output_tokens=20)
failure(UnprocessableEntityException, "token_budget_exceeded", lambda: api().create_react_step(request(llm_config=small)))
for kind, code in [
    (ApiException, "upstream_rate_limited"),
    (ServiceException, "shutting_down"),
    (ServiceException, "upstream_timeout"),
]:
    failed = failure(kind, code, lambda: api(f"/failing/{code}").create_react_step(request()))
    assert failed.error.retryable

# A newer service says more.
step = api("/newer").create_react_step(request())
assert (step.status, step.finish_reason, step.parse.outcome) == ("plan_proposed", "paused", "plan")
turn = step.updated_conversation_history[-1]
assert (turn.role, turn.kind, turn.phase) == ("critic", "review", "reflect")

# The stream is text, whose events have a class.
text = api().stream_react_step(request())
events = [StreamEvent.from_json(line[len("data: "):]) for line in text.splitlines() if line.startswith("data: ")]
assert events[0].type == "step.started" and events[-1].step.action_details.tool_name == "search_code"

assert api().list_models().upstreams and ServiceApi(ApiClient(Configuration(host=base))).get_health().status == "ok"
print("python: action, observation, answer, six failures, a newer service, the stream")
