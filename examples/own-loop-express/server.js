/**
 * A back end that runs its own loop: it answers customers' questions from the shop's data. Each question is a few
 * steps of the service; the tools are this program's own functions, and what shows personal data or costs money waits
 * for a person.
 */
import { randomUUID } from 'node:crypto';
import express from 'express';

const service = process.env.STEPWISE_URL ?? 'http://127.0.0.1:8080';
const llmConfig = {
  modelName: process.env.MODEL ?? 'offline',
  provider: process.env.UPSTREAM,
  tokenLimit: 8_000,
  reservedOutputTokens: 1_000,
};
const maxSteps = 6;

const orders = [
  { id: 'A-17', customer: 'Ada', status: 'shipped', total: 42.5 },
  { id: 'B-20', customer: 'Bo', status: 'waiting for payment', total: 12 },
];
const addresses = { 'A-17': '12 Hill Road, Thornbury', 'B-20': '3 Mill Lane, Aust' };

const tools = {
  search_orders: {
    description: 'Search the orders by a word: a number, a name, a status.',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    annotations: { readOnlyHint: true },
    execute: ({ query }) =>
      orders
        .filter((order) => JSON.stringify(order).toLowerCase().includes(query.toLowerCase()))
        .map((order, index) => `orders/${order.id}:${index + 1}: ${JSON.stringify(order)}`)
        .join('\n') || 'No order found.',
  },
  open_order: {
    description: 'Open an order by its path, orders/<id>: with the address it goes to.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    annotations: { readOnlyHint: true, requiresApproval: true },
    execute: ({ path }) => {
      const order = findOrder(path.replace('orders/', ''));
      return JSON.stringify({ ...order, address: addresses[order.id] }, null, 1);
    },
  },
  refund_order: {
    description: 'Pay an order back.',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    annotations: { requiresApproval: true },
    execute: ({ id }) => `Order ${findOrder(id).id} is paid back.`,
  },
};

function findOrder(id) {
  const order = orders.find((each) => each.id === id);
  if (!order) throw new Error(`There is no order ${id}.`);
  return order;
}

/** Conversations that wait for a person; the service itself is stateless. */
const waiting = new Map();

const app = express().use(express.json());

app.post('/questions', async (request, response) => {
  const question = String(request.body?.question ?? '').trim();
  if (!question) return response.status(400).json({ error: 'Send { "question": "…" }.' });
  const conversation = { id: randomUUID(), history: [], left: maxSteps, corrections: 0 };
  return answer(response, await advance(conversation, question));
});

app.post('/approvals/:id', async (request, response) => {
  const conversation = waiting.get(request.params.id);
  if (!conversation) return response.status(404).json({ error: 'Nothing waits under this id.' });
  waiting.delete(conversation.id);
  observe(conversation, request.body?.allow === true);
  return answer(response, await advance(conversation, ''));
});

/** Reports a failure of the service as 502 to our callers. */
function answer(response, result) {
  return response.status(result.error ? 502 : 200).json(result);
}

/** Takes steps until there is an answer, the limit is reached, or a person must approve an action. */
async function advance(conversation, question) {
  let query = question;
  while (conversation.left > 0) {
    const step = await takeStep(conversation, query);
    // A failed step may return no history, so keep ours.
    if (step.status === 'error') return { error: step.error.message, details: step.error.details };
    query = '';
    conversation.history = step.updated_conversation_history;
    conversation.left = step.iterations_remaining;
    if (step.correction && conversation.corrections < 2) {
      conversation.history.push(step.correction);
      conversation.corrections += 1;
      continue;
    }
    conversation.corrections = 0;
    if (step.status === 'direct_response_provided') return { answer: step.direct_response };
    if (step.action_details.requires_approval) return wait(conversation, step.action_details);
    observe({ ...conversation, action: step.action_details }, true);
  }
  return { error: 'There is no answer within the allowed number of steps.' };
}

function wait(conversation, action) {
  waiting.set(conversation.id, { ...conversation, action });
  return { approval: { id: conversation.id, tool: action.tool_name, arguments: action.tool_args } };
}

/** Takes one step; reports an unreachable service as a failed step. */
async function takeStep({ id, history, left }, query) {
  try {
    const answered = await fetch(`${service}/api/agent/react_step`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(process.env.STEPWISE_LLM_KEY && { 'x-llm-api-key': process.env.STEPWISE_LLM_KEY }),
      },
      body: JSON.stringify({
        project_id: id,
        session_id: id,
        user_query: query,
        conversation_history: history,
        llm_config: llmConfig,
        max_iterations_left: left,
        tools: Object.entries(tools).map(([name, { execute: _, ...tool }]) => ({ name, ...tool })),
      }),
    });
    return await answered.json();
  } catch {
    const message = `No service answers at ${service}: start one with npm start, or set STEPWISE_URL.`;
    return { status: 'error', error: { message, details: [] } };
  }
}

/** Runs the action, or reports that it was denied; the model reads the result either way. */
function observe({ history, action }, allowed) {
  const turn = { role: 'tool_observation', toolCallId: action.id };
  if (!allowed) {
    history.push({ ...turn, content: 'A person said no.', toolResult: { success: false, denied: true } });
    return;
  }
  try {
    history.push({
      ...turn,
      content: tools[action.tool_name].execute(action.tool_args),
      toolResult: { success: true },
    });
  } catch (error) {
    history.push({ ...turn, content: String(error), toolResult: { success: false } });
  }
}

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
