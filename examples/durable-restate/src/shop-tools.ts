import { mkdir, writeFile } from 'node:fs/promises';
import { defineTool, type Tool } from 'stepwise';

const orders = [
  { id: 'A-17', customer: 'Ada', status: 'shipped', total: 42.5, address: '12 Hill Road, Thornbury' },
  { id: 'B-20', customer: 'Bo', status: 'waiting for payment', total: 12, address: '3 Mill Lane, Aust' },
];

const searchOrders = defineTool({
  name: 'search_orders',
  description: 'Search the orders by a word: a number, a name, a status.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  annotations: { readOnlyHint: true },
  execute: ({ query }) => {
    const lines = orders.map(({ address: _, ...order }) => `orders/${order.id}:1: ${JSON.stringify(order)}`);
    return (
      lines.filter((line) => line.toLowerCase().includes(query.toLowerCase())).join('\n') || 'No order found.'
    );
  },
});

const openOrder = defineTool({
  name: 'open_order',
  description: 'Open an order by its path, orders/<id>: with the address it goes to.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  annotations: { readOnlyHint: true, requiresApproval: true },
  execute: ({ path }) => JSON.stringify(findOrder(path.replace('orders/', '')), null, 1),
});

/**
 * A refund costs money, so it must not happen twice. If the call runs again, the run and the call id are the same;
 * together they form the idempotency key.
 */
const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Pay an order back.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  annotations: { requiresApproval: true },
  execute: async ({ id }, { sessionId, callId }) => {
    const { total } = findOrder(id);
    await payBack(`${sessionId}-${callId}`, { id, total });
    return `Order ${id} is paid back: ${total}.`;
  },
});

/** A tool that is never executed: the run waits for the person's answer instead. */
const requestInput = defineTool({
  name: 'request_input',
  description: 'Ask the person a question and wait for the answer. Only for what no other tool can tell.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string' },
      choices: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from.' },
    },
    required: ['question'],
  },
  execute: () => {
    throw new Error('This call is answered by a person.');
  },
});

export const tools: readonly Tool[] = [searchOrders, openOrder, refundOrder, requestInput];

/** Finds a tool by name. The service proposes only tools that it was offered. */
export function findTool(name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool "${name}".`);
  return tool;
}

function findOrder(id: string) {
  const order = orders.find((each) => each.id === id);
  if (!order) throw new Error(`There is no order ${id}.`);
  return order;
}

/** Imitates a payment provider with idempotency keys: a second payment with the same key does nothing. */
async function payBack(key: string, refund: object): Promise<void> {
  const folder = process.env['REFUNDS_DIR'] ?? 'refunds';
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(`${folder}/${encodeURIComponent(key)}.json`, JSON.stringify(refund), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
