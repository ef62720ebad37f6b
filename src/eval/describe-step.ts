import { createTwoFilesPatch } from 'diff';
import { renderCall } from '../conversation/call-text.js';
import type { PromptText, Reading } from './eval-report.js';

/** Describes in one line how a reply was parsed: its calls, or its outcome with the answer. */
export function describeReading({ outcome, calls, answer, value }: Reading): string {
  if (calls.length > 0) return calls.map(({ tool, args }) => renderCall(tool, args)).join('; ');
  const text = value === null ? answer : JSON.stringify(value);
  return text ? `${outcome}: ${text}` : outcome;
}

/** Time limit for computing a difference, which takes very long for texts that have little in common. */
const DIFF_TIMEOUT_MS = 1_000;

/**
 * Returns the lines in which two prompts differ, each with two lines around it; undefined if one prompt is unknown or
 * both are equal.
 */
export function promptDifference(before: PromptText | null, now: PromptText | null): string | undefined {
  return before && now ? textDifference(promptText(before), promptText(now)) : undefined;
}

/** Returns the lines in which two texts differ, each with two lines around it; undefined if they are equal. */
function textDifference(before: string, now: string): string | undefined {
  if (before === now) return undefined;
  const options = { context: 2, timeout: DIFF_TIMEOUT_MS };
  const patch = createTwoFilesPatch('', '', before, now, undefined, undefined, options);
  if (!patch) return 'too different to compare in time';
  const hunks = patch.slice(patch.indexOf('\n@@') + 1).split('\n');
  return hunks
    .filter((line) => !line.startsWith('\\ No newline'))
    .join('\n')
    .trimEnd();
}

/** Writes a prompt as one text, with the role before each message. */
function promptText({ system, messages, native_tools: tools }: PromptText): string {
  const parts = [
    ...(tools.length > 0 ? [`tools:\n${tools.map((tool) => JSON.stringify(tool, null, 1)).join('\n')}`] : []),
    ...(system ? [`system:\n${system}`] : []),
    ...messages.map(({ role, content }) => `${role}:\n${content}`),
  ];
  return `${parts.join('\n')}\n`;
}
