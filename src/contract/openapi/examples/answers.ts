import type { Compaction } from '../../compaction.js';
import type { ContextReport } from '../../context-report.js';
import { eventText } from '../../event-text.js';
import type { ModelList } from '../../model-list.js';
import type { Preview } from '../../preview.js';
import type { Step } from '../../step.js';
import { firstStep, lastStep, maskHistory } from './requests.js';

/**
 * The responses of a newly started service to the requests in `requests.ts`. test/contract/examples.test.ts
 * compares them with real responses, except for ids, times, counts, and the instructions to the model.
 */
const request_id = '8c79401a-37f0-4a20-b79c-a51d56c9457b';
const timestamp = '2026-11-23T09:30:00.000Z';

const report: ContextReport = {
  token_limit: 8_000,
  reserved_output_tokens: 1_000,
  prompt_tokens: 246,
  counting: 'exact',
  stable_prefix_tokens: 246,
  stable_prompt_sha256: '85788c00b5ea00bbcd399a96d224efa1d6705ecb910db23b4230278d4587cafa',
  sections: [
    { name: 'instructions', tokens: 208 },
    { name: 'tools', tokens: 19 },
    { name: 'context', tokens: 0 },
    { name: 'history', tokens: 8 },
    { name: 'tail', tokens: 0 },
    { name: 'framing', tokens: 11 },
  ],
  items: [],
  folders: [],
};

const thought = 'The most telling term is "discount"; I search for it.';
const acted: Step['new_turns'] = [
  { role: 'user', content: firstStep.user_query, timestamp },
  {
    role: 'assistant',
    content: thought,
    toolCall: { name: 'search_code', parameters: { pattern: 'discount' }, id: 'call_1' },
    timestamp,
  },
];

/** The response to `firstStep`. */
export const actionAnswer: Step = {
  session_id: firstStep.session_id,
  status: 'action_proposed',
  iterations_remaining: 9,
  thought,
  direct_response: null,
  answer: null,
  action_details: {
    tool_name: 'search_code',
    tool_args: { pattern: 'discount' },
    raw_action_string: 'Action: search_code(pattern="discount")',
    id: 'call_1',
    requires_approval: false,
  },
  additional_actions: [],
  updated_conversation_history: acted,
  new_turns: acted,
  correction: null,
  control: null,
  phase: null,
  parse: {
    outcome: 'action',
    dialect: 'call',
    confidence: 'exact',
    repairs: [],
    discarded: [],
    problem: null,
  },
  context_report: report,
  signals: {
    repeated_action: 0,
    repeated_cycle: 0,
    consecutive_read_only: 1,
    consecutive_errors: 0,
    last_iteration: false,
    should_compact: false,
  },
  usage: {
    input_tokens: 288,
    output_tokens: 26,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cost: null,
  },
  model: 'offline',
  provider: 'offline',
  finish_reason: 'stop',
  finish_reason_raw: 'stop',
  reasoning: null,
  completion_text: null,
  recorded_step: null,
  warnings: [],
  error: null,
  request_id,
};

const answer = `These passages match best ("discount", "ignore", "total", "cart"):

src/cart.ts:31 · discount, ignore, total, cart

    > 31  // The cart total ignores discounts above 30 percent: see maxDiscountPercent.
      32  if (discount > maxDiscountPercent) return total;

Search results only; no language model was used. For an answer in words, choose a model.`;
const reason = 'I have seen the passages that match best, and quote them.';
const answered: Step['new_turns'] = [{ role: 'assistant', content: answer, thought: reason, timestamp }];

/** The response to `lastStep`. */
export const finalAnswer: Step = {
  ...actionAnswer,
  status: 'direct_response_provided',
  iterations_remaining: 0,
  thought: reason,
  direct_response: answer,
  action_details: null,
  // Cast: the turns contain no null, which the input type allows and the output type does not.
  updated_conversation_history: [...(lastStep.conversation_history as Step['new_turns']), ...answered],
  new_turns: answered,
  parse: {
    outcome: 'answer',
    dialect: null,
    confidence: 'exact',
    repairs: [],
    discarded: [],
    problem: null,
  },
  signals: {
    repeated_action: 0,
    repeated_cycle: 0,
    consecutive_read_only: 1,
    consecutive_errors: 0,
    last_iteration: true,
    should_compact: false,
  },
};

/** The preview of `firstStep`, with shortened instructions. */
export const previewAnswer: Preview = {
  system:
    'You work on a task step by step. In each reply you either take one action or give the final answer. …',
  messages: [{ role: 'user', content: `${firstStep.user_query}\n` }],
  native_tools: [],
  prompt_sha256: report.stable_prompt_sha256,
  context_report: {
    ...report,
    items: [
      {
        kind: 'turn',
        id: '0',
        status: 'included',
        reason: null,
        tokens: 12,
        original_tokens: 12,
        lines: null,
      },
    ],
  },
  warnings: [],
  request_id,
};

const stub = '[5 lines, 204 characters left out; call the tool again to see them]';

/** The response to `maskHistory`, in which the oldest observation is replaced by one line. */
export const compactionAnswer: Compaction = {
  // Cast: the turns contain no null, which the input type allows and the output type does not.
  conversation_history: maskHistory.conversation_history.map((turn, index) =>
    index === 2 ? { ...turn, content: stub } : turn,
  ) as Compaction['conversation_history'],
  changed: true,
  tokens_before: 719,
  tokens_after: 677,
  usage: null,
  warnings: [],
  request_id,
};

/** The list of a service with two upstreams, shortened. */
export const modelsAnswer: ModelList = {
  models: [
    {
      name: 'gpt-5.6-sol',
      provider: 'openai',
      context_window: null,
      encoding: 'o200k_base',
      counting: 'exact',
      protocols: ['text', 'xml', 'json', 'native'],
    },
  ],
  upstreams: [
    { name: 'openai', key_required: true },
    { name: 'offline', key_required: false },
  ],
};

export const metricsAnswer = `# HELP stepwise_requests_in_flight Requests accepted and not yet answered.
# TYPE stepwise_requests_in_flight gauge
stepwise_requests_in_flight 3
`;

/** The event stream that ends with `actionAnswer`. */
export const streamedAnswer = [
  { type: 'step.started', request_id },
  { type: 'context.built', report },
  { type: 'thought.delta', delta: thought },
  { type: 'action.proposed', action: actionAnswer.action_details },
  { type: 'step.completed', step: actionAnswer },
]
  .map(eventText)
  .join('');

/** The first event of `/api/agent/watch`. */
export const watchAnswer =
  'event: watch.started\ndata: {"type":"watch.started","kept":0,"limit_steps":100,"limit_bytes":67108864}\n\n';
