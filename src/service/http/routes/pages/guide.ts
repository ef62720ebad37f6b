/** The text of `/llms.txt`: everything a coding assistant needs in order to call this service. */
export const guide = `# Stepwise

> One HTTP call is one step of a ReAct agent. You keep the loop, the tools and the model key; the service builds
> the context inside a token budget, makes one model call, and says what the model wants to do next.

Contract: [/openapi.yaml](/openapi.yaml), as a page at [/docs](/docs).

## The loop

1. POST /api/agent/react_step with the task in \`user_query\` and an empty \`conversation_history\`.
2. \`status: "action_proposed"\`: run \`action_details.tool_name\` with \`action_details.tool_args\` yourself.
3. Take \`updated_conversation_history\`, append
   \`{ "role": "tool_observation", "content": "…", "toolCallId": "<action_details.id>" }\`, and send it back with
   \`user_query: ""\` and \`max_iterations_left\` = \`iterations_remaining\`.
4. \`status: "direct_response_provided"\`: \`direct_response\` is the answer. If \`correction\` is not null, the model
   wrote an action that could not be read: append the correction and go on.
5. \`status: "error"\`: \`error.code\` says why, \`error.retryable\` whether the same request may succeed later.

## A request

    {
      "project_id": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
      "session_id": "7d444840-9dc0-41d1-b245-5ffdce74fad2",
      "user_query": "Why does the cart total ignore discounts?",
      "conversation_history": [],
      "available_tools_prompt_segment": "read_file(path, start_line): reads a file",
      "llm_config": { "modelName": "offline", "tokenLimit": 8000, "reservedOutputTokens": 1000 },
      "max_iterations_left": 10
    }

The model key goes into the header X-LLM-API-Key or into \`user_api_keys.llmKey\`; model \`offline\`, where it is
on, needs none. A service that answers 401 \`unauthenticated\` wants a token of its own as well: Authorization: Bearer.
The same body to /api/agent/react_step/stream answers with server-sent events. GET
/api/agent/models lists what can be asked.
`;
