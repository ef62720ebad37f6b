import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errorCodes } from '../../src/contract/error-codes.js';
import type { TurnInput } from '../../src/contract/history.js';
import { errorResponseSchema, type Step, stepSchema } from '../../src/contract/step.js';
import { type StepRequest, stepRequestSchema } from '../../src/contract/step-request.js';
import { blankStep, stepError } from '../../src/conversation/blank-step.js';
import { noUsage } from '../../src/conversation/usage.js';
import { listen } from './listen.js';
import { quietSignals } from './quiet-fields.js';

/** The response of the service to one step. */
export type Script =
  | { thought?: string; call: Call; more?: readonly Call[]; shouldCompact?: boolean }
  | {
      thought?: string;
      answer: string;
      outcome?: 'answer' | 'action_after_limit' | 'malformed_action' | 'unknown_tool';
      correctAnswer?: boolean;
      control?: Record<string, unknown>;
    }
  | { malformed: string }
  | { control: Record<string, unknown>; thought?: string; correctText?: boolean }
  | { error: keyof typeof errorCodes; retryAfterMs?: number; inStream?: boolean }
  | { fault: 'hang-up' | 'html' | 'silence' | 'cut-stream' }
  /** A response that a proxy or another server might send. It is sent unchanged. */
  | { foreign: string; status: number; type?: string; headers?: Record<string, string> };

interface Call {
  name: string;
  args?: Record<string, unknown>;
  requiresApproval?: boolean;
}

export interface ScriptedService {
  readonly url: string;
  readonly requests: StepRequest[];
  readonly compactions: Record<string, unknown>[];
  readonly headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that follows the service's contract and responds as a script says, one entry for
 * each step. After the end of the script it repeats the last entry. Requests and responses are checked against the
 * contract.
 */
export async function startScriptedService(...script: Script[]): Promise<ScriptedService> {
  const record = {
    requests: [] as StepRequest[],
    compactions: [] as Record<string, unknown>[],
    headers: [] as IncomingMessage['headers'][],
  };
  const server = createServer(async (request, response) => {
    record.headers.push(request.headers);
    const body: unknown = JSON.parse(await text(request));
    if (request.url?.endsWith('compact_history')) {
      record.compactions.push(body as Record<string, unknown>);
      sendJson(response, 200, compacted(body as { conversation_history: TurnInput[] }));
      return;
    }
    const parsed = stepRequestSchema.parse(body);
    const line = script[Math.min(record.requests.length, script.length - 1)] ?? { answer: 'Nothing.' };
    record.requests.push(parsed);
    answer(line, parsed, { response, streamed: request.url?.endsWith('/stream') ?? false });
  });
  const url = await listen(server);
  return {
    ...record,
    url,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(
  line: Script,
  request: StepRequest,
  { response, streamed }: { response: ServerResponse; streamed: boolean },
) {
  if ('fault' in line) return fail(line.fault, response);
  if ('foreign' in line) return sayForeign(line, response);
  if ('error' in line && errorCodes[line.error].status !== 200) {
    return streamed && line.inStream ? streamError(line, response) : sendError(line, response);
  }
  const step = stepSchema.parse(toStep(line, request));
  return streamed ? sendEvents(step, response) : sendJson(response, 200, step);
}

function sayForeign(
  { foreign, status, type = 'application/json', headers }: Extract<Script, { foreign: string }>,
  response: ServerResponse,
) {
  response.writeHead(status, { 'content-type': type, ...headers }).end(foreign);
}

function fail(fault: string, response: ServerResponse) {
  if (fault === 'hang-up') response.destroy();
  if (fault === 'html') response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  if (fault === 'cut-stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse({ type: 'step.started', request_id: 'r' }), () => response.destroy());
  }
}

/** Sends a failure as the last event of a stream, with the body of an error response. */
function streamError(line: Extract<Script, { error: string }>, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(sse({ type: 'step.started', request_id: 'r' }));
  response.end(sse({ type: 'error', error: failedBody(line) }));
}

function sendError(line: Extract<Script, { error: string }>, response: ServerResponse) {
  sendJson(response, errorCodes[line.error].status, failedBody(line));
}

const failedBody = ({ error, retryAfterMs }: Extract<Script, { error: string }>) =>
  errorResponseSchema.parse({
    ...blank,
    status: 'error',
    session_id: null,
    iterations_remaining: null,
    error: errorBody(error, retryAfterMs),
  });

const errorBody = (code: keyof typeof errorCodes, retryAfterMs?: number) =>
  stepError({ code, ...errorCodes[code] }, { retry_after_ms: retryAfterMs ?? null });

function sendEvents(step: Step, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const deltas = (type: string, whole: string | null) =>
    (whole ?? '')
      .split(/(?<= )/)
      .filter(Boolean)
      .map((delta) => sse({ type, delta }));
  response.write([': hello\n\n', sse({ type: 'step.started', request_id: 'r' })].join(''));
  response.write(deltas('thought.delta', step.thought).join(''));
  response.write(deltas('answer.delta', step.direct_response).join(''));
  response.end(sse({ type: 'step.completed', step }));
}

const sse = (data: { type: string; [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

function toStep(
  line: Exclude<Script, { fault: string } | { foreign: string }>,
  request: StepRequest,
): unknown {
  const spends = request.phase === undefined || request.phase === 'observe';
  const common = {
    ...blank,
    session_id: request.session_id,
    iterations_remaining: request.max_iterations_left - Number(spends),
    phase: request.phase ?? null,
    usage: { ...noUsage, input_tokens: 100, output_tokens: 10 },
    model: request.llm_config.modelName,
  };
  const { user_query: content, attachments } = request;
  const asked = content === '' ? [] : [{ role: 'user', content, ...(attachments && { attachments }) }];
  if ('error' in line) return { ...common, status: 'error', error: errorBody(line.error) };
  if ('malformed' in line) return malformed(line.malformed, common, asked);
  const thought = line.thought ?? null;
  if ('control' in line && !('answer' in line)) {
    const turn = { role: 'assistant', content: thought ?? '', phase: request.phase };
    const control = { ...noControl, ...line.control };
    const corrected = line.correctText && { correction, parse: { ...exact, outcome: 'answer' } };
    const completed = { status: 'phase_completed', thought, control, ...corrected };
    return { ...common, ...completed, new_turns: [...asked, turn] };
  }
  if ('answer' in line) {
    const parse = { ...exact, outcome: line.outcome ?? 'answer' };
    const turn = { role: 'assistant', content: line.answer };
    const corrected = {
      ...(line.correctAnswer && { correction }),
      ...(line.control && { control: { ...noControl, ...line.control } }),
    };
    const outcome = { status: 'direct_response_provided', direct_response: line.answer, ...corrected };
    return { ...common, ...outcome, thought, parse, new_turns: [...asked, turn] };
  }
  return act(line, { common, asked, request });
}

const correction = { role: 'user', kind: 'notice', content: 'The action could not be read.' };

function malformed(written: string, common: object, asked: readonly unknown[]): unknown {
  return {
    ...common,
    status: 'direct_response_provided',
    direct_response: written,
    correction,
    parse: { ...exact, outcome: 'malformed_action', problem: 'unreadable' },
    new_turns: [...asked, { role: 'assistant', content: written }],
  };
}

interface Acting {
  common: object;
  asked: readonly unknown[];
  request: StepRequest;
}

function act(
  { thought, call, more = [], shouldCompact = false }: Extract<Script, { call: Call }>,
  { common, asked, request }: Acting,
) {
  const before = request.conversation_history.filter((turn) => turn.toolCall).length;
  const actions = [call, ...more].map(({ name, args = {}, requiresApproval = false }, index) => ({
    tool_name: name,
    tool_args: args,
    raw_action_string: `Action: ${name}(…)`,
    id: `call_${before + index + 1}`,
    requires_approval: requiresApproval,
  }));
  const turns = actions.map(({ tool_name, tool_args, id }, index) => ({
    role: 'assistant',
    content: index === 0 ? (thought ?? '') : '',
    toolCall: { name: tool_name, parameters: tool_args, id },
  }));
  const [first = null, ...rest] = actions;
  const outcome = { status: 'action_proposed', action_details: first, additional_actions: rest };
  return {
    ...common,
    ...outcome,
    thought: thought ?? null,
    new_turns: [...asked, ...turns],
    signals: { ...blank.signals, should_compact: shouldCompact },
    parse: { ...exact, outcome: 'action' },
  };
}

function compacted({ conversation_history: history }: { conversation_history: TurnInput[] }) {
  const short = history.map((turn) =>
    turn.role === 'tool_observation' && turn.content.length > 20 ? { ...turn, content: '(masked)' } : turn,
  );
  const size = (turns: unknown) => Math.ceil(JSON.stringify(turns).length / 4);
  const changed = size(short) < size(history);
  return {
    conversation_history: short,
    changed,
    tokens_before: size(history),
    tokens_after: size(short),
    usage: null,
    warnings: [],
  };
}

const noControl = {
  plan: null,
  tools_to_consider: null,
  finish: null,
  observation: null,
  should_continue: null,
  final_answer: null,
};
const exact = {
  outcome: 'answer',
  dialect: null,
  confidence: 'exact',
  repairs: [],
  discarded: [],
  problem: null,
};
const blank = {
  ...blankStep,
  status: 'direct_response_provided',
  updated_conversation_history: null,
  signals: quietSignals,
  error: null,
  request_id: 'r',
};
