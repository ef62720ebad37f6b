// One conversation through oapi-codegen's client.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"conversation/stepwise"

	"github.com/google/uuid"
)

var base = os.Args[1]
var ctx = context.Background()

func client(prefix string) *stepwise.ClientWithResponses {
	made, err := stepwise.NewClientWithResponses(base + prefix)
	must(err == nil, err)
	return made
}

func request(change func(*stepwise.StepRequest)) stepwise.StepRequest {
	schema := map[string]interface{}{"properties": map[string]interface{}{"pattern": map[string]string{"type": "string"}}}
	body := stepwise.StepRequest{
		ProjectId:           uuid.MustParse("6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
		SessionId:           uuid.MustParse("7d444840-9dc0-41d1-b245-5ffdce74fad2"),
		UserQuery:           "Why does the cart total ignore discounts?",
		ConversationHistory: []stepwise.Turn{},
		Tools:               &[]stepwise.ToolDefinition{{Name: "search_code", InputSchema: schema}},
		LlmConfig:           stepwise.LlmConfig{ModelName: "offline", TokenLimit: 8000, ReservedOutputTokens: 1000},
		MaxIterationsLeft:   10,
	}
	change(&body)
	return body
}

func step(prefix string, change func(*stepwise.StepRequest)) *stepwise.CreateReactStepResponse {
	answer, err := client(prefix).CreateReactStepWithResponse(ctx, nil, request(change))
	must(err == nil, err)
	return answer
}

func must(holds bool, seen interface{}) {
	if !holds {
		panic(fmt.Sprintf("%+v", seen))
	}
}

func as(*stepwise.StepRequest) {}

func main() {
	// An action, its observation, the answer.
	first := step("", as).JSON200
	must(first.Status == "action_proposed" && first.ActionDetails.ToolName == "search_code" && first.DirectResponse == nil, first)
	observation := stepwise.Turn{
		Role:       "tool_observation",
		Content:    "src/cart.ts:31: // The cart total ignores discounts above 30 percent.",
		ToolCallId: &first.ActionDetails.Id,
	}
	last := step("", func(body *stepwise.StepRequest) {
		body.UserQuery = ""
		body.ConversationHistory = append(*first.UpdatedConversationHistory, observation)
		body.MaxIterationsLeft = 1
	}).JSON200
	must(last.Status == "direct_response_provided" && last.ActionDetails == nil, last)
	must(strings.Contains(*last.DirectResponse, "30 percent"), last)

	// Failures are typed.
	empty := step("", func(body *stepwise.StepRequest) { body.UserQuery = "" }).JSON4XX
	must(empty.Error.Code == "invalid_request" && *empty.Error.Details[0].Code == "no_task", empty)
	short := "short"
	key := step("", func(body *stepwise.StepRequest) {
		body.LlmConfig.ModelName = "gpt-4o"
		body.UserApiKeys = &stepwise.UserApiKeys{LlmKey: &short}
	})
	must(key.StatusCode() == 401 && key.JSON4XX.Error.Code == "malformed_api_key", key)
	small := step("", func(body *stepwise.StepRequest) {
		body.LlmConfig.TokenLimit, body.LlmConfig.ReservedOutputTokens = 40, 20
	})
	must(small.StatusCode() == 422 && small.JSON4XX.Error.Code == "token_budget_exceeded", small)
	limited := step("/failing/upstream_rate_limited", as)
	must(limited.StatusCode() == 429 && limited.JSON4XX.Error.Retryable, limited)
	for status, code := range map[int]string{503: "shutting_down", 504: "upstream_timeout"} {
		failed := step("/failing/"+code, as)
		must(failed.StatusCode() == status && failed.JSON5XX.Error.Code == code && failed.JSON5XX.Error.Retryable, failed)
	}

	// A newer service says more.
	newer := step("/newer", as).JSON200
	must(newer.Status == "plan_proposed" && *newer.FinishReason == "paused" && newer.Parse.Outcome == "plan", newer)
	turns := *newer.UpdatedConversationHistory
	turn := turns[len(turns)-1]
	must(turn.Role == "critic" && *turn.Kind == "review" && *turn.Phase == "reflect", turn)

	// The stream is text, whose events have a type.
	stream, err := client("").StreamReactStepWithResponse(ctx, nil, request(as))
	must(err == nil, err)
	var event stepwise.StreamEvent
	for _, line := range strings.Split(string(stream.Body), "\n") {
		if data, found := strings.CutPrefix(line, "data: "); found {
			event = stepwise.StreamEvent{}
			must(json.Unmarshal([]byte(data), &event) == nil, data)
		}
	}
	must(event.Type == "step.completed" && event.Step.ActionDetails.ToolName == "search_code", event)
	fmt.Println("go: action, observation, answer, six failures, a newer service, the stream")
}
