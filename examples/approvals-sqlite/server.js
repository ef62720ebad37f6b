import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import sqlite from 'node-sqlite3-wasm';
import { defineTool, explainEnd, readTrajectory, StepwiseClient } from 'stepwise';

const { STEPWISE_URL = 'http://127.0.0.1:8080', STEPWISE_LLM_KEY, PORT = '3001' } = process.env;
const { MODEL = 'offline', PROVIDER, DATABASE = 'runs.db' } = process.env;
const client = new StepwiseClient({ baseUrl: STEPWISE_URL, llmKey: STEPWISE_LLM_KEY });

const database = new sqlite.Database(DATABASE);
database.exec(`CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, saved TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS refunds (order_id TEXT, cents INTEGER);`);

const refund = defineTool({
  name: 'refund_order',
  description: 'Pays an order back to the customer.',
  inputSchema: {
    type: 'object',
    properties: { order_id: { type: 'string' }, cents: { type: 'integer' } },
    required: ['order_id', 'cents'],
  },
  annotations: { requiresApproval: true },
  preview: async ({ order_id, cents }) => `Pay ${(cents / 100).toFixed(2)} € back for order ${order_id}`,
  execute: ({ order_id, cents }) => {
    database.run('INSERT INTO refunds VALUES (?, ?)', [order_id, cents]);
    return `Order ${order_id} is paid back.`;
  },
});

/** Reads a run to its end. A run that waits goes into the database, under a new id. */
async function finish(run) {
  const result = await run.result();
  if (result.stopReason !== 'needs_approval') return { text: explainEnd(result) };
  const id = randomUUID();
  database.run('INSERT INTO runs VALUES (?, ?)', [id, JSON.stringify(run.save())]);
  return { id, pending: result.pending };
}

/** Takes a run out of the database, so that it is resumed once, even if a button is clicked twice. */
function take(id) {
  const row = database.get('SELECT saved FROM runs WHERE id = ?', [id]);
  database.run('DELETE FROM runs WHERE id = ?', [id]);
  if (!row) throw new Error('Nothing waits under this id.');
  return readTrajectory(row.saved);
}

const llmConfig = { modelName: MODEL, provider: PROVIDER };
const routes = {
  '/tasks': async ({ task }) => finish(client.run(task, { llmConfig, tools: [refund] })),
  '/decisions': async ({ id, decisions }) => finish(client.resume(take(id), { decisions, tools: [refund] })),
  '/waiting': async () => ({
    waiting: database.all('SELECT * FROM runs').map(({ id, saved }) => ({
      id,
      pending: JSON.parse(saved).result.pending,
    })),
  }),
};

const server = createServer(async (request, response) => {
  const route = request.method === 'POST' ? routes[request.url] : undefined;
  if (!route) {
    const page = await readFile(new URL('index.html', import.meta.url));
    return response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  }
  const body = await json(request);
  const answer = await route(body).catch((error) => ({ text: error.message }));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
