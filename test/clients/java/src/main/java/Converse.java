import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AgentApi;
import org.openapitools.client.model.ErrorResponse;
import org.openapitools.client.model.LlmConfig;
import org.openapitools.client.model.Step;
import org.openapitools.client.model.StepError;
import org.openapitools.client.model.StepRequest;
import org.openapitools.client.model.StreamEvent;
import org.openapitools.client.model.ToolDefinition;
import org.openapitools.client.model.Turn;
import org.openapitools.client.model.UserApiKeys;

/** One conversation through openapi-generator's client for Java. */
public final class Converse {
  private final String base;

  private Converse(String base) {
    this.base = base;
  }

  public static void main(String[] arguments) throws Exception {
    var conversation = new Converse(arguments[0]);
    conversation.reachAnAnswer();
    conversation.failInSixWays();
    conversation.meetANewerService();
    conversation.readTheStream();
    System.out.println("java: action, observation, answer, six failures, a newer service, the stream");
  }

  private void reachAnAnswer() throws ApiException {
    var first = step(request());
    must(first.getStatus().equals("action_proposed") && first.getDirectResponse() == null, first);
    must(first.getActionDetails().getToolName().equals("search_code"), first);

    var observation = new Turn()
        .role("tool_observation")
        .content("src/cart.ts:31: // The cart total ignores discounts above 30 percent.")
        .toolCallId(first.getActionDetails().getId());
    var history = new ArrayList<>(first.getUpdatedConversationHistory());
    history.add(observation);
    var last = step(request().userQuery("").conversationHistory(history).maxIterationsLeft(1));
    must(last.getStatus().equals("direct_response_provided") && last.getActionDetails() == null, last);
    must(last.getDirectResponse().contains("30 percent"), last);
  }

  private void failInSixWays() throws Exception {
    var noTask = failure("", 400, "invalid_request", body -> body.userQuery(""));
    must(noTask.getDetails().get(0).getCode().equals("no_task"), noTask);
    var key = new UserApiKeys().llmKey("short");
    var keyed = new LlmConfig().modelName("gpt-4o").tokenLimit(8000).reservedOutputTokens(1000);
    failure("", 401, "malformed_api_key", body -> body.llmConfig(keyed).userApiKeys(key));
    var small = new LlmConfig().modelName("offline").tokenLimit(40).reservedOutputTokens(20);
    failure("", 422, "token_budget_exceeded", body -> body.llmConfig(small));
    var others = Map.of("upstream_rate_limited", 429, "shutting_down", 503, "upstream_timeout", 504);
    for (var other : others.entrySet()) {
      var code = other.getKey();
      var error = failure("/failing/" + code, other.getValue(), code, UnaryOperator.identity());
      must(error.getRetryable(), error);
    }
  }

  /** Every failure is one exception, whose body is an ErrorResponse. */
  private StepError failure(String prefix, int status, String code, UnaryOperator<StepRequest> change)
      throws Exception {
    try {
      var step = agent(prefix).createReactStep(change.apply(request()), null, null);
      throw new AssertionError(step);
    } catch (ApiException failed) {
      must(failed.getCode() == status, failed);
      var error = ErrorResponse.fromJson(failed.getResponseBody()).getError();
      must(error.getCode().equals(code), error);
      return error;
    }
  }

  /** What is new is read, and goes back with its turn. */
  private void meetANewerService() throws ApiException {
    var newer = agent("/newer").createReactStep(request(), null, null);
    must(newer.getStatus().equals("plan_proposed") && newer.getFinishReason().equals("paused"), newer);
    must(newer.getParse().getOutcome().equals("plan"), newer);
    var history = newer.getUpdatedConversationHistory();
    var turn = history.get(history.size() - 1);
    must(turn.getRole().equals("critic") && turn.getKind().equals("review"), turn);
    must(turn.getPhase().equals("reflect") && turn.toJson().contains("\"weight\":3"), turn);
  }

  /** The stream is one text, of which each `data:` is an event. */
  private void readTheStream() throws Exception {
    var text = agent("").streamReactStep(request(), null, null);
    var events = new ArrayList<StreamEvent>();
    for (var line : text.split("\n")) {
      if (line.startsWith("data: ")) events.add(StreamEvent.fromJson(line.substring("data: ".length())));
    }
    var end = events.get(events.size() - 1);
    must(events.get(0).getType().equals("step.started") && end.getType().equals("step.completed"), events);
    must(end.getStep().getActionDetails().getToolName().equals("search_code"), end);
  }

  private AgentApi agent(String prefix) {
    return new AgentApi(new ApiClient().setBasePath(base + prefix));
  }

  private Step step(StepRequest body) throws ApiException {
    return agent("").createReactStep(body, null, null);
  }

  private static StepRequest request() {
    var schema = Map.<String, Object>of("properties", Map.of("pattern", Map.of("type", "string")));
    return new StepRequest()
        .projectId(UUID.fromString("6f9619ff-8b86-4d01-b42d-00cf4fc964ff"))
        .sessionId(UUID.fromString("7d444840-9dc0-41d1-b245-5ffdce74fad2"))
        .userQuery("Why does the cart total ignore discounts?")
        .conversationHistory(List.of())
        .tools(List.of(new ToolDefinition().name("search_code").inputSchema(schema)))
        .llmConfig(new LlmConfig().modelName("offline").tokenLimit(8000).reservedOutputTokens(1000))
        .maxIterationsLeft(10);
  }

  private static void must(boolean holds, Object seen) {
    if (!holds) throw new AssertionError(seen);
  }
}
