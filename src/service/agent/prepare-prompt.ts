import { createHash } from 'node:crypto';
import type { ContextReport } from '../../contract/context-report.js';
import type { Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import { gatherContext } from '../context/gather-context.js';
import { inlineSource } from '../context/sources/inline.js';
import { type FittedPrompt, fitPrompt } from './fit-prompt.js';
import type { Part, Prompt } from './provider.js';
import { readSituation, type Situation } from './read-situation.js';
import type { StepDependencies } from './step-dependencies.js';

/** A prompt ready to be sent, with all that the reply will be read against. */
export interface PreparedPrompt {
  readonly situation: Situation;
  readonly prompt: Prompt;
  /** The messages before the tail. */
  readonly stable: Prompt['messages'];
  readonly report: ContextReport;
  readonly shouldCompact: boolean;
  readonly warnings: readonly Warning[];
}

/** Gathers, fits and renders (SPEC §4.1): all of a step but the model call. Throws `StepRefused`. */
export async function preparePrompt(
  request: StepRequest,
  { sources, profile, tokens, deadline }: Omit<StepDependencies, 'provider'>,
): Promise<PreparedPrompt> {
  const situation = readSituation(request, profile);
  const inline = request.inline_context ? [inlineSource(request.inline_context)] : [];
  const gathered = await gatherContext(request, [...inline, ...sources], deadline.signal);
  const fitted = await fitPrompt({ request, situation, gathered, profile, tokens });
  return {
    situation,
    prompt: fitted.prompt,
    stable: fitted.stable,
    report: reportOf(request, fitted, situation.protocol === 'native' ? 'estimated' : tokens.counting),
    shouldCompact: fitted.shouldCompact,
    warnings: windowWarning(request, profile.contextWindow),
  };
}

/** The hash of what is sent: text for text, without cache marks. */
export function hashPrompt(system: string, messages: Prompt['messages']): string {
  const hash = createHash('sha256').update(system);
  for (const { role, parts } of messages) {
    hash.update(`\0${role}`);
    for (const part of parts) hash.update('\0').update(wordsOf(part));
  }
  return hash.digest('hex');
}

function wordsOf(part: Part): string {
  return part.type === 'text' ? part.text : JSON.stringify({ ...part, breakpoint: undefined });
}

function reportOf(
  request: StepRequest,
  fitted: FittedPrompt,
  counting: ContextReport['counting'],
): ContextReport {
  const { sections, promptTokens, prompt, stable } = fitted;
  return {
    token_limit: request.llm_config.tokenLimit,
    reserved_output_tokens: request.llm_config.reservedOutputTokens,
    prompt_tokens: promptTokens,
    counting,
    stable_prefix_tokens: promptTokens - sections.tail,
    stable_prompt_sha256: hashPrompt(prompt.system, stable),
    sections: Object.entries(sections).map(([name, tokens]) => ({
      name: name as keyof typeof sections,
      tokens,
    })), // its own keys
    items: [...fitted.items],
    folders: [...fitted.folders],
  };
}

function windowWarning({ llm_config: config }: StepRequest, window: number | null): Warning[] {
  if (window === null || config.tokenLimit <= window) return [];
  return [
    {
      code: 'token_limit_above_window',
      message: `tokenLimit ${config.tokenLimit} is above the model's window of ${window} tokens`,
    },
  ];
}
