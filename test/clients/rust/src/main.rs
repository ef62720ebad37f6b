//! One conversation through openapi-generator's client for Rust.

use openapi::apis::agent_api::{create_react_step, CreateReactStepError};
use openapi::apis::configuration::Configuration;
use openapi::apis::Error as ApiError;
use openapi::models::{
    LlmConfig, Step, StepError, StepRequest, StreamEvent, ToolDefinition, Turn, UserApiKeys,
};
use serde_json::json;
use std::collections::HashMap;
use std::error::Error;
use uuid::uuid;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let base = std::env::args().nth(1).expect("the address of the service");
    reach_an_answer(&base).await?;
    fail_in_six_ways(&base).await;
    meet_a_newer_service(&base).await?;
    read_the_stream(&base).await?;
    println!("rust: action, observation, answer, six failures, a newer service, the stream");
    Ok(())
}

async fn reach_an_answer(base: &str) -> Result<(), Box<dyn Error>> {
    let first = step(base, request()).await?;
    assert_eq!(first.status, "action_proposed");
    assert_eq!(first.direct_response.flatten(), None);
    let action = first.action_details.flatten().expect("an action");
    assert_eq!(action.tool_name, "search_code");

    let seen = "src/cart.ts:31: // The cart total ignores discounts above 30 percent.";
    let observation = Turn {
        tool_call_id: Some(Some(action.id)),
        ..Turn::new("tool_observation".into(), seen.into())
    };
    let mut history = first.updated_conversation_history.flatten().expect("a history");
    history.push(observation);
    let last = step(
        base,
        StepRequest {
            user_query: String::new(),
            conversation_history: history,
            max_iterations_left: 1,
            ..request()
        },
    )
    .await?;
    assert_eq!(last.status, "direct_response_provided");
    assert_eq!(last.action_details.flatten(), None);
    assert!(last.direct_response.flatten().expect("an answer").contains("30 percent"));
    Ok(())
}

async fn fail_in_six_ways(base: &str) {
    let (status, no_task) =
        failure(base, StepRequest { user_query: String::new(), ..request() }).await;
    assert_eq!((status, no_task.code.as_str()), (400, "invalid_request"));
    assert_eq!(no_task.details[0].code.as_deref(), Some("no_task"));

    let key = UserApiKeys { llm_key: Some(Some("short".into())) };
    let keyed = LlmConfig::new("gpt-4o".into(), 8_000, 1_000);
    let short = StepRequest { llm_config: keyed, user_api_keys: Some(Some(key)), ..request() };
    let (status, malformed) = failure(base, short).await;
    assert_eq!((status, malformed.code.as_str()), (401, "malformed_api_key"));

    let small = LlmConfig::new("offline".into(), 40, 20);
    let (status, exceeded) = failure(base, StepRequest { llm_config: small, ..request() }).await;
    assert_eq!((status, exceeded.code.as_str()), (422, "token_budget_exceeded"));

    for (expected, code) in
        [(429, "upstream_rate_limited"), (503, "shutting_down"), (504, "upstream_timeout")]
    {
        let (status, error) = failure(&format!("{base}/failing/{code}"), request()).await;
        assert_eq!((status, error.code.as_str(), error.retryable), (expected, code, true));
    }
}

/// Every failure has one body; its variant is the first of the two, so that only the status tells a 4XX from a 5XX.
async fn failure(base: &str, body: StepRequest) -> (u16, StepError) {
    use CreateReactStepError::{Status4XX, Status5XX};
    match step(base, body).await {
        Err(ApiError::ResponseError(failed)) => match failed.entity {
            Some(Status4XX(response) | Status5XX(response)) => {
                (failed.status.as_u16(), response.error)
            }
            other => panic!("no ErrorResponse: {other:?}"),
        },
        other => panic!("no failure: {other:?}"),
    }
}

async fn meet_a_newer_service(base: &str) -> Result<(), Box<dyn Error>> {
    let newer = step(&format!("{base}/newer"), request()).await?;
    assert_eq!(newer.status, "plan_proposed");
    assert_eq!(newer.finish_reason.flatten().as_deref(), Some("paused"));
    assert_eq!(newer.parse.flatten().expect("how it was read").outcome, "plan");
    let history = newer.updated_conversation_history.flatten().expect("a history");
    let turn = history.last().expect("a turn");
    assert_eq!(turn.role, "critic");
    assert_eq!(turn.kind, Some(Some("review".into())));
    assert_eq!(turn.phase, Some(Some("reflect".into())));
    Ok(())
}

/// The generated function takes no `text/event-stream`; its types do, one for each `data:`, as it comes.
async fn read_the_stream(base: &str) -> Result<(), Box<dyn Error>> {
    let url = format!("{base}/api/agent/react_step/stream");
    let mut response =
        reqwest::Client::new().post(url).json(&request()).send().await?.error_for_status()?;
    let mut events: Vec<StreamEvent> = Vec::new();
    let mut unread = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        unread.extend_from_slice(&chunk);
        while let Some(end) = unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = unread.drain(..=end).collect();
            if let Some(data) = line.strip_prefix(b"data: ") {
                events.push(serde_json::from_slice(data)?);
            }
        }
    }
    assert_eq!(events[0].r#type, "step.started");
    let step = events.pop().and_then(|event| event.step).expect("the step comes last");
    assert_eq!(step.action_details.flatten().expect("an action").tool_name, "search_code");
    Ok(())
}

async fn step(base: &str, body: StepRequest) -> Result<Step, ApiError<CreateReactStepError>> {
    let configuration = Configuration { base_path: base.into(), ..Configuration::default() };
    create_react_step(&configuration, body, None, None).await
}

fn request() -> StepRequest {
    let schema = HashMap::from([("properties".into(), json!({ "pattern": { "type": "string" } }))]);
    StepRequest {
        tools: Some(Some(vec![ToolDefinition::new("search_code".into(), schema)])),
        ..StepRequest::new(
            uuid!("6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
            uuid!("7d444840-9dc0-41d1-b245-5ffdce74fad2"),
            "Why does the cart total ignore discounts?".into(),
            Vec::new(),
            LlmConfig::new("offline".into(), 8_000, 1_000),
            10,
        )
    }
}
