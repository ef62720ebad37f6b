//! One conversation through progenitor's client, which is generated where it is compiled.

progenitor::generate_api!("openapi.yaml");

use futures::StreamExt;
use serde_json::{json, Value};
use types::{Step, StepError, StepRequest, StreamEvent};

type Caught = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Caught> {
    let base = std::env::args().nth(1).expect("the address of the service");
    reach_an_answer(&base).await?;
    fail_in_six_ways(&base).await?;
    meet_a_newer_service(&base).await?;
    read_the_stream(&base).await?;
    println!("progenitor: action, observation, answer, six failures, a newer service, the stream");
    Ok(())
}

async fn reach_an_answer(base: &str) -> Result<(), Caught> {
    let first = step(base, request(json!({}))?).await?;
    assert_eq!(first.status, "action_proposed");
    assert_eq!(first.direct_response, None);
    let action = first.action_details.expect("an action");
    assert_eq!(action.tool_name, "search_code");

    let mut history = first.updated_conversation_history.expect("a history");
    history.push(serde_json::from_value(json!({
        "role": "tool_observation",
        "content": "src/cart.ts:31: // The cart total ignores discounts above 30 percent.",
        "toolCallId": action.id,
    }))?);
    let goes_on =
        json!({ "user_query": "", "conversation_history": history, "max_iterations_left": 1 });
    let last = step(base, request(goes_on)?).await?;
    assert_eq!(last.status, "direct_response_provided");
    assert!(last.action_details.is_none());
    assert!(last.direct_response.expect("an answer").contains("30 percent"));
    Ok(())
}

async fn fail_in_six_ways(base: &str) -> Result<(), Caught> {
    let (status, no_task) = failure(base, json!({ "user_query": "" })).await?;
    assert_eq!((status, no_task.code.as_str()), (400, "invalid_request"));
    assert_eq!(no_task.details[0].code.as_deref(), Some("no_task"));

    let keyed = json!({ "modelName": "gpt-4o", "tokenLimit": 8_000, "reservedOutputTokens": 1_000 });
    let short = json!({ "llm_config": keyed, "user_api_keys": { "llmKey": "short" } });
    let (status, malformed) = failure(base, short).await?;
    assert_eq!((status, malformed.code.as_str()), (401, "malformed_api_key"));

    let small = json!({ "modelName": "offline", "tokenLimit": 40, "reservedOutputTokens": 20 });
    let (status, exceeded) = failure(base, json!({ "llm_config": small })).await?;
    assert_eq!((status, exceeded.code.as_str()), (422, "token_budget_exceeded"));

    for (expected, code) in
        [(429, "upstream_rate_limited"), (503, "shutting_down"), (504, "upstream_timeout")]
    {
        let (status, error) = failure(&format!("{base}/failing/{code}"), json!({})).await?;
        assert_eq!((status, error.code.as_str(), error.retryable), (expected, code, true));
    }
    Ok(())
}

/// Every failure is one variant, with its status and its body.
async fn failure(base: &str, changes: Value) -> Result<(u16, StepError), Caught> {
    match step(base, request(changes)?).await {
        Err(Error::ErrorResponse(failed)) => {
            Ok((failed.status().as_u16(), failed.into_inner().error))
        }
        other => panic!("no ErrorResponse: {other:?}"),
    }
}

async fn meet_a_newer_service(base: &str) -> Result<(), Caught> {
    let newer = step(&format!("{base}/newer"), request(json!({}))?).await?;
    assert_eq!(newer.status, "plan_proposed");
    assert_eq!(newer.finish_reason.as_deref(), Some("paused"));
    assert_eq!(newer.parse.expect("how it was read").outcome, "plan");
    let history = newer.updated_conversation_history.expect("a history");
    let turn = history.last().expect("a turn");
    assert_eq!(turn.role, "critic");
    assert_eq!(turn.kind.as_deref(), Some("review"));
    assert_eq!(turn.phase.as_deref(), Some("reflect"));
    Ok(())
}

/// The stream is one of bytes, as they come; each `data:` is an event.
async fn read_the_stream(base: &str) -> Result<(), Caught> {
    let response = Client::new(base).stream_react_step(None, None, &request(json!({}))?).await?;
    let mut stream = response.into_inner();
    let mut events: Vec<StreamEvent> = Vec::new();
    let mut unread = Vec::new();
    while let Some(chunk) = stream.next().await {
        unread.extend_from_slice(&chunk?);
        while let Some(end) = unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = unread.drain(..=end).collect();
            if let Some(data) = line.strip_prefix(b"data: ") {
                events.push(serde_json::from_slice(data)?);
            }
        }
    }
    assert_eq!(events[0].type_, "step.started");
    let step = events.pop().and_then(|event| event.step).expect("the step comes last");
    assert_eq!(step.action_details.expect("an action").tool_name, "search_code");
    Ok(())
}

async fn step(base: &str, body: StepRequest) -> Result<Step, Error<types::ErrorResponse>> {
    Client::new(base).create_react_step(None, None, &body).await.map(ResponseValue::into_inner)
}

/// Each limited field has a type of its own; from JSON they are all made at once.
fn request(changes: Value) -> serde_json::Result<StepRequest> {
    let mut body = json!({
        "project_id": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
        "session_id": "7d444840-9dc0-41d1-b245-5ffdce74fad2",
        "user_query": "Why does the cart total ignore discounts?",
        "conversation_history": [],
        "tools": [{ "name": "search_code", "inputSchema": { "properties": { "pattern": { "type": "string" } } } }],
        "llm_config": { "modelName": "offline", "tokenLimit": 8_000, "reservedOutputTokens": 1_000 },
        "max_iterations_left": 10,
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    serde_json::from_value(body)
}
