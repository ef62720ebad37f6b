import type { CompactionRequestInput } from '../../compaction.js';
import type { TurnInput } from '../../history.js';
import type { StepRequestInput } from '../../step-request.js';

const ids = {
  project_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  session_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
};
const offline = { modelName: 'offline', tokenLimit: 8_000, reservedOutputTokens: 1_000 };
const task = 'Why does the cart total ignore discounts?';

/** The first step of a run, with the offline model, which needs no key. The reply is an action. */
export const firstStep: StepRequestInput = {
  ...ids,
  user_query: task,
  conversation_history: [],
  tools: [
    {
      name: 'search_code',
      description: 'Finds lines that match a pattern.',
      inputSchema: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
      annotations: { readOnlyHint: true },
    },
  ],
  llm_config: offline,
  max_iterations_left: 10,
};

/** The step after the tool result, at the last iteration. The model answers. */
export const lastStep: StepRequestInput = {
  ...firstStep,
  user_query: '',
  conversation_history: [
    { role: 'user', content: task },
    {
      role: 'assistant',
      content: 'I search for "discount".',
      toolCall: { name: 'search_code', parameters: { pattern: 'discount' }, id: 'call_1' },
    },
    {
      role: 'tool_observation',
      content:
        'src/cart.ts:31: // The cart total ignores discounts above 30 percent: see maxDiscountPercent.\n' +
        'src/cart.ts:32: if (discount > maxDiscountPercent) return total;',
      toolCallId: 'call_1',
      toolResult: { success: true },
    },
  ],
  max_iterations_left: 1,
};

const searched = (pattern: string, index: number): TurnInput[] => [
  {
    role: 'assistant',
    content: `I look for ${pattern}.`,
    toolCall: { name: 'search_code', parameters: { pattern }, id: `call_${index}` },
  },
  {
    role: 'tool_observation',
    content: [12, 31, 58, 77, 90]
      .map((line) => `src/cart.ts:${line}: // what ${pattern} means here`)
      .join('\n'),
    toolCallId: `call_${index}`,
  },
];

/** A compaction that replaces one observation by one line. */
export const maskHistory: CompactionRequestInput = {
  ...ids,
  conversation_history: [
    { role: 'user', content: task },
    ...['total', 'discount', 'price', 'coupon', 'rate', 'sum'].flatMap((pattern, index) =>
      searched(pattern, index),
    ),
  ],
  target_tokens: 700,
  strategy: 'mask',
  llm_config: offline,
};
