// One conversation through openapi-generator's client for Kotlin.

import java.util.UUID
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import org.openapitools.client.apis.AgentApi
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.ServerError
import org.openapitools.client.models.ErrorResponse
import org.openapitools.client.models.LlmConfig
import org.openapitools.client.models.StepError
import org.openapitools.client.models.StepRequest
import org.openapitools.client.models.StreamEvent
import org.openapitools.client.models.ToolDefinition
import org.openapitools.client.models.Turn
import org.openapitools.client.models.UserApiKeys

private val request = StepRequest(
    projectId = UUID.fromString("6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
    sessionId = UUID.fromString("7d444840-9dc0-41d1-b245-5ffdce74fad2"),
    userQuery = "Why does the cart total ignore discounts?",
    conversationHistory = emptyList(),
    tools = listOf(ToolDefinition("search_code", mapOf("properties" to mapOf("pattern" to mapOf("type" to "string"))))),
    llmConfig = LlmConfig("offline", tokenLimit = 8000, reservedOutputTokens = 1000),
    maxIterationsLeft = 10,
)

fun main(arguments: Array<String>) {
    val base = arguments.single()
    reachAnAnswer(AgentApi(base))
    failInSixWays(base)
    meetANewerService(AgentApi("$base/newer"))
    readTheStream(base)
    println("kotlin: action, observation, answer, six failures, a newer service, the stream")
}

private fun reachAnAnswer(agent: AgentApi) {
    val first = agent.createReactStep(request)
    val action = checkNotNull(first.actionDetails)
    check(first.status == "action_proposed" && action.toolName == "search_code") { first }
    val observation = Turn(
        role = "tool_observation",
        content = "src/cart.ts:31: // The cart total ignores discounts above 30 percent.",
        toolCallId = action.id,
    )
    val history = first.updatedConversationHistory.orEmpty() + observation
    val last = agent.createReactStep(
        request.copy(userQuery = "", conversationHistory = history, maxIterationsLeft = 1),
    )
    check(last.status == "direct_response_provided" && last.actionDetails == null) { last }
    check("30 percent" in last.directResponse.orEmpty()) { last }
}

private fun failInSixWays(base: String) {
    val noTask = failure(base, 400, "invalid_request", request.copy(userQuery = ""))
    check(noTask.details.first().code == "no_task") { noTask }
    val keyed = LlmConfig("gpt-4o", tokenLimit = 8000, reservedOutputTokens = 1000)
    val shortKey = request.copy(llmConfig = keyed, userApiKeys = UserApiKeys("short"))
    failure(base, 401, "malformed_api_key", shortKey)
    val small = LlmConfig("offline", tokenLimit = 40, reservedOutputTokens = 20)
    failure(base, 422, "token_budget_exceeded", request.copy(llmConfig = small))
    val others = mapOf("upstream_rate_limited" to 429, "shutting_down" to 503, "upstream_timeout" to 504)
    for ((code, status) in others) {
        val error = failure("$base/failing/$code", status, code, request)
        check(error.retryable) { error }
    }
}

/** A failure's body is a text, and the text is an ErrorResponse. */
private fun failure(base: String, status: Int, code: String, body: StepRequest): StepError {
    val response = AgentApi(base).createReactStepWithHttpInfo(body, null, null)
    check(response.statusCode == status) { response }
    val text = when (response) {
        is ClientError -> response.body
        is ServerError -> response.body
        else -> error("no failure: $response")
    }
    val error = parsed<ErrorResponse>(text as String).error
    check(error.code == code) { error }
    return error
}

private fun meetANewerService(agent: AgentApi) {
    val newer = agent.createReactStep(request)
    check(newer.status == "plan_proposed" && newer.finishReason == "paused") { newer }
    check(newer.parse?.outcome == "plan") { newer }
    val turn = newer.updatedConversationHistory.orEmpty().last()
    check(turn.role == "critic" && turn.kind == "review" && turn.phase == "reflect") { turn }
}

/** The generated function takes no `text/event-stream`; its types do, one for each `data:`, as it comes. */
private fun readTheStream(base: String) {
    val json = Serializer.moshi.adapter(StepRequest::class.java).toJson(request)
    val post = Request.Builder()
        .url("$base/api/agent/react_step/stream")
        .post(json.toRequestBody("application/json".toMediaType()))
        .build()
    val events = OkHttpClient().newCall(post).execute().use { response ->
        check(response.isSuccessful) { response }
        response.body!!.charStream().useLines { lines ->
            lines.filter { it.startsWith("data: ") }.map { parsed<StreamEvent>(it.removePrefix("data: ")) }.toList()
        }
    }
    check(events.first().type == "step.started") { events }
    check(events.last().step?.actionDetails?.toolName == "search_code") { events }
}

private inline fun <reified T> parsed(json: String): T =
    checkNotNull(Serializer.moshi.adapter(T::class.java).fromJson(json))
