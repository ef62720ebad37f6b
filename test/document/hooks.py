"""Teaches Schemathesis the rules that the contract states only in words (docs/reference/api.md, rule: beyond-the-schemas).

Changes only values of the right type, so that a deliberately wrong body stays wrong.
"""

import re

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Closes open enums, since the service accepts only known values in requests, and adds the links of a run."""
    schemas = raw_schema["components"]["schemas"]
    close_enums(schemas)
    schemas["LlmConfig"]["properties"]["modelName"]["enum"] = ["offline"]
    schemas["LlmConfig"]["properties"]["provider"]["enum"] = ["offline", None]
    for path in raw_schema["paths"].values():
        for operation in path.values():
            type_events(operation["responses"]["200"].get("content", {}))
    step = raw_schema["paths"]["/api/agent/react_step"]["post"]["responses"]["200"]
    step["links"] |= {"nextStep": next_step, "shorterHistory": shorter_history}


# Links to the next request of a run. The contract omits them, because openapi-generator refuses links that use parts of a response.
same_run = {
    "project_id": "$request.body#/project_id",
    "session_id": "$request.body#/session_id",
    "conversation_history": "$response.body#/updated_conversation_history",
    "llm_config": "$request.body#/llm_config",
}
next_step = {
    "operationId": "createReactStep",
    "requestBody": {
        **same_run,
        "user_query": "$request.body#/user_query",
        "max_iterations_left": "$response.body#/iterations_remaining",
    },
}
shorter_history = {
    "operationId": "compactHistory",
    "requestBody": {**same_run, "target_tokens": 2000, "strategy": "mask"},
}


def type_events(content):
    """Replaces the schema of a stream by that of one event, which Schemathesis expects there, as OpenAPI 3.2 does.

    A stream whose events the contract describes only in words keeps its schema.
    """
    stream = content.get("text/event-stream")
    event = stream and stream["schema"].get("x-event-data")
    if event:
        data = {"type": "string", "contentMediaType": "application/json", "contentSchema": event}
        stream["schema"] = {"type": "object", "required": ["data", "event"], "properties": {"data": data}}


def close_enums(node):
    if isinstance(node, list):
        for each in node:
            close_enums(each)
    elif isinstance(node, dict):
        known = node.get("x-extensible-enum")
        if known:
            node["enum"] = [*known, None] if node.get("nullable") else known
        for each in node.values():
            close_enums(each)


@schemathesis.hook
def map_case(context, case):
    case.body = keep_rules(case.body)
    return case


def keep_rules(body):
    body = without_unsafe_values(body)
    if isinstance(body, dict):
        keep_rules_of_steps(body)
        for tool in body["tools"] if isinstance(body.get("tools"), list) else []:
            if isinstance(tool, dict) and isinstance(tool.get("name"), str) and 1 <= len(tool["name"]) <= 128:
                tool["name"] = re.sub(r"[\s\x00-\x1f\x7f-\x9f<>(){}\[\]\"'`,]", "_", tool["name"])
        if isinstance(body.get("llm_config"), dict):
            leave_room_and_time(body["llm_config"])
    return body


def without_unsafe_values(value):
    """Removes NUL, and replaces integers beyond 2^53."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return value if abs(value) <= 2**53 - 1 else type(value)(2**53 - 1)
    if isinstance(value, list):
        return [without_unsafe_values(each) for each in value]
    if isinstance(value, dict):
        return {without_unsafe_values(key): without_unsafe_values(each) for key, each in value.items()}
    return value


def keep_rules_of_steps(body):
    # Without extensions the response is a SourceStep, but an operation has one schema only, which is Step.
    if isinstance(body.get("include"), dict) and body["include"].get("extensions") is False:
        body["include"]["extensions"] = True
    if body.get("user_query") == "":
        body["user_query"] = "Why?"
    if body.get("protocol") == "native" and not body.get("tools"):
        body["protocol"] = "auto"


def leave_room_and_time(config):
    if type(config.get("deadlineMs")) is int and config["deadlineMs"] > 0:
        config["deadlineMs"] = max(config["deadlineMs"], 10_000)
    limit, reserve = config.get("tokenLimit"), config.get("reservedOutputTokens")
    if type(limit) is int and type(reserve) is int and 0 < limit <= reserve:
        config["reservedOutputTokens"], config["tokenLimit"] = (limit, reserve) if limit < reserve else (limit, limit + 1)
