import { Ajv } from 'ajv';
import { readEvents } from './read-events.js';
import { stepRequest } from './whole-service.js';

/**
 * A step as read by a client that knows only a list of fields and refuses any other (rule: source-fields). It shares no
 * type and no schema with the service, so an additional or missing field in a response fails here.
 */
interface StrictStep {
  readonly session_id: string;
  readonly thought: string | null;
  readonly action_details: {
    readonly tool_name: string;
    readonly tool_args: Readonly<Record<string, unknown>>;
    readonly raw_action_string: string;
  } | null;
  readonly direct_response: string | null;
  readonly updated_conversation_history: StrictTurn[];
  readonly iterations_remaining: number;
  readonly status: 'action_proposed' | 'direct_response_provided' | 'error';
  readonly error?: { readonly code: string; readonly message: string; readonly details: { path?: string }[] };
}

export interface StrictTurn {
  readonly role: 'user' | 'assistant' | 'tool_observation';
  readonly content: string;
  readonly timestamp?: string;
  readonly toolCall?: { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> };
  readonly toolResult?: Readonly<Record<string, unknown>>;
}

/** The response to one step, and all events if it was streamed. */
export interface StrictAnswer {
  readonly status: number;
  readonly body: StrictStep;
  readonly events: readonly { readonly event: string }[];
}

export type Transport = 'plain' | 'streamed';

const closed = (properties: Record<string, object>, optional: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const anyObject = { type: 'object' };

const turn = closed(
  {
    role: { enum: ['user', 'assistant', 'tool_observation'] },
    content: text,
    timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
    toolCall: closed({ name: text, parameters: anyObject }),
    toolResult: anyObject,
  },
  ['timestamp', 'toolCall', 'toolResult'],
);

const step = {
  ...closed(
    {
      session_id: text,
      thought: { type: ['string', 'null'], minLength: 1 },
      action_details: {
        anyOf: [closed({ tool_name: text, tool_args: anyObject, raw_action_string: text }), { type: 'null' }],
      },
      direct_response: textOrNull,
      updated_conversation_history: { type: 'array', items: turn },
      iterations_remaining: { type: 'integer', minimum: 0 },
      status: { enum: ['action_proposed', 'direct_response_provided', 'error'] },
      error: anyObject,
    },
    ['error'],
  ),
  if: { properties: { status: { const: 'error' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['error'] },
  else: { properties: { error: false } },
};

const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
const isStrictStep = ajv.compile<StrictStep>(step);

/** Reads the body of a response. Throws if it has an unknown field, or lacks one. */
export function readStrictStep(body: unknown): StrictStep {
  if (isStrictStep(body)) return body;
  throw new Error(`${ajv.errorsText(isStrictStep.errors)}: ${JSON.stringify(body)}`);
}

/** Makes a step over HTTP, and reads its response strictly. */
export async function strictStep(
  url: string,
  transport: Transport,
  changes: Readonly<Record<string, unknown>>,
): Promise<StrictAnswer> {
  const path = `/api/agent/react_step${transport === 'streamed' ? '/stream' : ''}`;
  const request = { ...stepRequest(), include: { extensions: false }, ...changes };
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  const { status } = response;
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream'))
    return { status, body: readStrictStep(await response.json()), events: [] };
  const events = readEvents(await response.text());
  const last = events.at(-1);
  return { status, body: readStrictStep(last?.data.step ?? last?.data.error), events };
}
