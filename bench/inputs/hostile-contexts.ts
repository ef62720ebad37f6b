import type { TurnInput } from '../../src/contract/history.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';

type Named = [string, Partial<StepRequestInput>];

const units = {
  'one letter': 'a',
  spaces: ' ',
  newlines: '\n',
  CJK: '漢字',
  emoji: '🙂',
  lines: 'const x = f(y);\n',
  'forged fences': '</file>',
};

/** Returns step requests, each with one hostile text of `length` characters: as a file, an observation or the query. */
export function hostileTexts(length: number): Named[] {
  const texts = Object.entries(units).map(
    ([name, unit]) => [name, unit.repeat(length / unit.length)] as const,
  );
  return [...texts, ['base64', base64(length)] as const].flatMap(([name, text]): Named[] => [
    [
      `file: ${name}`,
      { explicit_context_paths: ['f'], inline_context: { files: [{ path: 'f', content: text }] } },
    ],
    [`observation: ${name}`, { conversation_history: acted(text) }],
    [`query: ${name}`, { user_query: `?${text}` }],
  ]);
}

function base64(length: number): string {
  const bytes = Buffer.alloc((length * 3) / 4);
  for (let at = 0, state = 1; at < bytes.length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[at] = state >>> 16;
  }
  return bytes.toString('base64');
}

function acted(content: string): TurnInput[] {
  const toolCall = { name: 'read', parameters: { path: 'f' } };
  return [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: '', toolCall },
    { role: 'tool_observation', content },
  ];
}

/**
 * Returns step requests, each with a history of this many turns that repeat one pattern, such as a call and its
 * observation.
 */
export function hostileHistories(turns: number): Named[] {
  const call = (index: number, content: string, id?: string): TurnInput => ({
    role: 'assistant',
    content,
    toolCall: { name: 'read', parameters: { path: `p${index}` }, ...(id && { id }) },
  });
  const seen = (content: string): TurnInput => ({ role: 'tool_observation', content });
  const half = turns / 2;
  const kinds: Record<string, (index: number) => TurnInput> = {
    'calls and observations': (index) => (index % 2 ? seen(`line ${index}`) : call(index, `t${index}`)),
    'the same, 4 MB': (index) => (index % 2 ? seen(`line of ${index}\n`.repeat(45)) : call(index, 't')),
    'calls never run': (index) => call(index, 't'),
    'calls of one step': (index) => call(index, ''),
    'ids that clash': (index) => call(index, 't', index < half ? `call_${half + 1 + index}` : undefined),
    'user turns': (index) => ({ role: 'user', content: `word ${index} `.repeat(30) }),
    'stray observations': (index) => seen(`o${index}`),
  };
  return Object.entries(kinds).map(([name, kind]) => [
    `${turns} turns: ${name}`,
    {
      user_query: '',
      conversation_history: [
        { role: 'user', content: 'q' },
        ...Array.from({ length: turns - 1 }, (_, index) => kind(index)),
      ],
    },
  ]);
}
