"""Checks recorded answers of the service against the types that the vendors publish for Python."""

import json
import sys
from typing import get_args

import openresponses_types
from pydantic import BaseModel, TypeAdapter, ValidationError


def events_in(text):
    """Returns the JSON of each event of a stream."""
    lines = [line[len("data: ") :] for line in text.splitlines() if line.startswith("data: ")]
    return [line for line in lines if line != "[DONE]"]


def values_of(model):
    annotation = model.model_fields["type"].annotation
    return get_args(annotation) or [each.value for each in annotation]


EVENTS = {
    value: model
    for name, model in vars(openresponses_types).items()
    if name.endswith("StreamingEvent")
    for value in values_of(model)
}


def read_event(text) -> BaseModel:
    """Reads an event as Open Responses specifies it. Throws if it is unknown or invalid."""
    return EVENTS[json.loads(text)["type"]].model_validate_json(text, strict=True)


def readers():
    """Returns the readers of plain answers and of events for each path."""
    from anthropic.types import Message, MessageTokensCount, RawMessageStreamEvent
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
    from openai.types.responses import Response, ResponseStreamEvent

    def reader(kind):
        adapter = TypeAdapter(kind)
        return lambda text: adapter.validate_json(text, strict=True)

    return {
        "/v1/chat/completions": ([reader(ChatCompletion)], [reader(ChatCompletionChunk)]),
        "/v1/responses": (
            [reader(Response), reader(openresponses_types.ResponseResource)],
            [reader(ResponseStreamEvent), read_event],
        ),
        "/v1/messages": ([reader(Message)], [reader(RawMessageStreamEvent)]),
        "/v1/messages/count_tokens": ([reader(MessageTokensCount)], []),
    }


def judge(exchanges):
    """Returns for each recorded answer what is wrong with it, or null."""
    known = readers()
    return [problem_of(exchange, known[exchange["path"]]) for exchange in exchanges]


def problem_of(exchange, known):
    plain, streamed = known
    is_stream = exchange["contentType"].startswith("text/event-stream")
    texts = events_in(exchange["answer"]) if is_stream else [exchange["answer"]]
    if not texts:
        return "the stream has no events"
    try:
        for text in texts:
            for read in streamed if is_stream else plain:
                read(text)
    except (ValidationError, KeyError) as error:
        return f"{error} in {text[:300]}"
    return None


if __name__ == "__main__":
    print(json.dumps(judge(json.load(sys.stdin))))
