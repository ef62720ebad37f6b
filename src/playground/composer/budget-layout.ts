import type { ContextReport } from '../../sdk/index.js';

export interface BudgetSegment {
  readonly name: ContextReport['sections'][number]['name'] | 'free' | 'reserve';
  readonly tokens: number;
  /** Start and width of a segment, as fractions of the token limit. */
  readonly from: number;
  readonly share: number;
}

/**
 * Divides the token limit into segments: the sections of the prompt, the free tokens, and at the end the tokens
 * reserved for the reply.
 */
export function budgetLayout({
  sections,
  token_limit,
  reserved_output_tokens,
  prompt_tokens,
}: Pick<
  ContextReport,
  'sections' | 'token_limit' | 'reserved_output_tokens' | 'prompt_tokens'
>): BudgetSegment[] {
  const free = Math.max(0, token_limit - reserved_output_tokens - prompt_tokens);
  const pieces = [
    ...sections.map(({ name, tokens }) => ({ name, tokens })),
    { name: 'free', tokens: free } as const,
    { name: 'reserve', tokens: reserved_output_tokens } as const,
  ].filter(({ tokens }) => tokens > 0);
  const total = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
  let before = 0;
  return pieces.map(({ name, tokens }) => {
    const piece = { name, tokens, from: before / total, share: tokens / total };
    before += tokens;
    return piece;
  });
}

export const pieceNames: Readonly<Record<BudgetSegment['name'], string>> = {
  instructions: 'Instructions',
  tools: 'Tools',
  context: 'Files',
  history: 'History',
  tail: 'Tail',
  framing: 'Framing',
  free: 'Free',
  reserve: 'Reply reserve',
};
