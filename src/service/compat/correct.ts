import type { Turn } from '../../contract/history.js';
import type { ClientTerms } from '../../contract/recorded-step.js';
import type { ActionDetails } from '../../contract/step.js';
import type { StepResult } from '../step/react-step.js';

const EMPTY = 'Your last reply was empty. Reply again.';
const CALL =
  'Your last reply called no tool, but a call is needed now. Reply again with a call of one of the tools.';
const callOf = (tool: string): string =>
  `Your last reply did not call the tool ${tool}, which is needed now. Reply again with a call of ${tool}.`;

/**
 * Returns the turns that a further step needs in its history to correct a reply; undefined if the reply needs no
 * correction (rule: compatible-corrections).
 */
export function correctionOf(result: StepResult, { toolChoice }: ClientTerms): readonly Turn[] | undefined {
  const { status, error, correction, new_turns: turns } = result;
  if (error) return error.code === 'empty_response' ? [notice(EMPTY)] : undefined;
  if (typeof toolChoice === 'object' && allowedActions(result, toolChoice).length === 0)
    return [...answerIn(turns), notice(callOf(toolChoice.name))];
  if (status === 'action_proposed') return undefined;
  if (correction) return [...turns, correction];
  return toolChoice === 'required' ? [...turns, notice(CALL)] : undefined;
}

/**
 * Returns the actions of a step that its client accepts. A client whose tool choice names one tool accepts only calls of
 * that tool (rule: client-terms).
 */
export function allowedActions(
  { action_details: action, additional_actions: others }: StepResult,
  toolChoice: ClientTerms['toolChoice'],
): readonly ActionDetails[] {
  const actions = action ? [action, ...others] : [];
  if (typeof toolChoice !== 'object') return actions;
  return actions.filter(({ tool_name: name }) => name === toolChoice.name);
}

/** Removes the calls from turns, because they will not be run. */
const answerIn = (turns: readonly Turn[]): readonly Turn[] => turns.filter(({ toolCall }) => !toolCall);

const notice = (content: string): Turn => ({ role: 'user', kind: 'notice', content });
