import { type ApprovalRule, describeRule } from '../../sdk/actions/approval.js';
import { UsageError } from '../commands/usage.js';
import { showExactLine } from '../screen/visible-text.js';
import type { ApprovalRules } from './approval-rules.js';

/** Runs `/rules [remove N]` and returns the text to show. Throws `UsageError` for other words. */
export async function rulesCommand(rules: ApprovalRules, [verb, number]: readonly string[]): Promise<string> {
  const saved = await rules.load();
  if (verb === undefined)
    return saved.length === 0 ? 'There are no always-allow rules for this folder.' : listRules(saved);
  const rule = verb === 'remove' ? saved[Number(number) - 1] : undefined;
  if (!rule) throw new UsageError('Use /rules to list the rules and /rules remove N to remove one.');
  await rules.remove(rule);
  return `Rule removed: ${showExactLine(describeRule(rule))}`;
}

const listRules = (rules: readonly ApprovalRule[]): string =>
  [
    ...rules.map((rule, index) => `  ${index + 1}. ${showExactLine(describeRule(rule))}`),
    '/rules remove N removes one.',
  ].join('\n');
